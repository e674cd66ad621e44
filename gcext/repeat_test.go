package gcext_test

import (
	"fmt"
	"math"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sextongc/sexton"
)

// A bit of everything that could depend on Go's collector, on the order of Go's maps, or on time.
const everything = `
	let cache = null;
	export class N extends A {
		static properties = { kind: { type: "number", default: 0 } };
		#peer = null;
		befriend(peer) { this.#peer = peer; return this; }
		told(p) { log("told", this.$id, p.$id); if (this.kind % 3 === 0) GC.unsubscribeDestruction(p, this, "told"); }
		async destroy() {
			if (this.kind % 2) await sleep(this.kind % 5);
			if (this.kind === 7) cache = make("late" + this.$id, N);
			if (this.kind === 8) make("made" + this.$id, N);
			if (this.kind === 9) throw new Error("no");
		}
	}
	let seed = 1;
	const random = (n) => { seed = (seed * 48271) % 2147483647; return seed % n; };
	const build = (root) => {
		const all = Array.from({ length: 60 }, (_, i) => make("n" + i, N, { kind: random(10) }));
		const owned = all.map((o, i) => make("o" + i, N, { kind: random(7) }, all[random(60)]));
		const pick = () => random(2) ? all[random(60)] : owned[random(60)];
		for (const o of all) {
			o.befriend(pick());
			o.next = [pick(), new Map([[pick(), pick()]]), new Set([pick()])];
			o.closure = ((x) => () => x)(pick());
			o.bound = pick.bind(pick(), pick());
			o.promise = Promise.resolve(pick());
			o.generator = (function* (x) { yield 1; yield x; })(pick());
			o.generator.next();
			o.weak = new WeakMap([[pick(), pick()]]);
		}
		for (let i = 0; i < 60; i++) GC.subscribeDestruction(pick(), pick(), random(2) ? "told" : null);
		root.some = all.slice(0, 2).map((o) => o.$id);
		root.kept = make("kept", N).befriend(make("friend", N));
	};
	const show = (r) => JSON.stringify(r);
	export default async (root) => {
		build(root);
		log(GC.plan().map((s) => s.id + "@" + s.level));
		log(show(await GC.collect()));
		cache = null;
		log(show(await GC.collect()));
		log(show(await GC.collect()));
	};
`

// gc 2.6, 3.4
func TestDeterminism(t *testing.T) {
	want := run(t, everything, sexton.Settings{})
	require.Greater(t, len(want), 300)
	once := func(t *testing.T) { require.Equal(t, want, run(t, everything, sexton.Settings{})) }
	repeat := func(n int) func(t *testing.T) {
		return func(t *testing.T) {
			for range n {
				once(t)
			}
		}
	}
	t.Run("repeated", repeat(15))
	for _, percent := range []int{1, -1} {
		t.Run(fmt.Sprintf("GOGC=%d", percent), func(t *testing.T) {
			defer debug.SetGCPercent(debug.SetGCPercent(percent))
			repeat(3)(t)
		})
	}
	t.Run("memory limit", func(t *testing.T) {
		defer debug.SetMemoryLimit(debug.SetMemoryLimit(-1))
		debug.SetMemoryLimit(1)
		once(t)
	})
	t.Run("runtimes in parallel", func(t *testing.T) {
		got := make([][]string, 8)
		var all sync.WaitGroup
		for i := range got {
			all.Go(func() { got[i] = run(t, everything, sexton.Settings{}) })
		}
		all.Wait()
		for i := range got {
			require.Equal(t, want, got[i])
		}
	})
	t.Run("one processor", func(t *testing.T) {
		defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
		repeat(3)(t)
	})
	require.Equal(t, int64(math.MaxInt64), debug.SetMemoryLimit(-1))
}

// gc 2.8
func TestRounds(t *testing.T) {
	testExamples(t, []example{
		{name: "destructors release and create", source: `
			let held;
			class R extends A { destroy() { const next = held; held = null; log("released", next.$id); } }
			class C extends A { destroy() { make("created"); } }
			export default async (root) => {
				held = make("held", C);
				(() => { make("x", R); })();
				const r = await GC.collect();
				log(r.rounds, r.destroyed);
				log((await GC.collect()).rounds);
			};`, want: `destroy x
			released held
			destroyed x
			destroy held
			destroyed held
			destroy created
			destroyed created
			3 3
			0`},
		{name: "what failed is not tried again in the same collection", source: `
			class F extends A { destroy() { throw new Error("no"); } }
			class C extends A { destroy() { make("created", F); } }
			export default async (root) => {
				(() => { make("c", C); make("f", F); })();
				const r = await GC.collect();
				log(r.rounds, r.destroyed, r.failed.length);
			};`, want: `destroy c
			destroyed c
			destroy f
			failed f: destroy of F: Error: no
			destroy created
			failed created: destroy of F: Error: no
			2 1 2`},
	})

	// More than 1,000 rounds name the classes that go on dying.
	events := run(t, `
		let n = 0;
		class Egg extends A { destroy() { n++; make("egg" + n, Egg); } }
		export default async (root) => {
			(() => { make("egg", Egg); })();
			log(await thrownLater(() => GC.collect()));
			log(n, GC.plan().map((s) => s.id));
		};`, sexton.Settings{})
	require.Equal(t, []string{
		"Error: collection did not end after 1000 rounds: each destroyed objects and left new ones to destroy; classes still dying: shop/Egg",
		"1000 egg1000",
	}, events[len(events)-2:])
	require.Equal(t, 1000, len(slices.DeleteFunc(events, func(e string) bool { return !strings.HasPrefix(e, "destroyed ") })))
}
