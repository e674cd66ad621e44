package render

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

var update = flag.Bool("update", false, "write the golden files")

func golden(t *testing.T, name, got string) {
	t.Helper()
	file := filepath.Join("testdata", name)
	if *update {
		require.NoError(t, os.WriteFile(file, []byte(got), 0o644))
	}
	want, err := os.ReadFile(file)
	require.NoError(t, err)
	require.Equal(t, strings.ReplaceAll(string(want), "\r\n", "\n"), got)
}

func TestTree(t *testing.T) {
	nodes := []Node{
		{Parent: -1, Mark: "=", Text: "Environment shop"},
		{Parent: 3, Mark: "+", Colour: Green, Text: "Subnet a"}, // before its parent
		{Parent: 0, Mark: "-", Colour: Red, Text: "Vm old", Note: "1.2s"},
		{Parent: 0, Mark: "=", Text: "Network net"},
		{Parent: 99, Mark: "!", Text: "no such parent"},
		{Parent: 6, Text: "in a cycle"},
		{Parent: 5, Text: "in a cycle, too"},
	}
	golden(t, "tree.txt", Tree(nodes, Style{}))
	golden(t, "tree-color.txt", Tree(nodes, Style{Color: true}))
}

func TestTreeIsLinear(t *testing.T) {
	nodes := make([]Node, 20_000)
	for i := range nodes {
		nodes[i] = Node{Parent: i - 1, Text: "n"}
	}
	text := Tree(nodes, Style{})
	require.Less(t, len(text), 100*len(nodes))
	require.Equal(t, len(nodes), strings.Count(text, "\n"))
	require.Contains(t, text, "(19,999 deep) n")
}

func TestTable(t *testing.T) {
	golden(t, "table.txt", Table([]string{"LEVEL", "OBJECT", "WHY"}, [][]string{
		{"1", "Vm vm1", "the model no longer has it"},
		{"2", "Überwachung ü"},
		{"10", "", "x"},
	}, Style{}))
}

func TestExcerpt(t *testing.T) {
	long := strings.Repeat("x", 500) + "HERE" + strings.Repeat("y", 500)
	tests := []struct {
		name, source string
		line, column int
		want         string
	}{
		{"plain", `  cidr: 1,`, 7, 9, "7 |   cidr: 1,\n  |         ^\n"},
		{"tab", "\tcidr", 12, 2, "12 | \tcidr\n   | \t^\n"},
		{"after the end", "ab", 1, 3, "1 | ab\n  |   ^\n"},
		{"beyond the end", "ab", 1, 4, ""},
		{"no column", "ab", 1, 0, ""},
		{"blank", "  ", 1, 1, ""},
		{"escape", "a\x1b[2Jb", 1, 1, "1 | a\\x1b[2Jb\n  | ^\n"},
		{"long", long, 1, 501, "1 | …" + strings.Repeat("x", 80) + "HERE" + strings.Repeat("y", 75) + "…\n  | " + strings.Repeat(" ", 81) + "^\n"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			require.Equal(t, tt.want, Excerpt(tt.source, tt.line, tt.column, Style{}))
		})
	}
}

func TestLine(t *testing.T) {
	require.Equal(t, "b", Line("a\nb\nc", 2))
	require.Equal(t, "c", Line("a\nb\nc", 3))
	require.Empty(t, Line("a\nb\nc", 4))
}

func TestText(t *testing.T) {
	require.Equal(t, `a\n\x1b[31mb`, Clean("a\n\x1b[31mb"))
	require.Equal(t, "äöü", Clean("äöü"))
	require.Equal(t, "äöü", Truncate("äöü", 3))
	require.Equal(t, "äö…", Truncate("äöüß", 3))
	require.Equal(t, "1 object", Count(1, "object"))
	require.Equal(t, "0 objects", Count(0, "object"))
	require.Equal(t, "1,234,567 objects", Count(1234567, "object"))
	require.Equal(t, "-1,234", Number(-1234))
	for d, want := range map[time.Duration]string{
		999 * time.Millisecond: "", 1250 * time.Millisecond: "1.2s", 59990 * time.Millisecond: "59.9s",
		time.Minute: "1m", 200 * time.Second: "3m20s", 2*time.Hour + 5*time.Minute + 3*time.Second: "2h5m",
	} {
		require.Equal(t, want, Duration(d), d)
	}
}

func TestLive(t *testing.T) {
	var b bytes.Buffer
	l := &Live{W: &b, Width: 5}
	l.Draw("one", "a long line")
	l.Draw("two")
	l.Clear()
	require.Equal(t, "one\na l…\n"+"\x1b[2A\x1b[J"+"two\n"+"\x1b[1A\x1b[J", b.String())
}
