package vmheap

import (
	"unsafe"

	"github.com/dop251/goja"
)

// repointer goes over the clones of the dead and lets what refers to a clone of
// something that lives refer to the original again.
type repointer struct {
	walker
	clones *addrs[int32] // clone -> index of its node
	nodes  []node
}

func (rv *revival) repoint(dead []*Ref) {
	f := &repointer{clones: newAddrs[int32](len(rv.nodes)), nodes: rv.nodes}
	for i := range rv.nodes {
		f.clones.add(uintptr(rv.nodes[i].clone), int32(i))
	}
	f.walker = walker{h: rv.h, v: f, seen: newAddrs[struct{}](2 * len(rv.nodes))}
	for _, r := range dead {
		o := r.strong
		f.walker.object(&o)
	}
	for _, m := range rv.weakened {
		if rv.nodes[m.node].live == nil {
			o := (*goja.Object)(rv.nodes[m.node].clone)
			f.walker.object(&o)
		}
	}
	f.run()
	l := rv.h.l
	for _, in := range rv.inner {
		if in.node < 0 || rv.nodes[in.node].live == nil {
			continue
		}
		live := rv.nodes[in.node].live
		if in.cell {
			live = ptr(unsafe.SliceData(*at[[]goja.Value](live, l.stashValues)))
		}
		*in.slot = unsafe.Add(live, in.offset)
	}
}

// object follows only clones of what is dead: the rest is the living program.
func (f *repointer) object(slot **goja.Object) bool {
	i, ok := f.clones.get(uintptr(ptr(*slot)))
	if ok && f.nodes[i].live != nil {
		*slot = (*goja.Object)(f.nodes[i].live)
		return false
	}
	return ok
}

func (f *repointer) deep(slot *ptr, k kind) bool {
	if k != kStash && k != kOMap {
		return true
	}
	i, ok := f.clones.get(uintptr(*slot))
	if ok && f.nodes[i].live != nil {
		*slot = f.nodes[i].live
		return false
	}
	return ok
}

// iterator keeps the place of an iterator whose map turns out to live.
func (f *repointer) iterator(it ptr) {
	l := f.h.l
	m := *at[ptr](it, l.oiMap)
	if i, ok := f.clones.get(uintptr(m)); ok && m != nil && f.nodes[i].live != nil {
		t := l.pairEntries(m, f.nodes[i].live)
		*at[ptr](it, l.oiCur) = l.counterpart(t, *at[ptr](it, l.oiCur))
	}
}

func (f *repointer) changed(m ptr) { f.h.l.rehash(m) }
