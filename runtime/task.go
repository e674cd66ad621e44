package runtime

import (
	"context"
	"fmt"
	"iter"
	"slices"
	"time"

	"github.com/dop251/goja"
)

// Task is Go code that takes turns with the loop: it runs until it parks or ends, and nothing else runs
// meanwhile. Its methods are for the task itself, except Wake and Done.
type Task struct {
	rt     *Runtime
	ctx    context.Context
	async  any // the async context while parked
	next   func() (struct{}, bool)
	stop   func()
	yield  func(struct{}) bool
	depth  int // of the call stack at the last resumption
	cause  error
	parked bool
	permit bool // Wake was called and Park has not consumed it
	done   bool
	// awaits: parked until a promise settles; stuck: nothing can settle it
	awaits, stuck bool
	// unwound: ended by unwind or cancel instead of returning
	unwound bool
}

// unwind is what Park panics with to leave a task that is not going to be resumed.
type unwindTask struct{}

// Go starts fn as a task. It runs at once, until it parks or ends; then Go returns. It may be called on
// the loop and nested in a call from a script, and inherits context and async context of its caller.
func (rt *Runtime) Go(fn func(t *Task)) *Task {
	ctx := context.Background()
	if rt.current != nil {
		ctx = rt.current.ctx
	}
	var t *Task
	rt.Enter(func() { t = rt.start(ctx, fn) })
	return t
}

func (rt *Runtime) start(ctx context.Context, fn func(t *Task)) *Task {
	t := &Task{rt: rt, ctx: ctx, async: rt.async}
	t.next, t.stop = iter.Pull(func(yield func(struct{}) bool) {
		t.yield = yield
		t.run(fn)
	})
	rt.taskSeq++
	rt.tasks[t] = rt.taskSeq
	t.resume()
	return t
}

// run runs fn and keeps its panic for Run.
func (t *Task) run(fn func(t *Task)) {
	returned := false
	defer func() {
		t.done = true
		delete(t.rt.tasks, t)
		if returned {
			return
		}
		t.unwound = true
		switch x := recover().(type) {
		case nil: // runtime.Goexit goes on
		case unwindTask:
		default:
			t.rt.crash = asPanic(x)
		}
	}()
	fn(t)
	returned = true
}

// resume hands control to the task until it parks or ends. The caller is inside of a frame.
func (t *Task) resume() {
	rt := t.rt
	task, async := rt.current, rt.async
	rt.current, rt.async = t, t.async
	t.parked, t.depth = false, rt.stack.Depth()
	defer func() { rt.current, rt.async = task, async }()
	t.next()
	t.async = rt.async
}

// Context is the context of the Run in which the task was started: the hard limit.
func (t *Task) Context() context.Context { return t.ctx }

// Done reports whether the task has ended.
func (t *Task) Done() bool { return t.done }

// Park gives control back until Wake is called. If Wake was called since the last Park it returns at
// once. If the task is not going to be resumed, Park unwinds it: deferred functions run, and nothing
// else. Parking inside of a call into a script is not possible and panics.
func (t *Task) Park() {
	t.parkUntil(func() bool { return t.permit })
	t.permit = false
	if t.cause != nil {
		panic(unwindTask{})
	}
}

// parkUntil parks until ready answers true, or the task is cancelled.
func (t *Task) parkUntil(ready func() bool) {
	if t.rt.current != t {
		panic("runtime: Park of a task that does not run")
	}
	for !ready() && t.cause == nil {
		if t.rt.stack.Depth() != t.depth {
			panic("runtime: Park inside of a call into a script")
		}
		t.parked = true
		if !t.yield(struct{}{}) {
			panic(unwindTask{})
		}
	}
}

// Wake makes a parked task go on, when its turn on the loop comes; one that is not parked does not
// park the next time. For the loop's goroutine only; others Enqueue it.
func (t *Task) Wake() {
	if !t.permit {
		t.permit = true
		t.unpark()
	}
}

// unpark has the task look again at what it waits for.
func (t *Task) unpark() {
	if t.parked && !t.done {
		t.rt.loop.push(func() {
			if t.parked && !t.done {
				t.resume()
			}
		})
	}
}

// cancel resumes the task, if it is parked, for the last time.
func (t *Task) cancel(cause error) {
	t.cause = cause
	if t.parked && !t.done {
		t.resume()
	}
}

// unwind ends the task where it is parked.
func (t *Task) unwind() {
	if !t.done {
		t.rt.current = t
		t.stop()
		t.rt.current = nil
	}
}

