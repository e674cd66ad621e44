package gcext_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/sextongc/sexton"
	"github.com/sextongc/sexton/gcext"
)

const cancelled = `
	export class S extends A {
		async destroy() {
			log("begin", this.$id);
			if (this.next) { await sleep(1); if (this.next === "cancel") cancel(); await sleep(5); }
			log("end", this.$id);
		}
		told(p) { log("told", this.$id, p.$id); if (this.next === "cancel") cancel(); }
	}
`

// gc 5.8
func TestCancel(t *testing.T) {
	tests := []struct{ name, source, want, next string }{
		{"while destructors run", cancelled + `
			const setUp = () => {
				const p = make("p", S);
				make("slow", S, { next: "slow" }); make("x", S, { next: "cancel" }, p); make("y", S, { next: "y" }); make("z", S);
				GC.subscribeDestruction(make("w", S), make("v", S), "told");
			};
			export default async (root) => { setUp(); const r = await GC.collect(); log(r.destroyed, r.failed.length, r.blocked.length); };
			`, `notify v of w
			told v w
			destroy slow
			begin slow
			destroy x
			begin x
			end slow
			destroyed slow
			end x
			destroyed x
			2 0 0`, `destroy p
			begin p
			end p
			destroyed p
			destroy y
			begin y
			destroy z
			begin z
			end z
			destroyed z
			destroy w
			begin w
			end w
			destroyed w
			destroy v
			begin v
			end v
			destroyed v
			end y
			destroyed y`},
		{"while handlers run", cancelled + `
			const setUp = () => {
				const x = make("x", S), y = make("y", S);
				for (const id of ["a", "b"]) { const s = make(id, S, { next: "cancel" }, x); GC.subscribeDestruction(x, s, "told"); GC.subscribeDestruction(y, s, "told"); }
				for (const o of [x, y]) o.list = 1;
			};
			export default async (root) => { setUp(); const r = await GC.collect(); log(r.destroyed, r.notified); };
			`, `notify a of x
			told a x
			notify b of x
			told b x
			0 2`, `notify a of y
			told a y
			notify b of y
			told b y
			destroy x
			begin x
			end x
			destroyed x
			destroy y
			begin y
			end y
			destroyed y
			destroy a
			begin a
			destroy b
			begin b
			end a
			destroyed a
			end b
			destroyed b`},
	}
	for _, x := range tests {
		t.Run(x.name, func(t *testing.T) {
			e := newEnv(t, x.source)
			settings := sexton.Settings{Concurrency: 2, DestroyTimeout: time.Minute}
			e.start(settings, func() {
				_, err := e.call("default")
				require.NoError(t, err)
				require.Equal(t, lines(x.want), e.events)
				for _, o := range e.session.Store().Objects() {
					require.Equal(t, o.ID != "root", o.Held(), o.ID)
				}
				e.events = nil
				report, err := e.session.Collector().Collect(t.Context(), e.task, gcext.OnDemand)
				require.NoError(t, err)
				require.False(t, report.Incomplete())
				require.Equal(t, lines(x.next), e.events)
			})
		})
	}
}
