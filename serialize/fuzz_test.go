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
	for _, text := range mergedModels(f) {
		f.Add(text)
	}
	f.Add(`{ "Objects": { "?": { "type": "Sample" }, "any": { "$map": [ [ { "$date": 1 }, { "$ref": "root" } ] ] }, "date": "+010000-01-01" } }`)
	f.Fuzz(func(t *testing.T, text string) { saveDecoded(t, text, false) })
}

// The same for models in YAML.
func FuzzDecodeYAML(f *testing.F) {
	for _, text := range mergedModels(f) {
		f.Add(text)
	}
	f.Add("?: {type: Sample}\nany: {<<: [&a {x: 1}, *a], y: !!binary AA==, z: *a}\nlabels: {a: \"\\u00e9\"}\n")
	f.Add("Objects:\n  ?: {type: Sample}\n  any: |\n    a\n  date: 2026-01-02\n--- \n...\n")
	f.Fuzz(func(t *testing.T, text string) { saveDecoded(t, text, true) })
}

// mergedModels are the models of the tests of Merge.
func mergedModels(f *testing.F) (models []string) {
	files, err := filepath.Glob("testdata/merge/*.txtar")
	require.NoError(f, err)
	for _, file := range files {
		archive, err := txtar.ParseFile(file)
		require.NoError(f, err)
		for _, part := range archive.Files {
			if strings.HasPrefix(part.Name, "model") {
				models = append(models, string(part.Data))
			}
		}
	}
	require.NotEmpty(f, models)
	return models
}

func saveDecoded(t *testing.T, text string, yaml bool) {
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
}
