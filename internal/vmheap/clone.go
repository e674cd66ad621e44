package vmheap

import (
	"reflect"
	"unsafe"
	"weak"

	"github.com/dop251/goja"
	"github.com/dop251/goja/unistring"
)

// node is an original of which a clone was made: an object, a scope or an ordered
// map. These are what dead and living can share without an object in between.
type node struct {
	original weak.Pointer[byte]
	clone    ptr
	live     ptr // after the collection: the original, if it lives
}

// cloner copies everything reachable from the suspects, up to what certainly
// lives. It reads originals and writes only copies.
type cloner struct {
	h     *Heap
	alive *addrs[struct{}] // what the tracer met
	memo  *addrs[ptr]      // original -> copy, for everything copied
	nodes []node
	work  []copied
	base  copied

	regions []region // copies that inner pointers may lead into
	inner   []inner
	iters   []copied // orderedMapIters: their place is an entry of the original
}

// copied is a struct that was copied bit by bit and still refers to originals.
type copied struct {
	plan     *plan
	src, dst ptr
}

func newCloner(h *Heap, alive *addrs[struct{}], n int) *cloner {
	return &cloner{h: h, alive: alive, memo: newAddrs[ptr](4 * n)}
}

// object returns the clone to put in place of o, or o if it stays.
func (c *cloner) object(o *goja.Object) *goja.Object {
	a := uintptr(ptr(o))
	if d, ok := c.memo.get(a); ok {
		return (*goja.Object)(d)
	}
	if c.alive.has(a) {
		return o
	}
	s, p := c.h.impl(o)
	if p == nil {
		return o // a host object: shared
	}
	clone := new(goja.Object)
	*clone = *o
	c.memo.add(a, ptr(clone))
	c.nodes = append(c.nodes, node{original: weak.Make((*byte)(ptr(o))), clone: ptr(clone)})
	(*words)(ptr(clone)).data = c.copy(p, s.data)
	return clone
}

// copy returns the copy of the struct at src; its references are set right by run.
func (c *cloner) copy(p *plan, src ptr) ptr {
	if d, ok := c.memo.get(uintptr(src)); ok {
		return d
	}
	v := reflect.New(p.t)
	v.Elem().Set(reflect.NewAt(p.t, src).Elem())
	dst := v.UnsafePointer()
	c.memo.add(uintptr(src), dst)
	c.work = append(c.work, copied{p, src, dst})
	if c.h.l.regionTypes[p.t] {
		c.regions = append(c.regions, region{src: uintptr(src), size: p.size, dst: dst, node: -1})
	}
	return dst
}

// run sets the references of all copies right, making further copies on the way.
func (c *cloner) run() {
	for len(c.work) > 0 {
		c.base = c.work[len(c.work)-1]
		c.work = c.work[:len(c.work)-1]
		c.fix(c.base.plan, c.base.dst)
	}
	c.base = copied{}
}

func (c *cloner) fix(p *plan, at ptr) {
	for i := range p.ops {
		c.fixOp(&p.ops[i], unsafe.Add(at, p.ops[i].off))
	}
}

func (c *cloner) fixOp(o *op, p ptr) {
	switch o.kind {
	case kObject:
		if s := (**goja.Object)(p); *s != nil {
			*s = c.object(*s)
		}
	case kValue:
		c.value((*goja.Value)(p))
	case kValues:
		if s := (*[]goja.Value)(p); c.base.plan.t != c.h.l.stashType || o.off != c.h.l.stashValues.off {
			c.values(s)
		} else {
			for i := range *s { // copied by stash already
				c.value(&(*s)[i])
			}
		}
	case kProps:
		c.props((*map[unistring.String]goja.Value)(p))
	case kPtrMap:
		c.ptrMap(o, p)
	case kOMap:
		if s := (*ptr)(p); *s != nil {
			*s = c.omap(*s)
		}
	case kEntry:
		if *(*ptr)(p) != nil && c.base.plan.t == c.h.l.orderedMapIter {
			c.iters = append(c.iters, c.base)
		}
	case kStash:
		if s := (*ptr)(p); *s != nil {
			*s = c.stash(*s, o.sub)
		}
	case kPtr:
		if s := (*ptr)(p); *s != nil {
			*s = c.pointer(*s, o.sub)
		}
	case kImpl:
		if s := (*ptr)(p); *s != nil {
			*s = c.impl(*s, o.sub)
		}
	case kInner:
		if s := (*ptr)(p); *s != nil {
			in := inner{slot: s, src: uintptr(*s), node: -1, cell: o.t.Elem() == typeValue}
			if in.cell {
				*s = c.cell(*s)
			}
			c.inner = append(c.inner, in)
		}
	case kSlice:
		c.slice(o, p)
	case kArray:
		for i := range o.n {
			c.fix(o.sub, unsafe.Add(p, uintptr(i)*o.sub.size))
		}
	case kDynamic:
		c.dynamic(o.t, p)
	case kFunc:
		c.closure(p)
	}
}

