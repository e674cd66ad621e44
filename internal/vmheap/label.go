package vmheap

import (
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"unsafe"

	"github.com/dop251/goja"
	"github.com/dop251/goja/unistring"
)

// labeler finds how a struct refers to something and says it in words.
type labeler struct {
	h *Heap
	// of the step being named: the struct that it comes from, and what led there
	parent ptr
}

// indexMask leaves the index of a variable; the bits above say const and the like.
const indexMask = 1<<29 - 1

// phrases are labels by field; a field that is not here is passed over silently,
// because the step after it says enough.
var phrases = map[string]string{
	"baseObject.prototype":            "prototype",
	"baseObject.privateElements":      "private field",
	"stash.values":                    "closure variable",
	"stash.extraArgs":                 "argument of a closure's function",
	"stash.obj":                       "object of a with statement",
	"methodFuncObject.homeObject":     "home object of a method",
	"classFuncObject.computedKeys":    "computed key of a class",
	"classFuncObject.privateMethods":  "private method",
	"arrowFuncObject.newTarget":       "new.target of a closure",
	"arrowFuncObject.funcObj":         "function of a closure",
	"arrayIterObject.obj":             "array of an iterator",
	"proxyObject.target":              "target of a proxy",
	"jsProxyHandler.handler":          "handler of a proxy",
	"boundFuncObject.wrapped":         "bound function",
	"Promise.result":                  "result of a promise",
	"Promise.fulfillReactions":        "reaction to a promise",
	"Promise.rejectReactions":         "reaction to a promise",
	"promiseReaction.asyncRunner":     "suspended async function",
	"promiseCapability.promise":       "promise",
	"asyncRunner.gen":                 "suspended async function",
	"asyncRunner.f":                   "suspended async function",
	"execCtx.stack":                   "local variable of a suspended function",
	"context.stash":                   "",
	"iteratorRecord.iterator":         "iterator",
	"generatorObject.delegated":       "delegated iterator",
	"typedArrayObject.viewedArrayBuf": "buffer",
	"dataViewObject.viewedArrayBuf":   "buffer",
	"regExpStringIterObject.matcher":  "matcher",
	"primitiveValueObject.pValue":     "value",
	"valueProperty.getterFunc":        "getter",
	"valueProperty.setterFunc":        "setter",
}

// label names the reference from it to child, which is an object or a struct.
func (l *labeler) label(it item, child ptr) string {
	if it.plan == nil {
		return l.entry(it.at, child)
	}
	s, _ := l.find(it.plan, it.at, child)
	return s
}

// find looks for the reference in the value of type p.t at a.
func (l *labeler) find(p *plan, a ptr, child ptr) (string, bool) {
	for i := range p.ops {
		o := &p.ops[i]
		if s, ok := l.findOp(o, unsafe.Add(a, o.off), a, child); ok {
			return s, true
		}
	}
	return "", false
}

func (l *labeler) findOp(o *op, p, whole, child ptr) (string, bool) {
	switch o.kind {
	case kProps:
		return l.property(*(*map[unistring.String]goja.Value)(p), child)
	case kValues:
		for i, v := range *(*[]goja.Value)(p) {
			if l.is(v, child) {
				return l.element(o, whole, i), true
			}
		}
	case kPtrMap:
		for _, q := range *(*map[ptr]ptr)(p) {
			if q == child {
				return "", true
			}
		}
	case kSlice:
		s := (*sliceWords)(p)
		for i := range s.len {
			e := unsafe.Add(s.p, uintptr(i)*o.sub.size)
			if _, ok := l.find(o.sub, e, child); ok {
				if o.name == "sparseArrayObject.items" {
					return "[" + strconv.Itoa(int(*(*uint32)(e))) + "]", true
				}
				return phrases[o.name], true
			}
		}
	case kArray:
		for i := range o.n {
			if s, ok := l.find(o.sub, unsafe.Add(p, uintptr(i)*o.sub.size), child); ok {
				return s, true
			}
		}
	case kValue:
		if l.is(*(*goja.Value)(p), child) {
			return phrases[o.name], true
		}
	case kDynamic:
		w := (*words)(p)
		if w.tab != nil && (w.data == child) {
			return phrases[o.name], true
		}
	case kImpl:
		if q := *(*ptr)(p); q != nil {
			if o2 := *at[*goja.Object](q, l.h.l.baseVal); q == child || ptr(o2) == child {
				return phrases[o.name], true
			}
		}
	case kInner:
		if q := *(*ptr)(p); q != nil && o.t.Elem() == typeValue && l.is(*(*goja.Value)(q), child) {
			return "argument", true
		}
	default:
		if *(*ptr)(p) == child {
			if name, ok := strings.CutPrefix(o.name, "global."); ok {
				return "intrinsic " + name, true
			}
			return phrases[o.name], true
		}
	}
	return "", false
}

