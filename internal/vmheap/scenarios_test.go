package vmheap

import (
	"runtime"
	"testing"

	"github.com/dop251/goja"
	"github.com/stretchr/testify/require"
)

// scenario is a program and what it logs.
type scenario struct {
	name, js string
	want     []string
	async    bool
}

var scenarios = []scenario{
	{name: "single", js: `new Node('a'); log(GC.collect())`, want: []string{"destroy a", "1"}},
	{name: "local_nulled", js: `let x = new Node('a'); log(GC.collect()); x = null; log(GC.collect())`, want: []string{"0", "destroy a", "1"}},
	{name: "cycle", js: `(function(){ let a = new Node('a'), b = new Node('b'); a.o = b; b.o = a; a.destroy = function(){ log('a sees ' + this.o.value + (this.o.o === this)) } })(); log(GC.collect())`,
		want: []string{"a sees btrue", "destroy b", "2"}},
	{name: "owner_order", js: `(function(){ let a = new Node('A'); a.child('B').child('C') })(); log(GC.collect())`, want: []string{"destroy C", "destroy B", "destroy A", "3"}},
	{name: "child_keeps_owner", js: `let c = (function(){ let a = new Node('A'); return a.child('B') })(); log(GC.collect(), GC.owner(c).value); c = null; log(GC.collect())`, want: []string{"0 A", "destroy B", "destroy A", "2"}},
	{name: "array_push_seen", js: `let a = new Node('A'); a.nodes.push(new Node('B')); log(GC.collect()); a.nodes.pop(); log(GC.collect()); log(a.nodes.length)`, want: []string{"0", "destroy B", "1", "0"}},
	{name: "nested_containers", js: `(function(){ let a = new Node('A'); a.cfg = {deep: [new Map([['k', new Node('M')]]), new Set([new Node('S')])]};
	   a.destroy = function(){ log('A', this.cfg.deep[0].get('k').value, [...this.cfg.deep[1]][0].value, this.cfg.deep[0].size) } })(); log(GC.collect())`,
		want: []string{"A M S 1", "destroy M", "destroy S", "3"}},
	{name: "map_object_keys", js: `let keep = new Node('K'); (function(){ let a = new Node('A'); const d = new Node('D'); a.m = new Map([[keep, 1],[d, 2],['s', 3],[4, 5]]); a.d = d;
	   a.destroy = function(){ log(this.m.get(keep), this.m.get(this.d), this.m.get('s'), this.m.get(4), [...this.m.keys()].length); this.m.set(keep, 9); log(this.m.size, this.m.delete(this.d), this.m.size) } })(); log(GC.collect()); keep.value`,
		want: []string{"1 2 3 5 4", "4 true 3", "destroy D", "2"}},
	{name: "live_neighbour_identity", js: `let keep = new Node('K'); (function(){ let a = new Node('A'); a.k = keep; a.arr = keep.nodes; a.destroy = function(){ log(this.k === keep, this.arr === keep.nodes); this.arr.push(1); this.k.mark = 7 } })(); log(GC.collect(), keep.mark, keep.nodes.length)`,
		want: []string{"true true", "1 7 1"}},
	{name: "closure_prop_this", js: `(function(){ let a = new Node('A'); let other = new Node('O'); a.h = () => a.value + other.value; a.destroy = function(){ log('h ' + this.h(), GC.isDoomed(other)) } })(); log(GC.collect())`,
		want: []string{"h AO true", "destroy O", "2"}},
	{name: "closure_shared_with_live_frame", js: `let n = 0; (function(){ let a = new Node('A'); a.inc = () => ++n; a.destroy = function(){ this.inc(); this.inc() } })(); n = 5; log(GC.collect(), n)`,
		want: []string{"1 7"}},
	{name: "bound_method", js: `(function(){ let a = new Node('A'); a.cb = a.secret.bind(a); a.destroy = function(){ log(this.cb(), this.cb.name, this.cb.length) } })(); log(GC.collect())`,
		want: []string{"sec bound secret 0", "1"}},
	{name: "private_fields", js: `(function(){ let a = new Node('A').befriend(new Node('F')); a.destroy = function(){ log(this.secret(), this.callPriv()) } })(); log(GC.collect())`,
		want: []string{"secF pmA", "destroy F", "2"}},
	{name: "accessors", js: `(function(){ let a = new Node('A'), b = new Node('B'); Object.defineProperty(a, 'g', {get(){ return b }, enumerable: true, configurable: true}); a.destroy = function(){ log(this.g.value, this.upper, Object.keys(this).join()) } })(); log(GC.collect())`,
		want: []string{"B A nodes,value,g,destroy", "destroy B", "2"}},
	{name: "getter_not_called", js: `(function(){ let a = new Node('A'); Object.defineProperty(a, 'g', {get(){ log('CALLED'); return 1 }, enumerable: true}); })(); log(GC.collect())`,
		want: []string{"destroy A", "1"}},
	{name: "frozen_symbols_order", js: `const S = Symbol('s'); (function(){ let a = new Node('A'); a[S] = new Node('B'); a.z = 1; a[3] = 'x'; a.b = 2; Object.freeze(a); })(); Node.prototype.destroy = function(){ log(this.value, Object.keys(this).join(), Object.isFrozen(this), this[S] && this[S].value, this instanceof Node, this.constructor === Node) }; log(GC.collect())`,
		want: []string{"A 3,nodes,value,z,b true B true true", "B nodes,value false undefined true true", "2"}},
	{name: "extends_super", js: `class Sub extends Node { x = new Node('X'); destroy() { super.destroy(); log('sub', this.x.value) } } new Sub('S'); log(GC.collect())`,
		want: []string{"destroy S", "sub X", "destroy X", "2"}},
	{name: "local_class_capture", js: `(function(){ const cap = new Node('C'); class L extends Node { destroy(){ log('L', cap.value) } } cap.back = new L('l') })(); log(GC.collect())`,
		want: []string{"destroy C", "L C", "2"}},
	{name: "generator_prop", js: `(function(){ let a = new Node('A'); a.it = (function*(){ let t = new Node('T'); yield 1; log('gen', a.value, t.value); yield 2 })(); a.it.next(); a.destroy = function(){ this.it.next() } })(); log(GC.collect())`,
		want: []string{"gen A T", "destroy T", "2"}},
	{name: "generator_held", js: `let it = (function*(){ let t = new Node('T'); yield 1; log(t.value) })(); it.next(); log(GC.collect()); it.next(); it = null; log(GC.collect())`,
		want: []string{"0", "T", "destroy T", "1"}},
	{name: "date_regexp_typed", js: `(function(){ let a = new Node('A'); a.d = new Date(5); a.r = /x(.)/g; a.t = new Uint8Array([1,2,3]); a.big = 10n**30n; a.e = new Error('boo'); a.n = new Number(3); a.str = new String('hey'); a.p = new Proxy(a, {get(t,k){ return k === 'q' ? 'px' : t[k] }});
	   a.destroy = function(){ log(this.d.getTime(), 'axb'.replace(this.r,'$1'), this.t[2], this.big, this.e.message, this.n + 1, this.str.length, this.p.q, this.p.value) } })(); log(GC.collect())`,
		want: []string{"5 ab 3 1000000000000000000000000000000 boo 4 3 px A", "1"}},
	{name: "sparse_array", js: `(function(){ let a = new Node('A'); a.s = []; a.s[100000] = new Node('B'); a.destroy = function(){ log(this.s.length, this.s[100000].value) } })(); log(GC.collect())`,
		want: []string{"100001 B", "destroy B", "2"}},
	{name: "arguments_prop", js: `(function(){ let a = new Node('A'); (function(p){ a.args = arguments })(new Node('B')); a.destroy = function(){ log(this.args.length, this.args[0].value) } })(); log(GC.collect())`,
		want: []string{"1 B", "destroy B", "2"}},
	{name: "json_spread_destructure_in_destroy", js: `(function(){ let a = new Node('A'); a.nodes.push({v: 1}); a.destroy = function(){ const {value, nodes: [first]} = this; const copy = {...this}; log(value, first.v, JSON.stringify(this), Object.keys(copy).join()); for (const k in this) log(k) } })(); log(GC.collect())`,
		want: []string{`A 1 {"nodes":[{"v":1}],"value":"A"} nodes,value,destroy`, "nodes", "value", "destroy", "1"}},
	{name: "static_root", js: `Node.keep = new Node('S'); log(GC.collect()); Node.keep = null; log(GC.collect())`, want: []string{"0", "destroy S", "1"}},
	{name: "args_root", js: `function f(o) { return GC.collect() } log(f(new Node('A')))`, want: []string{"0"}},
	{name: "outer_frame_root", js: `(function(){ let x = new Node('A'); (function(){ log(GC.collect()) })(); x.value })()`, want: []string{"0"}},
	{name: "native_local_root", js: `let r = [1,2,3].map(i => { if (i == 3) log(GC.collect()); return new Node('m' + i) }); log(r.length)`, want: []string{"0", "3"}},
	{name: "subscription", js: `let me = new Node('me'); (function(){ let a = new Node('A'); let b = a.child('B'); GC.subscribeDestruction(a, me, 'destroyed_'); GC.subscribeDestruction(b, me, 'destroyed_'); GC.subscribeDestruction(b, a, 'destroyed_') })(); log(GC.collect()); me.value`,
		want: []string{"handler me of A", "handler me of B", "handler A of B", "destroy B", "destroy A", "2"}},
	{name: "unsubscribe", js: `let me = new Node('me'); (function(){ let a = new Node('A'); GC.subscribeDestruction(a, me, 'destroyed_'); GC.unsubscribeDestruction(a, me, 'destroyed_') })(); log(GC.collect()); me.value`,
		want: []string{"destroy A", "1"}},
	{name: "is_destroyed_after", js: `let me = new Node('me'); me.h = function(o){ log(GC.isDestroyed(o), GC.isDoomed(o)); me.kept = o }; (function(){ GC.subscribeDestruction(new Node('A'), me, 'h') })(); log(GC.collect(), GC.isDestroyed(me.kept), me.kept.value); log(GC.collect(), GC.isDestroyed(me.kept))`,
		want: []string{"false true", "destroy A", "1 true A", "0 true"}},
	{name: "doomed_children_not_owner", js: `let root = new Node('R'); Node.prototype.destroy = function(){ log(this.value, this.nodes.map(n => GC.isDoomed(n)).join(), GC.owner(this) ? GC.isDoomed(GC.owner(this)) : 'none') }; (function(){ let a = new Node('A', root); a.child('B') })(); log(GC.collect()); root.value`,
		want: []string{"B  true", "A true false", "2"}},
	{name: "resurrect_then_second_round", js: `(function(){ let a = new Node('A'); a.destroy = function(){ this.late = new Node('L') } })(); log(GC.collect())`, want: []string{"destroy L", "2"}},
	{name: "destroy_throws", js: `(function(){ let a = new Node('A'); a.destroy = function(){ throw new Error('no') }; new Node('B') })(); log(GC.collect())`, want: []string{"ERR destroy: Error: no at <eval>:1:79(3)", "destroy B", "2"}},
	{name: "weakmap_private_data", js: `const w = new WeakMap(); (function(){ let a = new Node('A'); w.set(a, 'data'); a.destroy = function(){ log(String(w.get(this))) } })(); log(GC.collect())`, want: []string{"data", "1"}},
	{name: "env_root", js: `setEnv(new Node('E')); env().nodes.push(new Node('x')); env().any = {deep: [new Node('y')]}; log(GC.collect()); env().any = null; log(GC.collect())`, want: []string{"0", "destroy y", "1"}},
	{name: "host_holds", js: `hold(new Node('H')); log(GC.collect()); unhold(); log(GC.collect())`, want: []string{"0", "destroy H", "1"}},
	{name: "async_suspended", async: true, js: `let go; const p = new Promise(r => go = r); const t = (async () => { let x = new Node('T'); await p; log('resumed', x.value); })(); await 0; log(GC.collect()); go(); await t; await 0; log(GC.collect())`, want: []string{"0", "resumed T", "destroy T", "1"}},
	{name: "async_local", async: true, js: `let x = new Node('T'); await 0; log(GC.collect()); x = null; log(GC.collect())`, want: []string{"0", "destroy T", "1"}},
	{name: "settled_promise_prop", async: true, js: `await (async function(){ let a = new Node('A'); a.ready = (async () => a)(); await a.ready; a.destroy = function(){ log('promise', this.ready instanceof Promise) } })(); await 0; log(GC.collect())`, want: []string{"promise true", "1"}},
	{name: "pending_promise_of_self", async: true, js: `(function(){ let a = new Node('A'); a.never = new Promise(() => {}); a.w = (async () => { await a.never; log(a.value) })(); })(); await 0; log(GC.collect())`, want: []string{"destroy A", "1"}}, // nobody can resume it
	{name: "array_iterator_prop", js: `(function(){ let a = new Node('A'); a.it = [1,2,a][Symbol.iterator](); a.it.next(); a.mi = new Map([[1,a]]).entries(); a.destroy = function(){ log(this.it.next().value, this.mi.next().value[1] === this) } })(); log(GC.collect())`, want: []string{"2 true", "1"}},
	{name: "many", js: `(function(){ let prev = null; for (let i = 0; i < 300; i++) { const n = new Node('n'+i); n.prev = prev; n.destroy = function(){ if (i === 299) log('last', this.prev.value) }; prev = n } })(); log(GC.collect())`, want: []string{"last n298", "300"}},
	{name: "shared_array_with_local", js: `let arr = (function(){ let a = new Node('A'); a.nodes.push(new Node('B')); return a.nodes })(); log(GC.collect(), arr[0].value); arr = null; log(GC.collect())`, want: []string{"destroy A", "1 B", "destroy B", "1"}},
	{name: "local_map_holds_key", js: `let m = new Map(); (function(){ m.set(new Node('K'), new Node('V')) })(); log(GC.collect()); m.clear(); log(GC.collect())`, want: []string{"0", "destroy K", "destroy V", "2"}},
	{name: "proto_object_create", js: `(function(){ let a = Object.create(new Node('P')); new Node('Q').x = a })(); log(GC.collect())`, want: []string{"destroy P", "destroy Q", "2"}},
}

// play runs a scenario and returns its log.
func play(t testing.TB, c scenario) []string {
	s := newStore(t)
	var held any
	require.NoError(t, s.r.Set("hold", func(c goja.FunctionCall) goja.Value { held = c.Argument(0); return goja.Undefined() }))
	require.NoError(t, s.r.Set("unhold", func(goja.FunctionCall) goja.Value { held = nil; return goja.Undefined() }))
	source := "(function(){" + c.js + "\n})()"
	if c.async {
		source = "(async function(){ await 0;" + c.js + "\n})()"
	}
	v := s.run(source)
	if c.async {
		p := v.Export().(*goja.Promise)
		require.Equal(t, goja.PromiseStateFulfilled, p.State(), "%s: %v", c.name, p.Result())
	}
	runtime.KeepAlive(held)
	return s.log
}

// gc 1.3, 2.1, 2.2, 2.5, 2.7
func TestScenarios(t *testing.T) {
	for _, c := range scenarios {
		t.Run(c.name, func(t *testing.T) { require.Equal(t, c.want, play(t, c)) })
	}
}
