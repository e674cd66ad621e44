package runtime

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"strconv"
	"sync"

	"github.com/dop251/goja"

	"github.com/sextongc/sexton/internal/effect"
)

// effectsModule is the part that the modules with effects share. No script imports it.
const effectsModule = "sexton/effects"

// effects is how scripts reach Options.Broker: a request goes out on a goroutine of its own and settles
// a promise on the loop.
type effects struct {
	rt      *Runtime
	ctx     context.Context // done when the runtime closes
	running sync.WaitGroup
}

// effectsOf returns the shared part, which the first module that needs it opens.
func effectsOf(rt *Runtime) (*goja.Object, error) {
	if m := rt.Module(effectsModule); m != nil {
		return m, nil
	}
	err := rt.openExtension(&Extension{
		Name:    effectsModule,
		Exports: []string{"PermissionDenied", "perform", "check", "buffer", "effect"},
		Open: func(rt *Runtime) (*Module, error) {
			ctx, cancel := context.WithCancel(context.Background())
			e := &effects{rt: rt, ctx: ctx}
			return &Module{
				Exports: map[string]goja.Value{
					"perform": rt.Func("perform", e.perform), "buffer": rt.Func("buffer", e.buffer), "limit": rt.Func("limit", e.limit),
					"use": rt.Func("use", rt.useStandard),
				},
				Close: func() error {
					cancel()
					e.running.Wait()
					return nil
				},
			}, nil
		},
		Source: librarySource("effects"),
	})
	return rt.Module(effectsModule), err
}

// PermissionDenied is the class of the errors of effects that are not permitted.
func PermissionDenied(rt *Runtime) (goja.Value, error) {
	m, err := effectsOf(rt)
	if err != nil {
		return nil, err
	}
	return m.Get("PermissionDenied"), nil
}

// effectExtension makes a module whose source, js/<file>.js, gets the shared part as its host object.
func effectExtension(name, file string, exports ...string) *Extension {
	return &Extension{Name: name, Exports: exports, Source: librarySource(file), Open: func(rt *Runtime) (*Module, error) {
		shared, err := effectsOf(rt)
		if err != nil {
			return nil, err
		}
		m := &Module{Exports: map[string]goja.Value{}}
		for _, key := range shared.Keys() {
			m.Exports[key] = shared.Get(key)
		}
		return m, nil
	}}
}

// perform is host.perform(op, args, of, encoded, request): a promise of the outcome, { json } or { json, name, code,
// message }. Args that are encoded are JSON. The library's script makes the error, so that it has the stack of
// the script's call. request, if it is an object, gets a function cancel, which ends the effect.
func (e *effects) perform(call goja.FunctionCall) goja.Value {
	rt := e.rt
	if most := rt.opts.Limits.Promises; most > 0 && rt.loop.holds >= most {
		rt.tooMany("promises", most, "more effects are under way")
	}
	rt.requests++
	req := &effect.Request{ID: rt.requests, Op: call.Argument(0).String()}
	if rt.opts.Attribute != nil {
		of, _ := call.Argument(2).(*goja.Object)
		var err error
		if req.Object, req.Incarnation, req.Token, err = rt.opts.Attribute(rt.async, of); err != nil {
			var thrown *goja.Exception
			if errors.As(err, &thrown) {
				panic(thrown.Value())
			}
			panic(rt.ErrorValue(err))
		}
	}
	if call.Argument(3).ToBoolean() {
		req.Args = json.RawMessage(call.Argument(1).String())
	} else {
		args, err := json.Marshal(plainArgument(call.Argument(1)))
		if err != nil {
			panic(rt.ErrorValue(err))
		}
		req.Args = args
	}
	if effect.IsEffect(req.Op) {
		text := string(req.Args)
		req.Secret = rt.mask(text) != text
	}
	promise, resolve, reject := rt.Promise()
	ctx, cancel := context.WithCancel(e.ctx)
	if request, ok := call.Argument(4).(*goja.Object); ok {
		_ = request.Set("cancel", rt.Func("cancel", func(goja.FunctionCall) goja.Value {
			cancel()
			return goja.Undefined()
		})) // cannot fail: it is an object of the library
	}
	if rt.opts.Broker == nil {
		cancel()
		reject(errNoBroker)
		return promise
	}
	rt.effects++
	e.running.Go(func() {
		defer cancel()
		outcome := rt.opts.Broker.Do(ctx, req)
		rt.Enqueue(func() {
			resolve(e.outcome(outcome))
			if rt.opts.Delivered != nil {
				rt.opts.Delivered(req)
			}
			e.ended()
		})
	})
	return promise
}

