package vmheap

import (
	"github.com/dop251/goja"
	"unsafe"
)

// tracer finds what certainly lives. What it does not see (Go locals of built-in
// functions, closures of native functions, the host, queued jobs) is left to Go's
// collector: a reference that is missed here makes a suspect, not a victim.
type tracer struct {
	walker
	scopes []ptr
}

func newTracer(h *Heap, n int) *tracer {
	t := &tracer{}
	t.walker = walker{h: h, v: t, seen: newAddrs[struct{}](n)}
	return t
}

func (t *tracer) object(slot **goja.Object) bool {
	t.h.l.scrubGenerator(*slot)
	return true
}

func (t *tracer) deep(slot *ptr, k kind) bool {
	if k == kStash && !t.seen.has(uintptr(*slot)) {
		t.scopes = append(t.scopes, *slot)
	}
	return true
}

func (t *tracer) iterator(ptr) {}
func (t *tracer) changed(ptr)  {}

func (t *tracer) root(o *goja.Object) { t.walker.object(&o) }

// realm visits the intrinsics, the global scope and the global object.
func (t *tracer) realm() {
	h, r := t.h, ptr(t.h.r)
	scope := unsafe.Add(r, h.l.global.off+(h.l.globalStash.off))
	t.scopes = append(t.scopes, scope)
	t.seen.add(uintptr(scope), struct{}{}) // it lies inside the runtime and is scanned with the intrinsics
	t.scan(h.planOf(h.l.global.typ), unsafe.Add(r, h.l.global.off))
	t.root(t.h.r.GlobalObject())
	t.scan(h.planOf(h.l.toStringStack.typ), unsafe.Add(r, h.l.toStringStack.off))
}

// frames visits what the running functions hold: the value stack below sp, scopes,
// calls, handlers of exceptions, loops, references being assigned to, and the async
// function that runs now.
func (t *tracer) frames() {
	h := t.h
	vm := h.vm()
	stack := *at[[]goja.Value](vm, h.l.stack)
	for i := range min(*at[int](vm, h.l.sp), len(stack)) {
		t.value(&stack[i])
	}
	for _, f := range []field{h.l.stash, h.l.callStack, h.l.iterStack, h.l.refStack, h.l.tryStack, h.l.newTarget, h.l.result, h.l.curAsync} {
		t.scan(h.planOf(f.typ), unsafe.Add(vm, f.off))
	}
}
