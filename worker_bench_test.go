package sexton

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	goruntime "runtime"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/sextongc/sexton/internal/pipe"
	"github.com/sextongc/sexton/runtime"
)

func workerOptions(b *testing.B) *Options {
	self, err := os.Executable()
	require.NoError(b, err)
	return &Options{Dir: b.TempDir(), Worker: []string{self, "worker"}}
}

// BenchmarkWorker is what a process for scripts costs: until it is ready for a job and has ended again, beside
// a program that does nothing, and a round trip to one that is ready.
func BenchmarkWorker(b *testing.B) {
	opts := workerOptions(b)
	hello := &pipe.Message{Kind: '?', Head: []byte("{}")}
	b.Run("ready", func(b *testing.B) {
		goruntime.LockOSThread()
		defer goruntime.UnlockOSThread()
		var times []time.Duration
		for b.Loop() {
			p := &workerProcess{opts: opts}
			began := time.Now()
			require.NoError(b, p.start())
			_, err := p.conn.Call(context.Background(), hello)
			require.NoError(b, err)
			times = append(times, time.Since(began))
			require.NoError(b, p.end())
		}
		slices.Sort(times)
		b.ReportMetric(float64(times[len(times)/2].Microseconds()), "µs-p50")
		b.ReportMetric(float64(times[len(times)*99/100].Microseconds()), "µs-p99")
	})
	b.Run("nothing", func(b *testing.B) {
		for b.Loop() {
			require.NoError(b, exec.Command("true").Run())
		}
	})
	b.Run("roundtrip", func(b *testing.B) {
		p := &workerProcess{opts: opts}
		goruntime.LockOSThread()
		defer goruntime.UnlockOSThread()
		require.NoError(b, p.start())
		for b.Loop() {
			if _, err := p.conn.Call(context.Background(), hello); err != nil {
				b.Fatal(err)
			}
		}
		require.NoError(b, p.end())
	})
	b.Run("killed", func(b *testing.B) { // a worker that does not listen, from the signal to its being reaped
		for b.Loop() {
			p := &workerProcess{opts: opts}
			goruntime.LockOSThread()
			require.NoError(b, p.start())
			_, err := p.conn.Call(context.Background(), hello)
			require.NoError(b, err)
			p.kill()
			require.Error(b, p.end())
			goruntime.UnlockOSThread()
		}
	})
}

// BenchmarkIsolation deploys 1,000 effects, fifty at a time, in this process and in a worker.
func BenchmarkIsolation(b *testing.B) {
	noop := &runtime.Extension{Name: "test/noop", Exports: []string{"noop"}, Effects: map[string]runtime.Effect{
		"noop": func(context.Context, *runtime.EffectCall) (any, error) { return nil, nil },
	}}
	var here time.Duration
	for _, isolation := range []Isolation{IsolationNone, IsolationProcess} {
		b.Run(string(isolation), func(b *testing.B) {
			opts := workerOptions(b)
			opts.Isolation, opts.Worker[1], opts.Extensions = isolation, "noop-worker", []*runtime.Extension{noop}
			for name, text := range map[string]string{"package.json": `{"name":"app"}`, "index.js": `
import { Resource } from "sexton";
import { noop } from "test/noop";
export class Busy extends Resource {
  static properties = { n: "integer" };
  async deploy() {
    for (let i = 0; i < 20; i++) await Promise.all(Array.from({ length: 50 }, () => noop()));
  }
  destroy() {}
}`} {
				require.NoError(b, os.WriteFile(filepath.Join(opts.Dir, name), []byte(text), 0o600))
			}
			env, err := Open(opts)
			require.NoError(b, err)
			n := 0
			began := time.Now()
			for b.Loop() {
				n++
				model := fmt.Sprintf(`{"?": {"id": "root"}, "applications": [{"?": {"type": "Busy", "id": "b"}, "n": %d}]}`, n)
				_, err := env.Deploy(context.Background(), context.Background(), &Model{Data: []byte(model), File: "model.json"})
				require.NoError(b, err)
			}
			took := time.Since(began) / time.Duration(n)
			if isolation == IsolationNone {
				here = took
			} else if here > 0 {
				b.ReportMetric(float64(took)/float64(here), "ratio")
				b.ReportMetric(float64((took-here).Microseconds())/1000, "ms-more")
			}
		})
	}
}