func (rt *Runtime) unwindTasks() {
	for len(rt.tasks) > 0 { // a deferred function may start another
		tasks := make([]*Task, 0, len(rt.tasks))
		for t := range rt.tasks {
			tasks = append(tasks, t)
		}
		slices.SortFunc(tasks, func(a, b *Task) int { return int(rt.tasks[b]) - int(rt.tasks[a]) })
		for _, t := range tasks {
			t.unwind()
			delete(rt.tasks, t)
		}
	}
}

// lastAwaiting returns, of the tasks that wait for a promise, the one that was started last.
func (rt *Runtime) lastAwaiting() *Task {
	var last *Task
	for t := range rt.tasks {
		if t.awaits && t.parked && (last == nil || rt.tasks[t] > rt.tasks[last]) {
			last = t
		}
	}
	return last
}

// Await waits for v as JavaScript's await does, except that a promise that is already settled, or a
// value that is no promise, does not make it wait. A rejection is a *ScriptError. When the task's
// context is done it fails with the cause; when nothing is left that could settle the promise, neither
// job, timer nor host operation, with ErrDeadlock. Of several tasks that wait then, the one that was
// started last fails first: what it does about it may settle the others' promises.
func (t *Task) Await(v goja.Value) (goja.Value, error) { return t.AwaitFor(v, 0) }

// AwaitFor is Await with a limit on the runtime's clock; when that has passed it fails with an error
// that matches ErrTimeLimit. The promise stays what it is. 0: no limit.
func (t *Task) AwaitFor(v goja.Value, limit time.Duration) (goja.Value, error) {
	rt := t.rt
	obj, ok := v.(*goja.Object)
	if !ok {
		return v, nil
	}
	if p := promiseOf(obj); p != nil {
		switch p.State() {
		case goja.PromiseStateFulfilled:
			return p.Result(), nil
		case goja.PromiseStateRejected:
			rt.handled(p)
			return nil, rt.scriptError(p.Result())
		}
	} else if is, err := rt.isThenable(obj); !is || err != nil {
		return v, err
	}
	var w waiting
	settle := func(rejected bool) func(goja.FunctionCall) goja.Value {
		return func(call goja.FunctionCall) goja.Value {
			if !w.settled {
				w.settled, w.rejected, w.value = true, rejected, call.Argument(0)
				t.unpark()
			}
			return goja.Undefined()
		}
	}
	if _, err := rt.Call(rt.lib.await, nil, 0, obj, rt.vm.ToValue(settle(false)), rt.vm.ToValue(settle(true))); err != nil {
		return nil, err
	}
	late := false
	if limit > 0 {
		patience := rt.loop.scheduleLimit(rt.opts.Clock.Now().Add(limit), func() {
			late = true
			t.unpark()
		})
		defer rt.loop.cancel(patience)
	}
	t.awaits, t.stuck = true, false
	t.parkUntil(func() bool { return w.settled || late || t.stuck })
	t.awaits = false
	value := w.value
	w.value = nil
	if !w.settled {
		w.settled = true
		switch {
		case t.cause != nil:
			return nil, t.cause
		case late:
			return nil, timeLimitError(limit, nil)
		}
		return nil, ErrDeadlock
	}
	if w.rejected {
		return nil, rt.scriptError(value)
	}
	return value, nil
}

// waiting is what a task that awaits shares with the promise's callbacks.
type waiting struct {
	settled, rejected bool
	value             goja.Value
}

// AwaitEffects waits until no effect is under way that a script asked for, those included that are
// asked for meanwhile. When limit has passed on the runtime's clock it fails with an error that matches
// ErrTimeLimit; 0: no limit.
func (t *Task) AwaitEffects(limit time.Duration) error {
	rt := t.rt
	late := false
	if limit > 0 {
		patience := rt.loop.scheduleLimit(rt.opts.Clock.Now().Add(limit), func() {
			late = true
			t.unpark()
		})
		defer rt.loop.cancel(patience)
	}
	t.parkUntil(func() bool {
		if rt.effects > 0 {
			rt.onQuiet = append(rt.onQuiet, t.unpark)
		}
		return rt.effects == 0 || late
	})
	switch {
	case t.cause != nil:
		return t.cause
	case rt.effects > 0:
		return fmt.Errorf("effects that the script did not await: %w", timeLimitError(limit, nil))
	}
	return nil
}
