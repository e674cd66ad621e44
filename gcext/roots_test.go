package gcext_test

import (
	"fmt"
	"testing"
)

// Each case makes the object "x", has something refer to it, collects, takes that away, and collects
// again: kept, then gone.
func TestEveryReferenceCounts(t *testing.T) {
	// gc 1.1, 1.3, 1.6: plain objects are on the way, managed ones are collected
	cases := []struct{ name, setUp, drop string }{
		{"declared property", `root.applications.push(make("x"))`, `root.applications.length = 0`},
		{"undeclared property", `root.extra = make("x")`, `delete root.extra`},
		{"through a plain object", `root.extra = { deep: [{ at: make("x") }] }`, `root.extra.deep.pop()`},
		{"array element", `root.extra = [, , make("x")]`, `root.extra.length = 0`},
		{"Map value", `root.extra = new Map([["k", make("x")]])`, `root.extra.delete("k")`},
		{"Map key", `root.extra = new Map([[make("x"), 1]])`, `root.extra.clear()`},
		{"Set entry", `root.extra = new Set([make("x")])`, `root.extra.clear()`},
		{"Map entry overwritten", `root.extra = new Map([["k", make("x")]])`, `root.extra.set("k", 1)`},
		{"private field", `root.extra = new class { #x = make("x"); drop() { this.#x = null; } }`, `root.extra.drop()`},
		{"captured variable", `root.extra = (() => { let x = make("x"); return (y) => { x = y; }; })()`, `root.extra(null)`},
		{"captured by a captured closure", `root.extra = (() => { let x = make("x"); const f = () => x; return () => f; })()`, `root.extra = null`},
		{"bound argument", `root.extra = ((a, b) => b).bind(null, make("x"))`, `root.extra = null`},
		{"bound this", `root.extra = function () { return this; }.bind(make("x"))`, `root.extra = null`},
		{"state of a getter", `{ let x = make("x"); root.extra = { get x() { return x; }, set x(v) { x = v; } }; }`, `root.extra.x = 1`},
		{"accessor defined later", `{ let x = make("x"); Object.defineProperty(root, "extra", { get: () => x, configurable: true }); }`, `delete root.extra`},
		{"symbol property", `root[Symbol.for("extra")] = make("x")`, `delete root[Symbol.for("extra")]`},
		{"prototype", `root.extra = Object.create(make("x"))`, `root.extra = null`},
		{"fulfilled promise", `root.extra = Promise.resolve(make("x"))`, `root.extra = null`},
		{"rejected promise", `root.extra = Promise.reject(make("x")); root.extra.catch(() => {})`, `root.extra = null`},
		{"error's cause", `root.extra = new Error("e", { cause: make("x") })`, `root.extra = null`},
		{"proxy target", `root.extra = new Proxy(make("x"), {})`, `root.extra = null`},
		{"proxy handler", `root.extra = new Proxy({}, { x: make("x") })`, `root.extra = null`},
		{"iterator", `root.extra = [make("x")][Symbol.iterator]()`, `root.extra.next(); root.extra.next()`},
		{"Map iterator", `root.extra = new Map([["k", make("x")]]).values()`, `root.extra = null`},
		{"arguments object", `root.extra = (function () { return arguments; })(make("x"))`, `root.extra = null`},
		{"owner of what is reachable", `root.extra = make("child", A, {}, make("x"))`, `root.extra = null`},
		{"WeakMap value", `root.key = {}; root.extra = new WeakMap([[root.key, make("x")]])`, `root.extra = null; root.key = null`},
		{"WeakMap value, key gone", `root.key = {}; root.extra = new WeakMap([[root.key, make("x")]])`, `root.key = null`},
		{"WeakMap value deleted", `root.key = {}; root.extra = new WeakMap([[root.key, make("x")]])`, `root.extra.delete(root.key)`},
		{"static of an exported class", `A.cache = [make("x")]`, `A.cache.pop()`},
		{"static private", `root.cell = class { static #x = make("x"); static drop() { this.#x = 0; } }`, `root.cell.drop()`},
		{"global", `globalThis.extra = make("x")`, `delete globalThis.extra`},
		{"module variable", `variable = make("x")`, `variable = null`},
		{"module variable that only this line uses", `unused(make("x"))`, `unused(null)`},
		{"property of a built-in", `Array.prototype.extra = make("x")`, `delete Array.prototype.extra`},
		{"host code", `hold(make("x"))`, `release()`},
		{"host code, through a closure", `{ const x = make("x"); hold(() => x); }`, `release()`},
		{"timer", `{ const x = make("x"); root.timer = setTimeout(() => x, 1e6); }`, `clearTimeout(root.timer)`},
		{"argument of a timer", `root.timer = setInterval((x) => {}, 1e6, make("x"))`, `clearInterval(root.timer)`},
		{"pending promise's reaction", `{ const x = make("x"); root.extra = new Promise(() => {}); root.extra.then(() => x); }`, `root.extra = null`},
		{"suspended async function", `root.extra = (async (x) => { await new Promise((r) => { root.go = r; }); return x.$id; })(make("x"))`, `root.go(); await root.extra; root.go = root.extra = null`},
		{"suspended async function, only what it waits for is left", `(async (x) => { await new Promise((r) => { root.go = r; }); return x.$id; })(make("x"))`, `root.go = null`},
		{"suspended generator", `root.extra = (function* (x) { yield 1; yield x; })(make("x")); root.extra.next()`, `root.extra.return()`},
		{"suspended generator, local variable", `root.extra = (function* () { const x = make("x"); yield 1; yield x; })(); root.extra.next()`, `root.extra = null`},
		{"delegated generator", `root.extra = (function* () { yield* (function* (x) { yield 1; yield x; })(make("x")); })(); root.extra.next()`, `root.extra = null`},
		{"for-of inside of a generator", `root.extra = (function* () { for (const x of [make("x")]) yield 1; })(); root.extra.next()`, `root.extra.next()`},
		{"class in a variable", `root.cell = class extends A { static of = make("x"); }`, `root.cell = null`},
		{"tagged template", `root.extra = ((s, x) => x)` + "`${make(\"x\")}`", `root.extra = null`},
	}
	var examples []example
	for _, c := range cases {
		examples = append(examples, example{name: c.name, source: `
			let variable; let only; const unused = (x) => { only = x; };
			const setUp = (root) => { ` + c.setUp + ` };
			const drop = async (root) => { ` + c.drop + ` };
			export default async (root) => {
				setUp(root);
				log(await destroyed());
				await drop(root);
				log(await destroyed() > 0);
			};`, want: `0
			` + destroyEvents(c.name) + `true`})
	}
	testExamples(t, examples)
}

