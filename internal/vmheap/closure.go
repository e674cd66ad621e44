package vmheap

import (
	"reflect"
	"runtime"
	"slices"
	"strings"

	"github.com/dop251/goja"
)

// Closures of Go are opaque, but for those that goja makes all the time: method values
// (what a proxy calls, what a promise's reaction resumes), what calls a proxy, and the
// two functions that settle a promise. Their words are known, and Check verifies it on samples; where
// that fails they are opaque like the rest, and what they refer to is found late.

// closure is what a func value points to, with as many variables as goja's closures
// have that are followed. Only those that its kind has may be looked at.
type closure struct {
	code uintptr
	vars [3]ptr
}

// closureKind says what is known about the closures with one code address.
type closureKind struct {
	vars     int // number of variables
	receiver int // index of the one to follow
	typ      reflect.Type
	plan     *plan
	impl     bool
}

// closureKinds is what the samples have taught.
type closureKinds struct {
	methods bool                    // method values are as expected
	known   map[uintptr]closureKind // others, by code address
	types   map[string]reflect.Type
}

// closure returns what is known about the closure c; nil: nothing.
func (h *Heap) closure(c *closure) *closureKind {
	k, ok := h.closures[c.code]
	if !ok {
		k = h.plans.closure(c.code, h.l)
		h.closures[c.code] = k
	}
	return k
}

func (pl *planner) closure(code uintptr, l *layout) *closureKind {
	k, ok := l.closures.known[code]
	if !ok {
		k = closureKind{vars: 1, typ: l.closures.receiver(code)}
	}
	if k.typ == nil {
		return nil
	}
	k.plan, k.impl = pl.plan(k.typ), pl.isImpl(k.typ)
	return &k
}

// receiver returns the type T if code is that of a method value of *T, a struct of goja.
func (k *closureKinds) receiver(code uintptr) reflect.Type {
	f := runtime.FuncForPC(code)
	if !k.methods || f == nil {
		return nil
	}
	name, ok := strings.CutPrefix(f.Name(), gojaPath+".(*")
	if !ok || !strings.HasSuffix(name, "-fm") {
		return nil
	}
	name, _, _ = strings.Cut(name, ")")
	return k.types[name]
}

// learnClosures looks at the samples; names are the structs that receivers may be.
func (l *layout) learnClosures(sample func(name string) *goja.Object, names map[string]reflect.Type) {
	l.closures = closureKinds{types: names, known: map[uintptr]closureKind{}}
	words := func(o *goja.Object, name string) *closure {
		t := implOf(o)
		if t == nil {
			return nil
		}
		f, ok := t.FieldByName(name)
		if !ok || f.Type.Kind() != reflect.Func {
			return nil
		}
		return *at[*closure](implWords(o).data, field{off: f.Offset})
	}
	target, proxy := sample("func"), sample("callable")
	if c := words(proxy, "call"); c != nil && c.vars[0] == implWords(target).data {
		l.closures.methods = true
		l.closures.methods = embeds(implOf(target), l.closures.receiver(c.code))
	}
	if c := words(sample("callableTwice"), "call"); c != nil && c.vars[0] == implWords(proxy).data {
		l.closures.known[c.code] = closureKind{vars: 1, typ: implOf(proxy)}
	}

	// resolve has the promise, the runtime and a flag that reject has as well
	a, b, promise := words(sample("resolve"), "f"), words(sample("reject"), "f"), sample("pending")
	if a == nil || b == nil || a.code == b.code {
		return
	}
	p := implWords(promise).data
	i := slices.Index(a.vars[:], p)
	j := slices.Index(b.vars[:2], p)
	if i < 0 || j < 0 || !slices.Contains(a.vars[:], ptr(runtimeOf(promise))) || !slices.Contains(a.vars[:], b.vars[1-j]) {
		return
	}
	l.closures.known[a.code] = closureKind{vars: 3, receiver: i, typ: implOf(promise)}
	l.closures.known[b.code] = closureKind{vars: 2, receiver: j, typ: implOf(promise)}
}

// embeds says whether struct t begins with struct e, at any depth.
func embeds(t, e reflect.Type) bool {
	for e != nil && t.Kind() == reflect.Struct && t.NumField() > 0 {
		if t == e {
			return true
		}
		t = t.Field(0).Type
	}
	return false
}

func implWords(o *goja.Object) *words { return (*words)(ptr(o)) }

// runtimeOf returns the runtime of o.
func runtimeOf(o *goja.Object) *goja.Runtime {
	f, ok := reflect.TypeFor[goja.Object]().FieldByName("runtime")
	if !ok {
		return nil
	}
	return *at[*goja.Runtime](ptr(o), field{off: f.Offset})
}

// closure visits the func value at p.
func (w *walker) closure(p ptr) {
	c := *(**closure)(p)
	if c == nil {
		return
	}
	k := w.h.closure(c)
	if k == nil || c.vars[k.receiver] == nil || w.own(c.vars[k.receiver]) {
		return
	}
	if k.impl {
		w.impl(&c.vars[k.receiver], k.plan)
	} else if len(k.plan.ops) > 0 {
		w.push(k.plan, c.vars[k.receiver])
	}
}

// closure puts a copy of a known closure in place of the one at p.
func (c *cloner) closure(p ptr) {
	f := *(**closure)(p)
	if f == nil {
		return
	}
	k := c.h.closure(f)
	if k == nil || f.vars[k.receiver] == nil {
		return
	}
	r := f.vars[k.receiver]
	if k.impl {
		r = c.impl(r, k.plan)
	} else {
		r = c.pointer(r, k.plan)
	}
	if r == f.vars[k.receiver] {
		return
	}
	// A copy must not claim more memory than the original has.
	switch k.vars {
	case 1:
		*(*ptr)(p) = ptr(&struct {
			code uintptr
			vars [1]ptr
		}{f.code, [1]ptr{r}})
	case 2:
		vars := [2]ptr{f.vars[0], f.vars[1]}
		vars[k.receiver] = r
		*(*ptr)(p) = ptr(&struct {
			code uintptr
			vars [2]ptr
		}{f.code, vars})
	case 3:
		n := *f
		n.vars[k.receiver] = r
		*(*ptr)(p) = ptr(&n)
	}
}
