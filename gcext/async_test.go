package gcext_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/sextongc/sexton"
)

// D is a class whose destroy() takes as many milliseconds as its property says.
const timed = `
export class D extends Resource {
	static properties = { ms: { type: "number", default: 0 } };
	async destroy() {
		log("begin", this.$id);
		if (this.ms) await sleep(this.ms);
		log("end", this.$id);
	}
}
const slow = (id, ms = 0, owner = undefined) => make(id, D, { ms }, owner);
`

func TestConcurrentDestruction(t *testing.T) {
	testExamples(t, []example{
		{name: "unordered ones overlap, a synchronous one runs to its end", source: timed + ` // gc 3.6
			class S extends A { destroy() { log("sync", this.$id); } }
			const setUp = () => { slow("a", 3); slow("b", 1); make("s", S); slow("c", 2); };
			export default async (root) => { setUp(); log(await destroyed()); };`, want: `destroy a
			begin a
			destroy b
			begin b
			destroy s
			sync s
			destroyed s
			destroy c
			begin c
			end b
			destroyed b
			end c
			destroyed c
			end a
			destroyed a
			4`},
		{name: "not before everything before it is finished", source: timed + ` // gc 3.6
			const setUp = () => {
				const owner = slow("owner"), other = slow("other", 5);
				slow("x", 9, owner); slow("y", 1, owner);
				GC.subscribeDestruction(other, slow("last"));
				const free = slow("free");
			};
			export default async (root) => { setUp(); await GC.collect(); };`, want: `destroy other
			begin other
			destroy x
			begin x
			destroy y
			begin y
			destroy free
			begin free
			end free
			destroyed free
			end y
			destroyed y
			end other
			destroyed other
			destroy last
			begin last
			end last
			destroyed last
			end x
			destroyed x
			destroy owner
			begin owner
			end owner
			destroyed owner`},
		{name: "bounded", settings: sexton.Settings{Concurrency: 2}, source: timed + ` // gc 3.6
			let running = 0, most = 0;
			class C extends A { async destroy() { most = Math.max(most, ++running); await sleep(1); running--; } }
			const setUp = () => { for (let i = 0; i < 5; i++) make("o" + i, C); };
			export default async (root) => { setUp(); log(await destroyed(), most); };`, want: `destroy o0
			destroy o1
			destroyed o0
			destroy o2
			destroyed o1
			destroy o3
			destroyed o2
			destroy o4
			destroyed o3
			destroyed o4
			5 2`},
		{name: "of the ready ones the lowest level goes first, then the oldest", settings: sexton.Settings{Concurrency: 1}, source: timed + ` // gc 3.6
			const setUp = () => {
				const owner = slow("owner", 1);   // level 2, but the oldest
				slow("child", 1, owner);
				slow("a", 1); slow("b", 1);
			};
			export default async (root) => { setUp(); await GC.collect(); };`, want: `destroy child
			begin child
			end child
			destroyed child
			destroy a
			begin a
			end a
			destroyed a
			destroy b
			begin b
			end b
			destroyed b
			destroy owner
			begin owner
			end owner
			destroyed owner`},
		{name: "a cycle's members overlap", source: timed + ` // gc 3.3, 3.6
			const setUp = () => {
				const a = slow("a", 2), b = slow("b", 1), after = slow("after");
				GC.subscribeDestruction(a, b); GC.subscribeDestruction(b, a); GC.subscribeDestruction(a, after);
			};
			export default async (root) => { setUp(); await GC.collect(); };`, want: `destroy a
			begin a
			destroy b
			begin b
			end b
			destroyed b
			end a
			destroyed a
			destroy after
			begin after
			end after
			destroyed after`},
	})
}

// gc 3.6
func TestConcurrencyIsTenByDefault(t *testing.T) {
	events := run(t, `
		let running = 0, most = 0;
		class C extends A { async destroy() { most = Math.max(most, ++running); await sleep(1); running--; } }
		const setUp = () => { for (let i = 0; i < 25; i++) make("o" + i, C); };
		export default async (root) => { setUp(); log(await destroyed(), most); };`, sexton.Settings{})
	require.Equal(t, "25 10", events[len(events)-1])
}

