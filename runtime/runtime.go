package runtime

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"time"

	"github.com/dop251/goja"

	"github.com/sextongc/sexton/internal/effect"
	"github.com/sextongc/sexton/internal/vmheap"
	"github.com/sextongc/sexton/internal/vmstack"
)

// Options configures a Runtime. A nil *Options is valid; the zero value of each field is its default.
type Options struct {
	// Console receives what scripts print: level is "debug", "log", "info", "warn" or "error", text has
	// no newline at its end. Nil drops it. It is called on the loop's goroutine.
	Console func(level, text string)
	// Clock is the time of Date and of timers. Nil: the real one.
	Clock Clock
	// Broker performs effects for the host modules. Nil: every effect is refused.
	Broker effect.Broker
	// LastEffect is the ID that the last request had which the Broker knows; further ones count on from it.
	LastEffect uint64
	// Attribute says for which managed object an effect is: for the one that a script named with the
	// option { of: object }, nil if it named none, else for that of the async context. It runs on the
	// loop before the request goes out. An error refuses the effect; one that is a *goja.Exception is
	// thrown as it is. Nil: no object is named.
	Attribute func(asyncContext any, of *goja.Object) (object string, incarnation uint64, token string, err error)
	// Delivered hears, on the loop, that a script is about to see the outcome of a request: what awaits it
	// runs before the next job of the loop. Nil: nobody listens.
	Delivered func(req *effect.Request)
	// Mask takes out of a text what must not be shown: of what scripts print, and of errors. It runs on the loop,
	// may run getters of scripts, and is bounded as they are. Nil: nothing is taken out.
	Mask func(text string) string
	// Extensions are the host modules, opened in this order by New, before any user code runs.
	Extensions []*Extension
	// Limits bound what scripts may use.
	Limits Limits
	// ExposeGC gives scripts the global gc(), as Node's --expose-gc does: see Runtime.CollectGarbage.
	ExposeGC bool
	// MaxCallStack is the depth at which a script fails with a RangeError. 0: 500.
	MaxCallStack int
	// JobLimit bounds what the loop runs by itself in an async context: each callback of a timer, each
	// promise job, that is each stretch of an async function between two awaits. One that exceeds it is
	// dropped and reported like an unhandled rejection. 0, or nil: no limit.
	JobLimit func(asyncContext any) time.Duration
	// Seed makes Math.random repeat itself. 0: random.
	Seed uint64
	// Stuck hears, on another goroutine, that a script was interrupted a second ago and goes on all the same, in a native
	// function: cause is why it was interrupted. It is called once, and must not block. The goroutine cannot be
	// ended; who abandons it must not touch the Runtime again. Nil: it is waited for.
	Stuck func(cause error)
	// Unhandled hears of promise rejections that nothing handles and of errors that timer callbacks
	// throw, with the async context in which they occurred. Nil: they make Run fail.
	Unhandled func(err *ScriptError, asyncContext any)
}

// Runtime is one JavaScript heap with its modules, its event loop and its tasks.
//
// It is not safe for concurrent use: everything except Enqueue belongs to the goroutine that calls Run,
// and to the tasks, which take turns with it.
type Runtime struct {
	opts  Options
	vm    *goja.Runtime
	heap  *vmheap.Heap
	stack *vmstack.VM
	watch watch
	loop  loop
	lib   library
	weak  weakly

	modules map[string]*goja.Object // host modules by name
	closers []func() error

	enterFn  func()   // what the trampoline of Enter runs next
	keptJobs []func() // promise jobs that wait for the end of Enter

	async      any    // the async context
	jobLimit   *token // of the promise job that runs
	asyncOuter []any  // the contexts around it while promise jobs run

	abandoned func(*goja.Object) // see OnAbandoned
	counting  []*counting        // of the bundles with counters
	callers   *callers           // of the bundle that was loaded last

	busy     atomic.Int32  // > 0: something runs
	cpu      time.Duration // that past Runs took
	printed  int64         // bytes of text
	requests uint64        // the ID of the last one
	effects  int           // under way, that scripts asked for
	onQuiet  []func()      // called when effects falls to 0

	current  *Task // the task that runs
	tasks    map[*Task]uint64
	taskSeq  uint64
	rejected []rejection // rejected promises without a handler, in order
	failure  error       // ends Run
	crash    *PanicError // a panic of a task's Go code; Run panics with it
	running  bool
	closed   bool
}

