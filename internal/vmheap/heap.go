package vmheap

import (
	"errors"
	"reflect"
	"sync"
	"unsafe"
	"weak"

	"github.com/dop251/goja"
)

// engine is what all heaps of the process share: the layout of the linked goja and
// the plans of its types.
type engine struct {
	l     *layout
	plans *planner
}

var linked = sync.OnceValues(func() (*engine, error) { return newEngine(nil, layoutText) })

// Check says whether the linked goja is laid out as this package expects. The error
// names the type and the field that moved or changed type. Safe for concurrent use.
func Check() error {
	_, err := linked()
	return err
}

// Heap knows the objects of one goja.Runtime that somebody tracks. Its methods must
// be called on the goroutine that runs the runtime, or on one that this goroutine
// waits for. Heaps of different runtimes are independent.
type Heap struct {
	r        *goja.Runtime
	l        *layout
	plans    *planner
	dyn      map[ptr]dynamic // by type table: lock-free copies of what plans knows
	impls    map[ptr]*plan   // by type table of an implementation; nil: not followed
	types    map[reflect.Type]*plan
	closures map[uintptr]*closureKind // by code address

	refs     map[uintptr]*Ref // by address of the object
	kept     []*Ref           // see Keep
	weakened int              // at most so many of them are weakened
	purgeAt  int              // the number of weakened refs at which vanished ones are dropped
	met      int              // what the last trace met
}

// New returns a heap for r with nothing tracked. It fails as Check does.
func New(r *goja.Runtime) (*Heap, error) {
	if r == nil {
		return nil, errors.New("vmheap: no runtime")
	}
	e, err := linked()
	if err != nil {
		return nil, err
	}
	return newHeap(r, e), nil
}

func newHeap(r *goja.Runtime, e *engine) *Heap {
	return &Heap{
		r: r, l: e.l, plans: e.plans,
		dyn: map[ptr]dynamic{}, impls: map[ptr]*plan{}, types: map[reflect.Type]*plan{}, closures: map[uintptr]*closureKind{},
		refs: map[uintptr]*Ref{},
	}
}

func (h *Heap) vm() ptr { return *at[ptr](ptr(h.r), h.l.rtVM) }

func (h *Heap) planOf(t reflect.Type) *plan {
	p, ok := h.types[t]
	if !ok {
		p = h.plans.plan(t)
		h.types[t] = p
	}
	return p
}

// learn finds out, once per heap, what a type table of an interface stands for.
func (h *Heap) learn(tab ptr, t reflect.Type) dynamic {
	d := h.plans.classify(t)
	h.dyn[tab] = d
	return d
}

// impl returns the words of o's implementation and the plan of what they point to;
// nil if that is not to be followed.
func (h *Heap) impl(o *goja.Object) (*words, *plan) {
	w := (*words)(ptr(o)) // self is the first field: resolve has checked
	if w.tab == nil || w.data == nil {
		return w, nil
	}
	p, ok := h.impls[w.tab]
	if !ok {
		if t := implOf(o); t != nil && inGoja(t) && !opaque[t.Name()] {
			p = h.plans.plan(t)
		}
		h.impls[w.tab] = p
	}
	return w, p
}

// Ref is the identity of one tracked object. It stays the same when a collection
// replaces the object by its clone.
type Ref struct {
	// Data belongs to the caller. It must not lead to objects of the runtime other
	// than through a Ref, or nothing that it leads to is ever found dead.
	Data any

	addr    uintptr
	strong  *goja.Object              // nil: weakened, untracked, or in doubt during Find
	weak    weak.Pointer[goja.Object] // if weakened
	kept    *goja.Object              // see Keep
	marked  bool                      // a candidate of the running Find
	watched bool                      // see Watch
}

// Object returns the object: nil if the ref was untracked, or was weakened and
// the object is gone.
func (r *Ref) Object() *goja.Object {
	if r.strong != nil {
		return r.strong
	}
	return r.weak.Value()
}

// Track makes o a tracked object, held strongly from now on, and returns its ref.
// An object has one ref: a tracked one keeps its own, made strong, with data as Data.
// Host objects (made from Go values, dynamic objects) can be tracked, but Find never
// finds them dead.
func (h *Heap) Track(o *goja.Object, data any) *Ref {
	r := h.Lookup(o)
	if r == nil {
		r = &Ref{addr: uintptr(unsafe.Pointer(o))}
		h.refs[r.addr] = r
	}
	r.Data, r.strong, r.weak = data, o, weak.Pointer[goja.Object]{}
	return r
}

// Lookup returns the ref of o, strong or weakened; nil if o is not tracked. It runs
// no code of the script.
func (h *Heap) Lookup(o *goja.Object) *Ref {
	if o == nil {
		return nil
	}
	if r := h.refs[uintptr(unsafe.Pointer(o))]; r != nil && r.Object() == o {
		return r
	}
	return nil // never tracked, or a new object where a weakened one was
}

// Weaken lets go of the object and keeps its identity: Lookup finds the ref for as
// long as something else keeps the object. A revival that replaces the object
// changes the ref as well.
func (h *Heap) Weaken(r *Ref) {
	if r.strong == nil {
		return
	}
	h.weaken(r, r.strong)
}

func (h *Heap) weaken(r *Ref, o *goja.Object) {
	r.weak, r.strong = weak.Make(o), nil
	if h.weakened++; h.weakened > h.purgeAt {
		h.purge()
	}
}

// Untrack forgets the ref and lets go of its object. One that is watched is only weakened, and loses its Data.
func (h *Heap) Untrack(r *Ref) {
	if r.watched {
		r.Data = nil
		h.Weaken(r)
		return
	}
	if h.refs[r.addr] == r {
		delete(h.refs, r.addr)
	}
	r.strong, r.weak = nil, weak.Pointer[goja.Object]{}
}

// purge drops the refs of objects that vanished. It looks at every ref, so that the
// next one waits until that has paid.
func (h *Heap) purge() {
	h.weakened = 0
	for a, r := range h.refs {
		if r.strong != nil {
			continue
		}
		if r.weak.Value() == nil {
			delete(h.refs, a)
		} else {
			h.weakened++
		}
	}
	h.purgeAt = 2*h.weakened + len(h.refs)/4 + 64
}
