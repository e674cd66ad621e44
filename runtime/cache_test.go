package runtime_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	goruntime "runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/sextongc/sexton/runtime"
)

// cached is a package whose bundles are kept.
type cached struct {
	t          *testing.T
	dir, cache string
	change     func(opts *runtime.BuildOptions)
}

// newCached makes the files of a package, which began to be long ago, in a directory below a new one.
func newCached(t *testing.T, archive string) *cached {
	c := &cached{t: t, cache: filepath.Join(t.TempDir(), "cache"), dir: filepath.Join(write(t, archive), "app")}
	c.age()
	return c
}

// age makes all files and directories around the package an hour old.
func (c *cached) age() {
	hour := time.Now().Add(-time.Hour)
	require.NoError(c.t, filepath.WalkDir(filepath.Dir(c.dir), func(path string, d fs.DirEntry, err error) error {
		if d.Type()&fs.ModeSymlink == 0 {
			require.NoError(c.t, os.Chtimes(path, hour, hour))
		}
		return err
	}))
}

// run builds the package and returns what it prints, or why it does not.
func (c *cached) run(cache string) string {
	h := newHost(c.t, &runtime.Options{Extensions: []*runtime.Extension{hello}})
	opts := &runtime.BuildOptions{
		Dir: c.dir, Cache: cache, Extensions: h.opts.Extensions, Entries: []runtime.Entry{{Name: "main", Path: "main.ts"}},
	}
	if c.change != nil {
		c.change(opts)
	}
	b, err := runtime.Build(context.Background(), opts)
	if err != nil {
		return "error: " + err.Error()
	}
	require.NoError(c.t, h.Run(patient(c.t), func(task *runtime.Task) error {
		_, err := h.Load(task, b)
		return err
	}))
	return strings.Join(h.lines, " ")
}

// edit changes the entries of the cache; digests of their bodies are put right.
func (c *cached) edit(change func(body []byte) []byte) (entries int) {
	files, err := filepath.Glob(filepath.Join(c.cache, "*"))
	require.NoError(c.t, err)
	for _, file := range files {
		data, err := os.ReadFile(file)
		require.NoError(c.t, err)
		_, body, _ := bytes.Cut(data, []byte("\n"))
		body = change(body)
		head := fmt.Sprintf("sexton bundle 1 %x\n", sha256.Sum256(body))
		require.NoError(c.t, os.WriteFile(file, append([]byte(head), body...), 0o600))
	}
	return len(files)
}

// keep builds the package, and marks what is kept: who prints "kept!" in place of "fresh" comes from the cache.
func (c *cached) keep() {
	c.t.Helper()
	require.Contains(c.t, c.run(c.cache), "fresh")
	require.Equal(c.t, 1, c.edit(func(body []byte) []byte {
		return bytes.ReplaceAll(body, []byte(`log("fresh`), []byte(`log("kept!`))
	}))
	require.Contains(c.t, c.run(c.cache), "kept!")
}

func (c *cached) write(name, text string) {
	path := filepath.Join(c.dir, filepath.FromSlash(name))
	require.NoError(c.t, os.MkdirAll(filepath.Dir(path), 0o777))
	require.NoError(c.t, os.WriteFile(path, []byte(text), 0o666))
}

const linked = `
-- app/main.ts --
console.log("fresh");
import "./a";
import "./lib";
import "./lib/deep/x.js";
import "dep";
import "dep/sub";
import { data } from "./sub/data.json";
import "./sub/s.ts";
console.log(data);
try { console.log(require("optional").x); } catch {}
export {};
-- app/a.js --
console.log("a");
-- app/lib/index.js --
console.log("lib");
-- app/lib/deep/x.ts --
class Field { x; constructor() { console.log("x"); } }
new Field();
-- app/sub/data.json --
{ "data": 1 }
-- app/sub/s.ts --
import "dep/sub";
-- app/package.json --
{ "name": "app", "type": "module" }
-- app/node_modules/dep/package.json --
{ "name": "dep", "main": "one" }
-- app/node_modules/dep/one.js --
console.log("one");
-- app/node_modules/dep/two.js --
console.log("two");
-- app/node_modules/dep/sub/index.js --
console.log("sub");
-- other/a.js --
console.log("other a");
`

