package runtime

import (
	"embed"
	"fmt"
	"math"
	"reflect"
	"time"

	"github.com/dop251/goja"
)

//go:embed js/*.js
var scripts embed.FS

// library is what the runtime's own scripts give to Go.
type library struct {
	primordials *goja.Object

	trampoline goja.Callable // (f) => f()
	enter      *goja.Object  // Runtime.entered

	describe  goja.Callable // error -> [name, message, cause, stamp, { details, derived, errors, errorCount }]
	stampOf   goja.Callable // (error, stamp) -> its stamp
	makeError goja.Callable // (name, message, stamp)
	stamp     goja.Callable // (error, stamp)
	await     *goja.Object  // async (value, ok, fail)

	fireTimer       *goja.Object // (id)
	clearTimers     *goja.Object // ()
	keepScope       *goja.Object // ([[name, () => value]])
	rename          *goja.Object // (value, name, original)
	moduleVariables *goja.Object // () -> [name, value, name, value …]
	pendingTimers   *goja.Object // Map: id -> { callback, args, repeat }
	cleanUp         *goja.Object // (registry)
	inspect         *goja.Object // (value, depth) -> text
	timers          map[uint64]*timer

	standard  map[string]*goja.Object // what standardScripts export, by their names
	origin    goja.Value              // of the time of performance.now
	deadlines int                     // of AbortSignal.timeout
}

// openLibrary runs the library's scripts. Each is evaluated by Eval and returns an object of functions;
// those that a script names in host.globals become globals.
func (rt *Runtime) openLibrary() error {
	lib := &rt.lib
	lib.timers = map[uint64]*timer{}
	program := goja.MustCompile(internalName+"enter", `((f) => f())`, true)
	fn, err := rt.vm.RunProgram(program)
	if err != nil {
		return err
	}
	lib.trampoline, _ = goja.AssertFunction(fn)
	lib.enter = rt.Func("", rt.entered)

	if lib.primordials, err = rt.script("primordials", nil); err != nil {
		return err
	}
	values, err := rt.script("values", map[string]any{
		"className": rt.className, "isProxy": rt.isProxy, "stack": rt.stackText,
		"promiseState": rt.promiseState, "functionKind": rt.functionKind, "tell": rt.tellStandard,
	})
	if err != nil {
		return err
	}
	lib.describe, _ = goja.AssertFunction(values.Get("describe"))
	lib.stampOf, _ = goja.AssertFunction(values.Get("stampOf"))
	lib.makeError, _ = goja.AssertFunction(values.Get("makeError"))
	lib.stamp, _ = goja.AssertFunction(values.Get("stampError"))
	lib.await = values.Get("await").(*goja.Object)
	lib.inspect = values.Get("inspect").(*goja.Object)

	roots, err := rt.script("roots", map[string]any{"schedule": rt.scheduleTimer, "cancel": rt.cancelTimer})
	if err != nil {
		return err
	}
	lib.fireTimer = roots.Get("fire").(*goja.Object)
	lib.clearTimers = roots.Get("clearTimers").(*goja.Object)
	lib.pendingTimers = roots.Get("timers").(*goja.Object)
	lib.keepScope = roots.Get("scope").(*goja.Object)
	lib.rename = roots.Get("rename").(*goja.Object)
	lib.moduleVariables = roots.Get("moduleVariables").(*goja.Object)

	console, err := rt.script("console", map[string]any{
		"print": rt.print, "inspect": values.Get("inspect"), "now": rt.monotonic, "stack": rt.stackText,
	})
	if err != nil {
		return err
	}
	clone, err := rt.script("clone", map[string]any{"className": rt.className, "isProxy": rt.isProxy, "use": rt.useStandard})
	if err != nil {
		return err
	}
	weak, err := rt.openWeak()
	if err != nil {
		return err
	}
	for _, from := range []*goja.Object{values, roots, console, clone, weak} {
		globals, ok := from.Get("globals").(*goja.Object)
		if !ok {
			continue
		}
		for _, name := range globals.Keys() {
			err := rt.vm.GlobalObject().DefineDataProperty(name, globals.Get(name), goja.FLAG_TRUE, goja.FLAG_TRUE, goja.FLAG_FALSE)
			if err != nil {
				return err
			}
		}
	}
	return rt.defineStandard()
}

// script evaluates js/<name>.js with a host object of functions and values.
func (rt *Runtime) script(name string, host map[string]any) (*goja.Object, error) {
	source, err := scripts.ReadFile("js/" + name + ".js")
	if err != nil {
		return nil, err
	}
	obj, err := rt.hostObject(host)
	if err != nil {
		return nil, err
	}
	v, err := rt.Eval(name, string(source), obj)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return v.(*goja.Object), nil
}

