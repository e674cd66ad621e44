package vmheap

import (
	"sort"
	"unsafe"
	"weak"

	"github.com/dop251/goja"
)

// Scopes, and what points into other structs: the variables of a function that its
// arguments object shares, references being assigned to, and the data of buffers.

// region is memory of an original and of its copy.
type region struct {
	src, size uintptr
	dst       ptr
	node      int32 // index of the scope that has it, or -1
}

// inner is a place in a copy that points into a region.
type inner struct {
	slot   *ptr
	src    uintptr
	cell   bool  // a variable of a scope
	node   int32 // the scope's node
	offset uintptr
}

// stash copies a scope.
func (c *cloner) stash(s ptr, p *plan) ptr {
	if d, ok := c.memo.get(uintptr(s)); ok {
		return d
	}
	if c.alive.has(uintptr(s)) {
		return s
	}
	d := c.copy(p, s)
	n := int32(len(c.nodes))
	c.nodes = append(c.nodes, node{original: weak.Make((*byte)(s)), clone: d})
	// The values are copied here, because a mapped arguments object points into them.
	src, dst := at[[]goja.Value](s, c.h.l.stashValues), at[[]goja.Value](d, c.h.l.stashValues)
	c.regions = append(c.regions, region{src: uintptr(s), size: p.size, dst: d, node: n})
	if len(*src) > 0 {
		*dst = append(make([]goja.Value, 0, len(*src)), *src...)
		c.regions = append(c.regions, valuesRegion(*src, ptr(unsafe.SliceData(*dst)), n))
	}
	return d
}

// cell returns a variable of its own to put in place of the one at q, which an
// arguments object refers to. If its scope is copied too, place corrects that.
func (c *cloner) cell(q ptr) ptr {
	if d, ok := c.memo.get(uintptr(q)); ok {
		return d
	}
	d := new(goja.Value)
	*d = *(*goja.Value)(q)
	c.memo.add(uintptr(q), ptr(d))
	c.value(d)
	return ptr(d)
}

// place lets pointers into other structs point into their copies.
func (c *cloner) place(liveScopes []ptr) {
	if len(c.inner) == 0 {
		return
	}
	l := c.h.l
	for _, s := range liveScopes {
		vs := *at[[]goja.Value](s, l.stashValues)
		c.regions = append(c.regions, valuesRegion(vs, ptr(unsafe.SliceData(vs)), -1))
	}
	sort.Slice(c.regions, func(i, j int) bool { return c.regions[i].src < c.regions[j].src })
	for i := range c.inner {
		in := &c.inner[i]
		j := sort.Search(len(c.regions), func(j int) bool { return c.regions[j].src > in.src }) - 1
		if j < 0 || in.src-c.regions[j].src >= c.regions[j].size {
			continue
		}
		r := &c.regions[j]
		in.node, in.offset = r.node, in.src-r.src
		*in.slot = unsafe.Add(r.dst, in.offset)
	}
}

func valuesRegion(src []goja.Value, dst ptr, n int32) region {
	return region{src: uintptr(ptr(unsafe.SliceData(src))), size: uintptr(len(src)) * unsafe.Sizeof(goja.Value(nil)), dst: dst, node: n}
}