// A bundle that was kept is used as long as building it again would give the same, and no longer.
func TestCache(t *testing.T) {
	remove := func(name string) func(*cached) {
		return func(c *cached) { require.NoError(c.t, os.RemoveAll(filepath.Join(c.dir, filepath.FromSlash(name)))) }
	}
	add := func(name, text string) func(*cached) { return func(c *cached) { c.write(name, text) } }
	link := func(to, name string) func(*cached) {
		return func(c *cached) {
			path := filepath.Join(c.dir, filepath.FromSlash(name))
			require.NoError(c.t, os.RemoveAll(path))
			require.NoError(c.t, os.Symlink(filepath.FromSlash(to), path))
		}
	}
	options := func(change func(*runtime.BuildOptions)) func(*cached) { return func(c *cached) { c.change = change } }
	for name, tt := range map[string]struct {
		change func(c *cached)
		same   bool // the bundle is still the right one
	}{
		"nothing":                    {func(*cached) {}, true},
		"a file that is not used":    {add("unused.ts", ""), true},
		"a directory":                {add("out/x/y.txt", ""), true},
		"times":                      {(*cached).age, true},
		"the main module":            {add("main.ts", `console.log("new");`), false},
		"a module":                   {add("lib/deep/x.ts", `console.log("new x");`), false},
		"data":                       {add("sub/data.json", `{ "data": 2 }`), false},
		"a module is gone":           {remove("a.js"), false},
		"data is gone":               {remove("sub/data.json"), false},
		"an extension that is first": {add("a.ts", `console.log("a.ts");`), false},
		"a file over a directory":    {add("lib.ts", `console.log("lib.ts");`), false},
		"an index that is first":     {add("lib/index.ts", `console.log("lib/index.ts");`), false},
		"a package.json in lib":      {add("lib/package.json", `{ "main": "./deep/x.ts" }`), false},
		"the .js that was meant":     {add("lib/deep/x.js", `console.log("x.js");`), false},
		"another main":               {add("node_modules/dep/package.json", `{ "main": "two" }`), false},
		"exports":                    {add("node_modules/dep/package.json", `{ "exports": { ".": "./one.js", "./sub": "./two.js" } }`), false},
		"a main that is first":       {add("node_modules/dep/one.ts", `console.log("one.ts");`), false},
		"a file over a sub":          {add("node_modules/dep/sub.js", `console.log("sub.js");`), false},
		"a nearer node_modules":      {add("sub/node_modules/dep/sub/index.js", `console.log("nearer");`), false},
		"a package that was missing": {add("node_modules/optional/index.js", `exports.x = "optional";`), false},
		"the same above":             {add("../node_modules/optional.js", `exports.x = "above";`), false},
		"tsconfig.json":              {add("tsconfig.json", `{ "compilerOptions": { "useDefineForClassFields": false } }`), false},
		"tsconfig.json above":        {add("../tsconfig.json", `{ "compilerOptions": { "useDefineForClassFields": false } }`), false},
		"jsconfig.json":              {add("lib/jsconfig.json", `{}`), false},
		"type":                       {add("package.json", `{ "name": "app", "type": "commonjs" }`), false},
		"package.json is gone":       {remove("package.json"), false},
		"a link in place of a file":  {link("../other/a.js", "a.js"), false},
		"a link in place of its dir": {link("../other", "lib"), false},
		"Yarn's Plug'n'Play":         {add("../.pnp.cjs", ""), false},
		"another entry":              {options(func(o *runtime.BuildOptions) { o.Entries[0].Path = "a.js" }), false},
		"another name":               {options(func(o *runtime.BuildOptions) { o.Entries[0].Name = "x" }), false},
		"a source":                   {options(func(o *runtime.BuildOptions) { o.Entries[0] = runtime.Entry{Name: "main", Source: `import "./a"`} }), false},
		"host modules":               {options(func(o *runtime.BuildOptions) { o.Extensions = nil }), false},
		"limits":                     {options(func(o *runtime.BuildOptions) { o.SourceSize = 10 }), false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := newCached(t, linked)
			c.keep()
			tt.change(c)
			got := c.run(c.cache)
			require.Equal(t, tt.same, strings.Contains(got, "kept!"), got)
			if !tt.same {
				require.Equal(t, c.run(""), got)
			}
		})
	}
}

// The package may be reached through a link, and so may a package that it needs.
func TestCacheLinks(t *testing.T) {
	c := newCached(t, `
-- one/main.ts --
console.log("fresh one");
import "tool";
-- two/main.ts --
console.log("fresh two");
-- tool1/index.js --
console.log("tool1");
-- tool2/index.js --
console.log("tool2");
-- one/node_modules/.keep --
`)
	tool := filepath.Join(filepath.Dir(c.dir), "one", "node_modules", "tool")
	require.NoError(t, os.Symlink("one", c.dir))
	require.NoError(t, os.Symlink(filepath.FromSlash("../../tool1"), tool))
	c.age()
	c.keep()
	require.NoError(t, os.Remove(tool))
	require.NoError(t, os.Symlink(filepath.FromSlash("../../tool2"), tool))
	require.Equal(t, "tool2 fresh one", c.run(c.cache))
	require.NoError(t, os.Remove(c.dir))
	require.NoError(t, os.Symlink("two", c.dir))
	require.Equal(t, "fresh two", c.run(c.cache))
}

