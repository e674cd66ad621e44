package vmheap

import (
	"runtime"
	"unsafe"

	"github.com/dop251/goja"
)

// Weak references of scripts. They are refs: a weakened one follows its object when a collection replaces that by
// its clone, and a tracked one does, too. What refers to an object weakly keeps its Ref, and nothing else of it.

// Watch returns the ref of o for something that refers to it weakly. One that is not tracked gets a weakened ref.
func (h *Heap) Watch(o *goja.Object) *Ref {
	r := h.Lookup(o)
	if r == nil {
		r = &Ref{addr: uintptr(unsafe.Pointer(o))}
		h.refs[r.addr] = r
		h.weaken(r, o)
	}
	r.watched = true
	return r
}

// tracked is Lookup without refs that are there only because something watches their objects.
func (h *Heap) tracked(o *goja.Object) *Ref {
	if r := h.Lookup(o); r != nil && (r.Data != nil || !r.watched) {
		return r
	}
	return nil
}

// Keep holds the object of r until LetGo, so that a weak reference to it answers the same until then. That saves no
// candidate of Find: one that is found dead is kept as the clone that it has become.
func (h *Heap) Keep(r *Ref) {
	if r.kept != nil {
		return
	}
	if r.kept = r.Object(); r.kept != nil {
		h.kept = append(h.kept, r)
	}
}

// LetGo ends all Keeps and says whether there were any.
func (h *Heap) LetGo() bool {
	if len(h.kept) == 0 {
		return false
	}
	for i, r := range h.kept {
		r.kept, h.kept[i] = nil, nil
	}
	h.kept = h.kept[:0]
	return true
}

// Collect makes weak references to what nothing reaches answer so. Unless always is set, it runs Go's collector only
// if a watched object has not been met by tracing. As Find, it must be called on the goroutine that runs the runtime.
func (h *Heap) Collect(always bool) {
	h.scrub()
	suspects := h.unmet()
	if !always && len(suspects) == 0 {
		return
	}
	for range 2 {
		runtime.GC()
		if !survivors(suspects) {
			break
		}
	}
}

// unmet lists the watched objects that are held weakly and that tracing does not meet. (It also forgets what ended
// generators hold.)
//
//go:noinline
func (h *Heap) unmet() []*Ref {
	t := h.trace(nil, nil)
	var list []*Ref
	for _, r := range h.refs {
		if r.watched && r.strong == nil && !t.seen.has(r.addr) && r.weak.Value() != nil {
			list = append(list, r)
		}
	}
	return list
}

// survivors says whether an object of refs is still there. It must not keep what the weak pointers return.
//
//go:noinline
func survivors(refs []*Ref) bool {
	for _, r := range refs {
		if r.weak.Value() != nil {
			return true
		}
	}
	return false
}
