package vmheap

import (
	"maps"
	"reflect"
	"slices"
	"unsafe"

	"github.com/dop251/goja"
	"github.com/dop251/goja/unistring"
)

// visitor decides about the references that a walker meets. Each method gets the
// place of the reference, may change it, and says whether to follow what is there
// now (the walker follows everything once).
type visitor interface {
	object(slot **goja.Object) bool
	deep(slot *ptr, k kind) bool // kStash, kOMap, kPtr, kInner
	iterator(at ptr)             // an orderedMapIter, before its fields
	changed(omap ptr)            // keys of this orderedMap were changed by object
}

// walker goes over goja's heap by plans. It keeps a list of work and never
// recurses, whatever the program built.
type walker struct {
	h    *Heap
	v    visitor
	seen *addrs[struct{}]
	work []item
	base item // what is being scanned: pointers into it are its own
	// ordered makes the walk the same in every run, which costs sorting
	ordered bool
}

// item is a struct to scan: at has the type of plan. A nil plan means an orderedMap.
type item struct {
	plan *plan
	at   ptr
}

func (w *walker) push(p *plan, at ptr) {
	if w.seen.add(uintptr(at), struct{}{}) {
		w.work = append(w.work, item{p, at})
	}
}

// run scans everything that was pushed and whatever follows from it.
func (w *walker) run() {
	for len(w.work) > 0 {
		w.base = w.work[len(w.work)-1]
		w.work = w.work[:len(w.work)-1]
		if w.base.plan == nil {
			w.omap(w.base.at)
			continue
		}
		if w.base.plan.t == w.h.l.orderedMapIter {
			w.v.iterator(w.base.at)
		}
		w.scan(w.base.plan, w.base.at)
	}
	w.base = item{}
}

func (w *walker) own(p ptr) bool {
	return w.base.plan != nil && uintptr(p)-uintptr(w.base.at) < w.base.plan.size
}

// scan visits the references in the value of type p.t at p.
func (w *walker) scan(p *plan, at ptr) {
	for i := range p.ops {
		w.op(&p.ops[i], unsafe.Add(at, p.ops[i].off))
	}
}

func (w *walker) op(o *op, at ptr) {
	switch o.kind {
	case kObject:
		w.object((**goja.Object)(at))
	case kValue:
		w.value((*goja.Value)(at))
	case kValues:
		vs := *(*[]goja.Value)(at)
		for i := range vs {
			w.value(&vs[i])
		}
	case kProps:
		w.props(*(*map[unistring.String]goja.Value)(at))
	case kPtrMap:
		for _, q := range *(*map[ptr]ptr)(at) {
			if q != nil {
				w.push(o.sub, q)
			}
		}
	case kOMap, kStash, kPtr, kInner:
		if s := (*ptr)(at); *s != nil && !w.own(*s) {
			w.deep(s, o)
		}
	case kImpl:
		if q := *(*ptr)(at); q != nil && !w.own(q) {
			w.impl((*ptr)(at), o.sub)
		}
	case kSlice:
		s := (*sliceWords)(at)
		for i := range s.len {
			w.scan(o.sub, unsafe.Add(s.p, uintptr(i)*o.sub.size))
		}
	case kArray:
		for i := range o.n {
			w.scan(o.sub, unsafe.Add(at, uintptr(i)*o.sub.size))
		}
	case kDynamic:
		w.dynamic(o.t, at)
	case kFunc:
		w.closure(at)
	}
}

func (w *walker) props(m map[unistring.String]goja.Value) {
	if w.ordered {
		for _, name := range slices.Sorted(maps.Keys(m)) {
			v := m[name]
			w.value(&v)
		}
		return
	}
	for name, v := range m {
		if v == nil {
			continue
		}
		was := (*words)(ptr(&v)).data
		w.value(&v)
		if (*words)(ptr(&v)).data != was {
			m[name] = v
		}
	}
}

func (w *walker) object(slot **goja.Object) {
	if *slot == nil || !w.v.object(slot) {
		return
	}
	o := *slot
	if !w.seen.add(uintptr(ptr(o)), struct{}{}) {
		return
	}
	if iw, p := w.h.impl(o); p != nil {
		w.work = append(w.work, item{p, iw.data})
	}
}

func (w *walker) deep(s *ptr, o *op) {
	if !w.v.deep(s, o.kind) {
		return
	}
	switch o.kind {
	case kOMap:
		w.push(nil, *s)
	case kStash, kPtr:
		if len(o.sub.ops) > 0 {
			w.push(o.sub, *s)
		}
	case kInner:
		if o.t.Elem() == typeValue && w.seen.add(uintptr(*s), struct{}{}) {
			w.value((*goja.Value)(*s))
		}
	}
}

// impl handles a pointer to the implementation q of another object: the object is
// what is referred to.
func (w *walker) impl(slot *ptr, p *plan) {
	o := *at[*goja.Object](*slot, w.h.l.baseVal)
	if o == nil || (*words)(ptr(o)).data != *slot {
		w.push(p, *slot) // part of an implementation, as in a tagged template
		return
	}
	was := o
	w.object(&o)
	if o != was {
		*slot = (*words)(ptr(o)).data
	}
}

func (w *walker) value(slot *goja.Value) {
	s := (*words)(ptr(slot))
	if s.tab == w.h.l.objectTab {
		w.object((**goja.Object)(ptr(&s.data)))
		return
	}
	if s.tab == nil {
		return
	}
	d, ok := w.h.dyn[s.tab]
	if !ok {
		d = w.h.learn(s.tab, reflect.TypeOf(*slot))
	}
	if d.plan != nil && !w.own(s.data) {
		w.push(d.plan, s.data)
	}
}

// dynamic visits an interface of type t other than goja.Value.
func (w *walker) dynamic(t reflect.Type, at ptr) {
	s := (*words)(at)
	if s.tab == nil || s.data == nil {
		return
	}
	d, ok := w.h.dyn[s.tab]
	if !ok {
		d = w.h.learn(s.tab, reflect.NewAt(t, at).Elem().Elem().Type())
	}
	switch {
	case d.object:
		w.object((**goja.Object)(ptr(&s.data)))
	case d.plan == nil || w.own(s.data):
	case d.impl:
		w.impl(&s.data, d.plan)
	default:
		w.push(d.plan, s.data)
	}
}

func (w *walker) omap(m ptr) {
	l, moved := w.h.l, false
	for e := *at[ptr](m, l.omFirst); e != nil; e = *at[ptr](e, l.entNext) {
		key := at[goja.Value](e, l.entKey)
		was := (*words)(ptr(key)).data
		w.value(key)
		moved = moved || (*words)(ptr(key)).data != was
		w.value(at[goja.Value](e, l.entValue))
	}
	if moved {
		w.v.changed(m)
	}
}
