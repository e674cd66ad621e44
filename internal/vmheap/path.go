package vmheap

import (
	"fmt"
	"slices"
	"unsafe"

	"github.com/dop251/goja"
)

// NamedRoot is a place that paths may begin at.
type NamedRoot struct {
	Name  string     // as it is to appear: "root", "module variable cache"
	Value goja.Value // what is there; anything but an object is ignored
}

// Step is one reference of a path. The first step's Name is that of its root. A Name
// that begins with "." or "[" continues the expression before it (".network", "[2]",
// ".#owner"); any other is a phrase of its own ("closure variable").
type Step struct {
	Name   string
	Object *Ref // what the reference leads to, if that is tracked
}

// Path returns the shortest chain of references from a root to target, the roots in
// the order: roots as given, globals and intrinsics, frames of running functions, what WeakRefs keep for the job. It
// returns nil if tracing does not find one: then only Go code holds the object, or
// nothing. The script sees nothing of it. A native function that is asked about one of
// its arguments overwrites that first: its place on the value stack is a root.
func (h *Heap) Path(target *Ref, roots []NamedRoot) []Step {
	o := target.Object()
	if o == nil {
		return nil
	}
	h.scrub()
	p := &pather{goal: o}
	p.t = newTracer(h, h.met)
	p.t.ordered = true
	p.begin(roots)
	return p.follow()
}

// pather traces in breadth, so that the first path met is a shortest one, and
// remembers from where it came. Names are looked up for the steps of the path only.
type pather struct {
	t     *tracer
	goal  *goja.Object
	roots []pathRoot
	from  []int32 // of each item of work: the item, or ^root, that led to it
	// where the goal was met, as in from; valid if met
	last int32
	met  bool
}

type pathRoot struct {
	name  func() string
	at    ptr // what was scanned, with plan
	plan  *plan
	whole bool // the root is the object itself, not something in at
}

// root runs scan, which visits what one root refers to.
func (p *pather) root(r pathRoot, scan func()) {
	if p.met {
		return
	}
	scan()
	p.roots = append(p.roots, r)
	p.note(int32(^(len(p.roots) - 1)))
}

// note files everything that was found since under the item or root it came from.
func (p *pather) note(from int32) {
	for len(p.from) < len(p.t.work) {
		p.from = append(p.from, from)
	}
	if !p.met && p.t.seen.has(uintptr(ptr(p.goal))) {
		p.last, p.met = from, true
	}
}

func (p *pather) begin(roots []NamedRoot) {
	t := p.t
	for _, r := range roots {
		if o, ok := r.Value.(*goja.Object); ok {
			p.root(pathRoot{name: func() string { return r.Name }, whole: true}, func() { t.root(o) })
		}
	}
	p.root(pathRoot{name: func() string { return "globalThis" }, whole: true}, func() { t.root(t.h.r.GlobalObject()) })
	global := unsafe.Add(ptr(t.h.r), t.h.l.global.off)
	plan := t.h.planOf(t.h.l.global.typ)
	p.root(pathRoot{name: func() string { return "" }, at: global, plan: plan}, func() {
		t.seen.add(uintptr(global)+t.h.l.globalStash.off, struct{}{})
		t.scan(plan, global)
	})
	p.frames()
	for _, r := range t.h.kept {
		if r.strong == nil {
			p.root(pathRoot{name: func() string { return "WeakRef used by this job" }, whole: true}, func() { t.root(r.kept) })
		}
	}
}

// follow traces until the goal is met and names the way back.
func (p *pather) follow() []Step {
	t := p.t
	for i := 0; i < len(t.work) && !p.met; i++ {
		t.base = t.work[i]
		if t.base.plan == nil {
			t.omap(t.base.at)
		} else {
			t.scan(t.base.plan, t.base.at)
		}
		p.note(int32(i))
	}
	if !p.met {
		return nil
	}
	l := &labeler{h: t.h}
	h := t.h
	child := ptr(p.goal)
	var steps []Step
	var nameless *Ref // what a step without a name of its own leads to: its place is the step before
	add := func(name string, child ptr, object bool) {
		var ref *Ref
		if object {
			ref = h.tracked((*goja.Object)(child))
		}
		if name == "" {
			if ref != nil {
				nameless = ref
			}
			return
		}
		if ref == nil {
			ref = nameless
		}
		nameless = nil
		steps = append(steps, Step{Name: name, Object: ref})
	}
	isObject := true
	for i := p.last; ; {
		if i < 0 {
			r := p.roots[^i]
			name := r.name()
			if !r.whole && r.plan != nil {
				name = join(name, l.label(item{r.plan, r.at}, child))
			}
			add(name, child, isObject)
			break
		}
		it := t.work[i]
		l.parent = nil
		if up := p.from[i]; up >= 0 && p.isImpl(t.work[up]) {
			l.parent = t.work[up].at
		}
		add(l.label(it, child), child, isObject)
		child, isObject = it.at, false
		if p.isImpl(it) {
			if o := *at[*goja.Object](it.at, h.l.baseVal); o != nil && (*words)(ptr(o)).data == it.at {
				child, isObject = ptr(o), true
			}
		}
		i = p.from[i]
	}
	slices.Reverse(steps)
	return steps
}