// New returns a Runtime with its globals in place and its extensions open. The caller closes it.
func New(opts *Options) (*Runtime, error) {
	rt := &Runtime{vm: goja.New(), modules: map[string]*goja.Object{}, tasks: map[*Task]uint64{}}
	if opts != nil {
		rt.opts = *opts
	}
	rt.requests = rt.opts.LastEffect
	if rt.opts.Clock == nil {
		rt.opts.Clock = realClock{}
	}
	if rt.opts.MaxCallStack == 0 {
		rt.opts.MaxCallStack = 500
	}
	var err error
	if rt.stack, err = vmstack.Of(rt.vm); err != nil {
		return nil, err
	}
	if rt.heap, err = vmheap.New(rt.vm); err != nil {
		return nil, err
	}
	if err := rt.heap.InstallPrelude(); err != nil {
		return nil, err
	}
	rt.watch.vm = rt.vm
	if rt.opts.Stuck != nil {
		var once sync.Once
		rt.watch.stuck = func(cause error) {
			once.Do(func() {
				abandoned.Add(1)
				rt.opts.Stuck(cause)
			})
		}
	}
	rt.loop.init()
	rt.vm.SetMaxCallStackSize(rt.opts.MaxCallStack)
	rt.vm.SetTimeSource(rt.opts.Clock.Now)
	if seed := rt.opts.Seed; seed != 0 {
		rt.vm.SetRandSource(rand.New(rand.NewPCG(seed, seed)).Float64)
	}
	rt.vm.SetAsyncContextTracker(asyncTracker{rt})
	rt.vm.SetPromiseRejectionTracker(rt.trackRejection)
	if err := rt.openLibrary(); err != nil {
		return nil, errors.Join(fmt.Errorf("open the runtime: %w", err), rt.Close())
	}
	if err := rt.guardBuiltIns(); err != nil {
		return nil, errors.Join(fmt.Errorf("open the runtime: %w", err), rt.Close())
	}
	for _, x := range rt.opts.Extensions {
		if err := rt.openExtension(x); err != nil {
			return nil, errors.Join(fmt.Errorf("open module %s: %w", x.Name, err), rt.Close())
		}
	}
	return rt, nil
}

// Goja is the interpreter. Values may be made and read through it; calls into scripts go through Call,
// Construct or Try, which keep limits and queued promise jobs intact.
func (rt *Runtime) Goja() *goja.Runtime { return rt.vm }

// Heap is the interpreter's heap as the collector sees it.
func (rt *Runtime) Heap() *vmheap.Heap { return rt.heap }

// Broker is what host modules ask for effects; nil if there is none.
func (rt *Runtime) Broker() effect.Broker { return rt.opts.Broker }

// Stopped is why everything is being interrupted, nil if it is not: what scripts hold cannot be read then.
func (rt *Runtime) Stopped() error { return rt.watch.cause() }

// Now is the present time of the runtime's clock.
func (rt *Runtime) Now() time.Time { return rt.opts.Clock.Now() }

// Close unwinds unfinished tasks, cancels timers and closes the host modules, last opened first. No
// script runs during or after it. It must not be called from a task. Closing twice is harmless.
func (rt *Runtime) Close() error {
	if rt.closed {
		return nil
	}
	rt.closed = true
	rt.unwindTasks()
	rt.loop.timers = nil
	var errs []error
	for i := len(rt.closers) - 1; i >= 0; i-- {
		errs = append(errs, rt.closers[i]())
	}
	rt.closers = nil
	return errors.Join(errs...)
}

