package runtime

import (
	"errors"
	"runtime/debug"
	"time"

	"github.com/dop251/goja"
)

// Enter runs fn inside of a JavaScript frame. goja drains promise jobs whenever a call that began with
// an empty call stack returns, and drops them when it is interrupted; inside of a frame it does neither.
// Jobs of the loop, and tasks, run inside of one anyhow, and then Enter just calls fn.
func (rt *Runtime) Enter(fn func()) {
	if rt.stack.Depth() > 0 {
		fn()
		return
	}
	// While the trampoline's own instructions run, no interrupt may strike: it would drop all jobs.
	rt.watch.hold()
	mark := rt.stack.Mark()
	ok := false
	defer func() {
		if !ok { // fn panicked, or ended the goroutine
			rt.stack.Reset(mark)
		}
		rt.watch.release()
	}()
	rt.enterFn = fn
	if _, err := rt.lib.trampoline(goja.Undefined(), rt.lib.enter); err != nil {
		panic(err)
	}
	// What is left of the queue was put aside, or goja would have run it here, without limits.
	rt.stack.PutJobs(rt.keptJobs)
	rt.keptJobs = nil
	ok = true
}

// entered is what the trampoline of Enter calls.
func (rt *Runtime) entered(goja.FunctionCall) goja.Value {
	fn := rt.enterFn
	rt.enterFn = nil
	rt.watch.release()
	defer rt.watch.hold()
	fn()
	rt.keptJobs = rt.stack.TakeJobs()
	return goja.Undefined()
}

// Call calls the function f. With a limit, a call that runs longer in wall time is interrupted; scripts
// around the call go on. Only what f does before it returns counts, not what it does after an await.
//
// The error is a *ScriptError. It matches ErrTimeLimit if a limit (of this call or of one around it)
// ended it. A native function that runs long, such as a sort of millions, ends late.
func (rt *Runtime) Call(f, this goja.Value, limit time.Duration, args ...goja.Value) (goja.Value, error) {
	if this == nil {
		this = goja.Undefined()
	}
	var result goja.Value
	err := rt.Try(limit, func() error {
		call, ok := goja.AssertFunction(f)
		if !ok {
			panic(rt.vm.NewTypeError("not a function"))
		}
		var err error
		result, err = call(this, args...)
		return err
	})
	if err != nil {
		return nil, err
	}
	return result, nil
}

// Construct is Call for new f(...args). newTarget may be nil: f itself.
func (rt *Runtime) Construct(f goja.Value, newTarget *goja.Object, limit time.Duration, args ...goja.Value) (*goja.Object, error) {
	var result *goja.Object
	err := rt.Try(limit, func() error {
		construct, ok := goja.AssertConstructor(f)
		if !ok {
			panic(rt.vm.NewTypeError("not a constructor"))
		}
		var err error
		result, err = construct(newTarget, args...)
		return err
	})
	if err != nil {
		return nil, err
	}
	return result, nil
}

// Try runs fn, which may do anything with the interpreter that can run scripts: read properties, call
// functions, convert values. What a script throws, a panic, and errors of goja that fn returns become a
// *ScriptError; other errors of fn are returned as they are. limit is that of Call.
func (rt *Runtime) Try(limit time.Duration, fn func() error) error {
	if rt.closed {
		return ErrClosed
	}
	var err error
	rt.Enter(func() { err = rt.guarded(limit, fn) })
	return err
}

// guarded is Try inside of a frame.
func (rt *Runtime) guarded(limit time.Duration, fn func() error) error {
	x, expired, err := rt.protect(limit, fn)
	if x != nil {
		return rt.abrupt(x, expired, limit)
	}
	return rt.convert(err)
}

// protect runs fn with a limit. If it ended abruptly, x is the panic or the uncatchable error, and the
// interpreter is back where it was before.
func (rt *Runtime) protect(limit time.Duration, fn func() error) (x any, expired bool, err error) {
	mark := rt.stack.Mark()
	task, async, outer := rt.current, rt.async, len(rt.asyncOuter)
	tok := rt.watch.begin(limit)
	finished, before := false, rt.watch.enter(true)
	defer func() {
		rt.watch.leave(before)
		if !finished {
			if x = recover(); x != nil && uncatchable(x) == nil {
				x = asPanic(x) // here the stack still shows where it happened
			}
		}
		expired = rt.watch.end(tok)
		if x == nil {
			x = uncatchable(err)
		}
		if x != nil {
			rt.stack.Reset(mark)
			rt.current, rt.async, rt.asyncOuter = task, async, rt.asyncOuter[:outer]
		}
	}()
	if ex := rt.vm.Try(func() { err = fn() }); ex != nil {
		err = ex
	}
	finished = true
	return nil, false, err
}

// uncatchable returns x if it is an error that leaves goja's stacks in disorder, else nil.
func uncatchable(x any) any {
	err, _ := x.(error)
	var interrupted *goja.InterruptedError
	var overflow *goja.StackOverflowError
	if errors.As(err, &interrupted) || errors.As(err, &overflow) {
		return err
	}
	return nil
}

// abrupt makes an error of what ended a call without unwinding it properly.
func (rt *Runtime) abrupt(x any, expired bool, limit time.Duration) *ScriptError {
	err, _ := x.(error)
	var interrupted *goja.InterruptedError
	var overflow *goja.StackOverflowError
	switch {
	case errors.As(err, &interrupted):
		if cause := rt.watch.cause(); cause != nil {
			if limit, ok := cause.(*LimitError); ok {
				return limitError(limit, rt.frames(interrupted.Stack()))
			}
			return &ScriptError{Name: "Interrupted", Message: cause.Error(), Stack: rt.frames(interrupted.Stack()), Cause: cause}
		}
		if !expired {
			if tok, ok := interrupted.Value().(*token); ok {
				limit = tok.limit
			}
		}
		return timeLimitError(limit, rt.frames(interrupted.Stack()))
	case errors.As(err, &overflow):
		return callStackError(rt.opts.MaxCallStack, rt.frames(overflow.Stack()))
	}
	p := asPanic(x)
	return &ScriptError{Name: "InternalError", Message: p.Error(), Cause: p}
}

func asPanic(x any) *PanicError {
	if p, ok := x.(*PanicError); ok {
		return p
	}
	return &PanicError{Value: x, Stack: debug.Stack()}
}
