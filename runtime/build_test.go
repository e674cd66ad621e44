package runtime_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dop251/goja"
	"github.com/stretchr/testify/require"

	"github.com/sextongc/sexton/runtime"
)

// write puts files into a new directory; each begins after a line "-- name --".
func write(t *testing.T, archive string) string {
	t.Helper()
	dir := t.TempDir()
	for _, part := range strings.Split("\n"+archive, "\n-- ")[1:] {
		name, content, _ := strings.Cut(part, " --\n")
		path := filepath.Join(dir, filepath.FromSlash(name))
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o777))
		require.NoError(t, os.WriteFile(path, []byte(content), 0o666))
	}
	return dir
}

var hello = &runtime.Extension{
	Name: "sexton/hello", Exports: []string{"hello", "twice"},
	Open: func(rt *runtime.Runtime) (*runtime.Module, error) {
		return &runtime.Module{Exports: map[string]goja.Value{"name": rt.Goja().ToValue("Go")}}, nil
	},
	Source: `
		const { apply } = primordials;
		return { hello: () => "hello " + host.name, twice: (f) => { apply(f, undefined, []); apply(f, undefined, []) } }`,
}

// bundle builds the entries and runs them.
func (h *host) bundle(dir string, entries ...string) (string, map[string]*goja.Object, error) {
	h.lines = nil
	opts := &runtime.BuildOptions{Dir: dir, Extensions: h.opts.Extensions}
	for _, e := range entries {
		opts.Entries = append(opts.Entries, runtime.Entry{Name: e, Path: e})
	}
	b, err := runtime.Build(context.Background(), opts)
	if err != nil {
		return "", nil, err
	}
	var ns map[string]*goja.Object
	err = h.Run(patient(h.t), func(task *runtime.Task) error {
		ns, err = h.Load(task, b)
		return err
	})
	return strings.Join(h.lines, "\n"), ns, err
}

func TestModules(t *testing.T) {
	for name, tt := range map[string]struct {
		archive string
		entries string
		want    string
	}{
		"a class is the same in all entries": {`
-- a.ts --
import { A } from "./lib/class.js";
export const a = new A();
-- b.js --
import { A } from "./lib/class";
import { a } from "./a.js";
console.log(a instanceof A, new A().count);
-- lib/class.ts --
let count = 0;
export class A { count = ++count; }
`, "a.ts b.js", "true 2"},
		"node_modules": {`
-- a.mjs --
import esm, { named } from "esm";
import { sub } from "esm/sub";
import cjs from "cjs";
import * as old from "@scope/old";
import data from "./data.json";
console.log(esm, named, sub, cjs.x, old.y, data.list);
-- data.json --
{ "list": [1, 2] }
-- node_modules/esm/package.json --
{ "name": "esm", "exports": { ".": { "require": "./bad.cjs", "import": "./good.mjs" }, "./sub": { "node": "./lib/sub.mjs", "default": "./bad.cjs" } } }
-- node_modules/esm/good.mjs --
export default "esm"; export const named = "named";
-- node_modules/esm/lib/sub.mjs --
export const sub = "sub";
-- node_modules/cjs/package.json --
{ "main": "lib/main" }
-- node_modules/cjs/lib/main.js --
exports.x = require("./dep").dep + 1;
-- node_modules/cjs/lib/dep.js --
module.exports = { dep: 1 };
-- node_modules/@scope/old/index.js --
exports.y = "old";
`, "a.mjs", "esm named sub 2 old [ 1, 2 ]"},
		"host modules": {`
-- a.ts --
import { hello, twice } from "sexton/hello";
import all from "sexton/hello";
twice(() => console.log(hello(), all.hello === hello, Object.keys(all)));
`, "a.ts", "hello Go true [ 'hello', 'twice' ]\nhello Go true [ 'hello', 'twice' ]"},
		"names that collide": {`
-- a.ts --
import "./b"; const __sexton = 1, host = 2; class Vm {} console.log(new Vm(), __sexton, host);
-- b.ts --
const __sexton = 3, host = 4; class Vm {} console.log(typeof Vm, __sexton, host); export {};
`, "a.ts", "function 3 4\nVm {} 1 2"},
		"cycle, dynamic import, side effects": {`
-- a.ts --
import { b } from "./b"; import "./effect";
export function a() { return "a" }
console.log(b());
console.log((await import("./late.js")).late);
-- b.ts --
import { a } from "./a"; export function b() { return a() + "b" }
-- effect.js --
console.log("effect");
-- late.js --
export const late = "late";
-- package.json --
{ "sideEffects": false }
`, "a.ts", "effect\nab\nlate"},
		"decorators and private members": {`
-- a.ts --
function bound(_: unknown, c: ClassMethodDecoratorContext) { c.addInitializer(function (this: any) { this[c.name] = this[c.name].bind(this) }) }
class A { #n = 1; static { console.log("static") } @bound get2() { return this.#n + 1 } has(o: object) { return #n in o } declare later: string }
const { get2 } = new A();
console.log(get2(), new A().has(new A()), new A().has({}), "later" in new A());
export {};
`, "a.ts", "static\n2 true false false"},
	} {
		t.Run(name, func(t *testing.T) {
			h := newHost(t, &runtime.Options{Extensions: []*runtime.Extension{hello}})
			got, _, err := h.bundle(write(t, tt.archive), strings.Fields(tt.entries)...)
			require.NoError(t, err)
			require.Equal(t, tt.want, got)
		})
	}
}

