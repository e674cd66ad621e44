package scenario

import (
	"bufio"
	"encoding/json"
	"encoding/xml"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"
	"pgregory.net/rapid"
)

// report feeds the events of testdata/reporters/events.jsonl to a reporter.
func report(t *testing.T, name string, opts *ReporterOptions) string {
	t.Helper()
	var out strings.Builder
	r, err := NewReporter(name, &out, opts)
	require.NoError(t, err)
	file, err := os.Open("testdata/reporters/events.jsonl")
	require.NoError(t, err)
	defer file.Close()
	s := &Summary{Duration: 1234500 * time.Microsecond}
	lines := bufio.NewScanner(file)
	for lines.Scan() {
		var e Event
		require.NoError(t, json.Unmarshal(lines.Bytes(), &e))
		s.Add(&e)
		require.NoError(t, r.Report(&e))
	}
	require.NoError(t, lines.Err())
	require.NoError(t, r.Close(s))
	return out.String()
}

func TestReporters(t *testing.T) {
	dir := must(filepath.Abs("/work"))
	tests := []struct {
		file, name string
		opts       *ReporterOptions
	}{
		{"spec.txt", "spec", nil},
		{"spec-color.txt", "spec", &ReporterOptions{Color: true}},
		{"tap.txt", "tap", &ReporterOptions{Color: true}}, // has no colours
		{"junit.xml", "junit", nil},
		{"json.jsonl", "json", nil},
	}
	for _, tt := range tests {
		t.Run(tt.file, func(t *testing.T) {
			golden(t, filepath.Join("testdata/reporters", tt.file), report(t, tt.name, tt.opts))
		})
	}

	p := &printer{opts: ReporterOptions{Dir: dir}}
	require.Equal(t, "a/x.js", p.relative(filepath.Join(dir, "a", "x.js")))
	require.Equal(t, filepath.ToSlash(filepath.Join(filepath.Dir(dir), "x.js")), p.relative(filepath.Join(filepath.Dir(dir), "x.js")))
	require.Equal(t, "x.js", p.relative("x.js"))

	_, err := NewReporter("dot", nil, nil)
	require.EqualError(t, err, `unknown reporter "dot": expected one of json, junit, spec, tap`)
}

func TestReportersSayThatTheyCannotWrite(t *testing.T) {
	for _, name := range ReporterNames() {
		r, err := NewReporter(name, brokenPipe{}, nil)
		require.NoError(t, err)
		err = errors.Join(
			r.Report(&Event{Type: TypePass, Kind: KindTest, Name: "t", Path: []string{"t"}}),
			r.Close(&Summary{}))
		require.ErrorIs(t, err, os.ErrClosed, name)
	}
}

type brokenPipe struct{}

func (brokenPipe) Write([]byte) (int, error) { return 0, os.ErrClosed }

func TestTAPDiagnosticsAreYAML(t *testing.T) {
	blocks := 0
	var block []string
	inside := false
	for _, line := range strings.Split(report(t, "tap", nil), "\n") {
		switch {
		case line == "  ---":
			inside, block = true, nil
		case line == "  ...":
			inside = false
			blocks++
			var fields map[string]any
			require.NoError(t, yaml.Unmarshal([]byte(strings.Join(block, "\n")), &fields), strings.Join(block, "\n"))
			require.Contains(t, fields, "duration_ms")
		case inside:
			block = append(block, line)
		}
	}
	require.Greater(t, blocks, 5)
}

func TestYAMLTextKeepsEveryText(t *testing.T) {
	texts := rapid.OneOf(rapid.String(), rapid.StringMatching(`([ab:#'"\\|>-]|\n| |\t){0,12}`))
	rapid.Check(t, func(t *rapid.T) {
		text := strings.TrimRight(strings.ToValidUTF8(texts.Draw(t, "text"), ""), "\n")
		var got struct{ Key string }
		document := "  key: " + yamlText(text, "    ") + "\n"
		require.NoError(t, yaml.Unmarshal([]byte(document), &got), document)
		require.Equal(t, text, got.Key, document)
	})
}

func TestJUnitIsXML(t *testing.T) {
	var document struct {
		Tests int `xml:"tests,attr"`
		Files []struct {
			Tests    int      `xml:"tests,attr"`
			Failures int      `xml:"failures,attr"`
			Errors   int      `xml:"errors,attr"`
			Skipped  int      `xml:"skipped,attr"`
			Cases    []string `xml:"testcase"`
		} `xml:"testsuite"`
	}
	require.NoError(t, xml.Unmarshal([]byte(report(t, "junit", nil)), &document))
	require.NotEmpty(t, document.Files)
	for _, file := range document.Files {
		require.Len(t, file.Cases, file.Tests)
		require.LessOrEqual(t, file.Failures+file.Errors+file.Skipped, file.Tests)
	}
}

// A file that cannot be evaluated is a testsuite of its own, wherever it stands.
func TestJUnitFilesWithoutPlan(t *testing.T) {
	var out strings.Builder
	r, err := NewReporter("junit", &out, nil)
	require.NoError(t, err)
	broken := func(file string) *Event {
		return &Event{Type: TypeFail, Kind: KindSuite, Name: file, File: file, Error: &Error{Message: "broken"}}
	}
	for _, e := range []*Event{
		broken("a.js"), {Type: TypePlan, Name: "b.js"}, {Type: TypePass, Kind: KindTest, Name: "t", Path: []string{"t"}, File: "helper.js"},
		broken("b.js"), broken("c.js"), broken("d.js"),
	} {
		require.NoError(t, r.Report(e))
	}
	require.NoError(t, r.Close(&Summary{}))
	var document struct {
		Files []struct {
			Name  string `xml:"name,attr"`
			Tests int    `xml:"tests,attr"`
		} `xml:"testsuite"`
	}
	require.NoError(t, xml.Unmarshal([]byte(out.String()), &document))
	var files []string
	for _, f := range document.Files {
		files = append(files, fmt.Sprint(f.Name, " ", f.Tests))
	}
	require.Equal(t, []string{"a.js 1", "b.js 2", "c.js 1", "d.js 1"}, files)
}

func TestSummary(t *testing.T) {
	test := func(kind, typ string, err *Error) *Event {
		return &Event{Type: typ, Kind: kind, Name: "n", Path: []string{"n"}, Error: err}
	}
	s := &Summary{}
	for _, e := range []*Event{
		{Type: TypePlan, Name: "f"},
		test(KindSuite, TypeStart, nil), test(KindTest, TypeStart, nil),
		test(KindTest, TypePass, nil), test(KindTest, TypeSkip, nil), test(KindTest, TypeTodo, &Error{}),
		test(KindSuite, TypePass, nil), {Type: TypeDiagnostic},
	} {
		s.Add(e)
	}
	require.Equal(t, &Summary{Files: 1, Suites: 1, Tests: 3, Pass: 1, Skip: 1, Todo: 1}, s)
	require.True(t, s.OK())

	s.Add(test(KindSuite, TypeFail, nil)) // because of a test that is counted itself
	require.True(t, s.OK())
	s.Add(test(KindSuite, TypeFail, &Error{}))
	require.False(t, s.OK())
	require.Equal(t, 3, s.Tests)
}
