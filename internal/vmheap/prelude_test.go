package vmheap

import (
	"testing"

	"github.com/dop251/goja"
	"github.com/stretchr/testify/require"
)

// evaluates runs source in a fresh runtime with the prelude and requires true.
func evaluates(t *testing.T, source string) {
	t.Helper()
	r, _ := newPlain(t)
	v, err := r.RunString("(function () { 'use strict';\n" + source + "\n})()")
	require.NoError(t, err)
	require.Equal(t, true, v.Export(), source)
}

const throws = `const throws = (f, E = TypeError) => { try { f() } catch (e) { return e instanceof E } return false };`

func TestBind(t *testing.T) {
	for _, js := range []string{
		`function f(a, b, c) {} const b = f.bind(null, 1); return b.name === 'bound f' && b.length === 2`,
		`const b = (() => {}).bind(); return b.name === 'bound ' && b.length === 0`,
		`const d = Object.getOwnPropertyDescriptor(function f(x) {}.bind(), 'length'); return d.value === 1 && !d.writable && !d.enumerable && d.configurable`,
		`const d = Object.getOwnPropertyDescriptor(function f(x) {}.bind(), 'name'); return !d.writable && !d.enumerable && d.configurable`,
		`return !('prototype' in function () {}.bind()) && !('prototype' in (() => 1).bind())`,
		`return Reflect.ownKeys(function f() {}.bind()).join() === 'length,name' && Reflect.ownKeys((() => 1).bind()).join() === 'length,name'`,
		`return Function.prototype.bind.name === 'bind' && Function.prototype.bind.length === 1 && !('prototype' in Function.prototype.bind)`,
		`return throws(() => new Function.prototype.bind())`,
		`return throws(() => Function.prototype.bind.call({})) && throws(() => Function.prototype.bind.call(undefined))`,
		`return throws(() => new ((() => 1).bind())()) && throws(() => new ({m() {}}.m.bind())()) && throws(() => new (async function () {}.bind())())`,
		`function P(x, y) { this.x = x; this.y = y; this.t = new.target } const B = P.bind({}, 1); const o = new B(2); return o instanceof P && o instanceof B && o.x === 1 && o.y === 2 && o.t === P`,
		`class P { constructor(x) { this.x = x } } const B = P.bind(null, 4); return new B().x === 4 && throws(() => B())`,
		`class P { constructor() { this.t = new.target } } const B = P.bind(); function N() {} return Reflect.construct(B, [], N).t === N`,
		`return [3, 1, 2].sort.bind([2, 1])().join() === '1,2' && Math.max.bind(null, 5)(1, 7) === 7`,
		`const o = {v: 1, f() { return this.v }}; return o.f.bind(o).call({v: 2}) === 1 && o.f.bind(o).bind({v: 3})() === 1`,
		`function f() {} Object.defineProperty(f, 'length', {value: Infinity}); return f.bind(null, 1).length === Infinity`,
		`function f() {} Object.defineProperty(f, 'length', {value: 2.7}); Object.defineProperty(f, 'name', {value: 3}); const b = f.bind(); return b.length === 2 && b.name === 'bound '`,
		`function f() {} Object.setPrototypeOf(f, null); return Object.getPrototypeOf(Function.prototype.bind.call(f)) === null`,
		`const b = Object.freeze(function () {}.bind()); return Object.isFrozen(b) && throws(() => { b.x = 1 })`,
		`const b = function () {}.bind(); b.x = 1; return b.x === 1 && Object.keys(b).join() === 'x'`,
		`return new (Date.bind(null, 0))().getTime() === 0 && typeof Date.bind() === 'function'`,
		`let n = 0; const C = new Proxy(class {}, {construct() { n++; return {} }, get(t, k, r) { n++; return Reflect.get(t, k, r) }}); Function.prototype.bind.call(C); return n <= 2`,
		`Array.prototype[Symbol.iterator] = function () { throw new Error('iterator') }; return ((a, b, c) => a + b + c).bind(null, 1, 2)(3) === 6`,
		`Object.defineProperty(Array.prototype, '0', {set() { throw new Error('setter') }}); Object.defineProperty(Object.prototype, '1', {set() { throw new Error('setter') }, configurable: true}); return ((a, b) => a + b).bind(null, 1)(2) === 3`,
		`Function.prototype.call = Function.prototype.apply = () => { throw new Error('call') }; Reflect.apply = Reflect.construct = Reflect.defineProperty = Reflect.get = () => { throw new Error('apply') }; class P {} return ((a, b) => a + b).bind(null, 1)(2) === 3 && new (P.bind())() instanceof P`,
		`Object.prototype.value = Object.prototype.get = Object.prototype.writable = 1; const b = (x => x).bind(null, 1); delete Object.prototype.get; return b() === 1 && !Object.getOwnPropertyDescriptor(b, 'length').writable`,
		`const d = Object.getOwnPropertyDescriptor(Function.prototype, 'bind'); return !d.writable && !d.configurable && !d.enumerable && throws(() => { Function.prototype.bind = 1 })`,
	} {
		t.Run(js, func(t *testing.T) { evaluates(t, throws+js) })
	}
}

