package vmheap

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// gc 2.5, 2.7: a cycle is found whatever it leads through; where it leads through a
// closure of a built-in function it is found when that lets go.
func TestCyclesThroughBuiltins(t *testing.T) {
	for _, c := range []struct {
		js   string
		late bool
	}{
		{js: `a.x = new Map([[0, 0], [1, a], [2, 0]]).entries(); a.x.next()`},
		{js: `a.x = new Set([0, a]).values(); a.x.next()`},
		{js: `a.x = Function('a', 'return arguments')(a)`},
		{js: `a.x = new Proxy(function () { return this.v }.bind({v: a}), {})`},
		{js: `a.x = new Proxy(function () { return a }, {}); a.x()`},
		{js: `a.x = new Proxy(new Proxy(class { m() { return a } }, {}), {}); new a.x()`},
		{js: `a.x = function () { return this.v }.bind({v: a}); a.x()`},
		{js: `a.x = (() => a).bind(null).bind(1, 2); a.x()`},
		{js: `a.x = a.secret.call.bind(a.secret, a)`},
		{js: `a.x = Reflect.apply.bind(null, a.secret, a, [])`},
		{js: `const w = new WeakMap(); a.w = w; a.arr = []; w.set(a.arr, a); w.set(a, w)`},
		{js: `a.x = new WeakSet([a])`},
		{js: `a.x = Object.assign(new Uint8Array(3), {v: a}); a.x.buffer.a = a; a.y = new DataView(a.x.buffer)`},
		{js: `a.x = new Promise(r => a.r = r); a.r(a)`},
		{js: `a.x = new Promise((_, r) => a.r = r); a.x.then(() => a)`},
		{js: `a.x = new Promise(r => a.r = r); a.x.then(() => a, a.r)`},
		{js: `a.x = (async () => { await new Promise(r => a.r = r); a })()`},
		{js: `a.x = (function*(){ yield* (function*(){ yield 1; yield a})() })(); a.x.next()`},
		{js: `a.x = (function*(){ for (const y of [1, a]) yield y })(); a.x.next()`},
		{js: `a.x = (function*(){ try { yield 1 } finally { a } })(); a.x.next()`},
		{js: `a.x = (function*(){ const {p, ...r} = {p: 1, q: a}; yield r; r })(); a.x.next()`},
		{js: `a.x = new Error('x', {cause: a})`},
		{js: `a.x = new (class extends Array {})(); a.x.push(a)`},
		{js: "a.x = ((s, v) => [s, v])`x${a}`"},
		{js: `a.x = Promise.all([new Promise(r => a.r = r)]).then(() => a)`, late: true},
		{js: `a.x = new Promise(r => a.r = r).finally(() => a)`, late: true},
		{js: `Promise.resolve({then(f) { a.f = f }})`, late: true}, // a queued job
		{js: `a.x = (function*(){ for (const y in {p: a, q: 1}) yield y })(); a.x.next()`, late: true},
	} {
		t.Run(c.js, func(t *testing.T) {
			s := newStore(t)
			want := "1"
			if c.late {
				want = "0"
			}
			s.run(`(function(){ (function(){ const a = new Node('A'); a.destroy = function(){}; ` + c.js + ` })(); log(GC.collect()) })()`)
			require.Equal(t, []string{want}, s.log)
		})
	}
}

// What a revived object had works as it did.
func TestRevivedBuiltinsWork(t *testing.T) {
	for _, c := range []struct{ name, build, use, want string }{
		{"map iterator", `a.m = new Map([[1, 'x'], [2, 'y'], [3, 'z']]); a.it = a.m.values(); a.it.next()`, `this.m.set(4, 'w'); log([...this.it].join())`, "y,z,w"},
		{"iterator on a deleted entry", `a.m = new Map([[1, 'x'], [2, 'y'], [3, 'z']]); a.it = a.m.values(); a.it.next(); a.it.next(); a.m.delete(2)`, `log([...this.it].join())`, "z"},
		{"iterator on a cleared map", `a.m = new Map([[1, 'x'], [2, 'y']]); a.it = a.m.keys(); a.it.next(); a.m.clear()`, `this.m.set(7, 0); log([...this.it].join())`, "7"},
		{"finished iterator", `a.it = new Set([1]).values(); [...a.it]`, `log(this.it.next().done)`, "true"},
		{"map keeps its order", `a.m = new Map([[a, 1], ['k', 2], [NaN, 3], [0, 4]])`, `log([...this.m.values()].join(), this.m.get(this), this.m.get('k'), this.m.get(NaN), this.m.get(-0), this.m.delete(this), this.m.size)`, "1,2,3,4 1 2 3 4 true 3"},
		{"iterator over a living map", `a.it = living.values(); a.it.next()`, `living.set(9, 'new'); log([...this.it].join())`, "two,new"},
		{"mapped arguments", `const f = Function('p', 'return [arguments, () => p, v => { p = v }]'); [a.args, a.get, a.set] = f(a)`, `log(this.args[0] === this, this.get() === this); this.set(5); log(this.args[0]); this.args[0] = 6; log(this.get())`, "true true|5|6"},
		{"typed array", `a.t = new Uint8Array([1, 2, 3]); a.v = new DataView(a.t.buffer)`, `this.v.setUint8(1, 9); log(this.t.join(), this.t.buffer === this.v.buffer)`, "1,9,3 true"},
		{"promise", `a.p = new Promise(r => a.r = r); a.p.then(v => log(v === a))`, `this.r(this); this.p.then(v => { log('then') })`, "true|then"},
		{"proxy of a function", `a.x = new Proxy(function (v) { return [this === a, v] }, {})`, `log(this.x.call(this, 1).join(), new this.x(2).join())`, "true,1 false,2"},
		{"bound", `a.b = function (...v) { return [this === a, new.target === undefined, ...v] }.bind(a, 1)`, `log(this.b(2).join(), new this.b(3).join(), this.b.name, this.b.length)`, "true,true,1,2 false,false,1,3 bound  0"},
		{"error", `a.e = new TypeError('m')`, `log(this.e instanceof TypeError, this.e.message, typeof this.e.stack)`, "true m string"},
		{"generator", `a.g = (function* () { try { yield 1; yield 2 } finally { log('finally') } })(); a.g.next()`, `log(this.g.next().value); this.g.return()`, "2|finally"},
		{"two objects share a scope", `let n = 0; const b = new Node('B'); b.destroy = undefined; a.inc = () => ++n; b.read = () => n; a.b = b`, `this.inc(); this.inc(); log(this.b.read())`, "2"},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := newStore(t)
			s.run(`globalThis.living = new Map([[1, 'one'], [2, 'two']]); (function(){ (function(){ const a = new Node('A'); a.destroy = function(){ ` + c.use + ` }; ` + c.build + ` })(); GC.collect() })()`)
			require.Equal(t, c.want, strings.Join(s.log, "|"))
		})
	}
}
