package runtime_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sextongc/sexton/runtime"
)

// inputs evaluates one input after the other, and returns what was printed and thrown.
func inputs(t *testing.T, sources ...string) []string {
	h := newHost(t, &runtime.Options{Extensions: []*runtime.Extension{runtime.Process()}, ExposeGC: true})
	i, err := h.Interactive()
	require.NoError(t, err)
	for _, source := range sources {
		in, err := i.Compile(source)
		if err == nil {
			err = h.Run(patient(t), func(task *runtime.Task) error { return i.Eval(task, in) })
		}
		if err != nil {
			h.lines = append(h.lines, "! "+err.Error())
		}
	}
	return h.lines
}

func TestInteractive(t *testing.T) {
	for name, tt := range map[string]struct{ in, out []string }{
		"values":             {[]string{`1 + 1`, `"a" + 'b'`, `undefined`, `({ a: 1 })`, `{ a: [2] }`, `{ let x; }`, `[1, "b"]`, `"x";`, `1, 2 // both`}, []string{"2", `"ab"`, "{ a: 1 }", "{ a: [ 2 ] }", "[ 1, 'b' ]", `"x"`, "2"}},
		"declarations":       {[]string{`let a = 1, b; const c = a + 1`, `var { d, e: [f = 4] } = { d: 3, e: [] }`, `[a, b, c, d, f]`}, []string{"[ 1, undefined, 2, 3, 4 ]"}},
		"declared anew":      {[]string{`const a = 1`, `const a = 2; let a2 = a`, `a + a2`}, []string{"4"}},
		"closures":           {[]string{`let n = 0; function inc() { return ++n }`, `inc(); inc()`, `n = 10`, `inc()`, `inc.name`}, []string{"2", "10", "11", `"inc"`}},
		"arrow":              {[]string{`const f = (x: number): number => x * 2`, `f(4)`, `f.name`}, []string{"8", `"f"`}},
		"classes":            {[]string{`class A { #x = 1; get x() { return this.#x } static s = 5 }`, `new A().x + A.s`, `A.name`, `class A {}`, `new A().x`}, []string{"6", `"A"`}},
		"await":              {[]string{`const x = await Promise.resolve(3)`, `x`, `await new Promise((r) => setTimeout(r, 1, "late"))`, `Promise.resolve(1)`}, []string{"3", `"late"`, "Promise { <fulfilled> }"}},
		"TypeScript":         {[]string{`interface P { a: string }`, `enum E { A, B }`, `E.B`, `let p = { a: "x" } satisfies P`, `p.a!`}, []string{"1", `"x"`}},
		"for await":          {[]string{`for await (const x of (async function* () { yield 1 })()) console.log(x)`}, []string{"1"}},
		"import":             {[]string{`import { exec as run } from "sexton/process"; import * as p from "sexton/process"`, `run === p.exec`, `import x from "./x.js"`}, []string{"true", `! cannot import "./x.js" here: an input imports host modules; files are loaded at the start, and their exports are globals`}},
		"strict":             {[]string{`nobody = 1`, `this`}, []string{"! ReferenceError: nobody is not defined"}},
		"errors":             {[]string{`throw new TypeError("no")`, `let x = await Promise.reject(new Error("later"))`, `x`, `1 +* 2`, `null.x`}, []string{"! TypeError: no", "! Error: later", `! Unexpected "*"`, "! TypeError: Cannot read property 'x' of undefined"}},
		"after an error":     {[]string{`let y = (() => { throw 1 })()`, `let y = 2`, `y`}, []string{"! 1", "2"}},
		"last":               {[]string{`6`, `_ * 7`, `let z = 1`, `_`, `let _ = 5`, `8`, `_`}, []string{"6", "42", "8", "5"}},
		"built-ins replaced": {[]string{`Object.defineProperty = Reflect.ownKeys = () => { throw 1 }; let a = 1`, `a`}, []string{"1"}},
	} {
		t.Run(name, func(t *testing.T) { require.Equal(t, tt.out, inputs(t, tt.in...)) })
	}
}

// What was typed keeps an object as long as a variable does, or _ until the next input.
func TestInteractiveKeepsNothing(t *testing.T) {
	require.Equal(t, []string{"{}", "{}", "null", "undefined", "{ a: {} }", "undefined"}, inputs(t,
		`let o = {}, w = new WeakRef(o); o`, `gc(); w.deref()`, `o = null`, `gc(); console.log(w.deref())`,
		`w = new WeakRef({ a: {} }); w.deref()`, `gc(); console.log(w.deref())`))
}

func TestInteractiveIncomplete(t *testing.T) {
	h := newHost(t, nil)
	i, err := h.Interactive()
	require.NoError(t, err)
	for _, source := range []string{`function f() {`, `[1,`, "`a", `f(`, `/* x`, `{ a: 1,`, `class A {`, `const x =`, `if (x) {`} {
		_, err := i.Compile(source)
		require.ErrorIs(t, err, runtime.ErrIncomplete, source)
	}
	for _, source := range []string{`)`, `"a`, `1 2`, `let let`, `export const x = 1`, `return 1;;)`} {
		_, err := i.Compile(source)
		require.Error(t, err, source)
		require.NotErrorIs(t, err, runtime.ErrIncomplete, source)
	}
}

func TestComplete(t *testing.T) {
	h := newHost(t, nil)
	i, err := h.Interactive()
	require.NoError(t, err)
	_, err = h.Goja().RunString(`var network = { name: "n", get gateway() { throw 1 }, subnets: [1], nested: new Proxy({ x: 1 }, {}) }`)
	require.NoError(t, err)
	for text, want := range map[string][]string{
		"netw": {"network"}, "1 + network.na": {"name"}, "network.subnets.fla": {"flat", "flatMap"}, "network.gateway.": nil,
		"network.nested.": nil, "network.n": {"name", "nested"}, "network.name.padS": {"padStart"}, "nobody.x": nil, "f(network.g": {"gateway"},
	} {
		_, names := i.Complete(text)
		if want == nil {
			require.Empty(t, names, text)
		} else {
			require.Equal(t, want, names, text)
		}
	}
	from, _ := i.Complete("f(network.na")
	require.Equal(t, len("f(network."), from)
}
