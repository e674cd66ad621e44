package gcext_test

import (
	"testing"
	"time"

	"github.com/sextongc/sexton"
)

func TestHierarchy(t *testing.T) {
	hierarchy := `
		class Base extends A { destroy() { log("Base"); } }
		class Middle extends Base { async destroy() { log("Middle"); await sleep(1); log("Middle ends"); } }
		class Leaf extends Middle { destroy() { log("Leaf"); } }
		const drop = (Class, id = "x") => { make(id, Class); };
	`
	testExamples(t, []example{
		{name: "every class, from its own up to the base", source: hierarchy + ` // gc 5.1
			export default async (root) => { drop(Leaf); log(await destroyed()); };`, want: `destroy x
			Leaf
			Middle
			Middle ends
			Base
			destroyed x
			1`},
		{name: "super.destroy() with await", source: hierarchy + ` // gc 5.1
			class S extends Middle { async destroy() { log("S"); await super.destroy(); log("S ends"); } }
			export default async (root) => { drop(S); await GC.collect(); };`, want: `destroy x
			S
			Middle
			Middle ends
			S ends
			Base
			destroyed x`},
		{name: "super.destroy() without await, twice", source: hierarchy + ` // gc 5.1
			class S extends Middle { destroy() { log(super.destroy() === super.destroy()); log("S ends"); } }
			export default async (root) => { drop(S); await GC.collect(); };`, want: `destroy x
			Middle
			true
			S ends
			Middle ends
			Base
			destroyed x`},
		{name: "super.destroy() after an await, in a timer, and past a class without one", source: hierarchy + ` // gc 5.1
			class Empty extends Middle {}
			class S extends Empty { async destroy() { await new Promise((r) => setTimeout(() => r(super.destroy()), 1)); log("S ends"); } }
			export default async (root) => { drop(S); await GC.collect(); };`, want: `destroy x
			Middle
			Middle ends
			S ends
			Base
			destroyed x`},
		{name: "super.destroy() of the base class is nothing", source: ` // gc 5.1
			class S extends A { destroy() { log(super.destroy()); } }
			export default async (root) => { (() => { make("x", S); })(); await GC.collect(); };`, want: `destroy x
			undefined
			destroyed x`},
		{name: "super.destroy() that fails reaches the caller, and fails the object all the same", source: ` // gc 5.1, 5.6
			class Base extends A { destroy() { throw new RangeError("base"); } }
			class S extends Base { destroy() { log(thrown(() => super.destroy())); } }
			export default async (root) => { (() => { make("x", S); })(); log((await GC.collect()).failed[0].error); };`, want: `destroy x
			RangeError: base
			failed x: destroy of Base: RangeError: base
			destroy of Base: RangeError: base`},
		{name: "hold: a failure ends it", source: hierarchy + ` // gc 5.1, 5.6
			class F extends Middle { async destroy() { await 0; throw new Error("F"); } }
			export default async (root) => { drop(F); const r = await GC.collect(); log(JSON.stringify(r.failed)); };`, want: `destroy x
			failed x: destroy of F: Error: F
			[{"id":"x","type":"shop/F","error":"destroy of F: Error: F"}]`},
		{name: "continue: the base classes' still run", settings: sexton.Settings{OnDestroyError: "continue"}, source: hierarchy + ` // gc 5.1, 5.6
			class F extends Middle { async destroy() { await 0; throw new Error("F"); } }
			class G extends F { destroy() { throw new Error("G"); } }
			export default async (root) => { drop(G); const r = await GC.collect(); log(r.destroyed, r.failed.length); };`, want: `destroy x
			Middle
			Middle ends
			Base
			failed x: destroy of G: Error: G; destroy of F: Error: F
			destroyed x
			1 0`},
		{name: "continue: after a time-out too", settings: sexton.Settings{OnDestroyError: "continue", DestroyTimeout: 150 * time.Millisecond}, source: hierarchy + ` // gc 5.1, 5.6
			class F extends Middle { async destroy() { await sleep(1000); log("F ends"); } }
			export default async (root) => { drop(F); await GC.collect(); };`, want: `destroy x
			Middle
			Middle ends
			Base
			failed x: destroy of F: TimeLimitError: not finished after 150ms
			destroyed x`},
		{name: "a retry skips what completed, and what completed late", source: ` // gc 5.1, 5.6
			let fail = true;
			class Base extends A { async destroy() { log("Base"); await 0; if (fail) throw new Error("not yet"); log("Base ends"); } }
			class S extends Base { async destroy() { log("S"); await 0; } }
			export default async (root) => {
				(() => { make("x", S); })();
				log((await GC.collect()).failed.length);
				fail = false;
				log((await GC.collect()).destroyed);
			};`, want: `destroy x
			S
			Base
			failed x: destroy of Base: Error: not yet
			1
			destroy x
			Base
			Base ends
			destroyed x
			1`},
		{name: "direct calls", source: ` // gc 5.1
			let victim;
			class S extends A {
				destroy() { log("S", this.$id); if (this.next) log(thrown(() => this.next.destroy())); }
				method() { return super.destroy(); }
				onDestroy(p) { log(thrown(() => p.destroy())); log(thrown(() => this.destroy())); }
			}
			export default async (root) => {
				const x = make("x", S);
				log(thrown(() => x.destroy()));
				log(thrown(() => S.prototype.destroy.call(x)));
				log(thrown(() => Reflect.apply(Resource.prototype.destroy, x, [])));
				log(thrown(() => x.method()));
				log(thrown(() => S.prototype.destroy.call({})));
				log(thrown(() => root.destroy()));
				((y) => { y.next = x; GC.subscribeDestruction(y, x, "onDestroy"); })(make("y", S));
				await GC.collect();
			};`, want: `TypeError: destroy() of S x: only the collector runs it; drop the object, then GC.collect()
			TypeError: destroy() of S x: only the collector runs it; drop the object, then GC.collect()
			TypeError: destroy() of S x: only the collector runs it; drop the object, then GC.collect()
			TypeError: destroy() of S x: only the collector runs it; drop the object, then GC.collect()
			TypeError: destroy: expected a managed object, got an object
			TypeError: destroy() of Environment root: only the collector runs it; drop the object, then GC.collect()
			notify x of y
			TypeError: destroy() of S y: only the collector runs it; drop the object, then GC.collect()
			TypeError: destroy() of S x: only the collector runs it; drop the object, then GC.collect()
			destroy y
			S y
			TypeError: destroy() of S x: only the collector runs it; drop the object, then GC.collect()
			destroyed y`},
		{name: "calls on behalf of an attempt that is over, or of another object's", source: ` // gc 5.1
			let onLate, other;
			class Base extends A { destroy() { log("Base", this.$id); } }
			class S extends Base {
				async destroy() { other ??= this; setTimeout(() => { log(thrown(() => super.destroy())); onLate(); }, 5); }
			}
			class T extends Base { destroy() { log(thrown(() => Base.prototype.destroy.call(other))); } }
			export default async (root) => {
				const late = new Promise((r) => { onLate = r; });
				(() => { make("x", S); make("y", T); })();
				await GC.collect();
				await late;
				other = null;
			};`, want: `destroy x
			Base x
			destroyed x
			destroy y
			TypeError: destroy() of S x: only the collector runs it; drop the object, then GC.collect()
			Base y
			destroyed y
			TypeError: destroy() of S x: only the collector runs it; drop the object, then GC.collect()`},
		{name: "an own property", source: ` // gc 5.1
			export default async (root) => {
				(() => { const x = make("x"); Object.defineProperty(x, "destroy", { value: () => log("own") }); })();
				log(thrown(() => { make("y").destroy = 1; }));
				await GC.collect();
			};`, want: `TypeError: Cannot assign to read only property 'destroy'
			destroy x
			failed x: TypeError: A x has an own property named destroy; destroy() is a method of the class that only the collector runs
			destroy y
			destroyed y`},
	})
}

