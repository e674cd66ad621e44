package runtime

import (
	"container/heap"
	"context"
	"sync"
	"time"
)

// loop is the queue of jobs, and what may still produce one: timers and pending host operations.
type loop struct {
	mu    sync.Mutex
	queue []func() // guarded by mu

	signal chan struct{} // has an element when the queue may have grown
	timers timers
	seq    uint64
	live   int // timers that are no limits
	holds  int
	rest   bool // promise jobs are left: see Runtime.drain
}

func (l *loop) init() { l.signal = make(chan struct{}, 1) }

func (l *loop) wake() {
	select {
	case l.signal <- struct{}{}:
	default:
	}
}

func (l *loop) push(fn func()) {
	l.mu.Lock()
	l.queue = append(l.queue, fn)
	l.mu.Unlock()
	l.wake()
}

// next takes the next job: one from the queue, else the first timer that is due, else one that runs the rest of the
// promise jobs.
func (l *loop) next(now time.Time) func() {
	l.mu.Lock()
	if len(l.queue) > 0 {
		fn := l.queue[0]
		l.queue[0] = nil
		l.queue = l.queue[1:]
		l.mu.Unlock()
		return fn
	}
	l.mu.Unlock()
	if len(l.timers) == 0 || l.timers[0].due.After(now) {
		if l.rest {
			return func() {}
		}
		return nil
	}
	t := l.timers[0]
	if t.repeat > 0 {
		l.seq++
		t.due, t.seq = now.Add(t.repeat), l.seq
		heap.Fix(&l.timers, 0)
	} else {
		l.cancel(t)
	}
	return t.fn
}

// wait blocks until there may be a job, or ctx is done. It returns false if there can be none: limits of
// what tasks wait for settle nothing.
func (l *loop) wait(ctx context.Context, clock Clock) bool {
	l.mu.Lock()
	queued := len(l.queue) > 0
	l.mu.Unlock()
	if queued {
		return true
	}
	if l.live == 0 && l.holds == 0 {
		return false
	}
	var first time.Time
	if len(l.timers) > 0 {
		first = l.timers[0].due
	}
	due, stop := clock.Until(first)
	defer stop()
	select {
	case <-l.signal:
	case <-ctx.Done():
	case <-due:
	}
	return true
}

// Enqueue runs fn on the loop, after what is already queued. It may be called from any goroutine; it is
// the only method that may. The loop does not wait for calls to come: see Hold and Promise.
func (rt *Runtime) Enqueue(fn func()) { rt.loop.push(fn) }

// Hold says that something outside of the loop is going to Enqueue a job, so that a task that waits for
// it is not taken for deadlocked. release ends that; call it on the loop's goroutine. Calling it again
// is harmless.
func (rt *Runtime) Hold() (release func()) {
	rt.loop.holds++
	released := false
	return func() {
		if !released {
			released = true
			rt.loop.holds--
		}
	}
}

// Operations is the number of host operations that have not finished: unreleased Holds, and Promises
// that are neither resolved nor rejected.
func (rt *Runtime) Operations() int { return rt.loop.holds }

// After calls fn on the loop when d has passed on the runtime's clock, in the present async context.
// stop prevents it.
func (rt *Runtime) After(d time.Duration, fn func()) (stop func()) {
	t := rt.loop.schedule(rt.opts.Clock.Now().Add(d), 0, nil)
	ctx := rt.async
	t.fn = func() { rt.WithContext(ctx, fn) }
	return func() { rt.loop.cancel(t) }
}

// timer is one entry of the schedule. What it calls in a script stays in a JavaScript Map under its id
// (see js/timers.js), so that the garbage collector sees it.
type timer struct {
	due    time.Time
	seq    uint64 // orders timers of the same time; also its id
	id     uint64
	repeat time.Duration
	limit  bool // nothing waits for it: it ends a task's patience, or cleans up
	fn     func()
	index  int // in the heap; -1: not in it
}

func (l *loop) schedule(due time.Time, repeat time.Duration, fn func()) *timer {
	l.live++
	return l.add(&timer{due: due, repeat: repeat, fn: fn})
}

func (l *loop) scheduleLimit(due time.Time, fn func()) *timer {
	return l.add(&timer{due: due, limit: true, fn: fn})
}

func (l *loop) add(t *timer) *timer {
	l.seq++
	t.seq, t.id = l.seq, l.seq
	heap.Push(&l.timers, t)
	return t
}

func (l *loop) cancel(t *timer) {
	if t.index < 0 {
		return
	}
	heap.Remove(&l.timers, t.index)
	if !t.limit {
		l.live--
	}
}

// timers is a heap by (due, seq).
type timers []*timer

func (h timers) Len() int { return len(h) }
func (h timers) Less(i, j int) bool {
	if c := h[i].due.Compare(h[j].due); c != 0 {
		return c < 0
	}
	return h[i].seq < h[j].seq
}
func (h timers) Swap(i, j int) {
	h[i], h[j] = h[j], h[i]
	h[i].index, h[j].index = i, j
}
func (h *timers) Push(x any) {
	t := x.(*timer)
	t.index = len(*h)
	*h = append(*h, t)
}
func (h *timers) Pop() any {
	old := *h
	t := old[len(old)-1]
	old[len(old)-1] = nil
	*h = old[:len(old)-1]
	t.index = -1
	return t
}
