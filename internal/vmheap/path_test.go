package vmheap

import (
	"strings"
	"testing"

	"github.com/dop251/goja"
	"github.com/stretchr/testify/require"
)

// sentence joins a path as an explanation does.
func sentence(steps []Step) string {
	var b strings.Builder
	for i, s := range steps {
		if i > 0 && !strings.HasPrefix(s.Name, ".") && !strings.HasPrefix(s.Name, "[") {
			b.WriteString(" > ")
		}
		b.WriteString(s.Name)
	}
	return b.String()
}

// gc 7.1
func TestPath(t *testing.T) {
	for _, c := range []struct{ name, js, want string }{
		{"properties", `root.a = {b: [0, {c: x}]}`, `root.a.b[1].c`},
		{"odd names", `root['a-b'] = {7: {'': x}}`, `root["a-b"][7][""]`},
		{"shortest", `root.a = {b: {c: x}}; root.z = {d: x}`, `root.z.d`},
		{"map value", `root.m = new Map([['k', x]])`, `root.m > map value for key "k"`},
		{"map key", `root.m = new Map([[x, 1]])`, `root.m > map key`},
		{"set", `root.m = new Set([1, x])`, `root.m > element of a set`},
		{"symbol", `root[Symbol('s')] = x`, `root[Symbol(s)]`},
		{"private field", `root.o = new Node('O').befriend(x)`, `root.o.#friend`},
		{"owner", `root.o = new Node('O', x)`, `root.o.#owner`},
		{"inherited private field", `class Sub extends Node {}; root.o = new Sub('O').befriend(x)`, `root.o.#friend`},
		{"closure", `root.f = (y => () => y)(x)`, `root.f > closure variable`},
		{"method's closure", `root.o = (y => ({m() { return y }}))(x)`, `root.o.m > closure variable`},
		{"bound", `root.f = (function () {}).bind(x)`, `root.f > handler of a proxy.apply > closure variable`},
		{"static", `Node.keep = {x}`, `global variable Node.keep.x`},
		{"global", `globalThis.g = x`, `globalThis.g`},
		{"prototype", `root.p = Object.create(x)`, `root.p > prototype`},
		{"accessor", `Object.defineProperty(root, 'q', {get: (y => () => y)(x)})`, `root.q > getter > closure variable`},
		{"read-only", `Object.defineProperty(root, 'q', {value: x}); Object.freeze(root)`, `root.q`},
		{"sparse", `root.s = []; root.s[100000] = x`, `root.s[100000]`},
		{"proxy", `root.p = new Proxy({x}, {})`, `root.p > target of a proxy.x`},
		{"generator", `root.g = (function* () { let y = x; yield 1; y })(); root.g.next()`, `root.g > local variable of a suspended function`},
		{"promise", `root.p = Promise.resolve(x)`, `root.p > result of a promise`},
		{"intrinsic", `Array.prototype.cache = x`, `intrinsic ArrayPrototype.cache`},
		{"weak map", `const k = root.k = {}; root.w = new WeakMap([[k, x]])`, `root.k > value in a weak map`},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := newStore(t)
			s.run(`globalThis.root = {}; globalThis.box = { x: new Node('X') }`)
			root := s.r.Get("root")
			s.run(`(function (root, x) { ` + c.js + ` })(root, box.x); delete globalThis.root; delete box.x`)
			got := s.h.Path(s.refs[0], []NamedRoot{{Name: "root", Value: root}})
			require.Equal(t, c.want, sentence(got))
			require.Equal(t, s.refs[0], got[len(got)-1].Object)
			again := s.h.Path(s.refs[0], []NamedRoot{{Name: "root", Value: root}})
			require.Equal(t, got, again)
		})
	}
}

// gc 7.1
func TestPathOfFrames(t *testing.T) {
	for _, c := range []struct{ name, js, want string }{
		{"local", "function deploy() {\n let y = new Node('X');\n why(y); y.value }\n deploy()", "local variable of deploy() at app.js:3"},
		{"argument", "function deploy(y) {\n why(y); y.value }\n deploy(new Node('X'))", "argument of deploy() at app.js:2"},
		{"this", "class D extends Node { deploy() {\n why(this); this.value } }\n new D('X').deploy()", "this of deploy() at app.js:2"},
		{"in a local", "function deploy() {\n let y = {z: [new Node('X')]};\n why(y.z[0]); y.value }\n deploy()", "local variable of deploy() at app.js:3.z[0]"},
		{"outer frame", "function inner() { why(last) }\nfunction outer() { let y = new Node('X');\n inner(); y.value }\n outer()", "local variable of outer() at app.js:3"},
		{"captured", "function deploy() {\n let y = new Node('X'); (() => y)();\n why(y); y.value }\n deploy()", "scope of deploy() at app.js:3 > closure variable"},
		{"only asked about", "why(new Node('X'))", ""},
		{"global lexical", "let y = new Node('X');\n why(y); y.value", "global variable y"},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := newStore(t)
			asked := 0
			require.NoError(t, s.r.Set("last", goja.Undefined()))
			require.NoError(t, s.r.Set("why", func(call goja.FunctionCall) goja.Value {
				asked++
				if len(call.Arguments) > 0 {
					call.Arguments[0] = goja.Undefined()
				}
				got := s.h.Path(s.refs[0], nil)
				require.Equal(t, c.want, sentence(got))
				return goja.Undefined()
			}))
			_, err := s.r.RunScript("app.js", c.js)
			require.NoError(t, err)
			require.Equal(t, 1, asked)
		})
	}
}

func TestPathNotFound(t *testing.T) {
	s := newStore(t)
	held := s.run(`new Node('X')`)
	require.Nil(t, s.h.Path(s.refs[0], nil), "only the host holds it")
	require.NotNil(t, held)
	s.h.Untrack(s.refs[0])
	require.Nil(t, s.h.Path(s.refs[0], nil))
}