// gc 5.2
func TestEffectsOfTheDestroyed(t *testing.T) {
	testExamples(t, []example{
		{name: "of calls that go on, and those that name it", real: true, source: `
			import { readFile } from "sexton/fs";
			const read = (of) => readFile("package.json", of && { of }).then(() => "read", (e) => e.name + ": " + e.message);
			const kept = {};
			class S extends A {
				async destroy() {
					log("destroy:", await read());
					kept.timer = new Promise((resolve) => setTimeout(() => resolve(read()), 1));
				}
			}
			class H extends A { rescue(p) { kept.x = p; } }
			export default async (root) => {
				const h = make("h", H);
				((x) => { GC.subscribeDestruction(x, h, "rescue"); })(make("x", S));
				await GC.collect();
				log(h.$id, GC.isDestroyed(kept.x));
				log("timer:", await kept.timer);
				log("of:", await read(kept.x));
				log("root:", await read());
			};`, want: `notify h of x
			destroy x
			destroy: read
			destroyed x
			h true
			timer: ObjectDestroyedError: S x is destroyed: it cannot have effects any more
			of: ObjectDestroyedError: S x is destroyed: it cannot have effects any more
			root: read`},
		{name: "of functions extracted earlier and private methods", real: true, source: `
			import { readFile } from "sexton/fs";
			const read = (of) => readFile("package.json", { of }).then(() => "read", (e) => e.name);
			class S extends A {
				#secret() { return read(this); }
				method() { return read(this); }
				secret() { return () => this.#secret(); }
				destroy() { root.rescued = this; }
			}
			let root;
			export default async (r) => {
				root = r;
				const kept = {};
				(() => {
					const x = make("x", S);
					const method = x.method;
					kept.method = (o) => method.call(o);
					kept.secrets = new WeakMap([[x, x.secret()]]);
				})();
				await GC.collect();
				const x = root.rescued;
				log(thrown(() => x.method()));
				log(await kept.method(x), await kept.secrets.get(x)());
			};`, want: `destroy x
			destroyed x
			ObjectDestroyedError: S x is destroyed: method cannot be used any more
			ObjectDestroyedError ObjectDestroyedError`},
	})
}