// ended counts an effect as done, and lets go on who waits for the last one.
func (e *effects) ended() {
	e.rt.effects--
	if e.rt.effects == 0 {
		waiting := e.rt.onQuiet
		e.rt.onQuiet = nil
		for _, fn := range waiting {
			fn()
		}
	}
}

var errNoBroker = errors.New("effects are not available here")

func (e *effects) outcome(o *effect.Outcome) *goja.Object {
	fields := map[string]string{"json": string(o.Result)}
	if o.Error != nil {
		fields = map[string]string{"json": string(o.Error.Detail), "name": o.Error.Name, "code": o.Error.Code, "message": o.Error.Message}
		if l := o.Error.Limit; l != nil {
			fields["limit"], fields["value"], fields["what"] = l.Name, l.Value, l.What
		}
	}
	obj := e.rt.vm.CreateObject(nil) // without a prototype, nobody can give it a method then
	for key, v := range fields {
		_ = obj.Set(key, v) // cannot fail: the object is new
	}
	return obj
}

// limit is host.limit(error, name, value, what): makes the error of an outcome stand for a limit, and returns its message.
func (e *effects) limit(call goja.FunctionCall) goja.Value {
	rt := e.rt
	err := &LimitError{Limit: call.Argument(1).String(), Value: call.Argument(2).String(), What: call.Argument(3).String()}
	if ex := rt.vm.Try(func() { panic(call.Argument(0)) }); ex != nil {
		err.locate(rt.frames(ex.Stack()))
	}
	if _, err := rt.lib.stamp(goja.Undefined(), call.Argument(0), rt.vm.ToValue(&stamp{err: err})); err != nil {
		panic(err)
	}
	return rt.vm.ToValue(err.Error())
}

// buffer is host.buffer(base64): an ArrayBuffer.
func (e *effects) buffer(call goja.FunctionCall) goja.Value {
	data, err := base64.StdEncoding.DecodeString(call.Argument(0).String())
	if err != nil {
		panic(e.rt.ErrorValue(err))
	}
	return e.rt.vm.ToValue(e.rt.vm.NewArrayBuffer(data))
}

// plainArgument copies arguments that the library's scripts have checked and copied into fresh objects:
// strings, numbers, booleans, Uint8Arrays (as base64), lists and maps of strings.
func plainArgument(v goja.Value) any {
	obj, ok := v.(*goja.Object)
	if !ok {
		if s, ok := v.(goja.String); ok {
			return s.String() // halves of surrogate pairs become U+FFFD
		}
		return v.Export()
	}
	if bytes, ok := obj.Export().([]byte); ok {
		return base64.StdEncoding.EncodeToString(bytes)
	}
	if obj.ClassName() == "Array" {
		list := make([]any, obj.Get("length").ToInteger())
		for i := range list {
			list[i] = plainArgument(obj.Get(strconv.Itoa(i)))
		}
		return list
	}
	fields := map[string]any{}
	for _, key := range obj.Keys() {
		if v := obj.Get(key); !goja.IsUndefined(v) {
			fields[key] = plainArgument(v)
		}
	}
	return fields
}

// librarySource is the text of js/<name>.js.
func librarySource(name string) string {
	source, err := scripts.ReadFile("js/" + name + ".js")
	if err != nil {
		panic(err) // it is embedded
	}
	return string(source)
}