// is says whether v is child, or has it as a property with attributes does.
func (l *labeler) is(v goja.Value, child ptr) bool {
	return v != nil && (*words)(ptr(&v)).data == child && reflect.TypeOf(v).Kind() == reflect.Pointer
}

// property names the property whose value is child.
func (l *labeler) property(m map[unistring.String]goja.Value, child ptr) (string, bool) {
	var names []unistring.String
	for name, v := range m {
		if l.is(v, child) || l.has(v, child) {
			names = append(names, name)
		}
	}
	if len(names) == 0 {
		return "", false
	}
	return key(slices.Min(names).String()), true
}

// has says whether v is a property with attributes that refers to child and lies
// inside its object, so that it is no step of its own.
func (l *labeler) has(v goja.Value, child ptr) bool {
	w := (*words)(ptr(&v))
	if v == nil || w.tab != l.h.l.propertyTab {
		return false
	}
	_, ok := l.find(l.h.planOf(l.h.l.property), w.data, child)
	return ok
}

// key returns the way to write a property.
func key(name string) string {
	if _, err := strconv.ParseUint(name, 10, 32); err == nil {
		return "[" + name + "]"
	}
	for i, r := range name {
		letter := r == '_' || r == '$' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r > 127
		if !letter && (i == 0 || r < '0' || r > '9') {
			return fmt.Sprintf("[%q]", name)
		}
	}
	if name == "" {
		return `[""]`
	}
	return "." + name
}

func (l *labeler) element(o *op, whole ptr, i int) string {
	switch o.name {
	case "arrayObject.values":
		return "[" + strconv.Itoa(i) + "]"
	case "stash.values":
		what := phrases[o.name]
		if uintptr(whole) == uintptr(ptr(l.h.r))+l.h.l.global.off { // inline in the runtime
			what, whole = "global variable", unsafe.Add(whole, l.h.l.globalStash.off)
		}
		for name, idx := range *at[map[unistring.String]uint32](whole, l.h.l.stashNames) {
			if int(idx&indexMask) == i {
				return what + " " + name.String()
			}
		}
	case "privateElements.fields":
		if l.parent != nil {
			return l.h.privateName(l.parent, whole, i)
		}
		return "private field"
	case "privateElements.methods":
		return "private method"
	}
	return phrases[o.name]
}

// entry names the entry of an ordered map that has child.
func (l *labeler) entry(m, child ptr) string {
	symbols := l.parent != nil && *at[ptr](l.parent, l.h.l.baseSymbols) == m
	for e := *at[ptr](m, l.h.l.omFirst); e != nil; e = *at[ptr](e, l.h.l.entNext) {
		k, v := *at[goja.Value](e, l.h.l.entKey), *at[goja.Value](e, l.h.l.entValue)
		switch {
		case symbols && (l.is(v, child) || l.has(v, child)):
			return "[Symbol(" + k.String() + ")]"
		case l.is(k, child) && v == nil:
			return "element of a set"
		case l.is(k, child):
			return "map key"
		case l.is(v, child):
			return "map value for key " + quote(k)
		}
	}
	return ""
}

// quote writes a key without running code of the script.
func quote(k goja.Value) string {
	switch k := k.(type) {
	case *goja.Object:
		return "an object"
	case goja.String:
		return strconv.Quote(k.String())
	default:
		return k.String()
	}
}
