package gcext_test

import (
	"testing"

	"github.com/sextongc/sexton"
)

// gc 5.5
func TestResurrection(t *testing.T) {
	classes := `
		let root;
		class H extends A {
			rescue(p) { root.kept = p; log("rescue", p.$id, GC.isDoomed(p), GC.isDestroyed(p)); }
			async rescueLater(p) { await sleep(1); root.kept = p; log("rescued", p.$id); }
		}
		class S extends A {
			async destroy() { log("destroy() of", this.$id); await 0; if (this.next === "me") root.kept = this; }
			method() {}
			get accessor() { return 1; }
		}
		const subscribe = (p, s, handler) => GC.subscribeDestruction(p, s, handler);
	`
	spare := sexton.Settings{Resurrection: "spare"}
	testExamples(t, []example{
		{name: "tombstone: by a handler", source: classes + ` // gc 5.3, 5.5, 1.2
			export default async (r) => {
				root = r;
				const h = make("h", H);
				((x) => subscribe(x, h, "rescueLater"))(make("x", S, { list: [1], next: make("y", S) }));
				const report = await GC.collect();
				log(report.destroyed, report.rounds, GC.isDoomed(r.kept), GC.isDestroyed(r.kept), r.kept.list[0], r.kept.next.$id);
				log(thrown(() => r.kept.method()));
				log(thrown(() => r.kept.accessor));
				log(thrown(() => { r.kept.list = 1; }));
				log(r.kept.list.push(2), r.kept instanceof S, r.kept.$type, h.$id);
				delete r.kept;
				log(await destroyed());
			};`, want: `notify h of x
			rescued x
			destroy y
			destroy() of y
			destroy x
			destroy() of x
			destroyed y
			destroyed x
			2 1 true true 1 y
			ObjectDestroyedError: S x is destroyed: method cannot be used any more
			ObjectDestroyedError: S x is destroyed: accessor cannot be used any more
			TypeError: Cannot assign to read only property 'list'
			2 true shop/S h
			0`},
		{name: "what a tombstone alone referred to is collected when it disappears", source: classes + ` // gc 5.5
			export default async (r) => {
				root = r;
				(() => { make("x", S, { next: "me", list: [] }); })();
				await GC.collect();
				((x) => x.list.push(make("y", S)))(r.kept);
				log("kept:", await destroyed());
				delete r.kept;
				log("gone:", await destroyed());
			};`, want: `destroy x
			destroy() of x
			destroyed x
			kept: 0
			destroy y
			destroy() of y
			destroyed y
			gone: 1`},
		{name: "spare: live again, and told anew", settings: spare, source: classes + ` // gc 5.5
			export default async (r) => {
				root = r;
				const h = make("h", H);
				((x) => { subscribe(x, h, "rescueLater"); subscribe(x, h, "rescueLater"); })(make("x", S, { next: make("y", S) }, make("owner", S)));
				(() => { make("z", S); })();
				log(await destroyed(), GC.isDoomed(r.kept), GC.isDoomed(r.kept.next), r.kept.method());
				delete r.kept;
				log(await destroyed(), GC.isDoomed(r.kept), GC.isDoomed(r.kept.$owner));
				GC.unsubscribeDestruction(r.kept, h, "rescueLater");
				GC.unsubscribeDestruction(r.kept, h, "rescueLater");
				delete r.kept;
				log(await destroyed(), h.$id);
			};`, want: `notify h of x
			rescued x
			spared y
			spared owner
			spared x
			destroy z
			destroy() of z
			destroyed z
			1 false false undefined
			notify h of x
			rescued x
			spared y
			spared owner
			spared x
			0 false false
			destroy y
			destroy() of y
			destroy x
			destroy() of x
			destroyed y
			destroyed x
			destroy owner
			destroy() of owner
			destroyed owner
			3 h`},
		{name: "spare: destroy() comes too late", settings: spare, source: classes + ` // gc 5.5
			export default async (r) => {
				root = r;
				(() => { make("x", S, { next: "me" }); })();
				log(await destroyed(), GC.isDestroyed(r.kept));
			};`, want: `destroy x
			destroy() of x
			destroyed x
			1 true`},
		{name: "spare: not what failed before", settings: spare, source: classes + ` // gc 5.5, 5.6
			let fail = true;
			class F extends S { destroy() { r.kept = this; r.owner = this.$owner; if (fail) throw new Error("no"); } }
			let r;
			export default async (root) => {
				r = root;
				(() => { make("x", F, {}, make("owner", A)); })();
				log(await destroyed());
				fail = false;
				log(await destroyed(), GC.isDestroyed(r.kept), GC.isDestroyed(r.owner));
			};`, want: `destroy x
			failed x: destroy of F: Error: no
			blocked owner by x
			0
			destroy x
			destroy() of x
			destroyed x
			destroy owner
			destroyed owner
			2 true true`},
	})
}
