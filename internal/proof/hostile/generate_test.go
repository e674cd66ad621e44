package hostile

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// around is a model with one application, whose property x has the value in the middle.
const before, after = `{ "?": { "type": "Environment", "id": "root" }, "applications": [ { "?": { "type": "Item", "id": "evil" }, "x": `, ` } ] }`

// generators make what is too large to be kept, by the name in an entry.
var generators = map[string]func(n int) string{
	"arrays":  func(n int) string { return before + strings.Repeat("[", n) + strings.Repeat("]", n) + after },
	"objects": func(n int) string { return before + strings.Repeat(`{"a":`, n) + "1" + strings.Repeat("}", n) + after },
	"bigint":  func(n int) string { return before + `{ "$bigint": "` + strings.Repeat("9", n) + `" }` + after },
	"bytes":   func(n int) string { return before + `"` + strings.Repeat("\xff\xc0", n) + `"` + after },
	"text":    func(n int) string { return before + `"` + strings.Repeat("x", n) + `"` + after },
	"comment": func(n int) string {
		return "/*" + strings.Repeat("x", n) + "*/\nimport { Resource } from \"sexton\";\nexport class Item extends Resource {}\n"
	},
	"brackets": func(n int) string {
		return "export const x = " + strings.Repeat("[", n) + strings.Repeat("]", n) + ";\n"
	},
	"owners": func(n int) string {
		return `{ "?": { "type": "Environment", "id": "root" }, "applications": [ ` + strings.Repeat(`{ "?": { "type": "Item", "name": "a" }, "items": [ `, n) +
			strings.Repeat(` ] }`, n) + ` ] }`
	},
	"many": func(n int) string {
		items := make([]string, n)
		for i := range items {
			items[i] = fmt.Sprintf(`{ "?": { "type": "Item", "id": "i%d" } }`, i)
		}
		return `{ "?": { "type": "Environment", "id": "root" }, "applications": [ ` + strings.Join(items, ", ") + ` ] }`
	},
}

// generated writes what an entry says is to be generated: a file, a generator, and its size.
func generated(t *testing.T, dir string, words []string) {
	if len(words) == 0 {
		return
	}
	require.Len(t, words, 3)
	file := filepath.Join(dir, words[0])
	size, err := strconv.Atoi(words[2])
	require.NoError(t, err)
	if words[1] == "sparse" { // large for whoever reads it
		f, err := os.Create(file)
		require.NoError(t, err)
		require.NoError(t, f.Truncate(int64(size)))
		require.NoError(t, f.Close())
		return
	}
	require.Contains(t, generators, words[1])
	require.NoError(t, os.WriteFile(file, []byte(generators[words[1]](size)), 0o600))
}