// isImpl says whether the item is the implementation of an object.
func (p *pather) isImpl(it item) bool { return it.plan != nil && p.t.h.plans.isImpl(it.plan.t) }

func join(root, label string) string {
	if root == "" || label == "" {
		return root + label
	}
	return root + ": " + label
}

// frames visits the running functions, innermost first, as roots of their own.
func (p *pather) frames() {
	t, l := p.t, p.t.h.l
	vm := t.h.vm()
	stack := *at[[]goja.Value](vm, l.stack)
	stack = stack[:min(*at[int](vm, l.sp), len(stack))]
	frames := t.h.callFrames()
	top := len(stack)
	for i := range frames {
		f := &frames[i]
		for j := max(f.sb-1, 0); j < top; j++ {
			if f.sb > 0 && j == f.sb-1 {
				continue // the function itself, below
			}
			p.root(pathRoot{name: func() string { return f.slot(j) }, whole: true}, func() { t.value(&stack[j]) })
		}
		if !f.native {
			plan := t.h.planOf(l.stash.typ)
			p.root(pathRoot{name: func() string { return "scope of " + f.name() }, whole: true}, func() { t.scan(plan, f.scope) })
		}
		top = min(top, max(f.sb-1, 0))
	}
	for i := range stack {
		p.root(pathRoot{name: func() string { return "value in use" }, whole: true}, func() { t.value(&stack[i]) })
	}
	for _, f := range []field{l.callStack, l.iterStack, l.refStack, l.tryStack, l.newTarget, l.curAsync} {
		plan := t.h.planOf(f.typ)
		p.root(pathRoot{name: func() string { return "running function" }, whole: true}, func() { t.scan(plan, unsafe.Add(vm, f.off)) })
	}
}

// callFrame is one frame of the call stack.
type callFrame struct {
	goja.StackFrame
	sb, args int
	native   bool
	scope    ptr // address of its reference to its scope
}

// callFrames lists the frames, innermost first, as Runtime.CaptureCallStack does.
func (h *Heap) callFrames() []callFrame {
	l, vm := h.l, h.vm()
	captured := h.r.CaptureCallStack(0, nil)
	var list []callFrame
	add := func(prg ptr, sb, args int, scope ptr) {
		if (prg != nil || sb > 0) && len(list) < len(captured) {
			list = append(list, callFrame{captured[len(list)], sb, args, prg == nil, scope})
		}
	}
	add(*at[ptr](vm, l.prg), *at[int](vm, l.sb), *at[int](vm, l.args), unsafe.Add(vm, l.stash.off))
	calls := at[sliceWords](vm, l.callStack)
	for i := calls.len - 1; i >= 0; i-- {
		c := unsafe.Add(calls.p, uintptr(i)*l.context.Size())
		add(*at[ptr](c, l.ctxPrg), *at[int](c, l.ctxSB), *at[int](c, l.ctxArgs), unsafe.Add(c, l.ctxStash.off))
	}
	return list
}

func (f *callFrame) name() string {
	if f.native {
		return f.FuncName() + "()"
	}
	pos := f.Position()
	name := f.FuncName() + "()"
	if f.FuncName() == "<anonymous>" {
		name = "a function"
	}
	if pos.Filename == "" {
		return fmt.Sprintf("%s at line %d", name, pos.Line)
	}
	return fmt.Sprintf("%s at %s:%d", name, pos.Filename, pos.Line)
}

// slot names place i of the value stack, which belongs to the frame.
func (f *callFrame) slot(i int) string {
	switch {
	case f.native:
		return "argument of " + f.name()
	case i == f.sb:
		return "this of " + f.name()
	case i <= f.sb+f.args:
		return "argument of " + f.name()
	}
	return "local variable of " + f.name()
}
