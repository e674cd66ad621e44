package runtime

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"sync"

	"github.com/dop251/goja"

	"github.com/sextongc/sexton/internal/effect"
)

// Extension is a host module: what scripts import by its name.
type Extension struct {
	// Name is what scripts import: "sexton/fs".
	Name string
	// Exports are the names that the module exports. Build needs no more than Name and Exports.
	// "default" may be among them; otherwise the default export is an object with all of them.
	Exports []string
	// Open makes the module for one runtime. It runs in New, before any user code.
	Open func(rt *Runtime) (*Module, error)
	// Source, if not empty, is JavaScript that makes the exports: the body of a strict function with the
	// parameters host, an object with what Open exported, and primordials, the built-ins as they were
	// before user code could change them. It returns an object with the Exports.
	Source string
	// Effects are functions that change the outside world, by name. Scripts call name(argument, { of }) with
	// plain data and get a promise of plain data. They are recorded as effects of a managed object like those
	// of the library's own modules: durable before they start, and told to recover(effects) after a crash.
	// Scripts need no permission for them but the module itself. Those that are among Exports are exported;
	// Source has them all in host.
	Effects map[string]Effect
}

// Effect performs one call of a function that changes the outside world. Result is anything that
// encoding/json encodes. An error becomes what the script's promise is rejected with; an *EffectError gives it a
// name, a code and further properties.
//
// It runs off the event loop, several calls at a time; ctx is done when the runtime closes. A destructor
// that was interrupted runs again and calls again, with the same token: pass the token on to what the
// outside offers for idempotency. An outside that remembers the highest epoch that it has seen can refuse
// a call of a deployment that another one has followed.
type Effect func(ctx context.Context, call *EffectCall) (result any, err error)

// EffectCall is what a script asks an Effect for.
type EffectCall struct {
	Object      string          // id of the managed object that it is for; empty: none
	Incarnation uint64          // of that object
	Token       string          // GC.token of that object
	Epoch       uint64          // of the deployment; later ones of an environment have higher epochs; 0: there is no state
	Argument    json.RawMessage // null if the script passed none
}

// EffectError is an error that scripts see with its name and code.
type EffectError = effect.Error

// Performers returns the effects of extensions as operations for effect.PerformerOptions.
func Performers(extensions []*Extension) map[string]effect.Operation {
	performers := map[string]effect.Operation{}
	for _, x := range extensions {
		for name, do := range x.Effects {
			performers[x.operation(name)] = func(ctx context.Context, req *effect.Request) (any, error) {
				return do(ctx, &EffectCall{Object: req.Object, Incarnation: req.Incarnation, Token: req.Token, Epoch: req.Epoch, Argument: req.Args})
			}
		}
	}
	return performers
}

func (x *Extension) operation(name string) string { return x.Name + "." + name }

// Module is a host module in one runtime. A Go closure hides what it holds from the collector's view
// of a cycle, so what keeps values of scripts (callbacks, listeners) is better written in JavaScript.
type Module struct {
	Exports map[string]goja.Value
	// Close releases what the module holds outside of the runtime; may be nil. It runs in Runtime.Close.
	Close func() error
}

func (rt *Runtime) openExtension(x *Extension) error {
	if _, dup := rt.modules[x.Name]; dup {
		return fmt.Errorf("there are two of them")
	}
	m := &Module{}
	if x.Open != nil {
		var err error
		if m, err = x.Open(rt); err != nil {
			return err
		}
		if m.Close != nil {
			rt.closers = append(rt.closers, m.Close)
		}
	}
	made := rt.vm.NewObject()
	for name, v := range m.Exports {
		if err := made.Set(name, v); err != nil {
			return err
		}
	}
	if err := rt.addEffects(x, made); err != nil {
		return err
	}
	if x.Source != "" {
		v, err := rt.Eval(x.Name, x.Source, made)
		if err != nil {
			return err
		}
		obj, ok := v.(*goja.Object)
		if !ok {
			return fmt.Errorf("its source returns no object")
		}
		made = obj
	}
	module := rt.vm.CreateObject(nil)
	for _, name := range x.Exports {
		v := made.Get(name)
		if v == nil {
			return fmt.Errorf("it does not have its export %s", name)
		}
		if err := module.Set(name, v); err != nil {
			return err
		}
	}
	rt.modules[x.Name] = module
	return nil
}

