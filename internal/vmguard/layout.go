package vmguard

import (
	"fmt"
	"reflect"
	"sync"
	"unsafe"

	"github.com/dop251/goja"
	"github.com/dop251/goja/unistring"
)

// layout is where goja keeps what this package reads and replaces. It is found by the names of fields, whose types
// are checked, once for a process.
type layout struct {
	self         reflect.StructField // of goja.Object
	array, plain unsafe.Pointer      // the tables of types of such objects
	proxy, rx    unsafe.Pointer

	values, length, objects, special uintptr // of an array
	properties                       uintptr // of a plain object
	target                           uintptr // of a proxy
}

// itab is the interface value that goja.Object.self is.
type itab struct{ tab, data unsafe.Pointer }

var layoutOf = sync.OnceValues(func() (*layout, error) {
	l := &layout{}
	var ok bool
	if l.self, ok = reflect.TypeFor[goja.Object]().FieldByName("self"); !ok || l.self.Type.Kind() != reflect.Interface {
		return nil, fmt.Errorf("vmguard: this version of goja is not supported: Object.self")
	}
	r := goja.New()
	sample := func(source string, fields map[string]*uintptr, want map[string]string) unsafe.Pointer {
		v, err := r.RunString(source)
		if err != nil {
			panic(err) // the samples are below
		}
		o := v.(*goja.Object)
		t := l.impl(o).Type()
		for name, off := range fields {
			f, found := t.FieldByName(name)
			if !found || f.Type.String() != want[name] {
				ok = false
				continue
			}
			*off = f.Offset
		}
		return l.words(o).tab
	}
	l.plain = sample(`({})`, map[string]*uintptr{"values": &l.properties}, map[string]string{"values": "map[unistring.String]goja.Value"})
	l.array = sample(`[]`, map[string]*uintptr{"values": &l.values, "length": &l.length, "objCount": &l.objects, "propValueCount": &l.special},
		map[string]string{"values": "[]goja.Value", "length": "uint32", "objCount": "int", "propValueCount": "int"})
	l.proxy = sample(`new Proxy({}, {})`, map[string]*uintptr{"target": &l.target}, map[string]string{"target": "*goja.Object"})
	l.rx = sample(`/a/`, nil, nil)
	if !ok {
		return nil, fmt.Errorf("vmguard: this version of goja is not supported: its objects have other fields")
	}
	return l, nil
})

func (l *layout) words(o *goja.Object) *itab {
	return (*itab)(unsafe.Add(unsafe.Pointer(o), l.self.Offset))
}

// impl returns the struct behind an object.
func (l *layout) impl(o *goja.Object) reflect.Value {
	return reflect.NewAt(l.self.Type, unsafe.Add(unsafe.Pointer(o), l.self.Offset)).Elem().Elem().Elem()
}

// function returns where a native function has the Go function that it calls; nil if o is none.
func (l *layout) function(o *goja.Object) *function { return fieldOf[function](l.impl(o), "f") }

// constructor is the same for new.
func (l *layout) constructor(o *goja.Object) *constructor {
	return fieldOf[constructor](l.impl(o), "construct")
}

func fieldOf[T any](v reflect.Value, name string) *T {
	if v.Kind() != reflect.Struct {
		return nil
	}
	f := v.FieldByName(name)
	if !f.IsValid() || f.Type() != reflect.TypeFor[T]() {
		return nil
	}
	return (*T)(unsafe.Pointer(f.UnsafeAddr()))
}

// arrayLength returns the length of an array; false if o is something else.
func (l *layout) arrayLength(o *goja.Object) (int64, bool) {
	w := l.words(o)
	if w.tab != l.array {
		return 0, false
	}
	return int64(*(*uint32)(unsafe.Add(w.data, l.length))), true
}

// dense returns the elements of an array without holes, accessors and the like; nil if it is none. The
// slice is the array's own.
func (l *layout) dense(v goja.Value) []goja.Value {
	o, ok := v.(*goja.Object)
	if !ok {
		return nil
	}
	w := l.words(o)
	if w.tab != l.array || *(*int)(unsafe.Add(w.data, l.special)) != 0 {
		return nil
	}
	values, n := *(*[]goja.Value)(unsafe.Add(w.data, l.values)), *(*uint32)(unsafe.Add(w.data, l.length))
	if int64(n) != int64(len(values)) || *(*int)(unsafe.Add(w.data, l.objects)) != len(values) {
		return nil
	}
	return values
}

// proxied returns the target of a proxy; nil if o is none.
func (l *layout) proxied(o *goja.Object) *goja.Object {
	w := l.words(o)
	if w.tab != l.proxy {
		return nil
	}
	return *(**goja.Object)(unsafe.Add(w.data, l.target))
}

// members returns the properties of a plain object: values, or what describes them; nil if o is something else.
func (l *layout) members(o *goja.Object) map[unistring.String]goja.Value {
	w := l.words(o)
	if w.tab != l.plain {
		return nil
	}
	return *(*map[unistring.String]goja.Value)(unsafe.Add(w.data, l.properties))
}

// isRegExp reports whether v is a regular expression.
func (l *layout) isRegExp(v goja.Value) bool {
	o, ok := v.(*goja.Object)
	return ok && l.words(o).tab == l.rx
}
