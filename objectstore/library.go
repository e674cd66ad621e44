package objectstore

import (
	_ "embed"
	"fmt"
	"strconv"
	"sync"

	"github.com/dop251/goja"

	"github.com/sextongc/sexton/internal/vmheap"
)

//go:embed js/resource.js
var resourceSource string

var resourceProgram = sync.OnceValue(func() *goja.Program { return goja.MustCompile("sexton:resource.js", resourceSource, true) })

// library is what resource.js returns: functions that captured their primordials before user code ran.
type library struct {
	vm         *goja.Runtime
	object     *goja.Object
	functions  map[string]goja.Callable
	prototypes map[string]*goja.Object // of the built-in classes that plain data may consist of
}

func (l *library) get(name string) goja.Value { return l.object.Get(name) }

// call calls a function of resource.js.
func (l *library) call(name string, args ...goja.Value) (goja.Value, error) {
	f := l.functions[name]
	if f == nil {
		f, _ = goja.AssertFunction(l.object.Get(name))
		l.functions[name] = f
	}
	return f(goja.Undefined(), args...)
}

// must is call where only an interrupt or an exhausted stack can fail; goja takes these on from there.
func (l *library) must(name string, args ...goja.Value) goja.Value {
	v, err := l.call(name, args...)
	if err != nil {
		panic(err)
	}
	return v
}

// NewRegistry defines Resource and Environment in a runtime whose heap is h. Call it before any user
// code runs.
func NewRegistry(vm *goja.Runtime, h *vmheap.Heap) (*Registry, error) {
	g := &Registry{
		vm: vm, heap: h,
		byName: map[string]*Class{}, byShort: map[string][]*Class{}, byCtor: map[*goja.Object]*Class{},
	}
	main, err := vm.RunProgram(resourceProgram())
	if err != nil {
		return nil, fmt.Errorf("resource.js: %w", err)
	}
	f, _ := goja.AssertFunction(main)
	lib, err := f(goja.Undefined(), g.host())
	if err != nil {
		return nil, fmt.Errorf("resource.js: %w", err)
	}
	g.lib = library{vm: vm, object: lib.(*goja.Object), functions: map[string]goja.Callable{}, prototypes: map[string]*goja.Object{}}
	prototypes := g.lib.get("prototypes").(*goja.Object)
	for _, name := range prototypes.Keys() {
		g.lib.prototypes[name] = prototypes.Get(name).(*goja.Object)
	}
	resource := g.lib.get("Resource").(*goja.Object)
	base := &Class{Name: "Resource", Builtin: true, script: scriptClass{prototype: resource.Get("prototype").(*goja.Object)}}
	base.script.constructor = h.Track(resource, base)
	g.all, g.byCtor[resource], g.byName[base.Name], g.byShort[base.Name] = []*Class{base}, base, base, []*Class{base}
	if err := g.Register("Environment", "", g.lib.get("Environment").(*goja.Object)); err != nil {
		return nil, err
	}
	g.Environment().Builtin = true
	return g, g.Resolve()
}

// host is what resource.js asks of Go.
func (g *Registry) host() *goja.Object {
	host := g.vm.NewObject()
	define := func(name string, f func(goja.FunctionCall) goja.Value) {
		if err := host.Set(name, f); err != nil {
			panic(err) // a plain object takes every property
		}
	}
	header := func(name string, f func(*Object) goja.Value) {
		define(name, func(c goja.FunctionCall) goja.Value {
			if o := g.Find(c.Argument(0)); o != nil {
				return f(o)
			}
			return goja.Undefined() // Resource.prototype itself
		})
	}
	header("id", func(o *Object) goja.Value { return g.vm.ToValue(o.ID) })
	header("type", func(o *Object) goja.Value { return g.vm.ToValue(o.Type()) })
	header("name", func(o *Object) goja.Value {
		if o.Name == "" {
			return goja.Undefined()
		}
		return g.vm.ToValue(o.Name)
	})
	header("owner", func(o *Object) goja.Value {
		if o.owner == nil {
			return goja.Null()
		}
		return o.owner.Value()
	})
	define("find", func(c goja.FunctionCall) goja.Value { return g.findOwner(c.Argument(0), c.Argument(1)) })
	define("destroyedMessage", func(c goja.FunctionCall) goja.Value { return g.destroyedMessage(c.Argument(0), c.Argument(1)) })
	define("destroy", func(c goja.FunctionCall) goja.Value {
		return g.callDestroy(c.Argument(0), int(c.Argument(1).ToInteger()))
	})
	define("stopping", func(goja.FunctionCall) goja.Value {
		return g.vm.ToValue(g.store != nil && g.store.opts.Stopping != nil && g.store.opts.Stopping())
	})
	define("blame", func(c goja.FunctionCall) goja.Value {
		if o := g.Find(c.Argument(0)); o != nil && g.blame != nil {
			g.blame(o, c.Argument(1))
		}
		return goja.Undefined()
	})
	define("within", func(c goja.FunctionCall) goja.Value {
		method, _ := goja.AssertFunction(c.Argument(1))
		var result goja.Value
		call := func() {
			list := c.Argument(2).(*goja.Object) // made by resource.js
			args := make([]goja.Value, list.Get("length").ToInteger())
			for i := range args {
				args[i] = list.Get(strconv.Itoa(i))
			}
			var err error
			if result, err = method(c.Argument(0), args...); err != nil {
				panic(err) // as it was thrown
			}
		}
		if o := g.Find(c.Argument(0)); o != nil && g.onBehalf != nil {
			g.onBehalf(o, call)
		} else {
			call()
		}
		return result
	})
	define("construct", func(c goja.FunctionCall) goja.Value {
		return g.construct(c.Argument(0), c.Argument(1), c.Argument(2), c.Argument(3), c.Argument(4))
	})
	return host
}

func (g *Registry) findOwner(v, class goja.Value) goja.Value {
	o := g.Find(v)
	if o == nil {
		return goja.Null()
	}
	var wanted *Class
	if s, ok := class.(goja.String); ok {
		c, err := g.Lookup(s.String())
		if err != nil {
			panic(g.typeError("$find: %v", err))
		}
		wanted = c
	} else if f, ok := class.(*goja.Object); ok && g.IsClass(f) {
		wanted = g.byCtor[f]
		if wanted == nil {
			return goja.Null() // no object can have a class that was never seen
		}
	} else {
		panic(g.typeError("$find: expected a class that extends Resource, got %s", Describe(class)))
	}
	for p := o.owner; p != nil; p = p.owner {
		if p.Class.Is(wanted) {
			return p.Value()
		}
	}
	return goja.Null()
}

func (g *Registry) typeError(format string, args ...any) *goja.Object {
	return g.vm.NewTypeError("%s", fmt.Sprintf(format, args...))
}
