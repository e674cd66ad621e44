package vmheap

import (
	"reflect"
	"unsafe"

	"github.com/dop251/goja"
)

// scrub removes every reference that the VM keeps without needing it: slots of the
// value stack above sp, frames of calls, handlers and loops that ended, spent
// entries of the job queue's buffer, completion values, and the saved frame of the
// async function that runs now (its live copy is on the value stack, and the next
// suspension saves anew).
func (h *Heap) scrub() {
	l, vm := h.l, h.vm()
	stack, sp := *at[[]goja.Value](vm, l.stack), *at[int](vm, l.sp)
	if sp <= cap(stack) {
		clear(stack[sp:cap(stack)])
	}
	for _, f := range []field{l.callStack, l.iterStack, l.refStack, l.tryStack} {
		clearTail(f, vm)
	}
	clearTail(l.jobQueue, ptr(h.r))

	*at[goja.Value](vm, l.result) = goja.Undefined()
	calls := at[sliceWords](vm, l.callStack)
	for i := range calls.len {
		*at[goja.Value](unsafe.Add(calls.p, uintptr(i)*l.context.Size()), l.ctxResult) = goja.Undefined()
	}

	if runner := *at[ptr](vm, l.curAsync); runner != nil {
		l.clearFrame(unsafe.Add(runner, l.runnerGen.off))
	}
}

// scrubGenerator forgets the saved frame of the object if it is a generator that runs
// or has ended. The tracer does it for each that it meets.
func (l *layout) scrubGenerator(o *goja.Object) {
	impl := (*words)(ptr(o))
	if impl.tab != l.generatorTab {
		return
	}
	if s := *at[uint8](impl.data, l.genState); s == l.genRuns || s == l.genEnded {
		l.clearFrame(unsafe.Add(impl.data, l.genGen.off))
	}
}

func (l *layout) clearFrame(generator ptr) {
	reflect.NewAt(l.genCtx.typ, unsafe.Add(generator, l.genCtx.off)).Elem().SetZero()
}

// clearTail zeroes what lies beyond the length of the slice in field f of s.
func clearTail(f field, s ptr) {
	v := reflect.NewAt(f.typ, unsafe.Add(s, f.off)).Elem()
	if n, c := v.Len(), v.Cap(); n < c {
		v.Slice3(n, c, c).Clear()
	}
}