// What is damaged, or may be somebody else's, is not used.
func TestCacheIsNotTrusted(t *testing.T) {
	c := newCached(t, "-- app/main.ts --\nconsole.log(\"fresh\");\n")
	c.keep()
	file, err := filepath.Glob(filepath.Join(c.cache, "*"))
	require.NoError(t, err)
	good, err := os.ReadFile(file[0])
	require.NoError(t, err)
	flipped := bytes.Clone(good)
	flipped[len(flipped)-1] ^= 1
	for name, data := range map[string][]byte{
		"empty": {}, "cut": good[:len(good)-1], "a bit": flipped, "another version": bytes.Replace(good, []byte("bundle 1"), []byte("bundle 2"), 1),
		"no line": []byte("x"), "more": append(bytes.Clone(good), 'x'),
	} {
		require.NoError(t, os.WriteFile(file[0], data, 0o600))
		require.Equal(t, "fresh", c.run(c.cache), name)
		require.NoError(t, os.WriteFile(file[0], good, 0o600))
		require.Equal(t, "kept!", c.run(c.cache), name)
	}
	c.edit(func([]byte) []byte { return []byte(`{"Size":100}` + "\n") }) // right by its digest
	require.Equal(t, "fresh", c.run(c.cache))
	require.NoError(t, os.WriteFile(file[0], good, 0o600))
	if goruntime.GOOS != "windows" {
		require.NoError(t, os.Chmod(c.cache, 0o777))
		require.Equal(t, "fresh", c.run(c.cache))
		require.NoError(t, os.Chmod(c.cache, 0o700))
	}
	require.Equal(t, "kept!", c.run(c.cache))
	require.NoError(t, os.WriteFile(c.cache+".file", nil, 0o600))
	require.Equal(t, "fresh", c.run(c.cache+".file"), "a file is no directory")
}

// What changed so shortly before the build that esbuild may have seen it otherwise is not kept, and neither is what
// depends on more than is looked at.
func TestCacheKeepsNoDoubt(t *testing.T) {
	for name, change := range map[string]func(c *cached){
		"a file just written":      func(c *cached) { c.write("a.ts", `console.log("a");`) },
		"a directory just changed": func(c *cached) { c.write("main2.ts", ""); c.write("main.js", "") },
		"paths": func(c *cached) {
			c.write("tsconfig.json", `{ "compilerOptions": { "paths": { "x": ["./y"] } } }`)
			c.age()
		},
		"extends": func(c *cached) {
			c.write("tsconfig.json", `{ "extends": "./base.json" }`)
			c.write("base.json", "{}")
			c.age()
		},
		"an import by #": func(c *cached) {
			c.write("package.json", `{ "imports": { "#a": "./a.ts" } }`)
			c.write("main.ts", `console.log("fresh"); import "#a";`)
			c.age()
		},
	} {
		c := newCached(t, "-- app/main.ts --\nconsole.log(\"fresh\");\nimport \"./a\";\n-- app/a.ts --\n")
		change(c)
		require.Contains(t, c.run(c.cache), "fresh", name)
		require.Zero(t, c.edit(func(body []byte) []byte { return body }), name)
	}
}

// Any number of builds may use a cache at once, and its size is bounded.
func TestCacheAtOnce(t *testing.T) {
	c := newCached(t, linked)
	require.NoError(t, os.MkdirAll(c.cache, 0o700))
	old := time.Now().Add(-2 * time.Hour)
	for i := range 200 {
		name := filepath.Join(c.cache, fmt.Sprintf("%064d", i))
		if i%50 == 0 {
			name = filepath.Join(c.cache, fmt.Sprintf("new-%d", i))
		}
		require.NoError(t, os.WriteFile(name, []byte("x"), 0o600))
		require.NoError(t, os.Chtimes(name, old, old))
	}
	var wait sync.WaitGroup
	for range 4 {
		wait.Go(func() {
			for range 5 {
				opts := &runtime.BuildOptions{Dir: c.dir, Cache: c.cache, Entries: []runtime.Entry{{Name: "main", Path: "main.ts"}}}
				_, err := runtime.Build(context.Background(), opts)
				require.NoError(t, err)
			}
		})
	}
	wait.Wait()
	entries, err := os.ReadDir(c.cache)
	require.NoError(t, err)
	require.LessOrEqual(t, len(entries), 128)
	for _, e := range entries {
		require.NotContains(t, e.Name(), "new-")
	}
}