func TestHandlers(t *testing.T) {
	handlers := `
		class S extends A {
			async slow(p) { log("begin", this.$id, p.$id); await sleep(5); log("end", this.$id, p.$id); }
			quick(p) { log("quick", this.$id, p.$id); }
			throws(p) { throw new RangeError("no " + p.$id); }
			async rejects(p) { await 0; throw new RangeError("not " + p.$id); }
			async never(p) { await new Promise(() => {}); }
			async late(p) { await sleep(100000); log("late", this.$id); }
			hangs(p) { for (;;); }
			async hangsLater(p) { await 0; for (;;); }
			thenable(p) { return { then(resolve) { log("then"); resolve(1); } }; }
		}
		const sub = (id) => make(id, S);
	`
	testExamples(t, []example{
		{name: "awaited before the next handler and the first destroy", source: handlers + ` // gc 4.9, 3.5
			export default async (root) => {
				const s = sub("s"), u = sub("u");
				((p, q) => { GC.subscribeDestruction(p, s, "slow"); GC.subscribeDestruction(p, u, "quick"); GC.subscribeDestruction(q, s, "slow"); })(make("p"), make("q"));
				const r = await GC.collect();
				log(r.notified, r.destroyed, s.$id, u.$id);
			};`, want: `notify s of p
			begin s p
			end s p
			notify u of p
			quick u p
			notify s of q
			begin s q
			end s q
			destroy p
			destroyed p
			destroy q
			destroyed q
			3 2 s u`},
		{name: "failures stop nothing", source: handlers + ` // gc 4.8
			export default async (root) => {
				const s = sub("s");
				((p) => { for (const h of ["throws", "rejects", "thenable", "quick"]) GC.subscribeDestruction(p, s, h); })(make("p"));
				const r = await GC.collect();
				log(r.notified, r.failed.length, s.$id);
			};`, want: `notify s of p
			handler failed: throws of S s, told of A p: RangeError: no p
			notify s of p
			handler failed: rejects of S s, told of A p: RangeError: not p
			notify s of p
			then
			notify s of p
			quick s p
			destroy p
			destroyed p
			4 0 s`},
		{name: "time-outs", settings: sexton.Settings{HandlerTimeout: 150 * time.Millisecond}, source: handlers + ` // gc 4.9
			export default async (root) => {
				const s = sub("s");
				((p) => { for (const h of ["late", "hangs", "hangsLater", "quick"]) GC.subscribeDestruction(p, s, h); })(make("p"));
				log(await destroyed(), s.$id);
			};`, want: `notify s of p
			handler failed: late of S s, told of A p: TimeLimitError: not finished after 150ms
			notify s of p
			handler failed: hangs of S s, told of A p: TimeLimitError: not finished after 150ms
			notify s of p
			unhandled TimeLimitError: not finished after 150ms
			handler failed: hangsLater of S s, told of A p: TimeLimitError: not finished after 150ms
			notify s of p
			quick s p
			destroy p
			destroyed p
			1 s`},
		{name: "a promise that nothing can settle", source: handlers + ` // gc 4.9
			export default async (root) => {
				const s = sub("s");
				((p) => { GC.subscribeDestruction(p, s, "never"); GC.subscribeDestruction(p, s, "quick"); })(make("p"));
				log(await destroyed(), s.$id);
			};`, want: `notify s of p
			handler failed: never of S s, told of A p: the script waits for a promise that nothing can settle
			notify s of p
			quick s p
			destroy p
			destroyed p
			1 s`},
		{name: "a handler takes back what is not yet told, and adds to it", source: ` // gc 4.7
			let later;
			class S extends A {
				first(p) {
					log("first", p.$id);
					GC.unsubscribeDestruction(p, this, "second");
					GC.subscribeDestruction(p, this, "third");
					GC.subscribeDestruction(p.next, this, "third");
				}
				second(p) { log("second", p.$id); }
				third(p) { log("third", p.$id); }
			}
			export default async (root) => {
				const s = make("s", S);
				((p, q) => { GC.subscribeDestruction(p, s, "first"); GC.subscribeDestruction(p, s, "second"); p.next = q; })(make("p"), make("q"));
				await GC.collect();
				log(s.$id);
			};`, want: `notify s of p
			first p
			notify s of p
			third p
			notify s of q
			third q
			destroy p
			destroyed p
			destroy q
			destroyed q
			s`},
		{name: "one that takes itself back and comes again is not told again", source: ` // gc 4.2, 4.7
			class S extends A { again(p) { log(this.$id); GC.unsubscribeDestruction(p, this, "again"); GC.subscribeDestruction(p, this, "again"); } }
			export default async (root) => {
				const s = make("s", S), u = make("u", S);
				((p) => { for (const x of [s, u, s]) GC.subscribeDestruction(p, x, "again"); })(make("p"));
				log((await GC.collect()).notified, s.$id, u.$id);
			};`, want: `notify s of p
			s
			notify u of p
			u
			destroy p
			destroyed p
			2 s u`},
	})
}