// addEffects gives a module the functions that ask for its effects.
func (rt *Runtime) addEffects(x *Extension, module *goja.Object) error {
	if len(x.Effects) == 0 {
		return nil
	}
	shared, err := effectsOf(rt)
	if err != nil {
		return err
	}
	function, ok := goja.AssertFunction(shared.Get("effect"))
	if !ok {
		return fmt.Errorf("%s has no function effect", effectsModule)
	}
	for _, name := range slices.Sorted(maps.Keys(x.Effects)) {
		f, err := function(goja.Undefined(), rt.vm.ToValue(name), rt.vm.ToValue(x.operation(name)))
		if err != nil {
			return err
		}
		if err := module.Set(name, f); err != nil {
			return err
		}
	}
	return nil
}

// Module returns the object with the exports of a host module, nil if there is none of that name.
func (rt *Runtime) Module(name string) *goja.Object { return rt.modules[name] }

// Eval runs source as the body of a strict function with the parameters host and primordials and
// returns its result. It is for the library's own scripts: their frames do not show in stacks. name is
// for errors of goja's parser.
func (rt *Runtime) Eval(name, source string, host *goja.Object) (goja.Value, error) {
	program, err := compileLibrary(name, source)
	if err != nil {
		return nil, err
	}
	var result goja.Value
	err = rt.Try(0, func() error {
		fn, err := rt.vm.RunProgram(program)
		if err != nil {
			return err
		}
		call, _ := goja.AssertFunction(fn)
		var primordials goja.Value = goja.Undefined()
		if rt.lib.primordials != nil {
			primordials = rt.lib.primordials
		}
		var hostValue goja.Value = goja.Undefined()
		if host != nil {
			hostValue = host
		}
		result, err = call(goja.Undefined(), hostValue, primordials)
		return err
	})
	return result, err
}

// libraryPrograms are the library's scripts, compiled: they are the same for every runtime of the process.
var libraryPrograms sync.Map // libraryScript to func() (*goja.Program, error)

type libraryScript struct{ name, source string }

func compileLibrary(name, source string) (*goja.Program, error) {
	compile, _ := libraryPrograms.LoadOrStore(libraryScript{name, source}, sync.OnceValues(func() (*goja.Program, error) {
		return goja.Compile(internalName+name, "(function (host, primordials) { \"use strict\"; "+source+"\n})", true)
	}))
	return compile.(func() (*goja.Program, error))()
}

// Warm begins to compile, in the background, what New needs: for processes that are about to call it, and have
// something else to do, or a processor to spare, meanwhile.
func Warm() {
	go func() {
		for _, name := range slices.Backward(firstScripts) { // New compiles in the other direction
			_, _ = compileLibrary(cmp.Or(moduleOf[name], name), librarySource(name)) // New says what is wrong
		}
	}()
}

// firstScripts are the library's scripts that New evaluates, in its order.
var firstScripts = []string{"primordials", "values", "roots", "console", "clone", "weak", "effects", "process", "fs"}

// moduleOf are the names under which those of them are compiled that are modules.
var moduleOf = map[string]string{"effects": effectsModule, "process": "sexton/process", "fs": "sexton/fs"}

// Func makes a function with a name for stacks and messages. Names with a dot do not show in stacks.
// Unlike those of goja's own functions, the arguments stay valid after fn has returned or parked.
func (rt *Runtime) Func(name string, fn func(call goja.FunctionCall) goja.Value) *goja.Object {
	f := rt.vm.ToValue(func(call goja.FunctionCall) goja.Value {
		call.Arguments = slices.Clone(call.Arguments) // they lie on the interpreter's stack
		defer rt.watch.leave(rt.watch.enter(false))
		return fn(call)
	}).(*goja.Object)
	// Cannot fail: the name of a new function is configurable.
	_ = f.DefineDataProperty("name", rt.vm.ToValue(name), goja.FLAG_FALSE, goja.FLAG_TRUE, goja.FLAG_FALSE)
	return f
}