// destroyEvents are those of the second collection.
func destroyEvents(name string) string {
	if name == "owner of what is reachable" {
		return "destroy child\ndestroyed child\ndestroy x\ndestroyed x\n"
	}
	return "destroy x\ndestroyed x\n"
}

func TestRootsOfTheCallStack(t *testing.T) {
	testExamples(t, []example{
		{name: "argument and local variable of every frame", source: ` // gc 2.1
			const inner = () => { const c = make("c"); GC.collect(); return c; };
			const middle = (b) => { inner(); return b; };
			export default async (root) => {
				const a = make("a");
				middle(make("b"));
				log("between");
				GC.collect();
				log(a.$id);
			};`, want: `between
			destroy b
			destroyed b
			destroy c
			destroyed c
			a`},
		{name: "overwritten, left by its block, returned from", source: ` // gc 2.2
			const finished = () => { const f = make("f"); return f.$id; };
			export default async (root) => {
				let a = make("a");
				a = null;
				{ const b = make("b"); b.next = 1; }
				for (let i = 0; i < 1; i++) { const c = make("c"); c.next = 1; }
				finished();
				try { const d = make("d"); throw d.$id; } catch (e) {}
				[make("e")].forEach((x) => x);
				log(await destroyed());
			};`, want: `destroy a
			destroyed a
			destroy b
			destroyed b
			destroy c
			destroyed c
			destroy f
			destroyed f
			destroy d
			destroyed d
			destroy e
			destroyed e
			6`},
		{name: "queued jobs", source: ` // gc 2.1
			export default async (root) => {
				const queue = (x) => { queueMicrotask(() => log(x.$id)); };
				queue(make("a"));
				GC.collect();
				await 0; await 0;
				log("then");
				GC.collect();
			};`, want: `a
			then
			destroy a
			destroyed a`},
		{name: "the caller's own suspended frames", source: ` // gc 2.1
			const middle = async (x) => { await inner(); return x.$id; };
			const inner = async () => { await 0; await GC.collect(); };
			export default async (root) => {
				log(await middle(make("a")));
				await GC.collect();
			};`, want: `a
			destroy a
			destroyed a`},
		{name: "subscriptions keep neither side", source: ` // gc 1.5
			const subscribe = (root) => {
				GC.subscribeDestruction(root, make("s"));
				GC.subscribeDestruction(make("p"), root);
				((o) => GC.subscribeDestruction(o, o))(make("self"));
			};
			export default async (root) => { subscribe(root); log(await destroyed()); };`, want: `destroy p
			destroyed p
			destroy self
			destroyed self
			destroy s
			destroyed s
			3`},
		{name: "keys of weak collections", source: ` // gc 1.6
			const map = new WeakMap(), set = new WeakSet();
			const setUp = () => { const a = make("a"); map.set(a, make("value")); set.add(a); };
			const cycle = () => { const a = make("b"); map.set(a, a); a.next = map; };
			export default async (root) => {
				setUp(); cycle();
				log(await destroyed());
			};`, want: `destroy a
			destroyed a
			destroy value
			destroyed value
			destroy b
			destroyed b
			3`},
		{name: "an owner does not hold what it owns", source: ` // gc 1.4
			export default async (root) => {
				const owner = make("owner");
				((o) => { make("child", A, {}, o); })(owner);
				GC.collect();
				log(owner.$id);
			};`, want: `destroy child
			destroyed child
			owner`},
		{name: "alone, tree, cycles", source: ` // gc 2.5
			const build = (n) => {
				const all = Array.from({ length: n }, (_, i) => make("c" + i));
				all.forEach((o, i) => { o.next = all[(i + 1) % n]; });
			};
			export default async (root) => {
				for (const n of [1, 2, 3, 50]) { build(n); log((await GC.collect()).destroyed === n, "in a cycle of", n); }
			};`, want: func() string {
			out := ""
			for _, n := range []int{1, 2, 3, 50} {
				for i := range n {
					out += fmt.Sprintf("destroy c%d\ndestroyed c%d\n", i, i)
				}
				out += fmt.Sprintf("true in a cycle of %d\n", n)
			}
			return out
		}()},
	})
}