// Run runs fn as a task, and the loop until that task ends. It returns fn's error; or a *ScriptError if
// a script failed where nobody could catch it (see Options.Unhandled); or ErrDeadlock if the task is
// parked and nothing can wake it; in those two cases the task is unwound. Promises that nothing can
// settle make Await fail instead.
//
// ctx is the hard limit, and when Limits.Memory or Limits.CPU are exceeded it is as if it were done, with a
// *LimitError as its cause. When it is done, running scripts are interrupted, the task's Await fails with
// the context's cause and its Park unwinds it. For a stop that lets scripts finish use a context of
// your own.
//
// Other tasks that are unfinished when Run returns go on in the next Run. A panic in the Go code of a
// task makes Run panic with a *PanicError.
func (rt *Runtime) Run(ctx context.Context, fn func(t *Task) error) error {
	switch {
	case rt.closed:
		return ErrClosed
	case rt.running:
		return errors.New("run: the loop is already running")
	case ctx.Err() != nil:
		return context.Cause(ctx)
	}
	rt.running = true
	ctx, exceeded := context.WithCancelCause(ctx)
	defer exceeded(nil)
	unwatch := rt.watchProcess(func(err error) { exceeded(err) })
	defer unwatch()
	interrupted := make(chan struct{})
	stop := context.AfterFunc(ctx, func() {
		defer close(interrupted)
		rt.watch.cancel(context.Cause(ctx))
		rt.loop.wake()
	})
	defer func() {
		if !stop() {
			<-interrupted
		}
		rt.watch.cancel(nil)
		rt.running, rt.failure = false, nil
	}()
	var main *Task
	var result error
	rt.job(func() {
		main = rt.start(ctx, func(t *Task) { result = fn(t) })
	})
	return rt.runUntilDone(ctx, main, &result)
}

func (rt *Runtime) runUntilDone(ctx context.Context, main *Task, result *error) error {
	cancelled := false
	for {
		if rt.failure != nil {
			main.unwind()
			return rt.failure
		}
		if main.done {
			if main.unwound {
				return context.Cause(ctx)
			}
			return *result
		}
		if ctx.Err() != nil && !cancelled {
			cancelled = true
			rt.job(func() { main.cancel(context.Cause(ctx)) })
			continue
		}
		if fn := rt.loop.next(rt.opts.Clock.Now()); fn != nil {
			rt.job(fn)
			continue
		}
		if rt.loop.wait(ctx, rt.opts.Clock) {
			continue
		}
		if t := rt.lastAwaiting(); t != nil {
			t.stuck = true
			t.unpark()
			continue
		}
		rt.failure = ErrDeadlock
	}
}

// job runs fn and all promise jobs that follow from it, inside of a frame, without async context.
func (rt *Runtime) job(fn func()) {
	rt.async, rt.asyncOuter = nil, rt.asyncOuter[:0]
	rt.busy.Add(1)
	defer rt.busy.Add(-1)
	rt.Enter(func() {
		fn()
		rt.endWeakJob()
		rt.drain()
	})
	if !rt.loop.rest {
		rt.reportRejections()
	}
	if c := rt.crash; c != nil {
		rt.crash = nil
		panic(c)
	}
}

// drainAtOnce is how many promise jobs run in one go. Scripts whose jobs make others for ever would keep everything
// else from running, limits of what tasks await included.
const drainAtOnce = 1 << 11

// drain runs promise jobs until there are none, or many have run: then the loop goes on with the rest when it has
// nothing else to do. Each is guarded on its own: goja itself would drop the whole queue when one is interrupted.
func (rt *Runtime) drain() {
	rt.loop.rest = false
	for n := 0; rt.watch.cause() == nil; n++ {
		if n == drainAtOnce {
			rt.loop.rest = true
			return
		}
		job := rt.stack.NextJob()
		if job == nil {
			return
		}
		err := rt.guarded(0, func() error { job(); return nil })
		rt.endJobLimit()
		rt.endWeakJob()
		if err != nil {
			rt.report(asScriptError(err), "promise job")
		}
		rt.async, rt.asyncOuter = nil, rt.asyncOuter[:0]
	}
}
