package vmheap

import (
	"reflect"

	"github.com/dop251/goja"
	"github.com/dop251/goja/unistring"
)

// privateName says what private field i of the elements is that the object implemented
// at impl has. goja keeps no names at run time; they stand in the code of the class's
// functions that use the field. Fields of a class that the object is no instance of are
// entries of a weak map.
func (h *Heap) privateName(impl, elements ptr, i int) string {
	var typ ptr
	for t, e := range *at[map[ptr]ptr](impl, h.l.basePrivate) {
		if e == elements {
			typ = t
		}
	}
	o := *at[*goja.Object](impl, h.l.baseVal)
	if h.classOf(o) != nil {
		return "private field" // of the class itself
	}
	for depth := 0; typ != nil && o != nil && depth < 1000; depth++ {
		proto := *at[*goja.Object]((*words)(ptr(o)).data, h.l.basePrototype)
		if proto == nil {
			return "value in a weak map"
		}
		w, p := h.impl(proto)
		if p == nil || !h.plans.isImpl(p.t) {
			break
		}
		values := *at[map[unistring.String]goja.Value](w.data, h.l.baseValues)
		if class := h.classOf(values["constructor"]); class != nil && *at[ptr](class, h.l.classPrivate) == typ {
			if name := h.nameInCode(values, i); name != "" {
				return ".#" + name
			}
			break
		}
		o = proto
	}
	return "private field"
}

// classOf returns the implementation of the class that v is, or nil.
func (h *Heap) classOf(v goja.Value) ptr {
	w := (*words)(ptr(&v))
	if v == nil || w.data == nil {
		return nil
	}
	if w.tab == h.l.propertyTab {
		return h.classOf(*at[goja.Value](w.data, h.l.propValue))
	}
	if w.tab != h.l.objectTab {
		return nil
	}
	if impl := (*words)(w.data); impl.tab == h.l.classTab {
		return impl.data
	}
	return nil
}

// nameInCode looks for the name of private field i in the code of the functions among
// values, which are the members of a class's prototype.
func (h *Heap) nameInCode(values map[unistring.String]goja.Value, i int) string {
	name := ""
	visit := func(v goja.Value) {
		w := (*words)(ptr(&v))
		if v == nil || w.tab != h.l.objectTab || name != "" {
			return
		}
		o := reflect.ValueOf(v.(*goja.Object)).Elem().Field(0).Elem()
		if o.Kind() != reflect.Pointer || o.Elem().Kind() != reflect.Struct {
			return
		}
		if prg := o.Elem().FieldByName("prg"); prg.IsValid() && prg.Kind() == reflect.Pointer && !prg.IsNil() {
			name = privateNameIn(prg.Elem().FieldByName("code"), i)
		}
	}
	for _, v := range values {
		w := (*words)(ptr(&v))
		if v != nil && w.tab == h.l.propertyTab {
			visit(*at[goja.Value](w.data, h.l.propValue))
			for _, f := range []field{h.l.propGetter, h.l.propSetter} {
				if o := *at[*goja.Object](w.data, f); o != nil {
					visit(o)
				}
			}
			continue
		}
		visit(v)
	}
	return name
}

// privateNameIn looks through a program for an instruction that uses private field i
// of the innermost class.
func privateNameIn(code reflect.Value, i int) string {
	if code.Kind() != reflect.Slice {
		return ""
	}
	for n := range code.Len() {
		in := code.Index(n)
		for in.Kind() == reflect.Interface || in.Kind() == reflect.Pointer {
			in = in.Elem()
		}
		if in.Kind() != reflect.Struct {
			continue
		}
		name, idx := in.FieldByName("name"), in.FieldByName("idx")
		level, static, method := in.FieldByName("level"), in.FieldByName("isStatic"), in.FieldByName("isMethod")
		if !level.IsValid() || !static.IsValid() || !method.IsValid() || name.Kind() != reflect.String || idx.Kind() != reflect.Uint32 {
			continue
		}
		if idx.Uint() == uint64(i) && level.Uint() == 0 && !static.Bool() && !method.Bool() {
			return unistring.String(name.String()).String()
		}
	}
	return ""
}
