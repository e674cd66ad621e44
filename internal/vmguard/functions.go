package vmguard

import "github.com/dop251/goja"

func (g *guard) functions() error {
	list := func(i int) func(string, *goja.FunctionCall) {
		return func(name string, call *goja.FunctionCall) {
			if v := call.Argument(i); g.l.dense(v) == nil {
				g.steps(name, g.lengthOf(v), Arguments)
			} else {
				g.steps(name, int64(len(g.l.dense(v))), Arguments)
			}
		}
	}
	if err := g.call(list(1), "Function.prototype.apply", "Reflect.construct"); err != nil {
		return err
	}
	return g.call(list(2), "Reflect.apply")
}

// Properties are looked up on Go's stack, one frame for each prototype and each proxy.
func (g *guard) objects() error {
	if err := g.construct(g.newProxy, "Proxy"); err != nil {
		return err
	}
	if err := g.call(g.newPrototype(0, 1), "Object.setPrototypeOf", "Reflect.setPrototypeOf"); err != nil {
		return err
	}
	if err := g.call(g.newPrototype(-1, 0), "Object.create"); err != nil {
		return err
	}
	setter, err := g.r.RunString("Object.getOwnPropertyDescriptor(Object.prototype, '__proto__').set")
	if err != nil {
		return err
	}
	check := g.newPrototype(-2, 0)
	return g.replaceIn(setter.(*goja.Object), "__proto__", func(name string, f function) function {
		return func(call goja.FunctionCall) goja.Value {
			check(name, &call)
			return f(call)
		}
	})
}

func (g *guard) newProxy(name string, args []goja.Value) []goja.Value {
	o, _ := argument(args, 0).(*goja.Object)
	for n := 0; o != nil; n++ {
		if n > Brackets {
			g.exceeded(Nesting, "%s nests more than %d levels", name, Brackets)
		}
		o = g.l.proxied(o)
	}
	return args
}

// newPrototype checks a call that gives an object another prototype: argument of the object (-1: a new one, -2: the
// receiver) and of the prototype.
func (g *guard) newPrototype(object, proto int) func(name string, call *goja.FunctionCall) {
	return func(name string, call *goja.FunctionCall) {
		var o *goja.Object
		switch object {
		case -1:
		case -2:
			o, _ = call.This.(*goja.Object)
		default:
			o, _ = call.Argument(object).(*goja.Object)
		}
		p, _ := call.Argument(proto).(*goja.Object)
		proxies := false
		for n := 0; p != nil; n++ {
			if n > Prototypes {
				g.exceeded(Nesting, "%s makes a chain of more than %d prototypes", name, Prototypes)
			}
			if p == o && proxies {
				panic(g.r.NewTypeError("Cyclic __proto__ value"))
			}
			if target := g.l.proxied(p); target != nil {
				p, proxies = target, true
			} else {
				p = p.Prototype()
			}
		}
	}
}
