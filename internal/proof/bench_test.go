package proof

import (
	"context"
	"fmt"
	"runtime"
	"testing"
	"time"

	"github.com/dop251/goja"
	"github.com/stretchr/testify/require"

	"github.com/sextongc/sexton"
	"github.com/sextongc/sexton/gcext"
	sextonruntime "github.com/sextongc/sexton/runtime"
	"github.com/sextongc/sexton/serialize"
)

// BenchmarkCollect collects on demand in an environment of n objects that the root refers to, each with a
// destructor that does nothing. Its unit is what Go's own collector takes for the same heap, measured beside
// it: x-GC is how many runs of runtime.GC one collection costs.
func BenchmarkCollect(b *testing.B) {
	for _, n := range []int{1000, 10_000, 100_000} {
		for _, c := range []struct {
			name string
			dead int
		}{{"none", 0}, {"one", 1}, {"all", n}} {
			b.Run(fmt.Sprintf("objects=%d/dead=%s", n, c.name), func(b *testing.B) {
				h := newHost(b)
				var own, collections time.Duration
				for b.Loop() {
					b.StopTimer()
					if c.dead == n || h.Store() == nil {
						h.fill(b, n)
					}
					own += timed(runtime.GC)
					if c.dead == 1 {
						h.perform(b, "make", "root", "root", "one more")
					} else if c.dead == n {
						h.perform(b, "clear", "root", "root", "")
					}
					b.StartTimer()
					collections += timed(func() { require.Equal(b, c.dead, h.collect(b)) })
				}
				b.ReportMetric(float64(collections)/float64(own), "x-GC")
			})
		}
	}
}

func timed(f func()) time.Duration {
	began := time.Now()
	f()
	return time.Since(began)
}

// fill makes the session's environment one of n objects in a ring, all of which the root refers to.
func (h *host) fill(b *testing.B, n int) {
	ring := large{connect: func(i, n int) (int, int, int) { return 0, next(i, n), 0 }}
	graph := ring.graph(n)
	model, err := serialize.EncodeSnapshot(graph)
	require.NoError(b, err)
	_, _, err = h.deploy(model, graph, sexton.Settings{})
	require.NoError(b, err)
}

// perform carries out one step of the script.
func (h *host) perform(b *testing.B, op, x, y, handler string) {
	require.NoError(b, h.Run(context.Background(), func(*sextonruntime.Task) error {
		rt := h.Runtime()
		f, _ := goja.AssertFunction(h.Entry("proof").Get("perform"))
		return rt.Try(0, func() error {
			_, err := f(goja.Undefined(), rt.Goja().ToValue(op), rt.Goja().ToValue(x), rt.Goja().ToValue(y), rt.Goja().ToValue(handler))
			return err
		})
	}))
}

// collect collects on demand and returns how many objects that destroyed.
func (h *host) collect(b *testing.B) (destroyed int) {
	ctx := context.Background()
	require.NoError(b, h.Run(ctx, func(t *sextonruntime.Task) error {
		report, err := h.Collector().Collect(ctx, t, gcext.OnDemand)
		destroyed = report.Destroyed
		return err
	}))
	return destroyed
}
