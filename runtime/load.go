package runtime

import (
	"strconv"
	"strings"
	"time"

	"github.com/dop251/goja"
)

// Load evaluates the modules of a bundle, in the order of its entries, and returns the namespace object
// of each entry by its name. It waits for top-level awaits. The error is a *ScriptError.
func (rt *Runtime) Load(t *Task, b *Bundle) (map[string]*goja.Object, error) {
	return rt.LoadFor(t, b, 0)
}

// LoadFor is Load with a limit, on what the modules do before their first await and then on how long
// that lets them wait; when it has passed the error matches ErrTimeLimit. 0: no limit.
func (rt *Runtime) LoadFor(t *Task, b *Bundle, limit time.Duration) (map[string]*goja.Object, error) {
	rt.callers = b.callers
	if b.classic {
		err := rt.Try(limit, func() error {
			_, err := rt.vm.RunProgram(b.program)
			return err
		})
		return map[string]*goja.Object{b.names[0]: rt.vm.NewObject()}, err
	}
	entries := make(map[string]*goja.Object, len(b.names))
	host := rt.vm.NewObject()
	for name, fn := range map[string]func(goja.FunctionCall) goja.Value{
		"module": func(call goja.FunctionCall) goja.Value {
			name := call.Argument(0).String()
			if m := rt.modules[name]; m != nil {
				return m
			}
			panic(rt.vm.NewTypeError("there is no module %q in this runtime", name))
		},
		"abandon": rt.abandon,
		"entry": func(call goja.FunctionCall) goja.Value {
			entries[b.names[call.Argument(0).ToInteger()]] = call.Argument(1).(*goja.Object)
			return goja.Undefined()
		},
	} {
		if err := host.Set(name, rt.Func(name, fn)); err != nil {
			return nil, err
		}
	}
	for name, fn := range map[string]*goja.Object{"scope": rt.lib.keepScope, "rename": rt.lib.rename} {
		if err := host.Set(name, fn); err != nil {
			return nil, err
		}
	}
	if len(b.counters) > 0 {
		hits, err := rt.count(b)
		if err != nil {
			return nil, err
		}
		if err := host.Set("hits", hits); err != nil {
			return nil, err
		}
	}
	var promise goja.Value
	err := rt.Try(limit, func() error {
		evaluate, err := rt.vm.RunProgram(b.program)
		if err != nil {
			return err
		}
		call, _ := goja.AssertFunction(evaluate)
		promise, err = call(goja.Undefined(), host)
		return err
	})
	if err == nil {
		_, err = t.AwaitFor(promise, limit)
	}
	if err != nil {
		return nil, err
	}
	return entries, nil
}

// PendingTimers is the Map of the timers that scripts have set, for explanations of what these keep.
func (rt *Runtime) PendingTimers() goja.Value { return rt.lib.pendingTimers }

// ModuleVariable is a variable at the top level of a module.
type ModuleVariable struct {
	Name  string // as the bundle has it: where modules use a name twice, the second has a number
	Value goja.Value
}

// ModuleVariables lists what the top-level variables of all loaded modules hold, in the order of their
// declaration. Those that are not initialised yet are left out.
func (rt *Runtime) ModuleVariables() []ModuleVariable {
	var list *goja.Object
	rt.Enter(func() {
		if v, err := rt.Call(rt.lib.moduleVariables, nil, 0); err == nil {
			list = v.(*goja.Object)
		}
	})
	if list == nil {
		return nil
	}
	n := int(list.Get("length").ToInteger())
	variables := make([]ModuleVariable, 0, n/2)
	for i := 0; i+1 < n; i += 2 {
		name := list.Get(strconv.Itoa(i)).String()
		if !strings.HasPrefix(name, "__") { // what esbuild adds
			variables = append(variables, ModuleVariable{name, list.Get(strconv.Itoa(i + 1))})
		}
	}
	return variables
}