func TestBuildErrors(t *testing.T) {
	for source, want := range map[string]string{
		"import x from \"./nothing.js\"":                `a.js:1:15: there is no file for "./nothing.js"`,
		"\nimport { x } from \"sexton/helo\"":           `a.js:2:19: there is no module "sexton/helo": did you mean "sexton/hello"?`,
		"import \"sexton/proceedings\"":                 `a.js:1:8: there is no module "sexton/proceedings": there are sexton/hello, sexton/fs`,
		"import fs from \"node:fs\"":                    `a.js:1:16: Node's module "fs" does not exist here: use "sexton/fs"`,
		"import fs from \"fs/promises\"":                `a.js:1:16: Node's module "fs/promises" does not exist here: use "sexton/fs"`,
		"import fs from \"node:zlib\"":                  `a.js:1:16: Node's module "zlib" does not exist here`,
		"import x from \"left-pad\"":                    `a.js:1:15: there is no module "left-pad"`,
		"import { helo } from \"sexton/hello\"; helo()": `a.js:1:10: No matching export in "sexton/hello" for import "helo": Did you mean to import "hello" instead?`,
		"let x = ;":                                             `a.js:1:9: Unexpected ";"`,
		"\tlet é = 1; let é = 2;":                               `a.js:1:17: The symbol "é" has already been declared: The symbol "é" was originally declared here:`,
		"export const s = 'é', r = /[z-a]/":                     `a.js:1:27: Invalid regular expression (re2): [z-a] (error parsing regexp: invalid character class range: ` + "`z-a`)",
		"export class A { #v; f(o) {\n return #v in o && 1 } }": `a.js:2:9: the interpreter does not understand this use of a private name: put parentheses around #name in object`,
		"import 'x'; import 'y'":                                `a.js:1:8: there is no module "x" (and 1 more error)`,
	} {
		t.Run(source, func(t *testing.T) {
			dir := write(t, "-- a.js --\n"+source+"\n")
			_, err := runtime.Build(context.Background(), &runtime.BuildOptions{
				Dir: dir, Entries: []runtime.Entry{{Name: "a", Path: "a.js"}},
				Extensions: []*runtime.Extension{hello, {Name: "sexton/fs"}},
			})
			var e *runtime.BuildError
			require.ErrorAs(t, err, &e)
			require.Equal(t, want, e.Error())
		})
	}
	_, err := runtime.Build(context.Background(), &runtime.BuildOptions{Entries: []runtime.Entry{{Path: "missing.ts"}}})
	require.EqualError(t, err, "missing.ts: there is no such file")

	_, err = runtime.Build(context.Background(), &runtime.BuildOptions{Entries: []runtime.Entry{{Name: "-e", Source: "let a;\n\tlet b = a +;\nimport './x'"}}})
	var e *runtime.BuildError
	require.ErrorAs(t, err, &e)
	require.Equal(t, "-e:2:13: Unexpected \";\"\n    \tlet b = a +;\n    \t           ^", e.Detail())

	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	_, err = runtime.Build(ctx, &runtime.BuildOptions{})
	require.ErrorIs(t, err, context.Canceled)
}

