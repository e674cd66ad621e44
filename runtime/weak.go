package runtime

import (
	"runtime"
	"slices"
	"weak"

	"github.com/dop251/goja"

	"github.com/sextongc/sexton/internal/vmheap"
)

// WeakRef and FinalizationRegistry are in js/weak.js; here is what they cannot do themselves. What they hold weakly
// they hold through a host object, which the collector does not look into: Go's weak pointers decide, and those of
// package vmheap follow an object that a collection of managed objects replaces by its clone.

// weakly is what a runtime knows about its weak references.
type weakly struct {
	used       bool                  // there have been some
	symbols    bool                  // to symbols, too
	kept       map[*goja.Symbol]bool // of this job, as vmheap.Heap.Keep keeps objects
	collected  bool                  // this job has collected; what it keeps is to be collected when it ends
	registries []*registry
	armed      bool // the next cycle of Go's collector is going to be heard of
}

// target is what is held weakly: an object or a symbol. It is comparable.
type target struct {
	object *vmheap.Ref
	symbol weak.Pointer[goja.Symbol]
}

// registry is the host's part of a FinalizationRegistry; the script's part has what is held for the cells.
type registry struct {
	object  *vmheap.Ref // the FinalizationRegistry
	async   any         // the context in which it was made
	cells   map[uint64]cell
	tokens  map[target]map[uint64]bool
	last    uint64   // number of the last cell
	due     []uint64 // cells whose targets are gone, to be cleaned up next; some may not be there any more
	waiting bool     // a cleanup job is queued
}

type cell struct {
	target, token target // no token: the zero value
}

// openWeak evaluates js/weak.js.
func (rt *Runtime) openWeak() (*goja.Object, error) {
	lib, err := rt.script("weak", map[string]any{
		"ref": rt.newWeakRef, "deref": rt.deref,
		"registry": rt.newRegistry, "register": rt.register, "unregister": rt.unregister,
		"look": rt.lookForDead, "next": rt.nextDead,
	})
	if err != nil {
		return nil, err
	}
	rt.lib.cleanUp = lib.Get("cleanUp").(*goja.Object)
	if !rt.opts.ExposeGC {
		return lib, nil
	}
	gc := rt.Func("gc", func(goja.FunctionCall) goja.Value {
		rt.CollectGarbage()
		return goja.Undefined()
	})
	return lib, lib.Get("globals").(*goja.Object).Set("gc", gc)
}

// CollectGarbage runs the host's garbage collector: weak references to what nothing reaches are empty afterwards, and
// FinalizationRegistries hear of it in jobs of the loop. What a WeakRef was made of or answered during the running
// job follows when that ends. Managed objects are none of its business: no destructor runs.
func (rt *Runtime) CollectGarbage() {
	rt.collectWeak(true)
	rt.weak.collected = true
}

// ClearWeak is what a collection of managed objects ends with: weak references to what it destroyed, and to anything
// else that nothing reaches, are empty as after CollectGarbage. It costs next to nothing if there are none.
func (rt *Runtime) ClearWeak() {
	if rt.weak.used {
		rt.collectWeak(rt.weak.symbols)
		rt.weak.collected = true
	}
}

func (rt *Runtime) collectWeak(always bool) {
	rt.heap.Collect(always)
	rt.checkRegistries()
}

// endWeakJob ends what the standard calls KeepDuringJob.
func (rt *Runtime) endWeakJob() {
	w := &rt.weak
	kept := rt.heap.LetGo() || len(w.kept) > 0
	clear(w.kept)
	if w.collected {
		w.collected = false
		if kept {
			rt.collectWeak(w.symbols)
		}
	}
}

// weakTarget is the i-th argument of a call as something to hold weakly. The script has checked it.
func (rt *Runtime) weakTarget(call goja.FunctionCall, i int) target {
	rt.weak.used = true
	switch v := call.Argument(i).(type) {
	case *goja.Object:
		return target{object: rt.heap.Watch(v)}
	case *goja.Symbol:
		if rt.weak.symbols = true; rt.weak.kept == nil {
			rt.weak.kept = map[*goja.Symbol]bool{}
		}
		return target{symbol: weak.Make(v)}
	}
	return target{}
}

// value is the target, nil if it is gone.
func (t target) value() goja.Value {
	if t.object != nil {
		if o := t.object.Object(); o != nil {
			return o
		}
	} else if s := t.symbol.Value(); s != nil {
		return s
	}
	return nil
}

// keep keeps the target for the rest of the job.
func (rt *Runtime) keep(t target) {
	if t.object != nil {
		rt.heap.Keep(t.object)
	} else if s := t.symbol.Value(); s != nil {
		rt.weak.kept[s] = true
	}
}

// newWeakRef is host.ref(target): a handle for deref.
func (rt *Runtime) newWeakRef(call goja.FunctionCall) goja.Value {
	t := rt.weakTarget(call, 0)
	rt.keep(t)
	return rt.vm.ToValue(&t)
}

// deref is host.deref(handle): the target, undefined if it is gone.
func (rt *Runtime) deref(call goja.FunctionCall) goja.Value {
	t := call.Argument(0).Export().(*target)
	rt.keep(*t)
	if v := t.value(); v != nil {
		return v
	}
	return goja.Undefined()
}

