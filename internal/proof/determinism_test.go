package proof

import (
	"flag"
	"fmt"
	"runtime"
	"runtime/debug"
	"slices"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sextongc/sexton/serialize"
)

var repetitions = flag.Int("repetitions", 20, "how often TestDeterminism repeats its scenario under each of five settings")

var raceDetector bool

// TestDeterminism repeats one busy deployment: some 60 objects, with collections of all three kinds, destructors
// that take their time, fail, resurrect and make objects, handlers that change who is told. Every
// repetition has the same events in the same order and leaves the same bytes, whatever Go's collector does
// meanwhile.
//
// gc 2.6
func TestDeterminism(t *testing.T) {
	n := *repetitions
	if testing.Short() || raceDetector {
		n = max(1, n/5)
	}
	want := newHost(t).busy(t)
	require.Greater(t, len(want), 150)

	none := func() func() { return func() {} }
	percent := func(percent int) func() func() {
		return func() func() {
			before := debug.SetGCPercent(percent)
			return func() { debug.SetGCPercent(before) }
		}
	}
	for _, c := range []struct {
		name     string
		set      func() (undo func())
		sessions int
	}{
		{"one after another", none, 1},
		{"GOGC=1", percent(1), 1},
		{"GOGC=off", percent(-1), 1},
		{"memory limit", func() func() {
			undo := percent(-1)()
			limit := debug.SetMemoryLimit(int64(heapInUse() + 32<<20))
			return func() { debug.SetMemoryLimit(limit); undo() }
		}, 1},
		{"32 runtimes at once", none, 32},
	} {
		t.Run(c.name, func(t *testing.T) {
			defer c.set()()
			hosts := make([]*host, c.sessions)
			for i := range hosts {
				hosts[i] = newHost(t)
			}
			wrong := make([]string, c.sessions) // the first difference
			var wg sync.WaitGroup
			for i, h := range hosts {
				wg.Go(func() {
					for k := range max(1, n/c.sessions) {
						got := h.busy(t)
						if at := difference(want, got); at >= 0 && wrong[i] == "" {
							wrong[i] = fmt.Sprintf("repetition %d, event %d: %q, not %q", k, at, around(got, at), around(want, at))
						}
					}
				})
			}
			wg.Wait()
			for i := range wrong {
				require.Empty(t, wrong[i], "runtime %d", i)
			}
		})
	}
}

// busy deploys the scenario and returns its events, with what is saved at the end. It is safe for
// concurrent use by hosts of their own.
func (h *host) busy(t testing.TB) []string {
	w, o := scenario()
	h.number = 0
	g, events, err := h.run(w, o, w.graph())
	if err != nil {
		t.Errorf("deploy: %v", err)
		return nil
	}
	saved, err := serialize.EncodeSnapshot(g)
	if err != nil {
		t.Errorf("save: %v", err)
	}
	return append(events, string(saved))
}

// busySeed is the first seed whose world is large and full of rules and subscriptions.
var busySeed = sync.OnceValue(func() uint64 {
	for seed := uint64(0); ; seed++ {
		w, o := deploymentOf(seed)
		subscriptions := 0
		for _, x := range w.objects {
			subscriptions += len(x.subs)
		}
		if len(w.objects) > 60 && len(w.rules) > 60 && subscriptions > 60 && len(o.named) > 30 && len(o.named) < 50 {
			return seed
		}
	}
})

// scenario always makes the same world and the same deployment of it.
func scenario() (*world, *order) { return deploymentOf(busySeed()) }

func deploymentOf(seed uint64) (*world, *order) {
	d := fairDice(seed)
	w := d.world(70, true)
	w.spare, w.goesOn = false, false
	o := d.order(w, 0)
	o.steps = nil
	for k := range 100 {
		release := step{op: "release", a: "root", b: w.objects[d("released", 1, len(w.objects)-1)].id}
		o.steps = append(o.steps, d.step(w, fmt.Sprintf("step%d", k), false), release)
		if k%25 == 24 {
			o.steps = append(o.steps, step{op: "collect"})
		}
	}
	return w, o
}

// difference returns where two lists differ first, -1 if nowhere.
func difference(a, b []string) int {
	for i := range max(len(a), len(b)) {
		if i >= len(a) || i >= len(b) || a[i] != b[i] {
			return i
		}
	}
	return -1
}

// around returns the elements next to the i-th.
func around(list []string, i int) []string {
	return slices.Clone(list[min(len(list), max(0, i-2)):min(len(list), i+2)])
}

func heapInUse() uint64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

// TestManyEnvironments deploys one environment after another in one runtime: what the earlier ones
// were made of is gone.
func TestManyEnvironments(t *testing.T) {
	h := newHost(t)
	deploy := func(n int) uint64 {
		for range n {
			h.busy(t)
		}
		return heapInUse()
	}
	n := 200
	if testing.Short() || raceDetector {
		n = 40
	}
	few := deploy(n / 10)
	many := deploy(n)
	t.Logf("%d KiB after %d environments, %d KiB after %d", few>>10, n/10, many>>10, n+n/10)
	require.Less(t, many, few+few/4)
}
