package gcext

import (
	"container/heap"
	"slices"
)

// frontier is how far destruction along a plan has come: which objects may start now, and which never
// will because something before them failed. It is as pure as the plan; whoever drives it says what
// happened. All operations together take time linear in the plan, but for the heap. It is not safe for
// concurrent use.
//
// A cycle is released when every cycle before it is settled, and is settled when each of its doomed
// members is finished or failed; at once if it has none (order passes through live objects) or if a
// failure is before it. Failure travels along with settling, so that a thousand failures cost no more
// than one.
type frontier struct {
	plan    *Plan
	waits   []int32 // by cycle: cycles directly before it that are not settled
	open    []int32 // by cycle, once released: doomed members that are neither finished nor failed
	blocker []int32 // by cycle: the first failed object, in the order of destruction, in it or before it; -1: none
	ready   readyHeap
}

// newFrontier returns the beginning: what nothing is before is ready.
func newFrontier(p *Plan) *frontier {
	f := &frontier{
		plan:    p,
		waits:   slices.Clone(p.waits),
		open:    make([]int32, len(p.waits)),
		blocker: make([]int32, len(p.waits)),
		ready:   readyHeap{plan: p},
	}
	var settled []int32
	for c := range f.blocker {
		f.blocker[c] = -1
	}
	for c, n := range p.waits {
		if n == 0 && f.release(int32(c)) {
			settled = append(settled, int32(c))
		}
	}
	f.settle(settled)
	return f
}

// next takes the first object, by level and creation, of those that may start now (gc 3.6). Without any
// it returns false; there may be more after the next finish or fail.
func (f *frontier) next() (i int32, ok bool) {
	if f.ready.Len() == 0 {
		return 0, false
	}
	return heap.Pop(&f.ready).(int32), true
}

// finish says that object i, which next returned, is destroyed.
func (f *frontier) finish(i int32) {
	c := f.plan.cycle[i]
	f.open[c]--
	if f.open[c] == 0 {
		f.settle([]int32{c})
	}
}

// fail says that object i, which next returned, was not destroyed and that what comes after it must
// wait for another collection (gc 5.6). The other members of its cycle do not come after it.
func (f *frontier) fail(i int32) {
	f.block(f.plan.cycle[i], i)
	f.finish(i)
}

// blockerOf returns the failed object because of which the doomed object i may not be destroyed: of
// several the first in the order of destruction. Without one, or while it is not known yet because
// something between the two is unfinished, it returns -1.
func (f *frontier) blockerOf(i int32) int32 {
	b := f.blocker[f.plan.cycle[i]]
	if b >= 0 && f.plan.cycle[b] == f.plan.cycle[i] {
		return -1 // a fellow member: it holds up what is after the cycle
	}
	return b
}

// release lets the doomed members of cycle c start, everything before it being settled, and reports
// whether c is settled itself.
func (f *frontier) release(c int32) bool {
	if f.blocker[c] >= 0 {
		return true
	}
	for _, i := range f.plan.members.Successors(c) {
		if f.plan.Level[i] > 0 {
			heap.Push(&f.ready, i)
			f.open[c]++
		}
	}
	return f.open[c] == 0
}

// settle tells what is after the given cycles that these are settled.
func (f *frontier) settle(work []int32) {
	for len(work) > 0 {
		c := work[len(work)-1]
		work = work[:len(work)-1]
		for _, d := range f.plan.after.Successors(c) {
			f.block(d, f.blocker[c])
			f.waits[d]--
			if f.waits[d] == 0 && f.release(d) {
				work = append(work, d)
			}
		}
	}
}

// block notes that the failed object by, if any, is in cycle c or before it.
func (f *frontier) block(c, by int32) {
	if by >= 0 && (f.blocker[c] < 0 || f.plan.compare(by, f.blocker[c]) < 0) {
		f.blocker[c] = by
	}
}

// readyHeap has the objects that may start, the first in the order of destruction on top.
type readyHeap struct {
	plan    *Plan
	objects []int32
}

func (h *readyHeap) Len() int           { return len(h.objects) }
func (h *readyHeap) Less(a, b int) bool { return h.plan.compare(h.objects[a], h.objects[b]) < 0 }
func (h *readyHeap) Swap(a, b int)      { h.objects[a], h.objects[b] = h.objects[b], h.objects[a] }
func (h *readyHeap) Push(i any)         { h.objects = append(h.objects, i.(int32)) }
func (h *readyHeap) Pop() any {
	last := len(h.objects) - 1
	i := h.objects[last]
	h.objects = h.objects[:last]
	return i
}
