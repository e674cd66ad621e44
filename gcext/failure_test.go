package gcext_test

import (
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/sextongc/sexton"
)

func TestFailures(t *testing.T) {
	settings := sexton.Settings{DestroyTimeout: 150 * time.Millisecond}
	testExamples(t, []example{
		{name: "what handlers and destructors return is looked at with care", settings: settings, source: ` // gc 4.8, 5.6
			const spiky = { get other() { throw new Error("not asked for"); } };
			const bad = { get then() { throw new Error("no then"); } };
			class Spiky extends A { told() { return spiky; } destroy() { return spiky; } }
			class Bad extends A { told() { return bad; } destroy() { return bad; } }
			export default async (root) => {
				for (const C of [Spiky, Bad]) { const o = make(C.name, C); GC.subscribeDestruction(o, o, "told"); }
				const r = await GC.collect();
				log(r.destroyed, r.failed.map((f) => f.error).join());
			};`, want: `notify Spiky of Spiky
			notify Bad of Bad
			handler failed: told of Bad Bad, told of Bad Bad: Error: no then
			destroy Spiky
			destroyed Spiky
			destroy Bad
			failed Bad: destroy of Bad: Error: no then
			1 destroy of Bad: Error: no then`},
		{name: "all the ways to fail, and what they block", settings: settings, source: ` // gc 5.6
			class Throws extends A { destroy() { throw 42; } }
			class Rejects extends A { async destroy() { await 0; throw new RangeError("no"); } }
			class Late extends A { async destroy() { await sleep(1000); } }
			class Never extends A { destroy() { return new Promise(() => {}); } }
			class Hangs extends A { destroy() { for (;;); } }
			class HangsLater extends A { async destroy() { await 0; for (;;); } }
			const setUp = () => {
				for (const C of [Throws, Rejects, Late, Never, Hangs, HangsLater]) {
					const owner = make(C.name + " owner");
					make(C.name, C, {}, owner);
					GC.subscribeDestruction(owner, make(C.name + " last"));
				}
				make("free");
			};
			export default async (root) => {
				setUp();
				const r = await GC.collect();
				log(r.failed.map((f) => f.id).join(", "));
				log(r.blocked.map((b) => b.id).join(", "));
				log(r.destroyed, r.blocked.every((b) => b.by === b.id.split(" ")[0]));
			};`, want: `destroy Throws
			failed Throws: destroy of Throws: 42
			destroy Rejects
			destroy Late
			destroy Never
			destroy Hangs
			failed Hangs: destroy of Hangs: TimeLimitError: not finished after 150ms
			destroy HangsLater
			destroy free
			destroyed free
			unhandled TimeLimitError: not finished after 150ms
			failed Rejects: destroy of Rejects: RangeError: no
			failed Late: destroy of Late: TimeLimitError: not finished after 150ms
			failed Never: destroy of Never: TimeLimitError: not finished after 150ms
			failed HangsLater: destroy of HangsLater: TimeLimitError: not finished after 150ms
			blocked Throws owner by Throws
			blocked Rejects owner by Rejects
			blocked Late owner by Late
			blocked Never owner by Never
			blocked Hangs owner by Hangs
			blocked HangsLater owner by HangsLater
			blocked Throws last by Throws
			blocked Rejects last by Rejects
			blocked Late last by Late
			blocked Never last by Never
			blocked Hangs last by Hangs
			blocked HangsLater last by HangsLater
			Throws, Rejects, Late, Never, Hangs, HangsLater
			Throws owner, Throws last, Rejects owner, Rejects last, Late owner, Late last, Never owner, Never last, Hangs owner, Hangs last, HangsLater owner, HangsLater last
			1 true`},
		{name: "a retry does not notify again, whether or not something refers to it", source: ` // gc 5.6
			let times = 0;
			class F extends A { destroy() { if (++times < 3) throw new Error("attempt " + times); } }
			class S extends A { told(p) { root = p; log("told"); } }
			let root;
			export default async () => {
				const s = make("s", S);
				((f) => { GC.subscribeDestruction(f, s, "told"); })(make("f", F));
				await GC.collect();
				await GC.collect();
				log(GC.isDoomed(root), (await GC.collect()).destroyed, s.$id, GC.isDestroyed(root));
			};`, want: `notify s of f
			told
			destroy f
			failed f: destroy of F: Error: attempt 1
			destroy f
			failed f: destroy of F: Error: attempt 2
			destroy f
			destroyed f
			true 1 s true`},
		{name: "one that still runs is not begun again", settings: settings, source: ` // gc 5.6
			let go, running = 0;
			class Base extends A { destroy() { log("Base"); } }
			class F extends Base { async destroy() { log("F", ++running); await new Promise((r) => { go = r; }); running--; log("F ends"); } }
			export default async (root) => {
				setTimeout(() => {}, 1000);
				(() => { make("f", F); make("other"); })();
				await GC.collect();
				await GC.collect();
				go();
				await sleep(1);
				await GC.collect();
			};`, want: `destroy f
			F 1
			destroy other
			destroyed other
			failed f: destroy of F: TimeLimitError: not finished after 150ms
			destroy f
			failed f: the attempt that failed at 2026-01-01T00:00:00Z still runs, and another one waits for its end: TimeLimitError: not finished after 150ms
			F ends
			destroy f
			Base
			destroyed f`},
		{name: "one that fails late is begun again", settings: settings, source: ` // gc 5.6
			let times = 0;
			class F extends A { async destroy() { log("F"); if (++times < 2) { await sleep(160); throw new Error("late"); } } }
			export default async (root) => {
				(() => { make("f", F); })();
				await GC.collect();
				await sleep(30);
				await GC.collect();
			};`, want: `destroy f
			F
			failed f: destroy of F: TimeLimitError: not finished after 150ms
			destroy f
			F
			destroyed f`},
	})
}

// gc 5.6
func TestOverdueInALaterDeployment(t *testing.T) {
	e := newEnv(t, `
		let go;
		class Base extends A { async destroy() { log("Base"); await 0; } }
		export class F extends Base { async destroy() { log("F"); await new Promise((r) => { go = r; }); log("F ends"); } }
		export const finish = async () => { go(); await sleep(1); };`)
	settings := sexton.Settings{DestroyTimeout: time.Second}
	with := `{"?": {"type": "Environment", "id": "root"}, "applications": [{"?": {"type": "F", "id": "f"}}]}`
	e.start(settings, func() {
		require.NoError(t, e.deploy(with, settings))
		for range 2 {
			require.ErrorIs(t, e.deploy(emptyModel, settings), sexton.ErrIncomplete)
			require.Regexp(t, "^the attempt that failed at .* still runs, and another one waits for its end: .*nothing can settle", e.report.Failed[0].Error)
		}
		require.Len(t, slices.DeleteFunc(e.events, func(e string) bool { return e != "F" }), 1)
		e.events = nil
		_, err := e.call("finish")
		require.NoError(t, err)
		require.NoError(t, e.deploy(emptyModel, settings))
		require.Equal(t, []string{"F ends", "destroy f", "Base", "destroyed f"}, e.events)
	})
}
