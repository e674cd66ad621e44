package serialize

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
	"github.com/stretchr/testify/require"
)

// gc 6.6: whatever is accepted is written again byte for byte.
func FuzzDecodeSnapshot(f *testing.F) {
	f.Add(shopText)
	f.Add("{ \"sexton\": 1,\n  \"objects\": []")
	f.Add("{ \"sexton\": 1,\n  \"objects\": [\n    { \"?\": { \"id\": \"a\", \"type\": \"T\" },\n      \"p\": { \"$map\": [ [ 1, { \"$$\": {} } ] ] } } ]")
	f.Fuzz(func(t *testing.T, body string) {
		for _, text := range [][]byte{[]byte(body), sign(body)} {
			g, err := DecodeSnapshot(text)
			if err != nil {
				require.IsType(t, &Error{}, err)
				continue
			}
			again, err := EncodeSnapshot(g)
			require.NoError(t, err)
			require.Equal(t, string(text), string(again))
		}
	})
}

// A model that is accepted can be saved once it is merged, and what was saved is the same model.
func FuzzDecodeModel(f *testing.F) {
	files, err := filepath.Glob("testdata/merge/*.txtar")
	require.NoError(f, err)
	for _, file := range files {
		archive, err := txtar.ParseFile(file)
		require.NoError(f, err)
		for _, part := range archive.Files {
			if strings.HasPrefix(part.Name, "model") {
				f.Add(string(part.Data), true)
				f.Add(string(part.Data), false)
			}
		}
	}
	f.Add(`{ "Objects": { "?": { "type": "Sample" }, "any": { "$map": [ [ { "$date": 1 }, { "$ref": "root" } ] ] }, "date": "+010000-01-01" } }`, false)
	f.Add("?: {type: Sample}\nany: {<<: [&a {x: 1}, *a], y: !!binary AA==, z: *a}\nlabels: {a: \"\\u00e9\"}\n", true)
	f.Fuzz(func(t *testing.T, text string, yaml bool) {
		opts := &ModelOptions{YAML: yaml, Classes: testClasses()}
		m, err := DecodeModel([]byte(text), opts)
		if err != nil {
			require.IsType(t, &Error{}, err)
			return
		}
		out, err := Merge(nil, m)
		if err != nil {
			return
		}
		saved, err := EncodeSnapshot(out.Graph)
		if err != nil {
			// A model may say more than a snapshot can hold, in one respect: it counts its levels from the root.
			require.ErrorContains(t, err, "nested deeper")
			return
		}
		opts.YAML = false
		again, err := DecodeModel(saved, opts)
		require.NoError(t, err)
		require.Equal(t, dump(out.Graph), dump(again.Graph))
	})
}