func TestWeakMapAndWeakSet(t *testing.T) {
	for _, js := range []string{
		`const k = {}, w = new WeakMap(); return w.set(k, 1) === w && w.get(k) === 1 && w.has(k) && w.delete(k) && !w.delete(k) && !w.has(k) && w.get(k) === undefined`,
		`const k = {}, w = new WeakMap([[k, undefined]]); return w.has(k) && w.get(k) === undefined`,
		`const k = {}, v = new WeakMap(), w = new WeakMap(); v.set(k, 1); w.set(k, 2); v.delete(k); return w.get(k) === 2 && !v.has(k)`,
		`const k = Object.freeze({}), w = new WeakMap([[k, 1]]); w.set(k, 2); return w.get(k) === 2`,
		`const f = () => 1, p = new Proxy({}, {}), w = new WeakMap([[f, 1], [p, 2], [w_, 3]]); return w.get(f) === 1 && w.get(p) === 2 && w.get(w_) === 3`,
		`const w = new WeakMap(); return throws(() => w.set(1, 1)) && throws(() => w.set(null, 1)) && !w.has(1) && w.get('x') === undefined && !w.delete(null)`,
		`return throws(() => WeakMap()) && throws(() => WeakSet())`,
		`return throws(() => WeakMap.prototype.get.call({}, {})) && throws(() => WeakMap.prototype.get.call(1, {})) && throws(() => WeakMap.prototype.has.call(new WeakSet(), {})) && throws(() => WeakSet.prototype.has.call(new WeakMap(), {}))`,
		`return WeakMap.length === 0 && WeakMap.name === 'WeakMap' && WeakSet.name === 'WeakSet' && WeakMap.prototype.set.length === 2 && WeakMap.prototype.set.name === 'set'`,
		`return Object.prototype.toString.call(new WeakMap()) === '[object WeakMap]' && Object.prototype.toString.call(new WeakSet()) === '[object WeakSet]'`,
		`const d = Object.getOwnPropertyDescriptor(WeakMap.prototype, Symbol.toStringTag); return d.value === 'WeakMap' && !d.writable && !d.enumerable && d.configurable`,
		`return Reflect.ownKeys(WeakMap.prototype).length === 6 && Object.keys(WeakMap.prototype).length === 0 && WeakMap.prototype.constructor === WeakMap`,
		`return Reflect.ownKeys(new WeakMap()).length === 0 && Object.getPrototypeOf(new WeakMap()) === WeakMap.prototype`,
		`const k = {}; new WeakMap([[k, 1]]); new WeakSet([k]); return Reflect.ownKeys(k).length === 0 && JSON.stringify(k) === '{}'`,
		`class M extends WeakMap { set(k, v) { return super.set(k, v * 2) } } const k = {}, m = new M([[k, 2]]); return m.get(k) === 4 && m instanceof WeakMap && m instanceof M`,
		`const k = {}; class S extends WeakSet { add(k) { this.n = (this.n || 0) + 1; return super.add(k) } } const s = new S([k, {}]); return s.n === 2 && s.has(k)`,
		`return throws(() => new WeakMap([1])) && throws(() => new WeakMap(5)) && throws(() => new WeakSet([1])) && throws(() => new WeakMap([[1, 2]]))`,
		`let closed = 0; const it = {[Symbol.iterator]() { return {next: () => ({value: 1, done: false}), return() { closed++; return {} }} }}; return throws(() => new WeakMap(it)) && throws(() => new WeakSet(it)) && closed === 2`,
		`let closed = 0; const it = {[Symbol.iterator]() { return {next() { throw new RangeError() }, return() { closed++ }} }}; return throws(() => new WeakMap(it), RangeError) && closed === 0`,
		`function* g() { yield [w_, 1] } return new WeakMap(g()).get(w_) === 1 && new WeakMap(null).has({}) === false && new WeakMap(undefined).has({}) === false`,
		`WeakMap.prototype.set = 1; return throws(() => new WeakMap([[{}, 1]])) && throws(() => new WeakMap([])) && new WeakMap() instanceof WeakMap`,
		`const k = {}, w = new WeakMap([[k, 1]]); Function.prototype.call = Reflect.apply = Object.defineProperty = () => { throw new Error() }; globalThis.TypeError = 1; return w.get(k) === 1 && w.set(k, 2).get(k) === 2`,
		`return throws(() => { globalThis.WeakMap = 1 }) && !Object.getOwnPropertyDescriptor(globalThis, 'WeakMap').configurable && !Object.getOwnPropertyDescriptor(globalThis, 'WeakSet').writable`,
		`const s = new WeakSet(), k = {}; return s.add(k) === s && s.has(k) && !s.has({}) && s.delete(k) && !s.has(k) && throws(() => s.add(1)) && !s.has(1)`,
		`const k = {}, w = new WeakMap(); w.set(w, w); return w.get(w) === w && throws(() => { 'use strict'; WeakMap.prototype.get.call(Object.create(w), k) })`,
	} {
		t.Run(js, func(t *testing.T) { evaluates(t, throws+`const w_ = {};`+js) })
	}
}