func (c *cloner) values(s *[]goja.Value) {
	if *s == nil {
		return
	}
	n := make([]goja.Value, len(*s))
	copy(n, *s)
	for i := range n {
		c.value(&n[i])
	}
	*s = n
}

func (c *cloner) props(s *map[unistring.String]goja.Value) {
	if *s == nil {
		return
	}
	n := make(map[unistring.String]goja.Value, len(*s))
	for k, v := range *s {
		c.value(&v)
		n[k] = v
	}
	*s = n
}

// ptrMap copies a map from identities, which stay, to structs, which are copied.
func (c *cloner) ptrMap(o *op, p ptr) {
	m := reflect.NewAt(o.t, p).Elem()
	if m.IsNil() {
		return
	}
	src := *(*map[ptr]ptr)(p)
	n := reflect.MakeMapWithSize(o.t, len(src))
	dst := *(*map[ptr]ptr)(mapPointer(n))
	for k, q := range src {
		if q != nil {
			q = c.pointer(q, o.sub)
		}
		dst[k] = q
	}
	m.Set(n)
}

// mapPointer returns the address of a variable that holds the map v.
func mapPointer(v reflect.Value) ptr {
	x := reflect.New(v.Type())
	x.Elem().Set(v)
	return x.UnsafePointer()
}

func (c *cloner) slice(o *op, p ptr) {
	v := reflect.NewAt(o.t, p).Elem()
	if v.IsNil() {
		return
	}
	n := reflect.MakeSlice(o.t, v.Len(), v.Len())
	reflect.Copy(n, v)
	v.Set(n)
	s := (*sliceWords)(p)
	for i := range s.len {
		c.fix(o.sub, unsafe.Add(s.p, uintptr(i)*o.sub.size))
	}
}

// pointer returns what to put in place of a pointer to a struct.
func (c *cloner) pointer(q ptr, p *plan) ptr {
	if d := uintptr(q) - uintptr(c.base.src); d < c.base.plan.size {
		return unsafe.Add(c.base.dst, d)
	}
	if len(p.ops) == 0 || c.alive.has(uintptr(q)) {
		return q
	}
	return c.copy(p, q)
}

// impl returns what to put in place of a pointer to the implementation of an object.
func (c *cloner) impl(q ptr, p *plan) ptr {
	o := *at[*goja.Object](q, c.h.l.baseVal)
	if o == nil || (*words)(ptr(o)).data != q {
		return c.pointer(q, p)
	}
	return (*words)(ptr(c.object(o))).data
}

func (c *cloner) value(slot *goja.Value) {
	s := (*words)(ptr(slot))
	if s.tab == c.h.l.objectTab {
		if s.data != nil {
			s.data = ptr(c.object((*goja.Object)(s.data)))
		}
		return
	}
	if s.tab == nil {
		return
	}
	d, ok := c.h.dyn[s.tab]
	if !ok {
		d = c.h.learn(s.tab, reflect.TypeOf(*slot))
	}
	if d.plan != nil {
		s.data = c.pointer(s.data, d.plan)
	}
}

func (c *cloner) dynamic(t reflect.Type, p ptr) {
	s := (*words)(p)
	if s.tab == nil || s.data == nil {
		return
	}
	d, ok := c.h.dyn[s.tab]
	if !ok {
		d = c.h.learn(s.tab, reflect.NewAt(t, p).Elem().Elem().Type())
	}
	switch {
	case d.object:
		s.data = ptr(c.object((*goja.Object)(s.data)))
	case d.inner:
		c.inner = append(c.inner, inner{slot: &s.data, src: uintptr(s.data), node: -1})
	case d.impl:
		s.data = c.impl(s.data, d.plan)
	case d.plan != nil:
		s.data = c.pointer(s.data, d.plan)
	}
}
