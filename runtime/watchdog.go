package runtime

import (
	"context"
	"fmt"
	"math"
	goruntime "runtime"
	"runtime/metrics"
	"sync"
	"sync/atomic"
	"time"
)

// watchdog ends a Run whose process uses more memory or CPU time than its limits allow. Go counts neither for
// each goroutine, so both are of the process. Only a runtime that executes something is ended, and one at a time: after
// one has been, the others have a while before they are looked at.
type watchdog struct {
	limits  *Limits
	busy    *atomic.Int32
	base    int64         // the least that a collection has left
	spent   time.Duration // CPU time of earlier Runs
	started time.Duration // CPU time of the process when it began
	checkAt int64         // heap from which on it is worth a collection to know more
}

const (
	memoryEvery = 5 * time.Millisecond
	cpuEvery    = 20 // of these
)

// respite is when the heap is looked at again after a runtime was ended for it.
var respite struct {
	sync.Mutex
	until time.Time
}

// watchProcess starts the watchdog; exceeded is called once at most, from another goroutine. stop ends it, and
// returns the CPU time since.
func (rt *Runtime) watchProcess(exceeded func(error)) (stop func()) {
	l := &rt.opts.Limits
	if l.Memory <= 0 && l.CPU <= 0 {
		return func() {}
	}
	w := &watchdog{limits: l, busy: &rt.busy, base: math.MaxInt64, spent: rt.cpu, started: cpuTime()}
	if n, _ := w.heap(); n > w.checkAt { // what is there already is not the scripts'
		goruntime.GC()
		w.base = math.MaxInt64
		w.heap()
	}
	ctx, cancel := context.WithCancel(context.Background())
	var running sync.WaitGroup
	running.Go(func() {
		tick := time.NewTicker(memoryEvery)
		defer tick.Stop()
		for n := 1; ; n++ {
			select {
			case <-ctx.Done():
				return
			case <-tick.C:
			}
			if w.busy.Load() == 0 {
				continue
			}
			err := w.memory()
			if err == nil && n%cpuEvery == 0 {
				err = w.cpu()
			}
			if err != nil {
				exceeded(err)
				return
			}
		}
	})
	return func() {
		cancel()
		running.Wait()
		rt.cpu += cpuTime() - w.started
	}
}

// memory reports whether the heap is too large. What it finds too large may be garbage, so that it collects first,
// unless there is twice of much.
func (w *watchdog) memory() error {
	most := w.limits.Memory
	if most <= 0 {
		return nil
	}
	n, _ := w.heap()
	if n <= w.checkAt || !respite.TryLock() {
		return nil
	}
	defer respite.Unlock()
	if time.Now().Before(respite.until) {
		return nil
	}
	if n-w.base < 2*most || most < 256<<20 {
		goruntime.GC()
		if _, n = w.heap(); n-w.base <= most {
			w.checkAt = max(w.base+most, n+n/4)
			return nil
		}
	}
	respite.until = time.Now().Add(500 * time.Millisecond)
	return &LimitError{Limit: "memory", Value: Bytes(most), What: fmt.Sprintf("the heap grew by %d MiB", (n-w.base)>>20)}
}

func (w *watchdog) cpu() error {
	most := w.limits.CPU
	if most <= 0 || w.spent+cpuTime()-w.started <= most {
		return nil
	}
	return &LimitError{Limit: "cpu", Value: most.String(), What: "scripts used more"}
}

// heap returns the bytes on the heap, garbage included, and those that the last collection left. The least that any left
// is what the scripts found.
func (w *watchdog) heap() (all, live int64) {
	samples := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}, {Name: "/gc/heap/live:bytes"}}
	metrics.Read(samples)
	all, live = int64(samples[0].Value.Uint64()), int64(samples[1].Value.Uint64())
	if live < w.base {
		w.base, w.checkAt = live, live+w.limits.Memory
	}
	return all, live
}