// gc 1.6: a value counts only while its map and its key are reachable. A value that
// outlives its map because its key lives is late.
func TestWeakMapEntries(t *testing.T) {
	for _, c := range []struct {
		name, js string
		want     []string
	}{
		{"key dies", `const w = new WeakMap(); (function () { w.set({}, new Node('V')) })(); log(GC.collect()); w.has({})`, []string{"destroy V", "1"}},
		{"key in a cycle with its value", `const w = new WeakMap(); (function () { const k = new Node('K'); w.set(k, {k, v: new Node('V')}) })(); log(GC.collect()); w.has({})`, []string{"destroy K", "destroy V", "2"}},
		{"map and key live", `const w = new WeakMap(), k = {}; (function () { w.set(k, new Node('V')) })(); log(GC.collect(), w.get(k).value)`, []string{"0 V"}},
		{"deleted", `const w = new WeakMap(), k = {}; (function () { w.set(k, new Node('V')) })(); w.delete(k); log(GC.collect(), w.has(k))`, []string{"destroy V", "1 false"}},
		{"map dies, key lives: late", `const k = {}; (function () { new WeakMap().set(k, new Node('V')) })(); log(GC.collect()); k.x = 1`, []string{"0"}},
		{"entry of a revived key", `const w = new WeakMap(), s = new WeakSet(); (function () { const a = new Node('A'); w.set(a, {v: a}); s.add(a); a.destroy = function () { log(w.get(this).v === this, w.has(this), s.has(this), w.delete(this), w.has(this)) } })(); log(GC.collect())`, []string{"true true true true false", "1"}},
		{"revived map", `(function () { const a = new Node('A'); a.w = new WeakMap([[a, 'a'], [Node, 'n']]); a.destroy = function () { log(this.w.get(this), this.w.get(Node), this.w instanceof WeakMap) } })(); log(GC.collect())`, []string{"a n true", "1"}},
	} {
		t.Run(c.name, func(t *testing.T) { require.Equal(t, c.want, play(t, scenario{name: c.name, js: c.js})) })
	}
}

func TestInstallPreludeTwiceFails(t *testing.T) {
	r := goja.New()
	h, err := New(r)
	require.NoError(t, err)
	require.NoError(t, h.InstallPrelude())
	require.Error(t, h.InstallPrelude())
}