// A stack names files as they are, relative to the directory, in any folder.
func TestStackPositions(t *testing.T) {
	dir := write(t, `
-- my app.ts --
import { deep } from "./lib/ünicode.ts";
interface Unused { a: string }

export class App {
  async deploy(this: App): Promise<void> {
    await null;
    [1].forEach((x: number) => deep(x));
  }
}
await new App().deploy();
-- lib/ünicode.ts --
export const deep = (x: number) => { if (x) throw new Error("deep") };
`)
	_, _, err := newHost(t, nil).bundle(dir, "my app.ts")
	var e *runtime.ScriptError
	require.ErrorAs(t, err, &e)
	require.Equal(t, []runtime.Frame{
		{Func: "deep", File: "lib/ünicode.ts", Line: 1, Column: 51},
		{File: "my app.ts", Line: 7, Column: 32},
		{Func: "forEach"},
		{Func: "App.deploy", File: "my app.ts", Line: 7, Column: 9},
		{File: "my app.ts", Line: 10, Column: 17},
	}, e.Stack)
}

// gc 2.1: the variables of modules are roots, also those that nothing captures.
func TestModuleVariables(t *testing.T) {
	dir := write(t, `
-- a.ts --
import { inner } from "./b";
const kept = { kept: 1 };
let [first, { second = 2, ...rest }] = [1, {}] as any;
var old = "old";
function f() {}
class C {}
{ var inBlock = "block"; let hidden = 1; }
export { kept as other, inner };
-- b.ts --
export const inner = "inner";
`)
	h := newHost(t, nil)
	_, ns, err := h.bundle(dir, "a.ts")
	require.NoError(t, err)
	require.ElementsMatch(t, []string{"other", "inner"}, ns["a.ts"].Keys())
	values := map[string]any{}
	for _, v := range h.ModuleVariables() {
		values[v.Name] = v.Value.Export()
	}
	require.Equal(t, map[string]any{"kept": int64(1)}, map[string]any{"kept": values["kept"].(map[string]any)["kept"]})
	require.Equal(t, "old", values["old"])
	require.Equal(t, int64(2), values["second"])
	require.Equal(t, "block", values["inBlock"])
	require.Equal(t, "inner", values["inner"])
	for _, name := range []string{"first", "rest", "f", "C"} {
		require.Contains(t, values, name)
	}
	require.NotContains(t, values, "hidden")

	// The collector sees them: what only a module variable holds is not found dead, what nothing holds is.
	var dead int
	require.NoError(t, h.Run(patient(t), func(task *runtime.Task) error {
		b, err := runtime.Build(context.Background(), &runtime.BuildOptions{Entries: []runtime.Entry{{Name: "m", Source: `
			declare const track: any, find: any;
			const only = { variable: 1 };
			track(only);
			(() => { const gone: any = {}; gone.self = gone; track(gone) })();
			(() => { const timed = {}; track(timed); setTimeout(() => timed, 1e6) })();
			(() => { const id = setTimeout(() => timed, 1e6); const timed = { id }; track(timed); clearTimeout(id) })();
			find();`}}})
		require.NoError(t, err)
		global := h.Goja()
		heap := h.Heap()
		var refs = heapRefs(heap)
		require.NoError(t, global.Set("track", h.Func("track", func(call goja.FunctionCall) goja.Value {
			refs.track(call.Argument(0).(*goja.Object))
			return goja.Undefined()
		})))
		require.NoError(t, global.Set("find", h.Func("find", func(goja.FunctionCall) goja.Value {
			dead = refs.find()
			return goja.Undefined()
		})))
		_, err = h.Load(task, b)
		return err
	}))
	require.Equal(t, 2, dead)
}