// hostObject makes the host object of a script.
func (rt *Runtime) hostObject(host map[string]any) (*goja.Object, error) {
	obj := rt.vm.NewObject()
	for key, v := range host {
		if fn, ok := v.(func(goja.FunctionCall) goja.Value); ok {
			v = rt.Func("host."+key, fn)
		}
		if err := obj.Set(key, v); err != nil {
			return nil, err
		}
	}
	return obj, nil
}

// Types by which goja tells what it calls an Object alike.
var (
	proxyType   = reflect.TypeFor[goja.Proxy]()
	mapType     = reflect.TypeFor[[][2]any]()
	setType     = reflect.TypeFor[[]any]()
	bufferType  = reflect.TypeFor[goja.ArrayBuffer]()
	promiseType = reflect.TypeFor[*goja.Promise]()
)

// className is host.className(value): which built-in class made an object; "" for what is no object.
func (rt *Runtime) className(call goja.FunctionCall) goja.Value {
	obj, ok := call.Argument(0).(*goja.Object)
	if !ok {
		return rt.vm.ToValue("")
	}
	name := obj.ClassName()
	if name == "Object" {
		switch obj.ExportType() {
		case mapType:
			name = "Map"
		case setType:
			name = "Set"
		case bufferType:
			name = "ArrayBuffer"
		case promiseType:
			name = "Promise"
		}
	}
	return rt.vm.ToValue(name)
}

func (rt *Runtime) isProxy(call goja.FunctionCall) goja.Value {
	obj, ok := call.Argument(0).(*goja.Object)
	return rt.vm.ToValue(ok && obj.ExportType() == proxyType)
}

// scheduleTimer is host.schedule(delay, repeat): delay in milliseconds. It returns the id.
func (rt *Runtime) scheduleTimer(call goja.FunctionCall) goja.Value {
	if most := rt.opts.Limits.Timers; most > 0 && len(rt.lib.timers) >= most {
		rt.tooMany("timers", most, "more timers are set")
	}
	delay := milliseconds(call.Argument(0).ToFloat())
	var repeat time.Duration
	if call.Argument(1).ToBoolean() {
		delay = max(delay, time.Millisecond) // otherwise time would stand still
		repeat = delay
	}
	t := rt.loop.schedule(rt.opts.Clock.Now().Add(delay), repeat, nil)
	id, async := t.id, rt.async
	t.fn = func() {
		if t.repeat == 0 {
			delete(rt.lib.timers, id)
		}
		rt.WithContext(async, func() {
			if _, err := rt.Call(rt.lib.fireTimer, nil, rt.limitOf(async), rt.vm.ToValue(id)); err != nil {
				rt.report(asScriptError(err), "timer")
			}
		})
	}
	rt.lib.timers[id] = t
	return rt.vm.ToValue(id)
}

// milliseconds converts a delay as browsers do: what is no positive number is 0.
func milliseconds(ms float64) time.Duration {
	if !(ms > 0) {
		return 0
	}
	return time.Duration(math.Min(ms, float64(math.MaxInt32)) * float64(time.Millisecond))
}

// cancelTimer is host.cancel(id).
func (rt *Runtime) cancelTimer(call goja.FunctionCall) goja.Value {
	id := uint64(call.Argument(0).ToInteger())
	if t := rt.lib.timers[id]; t != nil {
		delete(rt.lib.timers, id)
		rt.loop.cancel(t)
	}
	return goja.Undefined()
}

// scheduleDeadline is host.deadline(delay, f, id): f(id) is called when delay, in milliseconds, has passed. Nothing
// waits for that.
func (rt *Runtime) scheduleDeadline(call goja.FunctionCall) goja.Value {
	if most := rt.opts.Limits.Timers; most > 0 && rt.lib.deadlines >= most {
		rt.tooMany("timers", most, "more time-outs of AbortSignal are set")
	}
	rt.lib.deadlines++
	due := rt.opts.Clock.Now().Add(milliseconds(call.Argument(0).ToFloat()))
	f, id, async := call.Argument(1), call.Argument(2), rt.async
	rt.loop.scheduleLimit(due, func() {
		rt.lib.deadlines--
		rt.WithContext(async, func() {
			if _, err := rt.Call(f, nil, rt.limitOf(async), id); err != nil {
				rt.report(asScriptError(err), "timer")
			}
		})
	})
	return goja.Undefined()
}

// CancelTimers cancels what setTimeout, setInterval and setImmediate have scheduled and returns how many
// timers that were.
func (rt *Runtime) CancelTimers() int {
	n := len(rt.lib.timers)
	for id, t := range rt.lib.timers {
		delete(rt.lib.timers, id)
		rt.loop.cancel(t)
	}
	if n > 0 {
		// The callbacks go as well. It can only fail if everything is being interrupted.
		_, _ = rt.Call(rt.lib.clearTimers, nil, 0)
	}
	return n
}
