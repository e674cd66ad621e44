package gcext

import (
	"errors"
	"fmt"
	"time"

	"github.com/dop251/goja"

	"github.com/sextongc/sexton/objectstore"
	"github.com/sextongc/sexton/runtime"
)

// Invoke calls a method of an object as part of task t and awaits its promise; both together may take
// as long as limit. Its code runs in the object's async context.
func (c *Collector) Invoke(t *runtime.Task, o *objectstore.Object, method string, limit time.Duration) (goja.Value, error) {
	return c.invoke(t, &Context{Object: o, Limit: limit}, limit, o, method)
}

func (c *Collector) invoke(t *runtime.Task, ctx *Context, limit time.Duration, o *objectstore.Object, method string, args ...*objectstore.Object) (goja.Value, error) {
	if o.Broken() != "" {
		return nil, errors.New(o.Broken())
	}
	began := c.rt.Now()
	result, err := c.callMethod(ctx, limit, o, method, args)
	if err != nil || !pending(result) {
		if err == nil && result != nil {
			return t.AwaitFor(result, 0) // settled: this does not park
		}
		return result, err
	}
	v, err := t.AwaitFor(result, max(1, limit-c.rt.Now().Sub(began)))
	return v, whole(err, limit)
}

// whole makes the error of an AwaitFor, which had what was left of a limit, tell of the whole of it.
func whole(err error, limit time.Duration) error {
	late, ok := err.(*runtime.ScriptError)
	if !ok || late.Cause != runtime.ErrTimeLimit || len(late.Stack) > 0 {
		return err
	}
	told := *late
	told.Message = fmt.Sprintf("not finished after %v", limit)
	return &told
}

// callMethod has no JavaScript object left in its frame when it returns, but for the result.
func (c *Collector) callMethod(ctx *Context, limit time.Duration, o *objectstore.Object, method string, args []*objectstore.Object) (result goja.Value, err error) {
	c.rt.WithContext(ctx, func() {
		err = c.rt.Try(limit, func() error {
			object, ok := o.Value().(*goja.Object)
			if !ok {
				return fmt.Errorf("%s is gone", o)
			}
			f, ok := goja.AssertFunction(object.Get(method))
			if !ok {
				return fmt.Errorf("%s has no method %s", o, method)
			}
			values := make([]goja.Value, len(args))
			for i, a := range args {
				values[i] = a.Value()
			}
			result, err = f(object, values...)
			return err
		})
	})
	return result, err
}
