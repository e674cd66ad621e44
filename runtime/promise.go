package runtime

import (
	"fmt"

	"github.com/dop251/goja"
)

// Promise returns a promise that Go settles, and counts as a pending host operation until then. resolve
// and reject take effect at once and only once; they belong to the loop's goroutine, others Enqueue
// them. They convert values as Goja().ToValue does; an error becomes an error object (see ErrorValue).
func (rt *Runtime) Promise() (p *goja.Object, resolve, reject func(any)) {
	release := rt.Hold()
	promise, ok, fail := rt.vm.NewPromise()
	settle := func(f func(any) error) func(any) {
		return func(v any) {
			release()
			if rt.closed {
				return
			}
			rt.Enter(func() {
				if err, isErr := v.(error); isErr {
					v = rt.ErrorValue(err)
				}
				// A value with a getter named then runs it.
				if err := rt.guarded(0, func() error { return f(v) }); err != nil {
					rt.report(asScriptError(err), "promise job")
				}
			})
		}
	}
	return rt.vm.ToValue(promise).(*goja.Object), settle(ok), settle(fail)
}

// promiseOf returns the promise that v is, nil if it is none. No code of the script runs.
func promiseOf(v *goja.Object) *goja.Promise {
	if v.ExportType() != promiseType {
		return nil
	}
	p, _ := v.Export().(*goja.Promise)
	return p
}

// OnSettled calls fn as a promise job when v, a promise or an object with a method then, is settled. The
// loop does not wait for that, and a rejection counts as handled.
func (rt *Runtime) OnSettled(v *goja.Object, fn func(rejected bool)) error {
	settle := func(rejected bool) goja.Value {
		return rt.vm.ToValue(func(goja.FunctionCall) goja.Value {
			fn(rejected)
			return goja.Undefined()
		})
	}
	_, err := rt.Call(rt.lib.await, nil, 0, v, settle(false), settle(true))
	return err
}

// isThenable reports whether an object that is no promise has a method then.
func (rt *Runtime) isThenable(v *goja.Object) (is bool, err error) {
	err = rt.Try(0, func() error {
		_, is = goja.AssertFunction(v.Get("then"))
		return nil
	})
	return is, err
}

// rejection is a rejected promise that has no handler yet.
type rejection struct {
	promise *goja.Promise
	async   any
	stack   []goja.StackFrame // where it was rejected, unless the reason tells that
}

const originDepth = 10 // calls of that stack

func (rt *Runtime) trackRejection(p *goja.Promise, op goja.PromiseRejectionOperation) {
	if op == goja.PromiseRejectionHandle {
		rt.handled(p)
		return
	}
	r := rejection{promise: p, async: rt.async}
	if reason, ok := p.Result().(*goja.Object); !ok || reason.ClassName() != "Error" {
		r.stack = rt.vm.CaptureCallStack(originDepth, nil)
	}
	rt.rejected = append(rt.rejected, r)
}

// handled says that somebody cares for p's rejection.
func (rt *Runtime) handled(p *goja.Promise) {
	for i := range rt.rejected {
		if rt.rejected[i].promise == p {
			rt.rejected[i] = rejection{}
			return
		}
	}
}

// reportRejections reports what is still unhandled when the promise jobs of a job have run.
func (rt *Runtime) reportRejections() {
	for i := 0; i < len(rt.rejected); i++ { // describing one may reject another
		r := rt.rejected[i]
		rt.rejected[i] = rejection{}
		if r.promise != nil {
			rt.Enter(func() {
				rt.WithContext(r.async, func() {
					err := rt.scriptError(r.promise.Result())
					if len(err.Stack) == 0 {
						err.Stack = rt.frames(r.stack)
					}
					rt.report(err, "unhandled rejection")
				})
			})
		}
	}
	rt.rejected = rt.rejected[:0]
}

// report is where errors go that no caller gets.
func (rt *Runtime) report(err *ScriptError, phase string) {
	if rt.watch.cause() != nil {
		return // it was interrupted on purpose
	}
	if err.Phase == "" {
		err.Phase = phase
	}
	switch {
	case rt.opts.Unhandled != nil:
		rt.opts.Unhandled(err, rt.async)
	case rt.failure == nil:
		rt.failure = fmt.Errorf("%s: %w", err.Phase, err)
	}
}
