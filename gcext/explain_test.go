package gcext_test

import (
	"strings"
	"testing"

	"github.com/dop251/goja"
	"github.com/stretchr/testify/require"

	"github.com/sextongc/sexton"
)

// gc 7.1
func TestWhy(t *testing.T) {
	testExamples(t, []example{{name: "every kind of root", source: `
		let cache, list = [];
		export class Holder extends A { static instance = null; static #secret = null; static keep(o) { this.#secret = o; } }
		const why = (id) => log(id + ":", (GC.why(id) ?? ["null"]).join(" | ").replace(/key \d+/, "key N"));
		const local = (id) => { const mine = make(id); why(id); return mine.$id; };
		const argument = (given) => { why("argument"); return given.$id; };
		export default async (root) => {
			root.applications.push(make("app", A, { list: [null, { deep: make("deep") }] }));
			why("root"); why("app"); why("deep");
			cache = make("cached"); why("cached");
			list.push(new Map([["k", make("inMap")]])); why("inMap");
			root.set = new Set([make("inSet")]); why("inSet");
			root.extra = (() => { const captured = make("captured"); return () => captured; })(); why("captured");
			Holder.instance = make("static"); why("static");
			Holder.keep(make("secret")); why("secret");
			globalThis.shared = make("global"); why("global");
			local("local"); argument(make("argument"));
			hold(make("held")); why("held"); release();
			root.owned = make("owned", A, {}, make("owner")); why("owner");
			root.promise = Promise.resolve(make("result")); why("result");
			const timer = (() => { const o = make("timed"); return setTimeout(() => o, 1e6); })(); why("timed"); clearTimeout(timer);
			const pending = (async (o) => { await new Promise((r) => { root.go = r; }); return o; })(make("suspended")); why("suspended"); root.go();
			await pending;
			(() => { make("lost"); })(); why("lost"); why("nobody");
			root.both = make("both"); root.applications.push(root.both); why("both");
		};`, want: `root: root
		app: root | root.applications[0]
		deep: root | root.applications[0] | root.applications[0].list[1].deep
		cached: module variable cache
		inMap: module variable list[0], map value for key "k"
		inSet: root | root.set, element of a set
		captured: root | root.extra, closure variable
		static: module variable Holder | module variable Holder.instance
		secret: module variable Holder | module variable Holder, private field
		global: globalThis.shared
		local: local variable of local() at main.ts:15
		argument: argument of argument() at main.ts:16
		held: host value
		owner: root | root.owned | root.owned.$owner
		result: root | root.promise, result of a promise
		timed: timer, map value for key N.callback, closure variable
		suspended: root | root.go, reaction to a promise, suspended async function, local variable of a suspended function
		lost: null
		nobody: null
		both: root | root.both`}})
}

// gc 7.1: what GC.why names keeps the object; its own argument, and what held that for the call, do not.
func TestWhyLeavesOutTheCaller(t *testing.T) {
	testExamples(t, []example{{name: "of an object", source: `
		export default async (root) => {
			log(GC.why(make("x")));
			const find = () => root.map?.get("y") ?? make("y");
			log(GC.why(find()));
			root.map = new Map([["y", make("y2")]]);
			log(GC.why(root.map.get("y")));
			const y = root.map.get("y");
			root.map.clear();
			log(GC.why(y));
		};`, want: `null
		null
		root,root.map, map value for key "y"
		local variable of main_default() at main.ts:20`}})
}

const graph = `
	export class S extends A { told(p) {} destroy() { if (this.next) throw new Error("no"); } }
	export const build = (root) => {
		const net = make("net", S), vm = make("vm", S, {}, net), disk = make("disk", S, {}, vm), lone = make("lone", S);
		GC.subscribeDestruction(net, vm, "told");
		GC.subscribeDestruction(disk, lone);
		((a, b) => { GC.subscribeDestruction(a, b); GC.subscribeDestruction(b, a); })(make("c1", S), make("c2", S));
	};
	export const plan = () => { for (const s of GC.plan()) log(s.level, s.type, s.id, "after", "[" + s.after + "]:", s.why); };
	export const collect = async () => { const r = await GC.collect(); log(r.destroyed); };
`

// gc 7.2, 7.3, 3.1, 3.4, 5.3
func TestPlan(t *testing.T) {
	testExamples(t, []example{
		{name: "levels and reasons", source: graph + `
			export default async (root) => { build(root); plan(); };`, want: `1 shop/S net after []: nothing reachable refers to it
			1 shop/S disk after []: nothing reachable refers to it
			1 shop/S c1 after []: nothing reachable refers to it
			1 shop/S c2 after []: nothing reachable refers to it
			2 shop/S vm after [net,disk]: nothing reachable refers to it
			2 shop/S lone after [disk]: nothing reachable refers to it`},
		{name: "a retry", source: graph + `
			export default async (root) => {
				(() => { make("x", S, { next: 1 }, make("owner", S)); })();
				await GC.collect();
				plan();
			};`, want: `destroy x
			failed x: destroy of S: Error: no
			blocked owner by x
			1 shop/S x after []: an earlier attempt failed
			2 shop/S owner after [x]: an earlier attempt failed`},
		{name: "no effect that a script can see", source: graph + `
			export default async (root) => {
				const map = new WeakMap(), set = new WeakSet(), name = Symbol("s");
				const fill = () => {
					const x = make("x", S), y = make("y", S, {}, x);
					x.list = [y, new Map([[y, x]]), new Set([x])]; y.next = x; x[name] = () => y; Object.freeze(x.list);
					x.table = new Map(Array.from({ length: 40 }, (_, i) => [{ i }, i]));
					map.set(x, y); set.add(x);
					GC.subscribeDestruction(x, root, undefined);
					GC.subscribeDestruction(y, make("h", H), "told");
				};
				class H extends A {
					told(y) {
						const x = y.next, [first, m, s] = x.list;
						log(first === y, m.get(y) === x, s.has(x), x[name]() === y, Object.isFrozen(x.list), map.get(x) === y, set.has(x), y.$owner === x);
						let sum = 0; for (const [k, v] of x.table) if (k.i === v && x.table.get(k) === v) sum++;
						log(sum, this.$id);
						y.next = 0;
					}
				}
				fill();
				const before = JSON.stringify(GC.plan());
				log(before === JSON.stringify(GC.plan()), GC.plan().every((s) => s.level > 0));
				log(await destroyed());
			};`, want: `true true
			notify h of y
			true true true true true true true true
			40 h
			destroy y
			destroyed y
			destroy x
			destroyed x
			destroy h
			destroyed h
			3`},
	})
}

// gc 7.3
func TestPlanIsWhatCollectDoes(t *testing.T) {
	e := newEnv(t, graph+`
		export const ids = () => GC.plan().map((s) => s.id);`)
	e.start(sexton.Settings{}, func() {
		_, err := e.call("build")
		require.NoError(t, err)
		want, err := e.call("ids")
		require.NoError(t, err)
		again, err := e.call("ids")
		require.NoError(t, err)
		require.Equal(t, want.Export(), again.Export())
		for _, o := range e.session.Store().Objects() {
			require.False(t, o.Held(), o.ID)
		}
		var destroyed []any
		_, err = e.call("collect")
		require.NoError(t, err)
		for _, event := range e.events {
			if id, ok := strings.CutPrefix(event, "destroyed "); ok {
				destroyed = append(destroyed, id)
			}
		}
		require.Equal(t, want.(*goja.Object).Export(), destroyed)
	})
}
