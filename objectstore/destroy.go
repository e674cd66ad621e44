package objectstore

import (
	"fmt"
	"slices"

	"github.com/dop251/goja"
)

// destroyRun is one attempt at destroying an object: what the classes' destroy() have returned.
type destroyRun struct {
	results map[*Class]destroyResult
	call    DestroyCall
}

type destroyResult struct {
	value goja.Value // a promise, mostly; nil if it threw
	err   error
}

// DestroyCall runs one destroy() on an object under the caller's limits.
type DestroyCall func(destroy, object *goja.Object) (goja.Value, error)

// BeginDestroy begins an attempt at destroying o. Until EndDestroy its classes' destroy() may run,
// each once, where inDestroy says that code of this very attempt asks for it (gc 5.1).
func (g *Registry) BeginDestroy(o *Object, call DestroyCall) error {
	if v := o.ref.Object(); v != nil && slices.Contains(v.GetOwnPropertyNames(), "destroy") {
		return fmt.Errorf("TypeError: %s has an own property named destroy; destroy() is a method of the class that only the collector runs", o)
	}
	o.run = &destroyRun{results: map[*Class]destroyResult{}, call: call}
	return nil
}

// EndDestroy ends the attempt.
func (g *Registry) EndDestroy(o *Object) { o.run = nil }

// Complete notes that class c's destroy() is done: no attempt at destroying o calls it again.
func (o *Object) Complete(c *Class) {
	if o.completed == nil {
		o.completed = map[*Class]bool{}
	}
	o.completed[c] = true
}

// Started reports whether class c's destroy() has been called in the current attempt.
func (o *Object) Started(c *Class) bool {
	if o.run == nil {
		return false
	}
	_, ok := o.run.results[c]
	return ok
}

// Destroy calls class c's own destroy() on o and returns what it returned. One that ran already in
// this attempt, through super.destroy(), is not called again: its result is returned. A class without
// one, or whose one completed in an earlier attempt, gives nil.
func (g *Registry) Destroy(o *Object, c *Class) (goja.Value, error) {
	return o.run.once(o, c, o.run.call)
}

func (r *destroyRun) once(o *Object, c *Class, call DestroyCall) (goja.Value, error) {
	if r, ok := r.results[c]; ok {
		return r.value, r.err
	}
	if c.script.destroy == nil || o.completed[c] {
		return nil, nil
	}
	r.results[c] = destroyResult{value: goja.Undefined()} // while it runs: no second call
	v, err := call(c.script.destroy, o.ref.Object())
	if err == nil && isLoweredGenerator(v) {
		err = fmt.Errorf("destroy() is a generator, so its body has not run; write an async method")
	}
	r.results[c] = destroyResult{v, err}
	return v, err
}

// ReplaceDestroy returns the destroy() of the class with this prototype; nil if there is no such class, or if it
// has none of its own. Unless it is nil, f runs in its place from now on.
func (g *Registry) ReplaceDestroy(prototype, f *goja.Object) *goja.Object {
	for _, c := range g.all {
		if c.script.prototype == prototype && c.script.destroy != nil {
			original := c.script.destroy
			if f != nil {
				c.script.destroy = f
			}
			return original
		}
	}
	return nil
}

// isLoweredGenerator reports whether v is what an async generator gives: the build makes plain objects
// with these methods of them.
func isLoweredGenerator(v goja.Value) bool {
	x, ok := v.(*goja.Object)
	if !ok || x.ExportType() == typeProxy {
		return false
	}
	names := x.GetOwnPropertyNames()
	return slices.Contains(names, "next") && slices.Contains(names, "throw") && slices.Contains(names, "return")
}

// GuardDestroy sets who may call destroy(): inDestroy reports whether the code that runs now belongs
// to the current attempt at destroying o.
func (g *Registry) GuardDestroy(inDestroy func(o *Object) bool) { g.inDestroy = inDestroy }

// OnBehalf sets what runs an object's deploy() when a script calls it: fn, in the async context of o.
func (g *Registry) OnBehalf(run func(o *Object, fn func())) { g.onBehalf = run }

// OnBlame sets what hears which application's deploy() threw a value.
func (g *Registry) OnBlame(fn func(o *Object, thrown goja.Value)) { g.blame = fn }

// callDestroy is what a script's own call of destroy() runs into: super.destroy() from a destructor
// is right, everything else is a TypeError (gc 5.1).
func (g *Registry) callDestroy(this goja.Value, index int) goja.Value {
	o := g.Find(this)
	if o == nil {
		panic(g.typeError("destroy: expected a managed object, got %s", Describe(this)))
	}
	if o.run == nil || g.inDestroy == nil || !g.inDestroy(o) {
		panic(g.typeError("destroy() of %s: only the collector runs it; drop the object, then GC.collect()", o))
	}
	v, err := o.run.once(o, g.all[index], func(destroy, object *goja.Object) (goja.Value, error) {
		f, _ := goja.AssertFunction(destroy)
		return f(object)
	})
	if err != nil {
		g.rethrow(err) // limits are those of the destructor that called
	}
	if v == nil {
		return goja.Undefined()
	}
	return v
}
