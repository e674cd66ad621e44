package vmheap

import (
	"runtime"
	"weak"

	"github.com/dop251/goja"
)

// Find returns those of refs, in their order, whose objects nothing reaches any
// more: not roots, not the globals, not the running frames, not a queued job, and
// nothing that Go code holds. Their objects are intact copies by then, and the refs
// are strong. Strong refs that are not among refs count as roots; weakened ones do
// not. The answer is exact for what this package sees, and late, never early, where
// only native code sees a reference.
//
// Find stops the script's world only in the sense that it must be called on the
// goroutine that runs the runtime, usually by a native function. The caller must not
// hold objects of refs in variables or maps of its own when it calls.
func (h *Heap) Find(refs, roots []*Ref) []*Ref {
	h.scrub()
	rv := h.detach(refs, roots)
	if rv == nil {
		return nil
	}
	for range 2 {
		runtime.GC()
		if !rv.survivors() {
			break
		}
	}
	return rv.revive()
}

// revival is what is left of the suspects while Go's collector decides: copies, and
// weak pointers to the originals.
type revival struct {
	h        *Heap
	suspects []*Ref // the first nodes are theirs
	nodes    []node
	inner    []inner
	weakened []moved
}

// moved is a weakened ref whose object was cloned.
type moved struct {
	ref  *Ref
	node int32
}

// detach takes every strong reference to the suspects out of the heap. It returns
// nil if there are none. Whatever refers to an original lives in its frame, which is
// gone when it returns.
//
//go:noinline
func (h *Heap) detach(refs, roots []*Ref) *revival {
	t := h.trace(refs, roots)
	suspects := make([]*Ref, 0, 16)
	for _, r := range refs {
		if r.marked && !t.seen.has(r.addr) && h.clonable(r.strong) {
			suspects = append(suspects, r)
		}
		r.marked = false
	}
	if len(suspects) == 0 {
		return nil
	}
	c := newCloner(h, t.seen, len(suspects))
	for _, r := range suspects {
		c.object(r.strong)
	}
	c.run()
	c.placeIterators()
	c.place(t.scopes)
	rv := &revival{h: h, suspects: suspects, nodes: c.nodes, inner: c.inner}
	if h.weakened > 0 {
		rv.weakened = c.weakened()
	}
	for _, r := range suspects {
		r.strong, r.kept = nil, nil
	}
	return rv
}

// clonable says whether o can be revived. What a host object is made of belongs to the
// host, so that it is never found dead.
func (h *Heap) clonable(o *goja.Object) bool {
	_, p := h.impl(o)
	return p != nil
}

// trace marks the candidates and visits everything that certainly lives.
func (h *Heap) trace(refs, roots []*Ref) *tracer {
	for _, r := range refs {
		r.marked = r.strong != nil
	}
	t := newTracer(h, h.met)
	for _, r := range roots {
		if r != nil && r.strong != nil {
			t.root(r.strong)
		}
	}
	for _, r := range h.refs {
		if r.strong != nil && !r.marked {
			t.root(r.strong)
		}
	}
	for _, r := range h.kept {
		if !r.marked {
			t.root(r.kept)
		}
	}
	t.realm()
	t.frames()
	t.run()
	h.met = t.seen.n
	return t
}

// weakened lists the weakened refs among what was cloned.
func (c *cloner) weakened() []moved {
	refs := map[uintptr]*Ref{} // by address of the clone
	for _, r := range c.h.refs {
		if d, ok := c.memo.get(r.addr); ok && r.strong == nil && r.weak.Value() != nil {
			refs[uintptr(d)] = r
		}
	}
	var list []moved
	for i := range c.nodes {
		if r := refs[uintptr(c.nodes[i].clone)]; r != nil {
			list = append(list, moved{ref: r, node: int32(i)})
		}
	}
	return list
}

// survivors says whether a suspect was not collected. It must not keep what the
// weak pointers return.
//
//go:noinline
func (rv *revival) survivors() bool {
	for i := range rv.suspects {
		if rv.nodes[i].original.Value() != nil {
			return true
		}
	}
	return false
}

// revive gives survivors their originals back and makes the clones of the dead
// objects of their own.
func (rv *revival) revive() []*Ref {
	h := rv.h
	for i := range rv.nodes {
		rv.nodes[i].live = ptr(rv.nodes[i].original.Value())
	}
	var dead []*Ref
	for i, r := range rv.suspects {
		n := &rv.nodes[i]
		if n.live != nil {
			r.strong = (*goja.Object)(n.live)
			continue
		}
		h.move(r, n.clone)
		r.strong = (*goja.Object)(n.clone)
		dead = append(dead, r)
	}
	for _, m := range rv.weakened {
		if n := &rv.nodes[m.node]; n.live == nil && m.ref.weak.Value() == nil {
			h.move(m.ref, n.clone)
			m.ref.weak = weak.Make((*goja.Object)(n.clone))
		}
	}
	for _, r := range h.kept {
		r.kept = r.Object()
	}
	if len(dead) > 0 {
		rv.repoint(dead)
	}
	if h.weakened > 0 {
		h.purge()
	}
	return dead
}

// move files r under the address of its new object.
func (h *Heap) move(r *Ref, object ptr) {
	if h.refs[r.addr] == r {
		delete(h.refs, r.addr)
	}
	r.addr = uintptr(object)
	h.refs[r.addr] = r
}