// newRegistry is host.registry(object): a handle for the following.
func (rt *Runtime) newRegistry(call goja.FunctionCall) goja.Value {
	r := &registry{
		object: rt.heap.Watch(call.Argument(0).(*goja.Object)), async: rt.async,
		cells: map[uint64]cell{}, tokens: map[target]map[uint64]bool{},
	}
	rt.weak.registries = append(rt.weak.registries, r)
	return rt.vm.ToValue(r)
}

func registryOf(call goja.FunctionCall) *registry { return call.Argument(0).Export().(*registry) }

// register is host.register(registry, target, token): the number of the new cell.
func (rt *Runtime) register(call goja.FunctionCall) goja.Value {
	r := registryOf(call)
	c := cell{target: rt.weakTarget(call, 1), token: rt.weakTarget(call, 2)}
	r.last++
	r.cells[r.last] = c
	if c.token != (target{}) {
		if r.tokens[c.token] == nil {
			r.tokens[c.token] = map[uint64]bool{}
		}
		r.tokens[c.token][r.last] = true
	}
	rt.hearOfCycles()
	return rt.vm.ToValue(r.last)
}

// unregister is host.unregister(registry, token): the numbers of the cells that are no more.
func (rt *Runtime) unregister(call goja.FunctionCall) goja.Value {
	r, token := registryOf(call), rt.weakTarget(call, 1)
	var list []any
	for n := range r.tokens[token] {
		list = append(list, n)
		delete(r.cells, n)
	}
	delete(r.tokens, token)
	return rt.vm.NewArray(list...)
}

// lookForDead is host.look(registry): it looks again which cells nextDead is to answer.
func (rt *Runtime) lookForDead(call goja.FunctionCall) goja.Value {
	r := registryOf(call)
	r.due = r.dead()
	return goja.Undefined()
}

// nextDead is host.next(registry): the number of a cell whose target is gone, in the order of registration, and the
// cell is no more; undefined if there is none.
func (rt *Runtime) nextDead(call goja.FunctionCall) goja.Value {
	r := registryOf(call)
	for len(r.due) > 0 {
		n := r.due[0]
		r.due = r.due[1:]
		if c, ok := r.cells[n]; ok { // else it was taken back
			r.forget(n, c.token)
			return rt.vm.ToValue(n)
		}
	}
	return goja.Undefined()
}

func (r *registry) forget(n uint64, token target) {
	delete(r.cells, n)
	if delete(r.tokens[token], n); len(r.tokens[token]) == 0 {
		delete(r.tokens, token)
	}
}

// dead lists the cells whose targets are gone, in the order of registration.
func (r *registry) dead() []uint64 {
	var dead []uint64
	for n, c := range r.cells {
		if c.target.value() == nil {
			dead = append(dead, n)
		}
	}
	slices.Sort(dead)
	return dead
}

// checkRegistries queues a job for each registry that has cells whose targets are gone.
func (rt *Runtime) checkRegistries() {
	w := &rt.weak
	w.registries = slices.DeleteFunc(w.registries, func(r *registry) bool { return r.object.Object() == nil })
	for _, r := range w.registries {
		rt.enqueueCleanup(r)
	}
}

// enqueueCleanup queues a job if the registry has cells whose targets are gone, and none is queued. It is a timer's, so
// that callbacks which give their registry something to do for ever do not keep other timers waiting.
func (rt *Runtime) enqueueCleanup(r *registry) {
	if r.waiting {
		return
	}
	if len(r.due) == 0 {
		r.due = r.dead()
	}
	if r.waiting = len(r.due) > 0; r.waiting {
		rt.loop.scheduleLimit(rt.opts.Clock.Now(), func() { rt.cleanUp(r) })
	}
}

// cleanUp calls the callback of a registry for each target that is gone. A callback that throws costs the others nothing:
// they, and what is gone by then, have a job of their own.
func (rt *Runtime) cleanUp(r *registry) {
	r.waiting = false
	object := r.object.Object()
	if object == nil {
		return
	}
	rt.WithContext(r.async, func() {
		if _, err := rt.Call(rt.lib.cleanUp, nil, rt.limitOf(r.async), object); err != nil {
			rt.report(asScriptError(err), "finalization callback")
		}
	})
	if rt.watch.cause() == nil {
		rt.enqueueCleanup(r)
	}
}

// hearOfCycles has the registries checked after the next cycle of Go's collector, and those that follow.
func (rt *Runtime) hearOfCycles() {
	w := &rt.weak
	if w.armed || !slices.ContainsFunc(w.registries, func(r *registry) bool { return len(r.cells) > 0 }) {
		return
	}
	w.armed = true
	runtime.AddCleanup(&canary{}, func(rt weak.Pointer[Runtime]) {
		if rt := rt.Value(); rt != nil {
			rt.Enqueue(func() {
				rt.weak.armed = false
				rt.checkRegistries()
				rt.hearOfCycles()
			})
		}
	}, weak.Make(rt))
}

// canary is what nothing refers to. It is not of the kind of objects that Go's allocator puts together.
type canary struct{ _ *canary }
