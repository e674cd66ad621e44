package scenario

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

func TestGolden(t *testing.T) {
	file := filepath.Join(t.TempDir(), "vm.test.js")
	g := NewGolden(file, false)
	_, ok, err := g.Lookup("a > 1", "text")
	require.NoError(t, err)
	require.False(t, ok)
	require.NoError(t, g.Close())
	require.NoFileExists(t, file+GoldenSuffix) // nothing is written without being asked to

	g = NewGolden(file, true)
	for key, text := range map[string]string{"b": "two\nlines\n", "a > 1": "text", `"quoted"`: "-- b --\n\\x\r\n"} {
		stored, ok, err := g.Lookup(key, text)
		require.NoError(t, err)
		require.True(t, ok)
		require.Equal(t, text, stored)
	}
	require.NoError(t, g.Close())
	data, err := os.ReadFile(file + GoldenSuffix)
	require.NoError(t, err)
	require.Equal(t, "-- \"\\\"quoted\\\"\" --\n\\\"-- b --\"\n\\\"\\\\x\\r\"\n\n-- a > 1 --\ntext\n-- b --\ntwo\nlines\n\n", string(data))

	g = NewGolden(file, false)
	stored, ok, err := g.Lookup("b", "other")
	require.NoError(t, err)
	require.True(t, ok)
	require.Equal(t, "two\nlines\n", stored)

	require.NoError(t, os.WriteFile(file+GoldenSuffix, []byte("-- a --\r\nx\r\ny\r\n"), 0o666)) // a checkout on Windows
	stored, _, err = NewGolden(file, false).Lookup("a", "")
	require.NoError(t, err)
	require.Equal(t, "x\ny", stored)
}

func TestObsoleteValues(t *testing.T) {
	file := filepath.Join(t.TempDir(), "vm.test.js")
	open := func(update bool, asked ...string) *Golden {
		g := NewGolden(file, update)
		for _, key := range asked {
			_, _, err := g.Lookup(key, "text")
			require.NoError(t, err)
		}
		return g
	}
	obsolete := func(g *Golden) []string {
		keys, err := g.Obsolete(func(key string) bool { return key == "skipped" })
		require.NoError(t, err)
		require.NoError(t, g.Close())
		return keys
	}
	require.Empty(t, obsolete(open(true, "a", "b", "c", "skipped")))
	require.Equal(t, []string{"b", "c"}, obsolete(open(false, "a")))
	require.Equal(t, []string{"b", "c"}, obsolete(open(true, "a")), "nothing was removed")
	require.Empty(t, obsolete(open(true, "a")))
	g := open(true)
	require.Equal(t, []string{"a"}, obsolete(g))
	keys, err := open(true).Obsolete(func(string) bool { return false })
	require.NoError(t, err)
	require.Equal(t, []string{"skipped"}, keys)
	g = open(true)
	_, err = g.Obsolete(func(string) bool { return false })
	require.NoError(t, err)
	require.NoError(t, g.Close())
	require.NoFileExists(t, file+GoldenSuffix)
	require.Empty(t, obsolete(open(true)))
}

func TestGoldenErrors(t *testing.T) {
	tests := []struct{ text, want string }{
		{"x\n", ":1: expected a section, got \"x\""},
		{"-- a --\n\\x\n", ":2: the text after the backslash: invalid syntax"},
		{"-- a --\n\n-- \"a --\n", ":3: the key: invalid syntax"},
	}
	for _, tt := range tests {
		file := filepath.Join(t.TempDir(), "x.test.js")
		require.NoError(t, os.WriteFile(file+GoldenSuffix, []byte(tt.text), 0o666))
		_, _, err := NewGolden(file, false).Lookup("a", "")
		require.ErrorContains(t, err, file+GoldenSuffix+tt.want)
	}
}

func TestGoldenKeepsEveryText(t *testing.T) {
	texts := rapid.OneOf(rapid.String(), rapid.StringMatching(`(-- |\\|a|"| --|\n|\r)*`))
	rapid.Check(t, func(t *rapid.T) {
		values := rapid.MapOf(texts, texts).Draw(t, "values")
		got, err := parseGolden(string(formatGolden(values)))
		require.NoError(t, err)
		require.Equal(t, values, got)
	})
}
