package runtime

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// Imports read no files that scripts have no permission for.
func TestImportsOfData(t *testing.T) {
	base := t.TempDir()
	dir := filepath.Join(base, "package")
	for name, text := range map[string]string{
		"secret.txt": "secret", "secret.json": "{}", "secret": "secret", "lib/code.js": "export default 1", "node_modules/lib/package.json": `{"version": "1"}`,
		"package/data.json": "{}", "package/text.txt": "text", "package/.sexton/default/snapshot.json": "{}", "package/main.js": "",
	} {
		file := filepath.Join(base, filepath.FromSlash(name))
		require.NoError(t, os.MkdirAll(filepath.Dir(file), 0o777))
		require.NoError(t, os.WriteFile(file, []byte(text), 0o666))
	}
	require.NoError(t, os.Symlink(filepath.Join(base, "secret.json"), filepath.Join(dir, "link.json")))
	build := func(source string) error {
		_, err := Build(context.Background(), &BuildOptions{Dir: dir, Entries: []Entry{{Name: "x", Source: source + "\nglobalThis.y = typeof x"}}})
		return err
	}
	for _, source := range []string{
		`import x from "./data.json"`, `import x from "./text.txt"`, `import x from "./main.js" with { type: "text" }`, `import x from "../lib/code.js"`,
		`import x from "lib/package.json"`,
	} {
		require.NoError(t, build(source), source)
	}
	for _, source := range []string{
		`import x from "../secret.json"`, `import x from "../secret.txt"`, `import x from "` + filepath.ToSlash(base) + `/secret.json"`,
		`import x from "../secret" with { type: "text" }`, `import x from "../lib/code.js" with { type: "text" }`, `import x from "../lib/code.js" with { type: "bytes" }`,
		`import x from "./link.json"`, `import x from "./.sexton/default/snapshot.json"`, `import x from "../secret.json?x#y"`,
		`const x = require("../secret.json")`, `import("../secret.txt")`, `export * from "../secret.json"`,
	} {
		require.ErrorContains(t, build(source), "cannot be imported as data: it is no file of the package", source)
	}
}
