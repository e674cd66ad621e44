package objectstore

import (
	"math"
	"reflect"
	"slices"
	"strings"
	"time"
	"unicode/utf16"

	"github.com/dop251/goja"
)

// What a JavaScript value is, told without running code of a script.

var (
	typeBytes = reflect.TypeFor[[]byte]()
	typeProxy = reflect.TypeFor[goja.Proxy]()
)

// isInstance reports whether v is an object of a built-in class itself, not of one derived from it,
// which would not come back as what it was.
func (g *Registry) isInstance(v goja.Value, class string) (*goja.Object, bool) {
	o, ok := v.(*goja.Object)
	if !ok {
		return nil, false
	}
	t := o.ExportType()
	switch class {
	case "Map", "Set": // goja calls them objects, but exports them as lists
		ok = t != nil && t.Kind() == reflect.Slice
	default:
		ok = t != typeProxy && o.ClassName() == class
	}
	return o, ok && o.Prototype() == g.lib.prototypes[class]
}

// isPlain reports whether v is an object literal: no class instance, no exotic object.
func (g *Registry) isPlain(v goja.Value) (*goja.Object, bool) {
	o, ok := v.(*goja.Object)
	if !ok || o.ClassName() != "Object" || o.ExportType() == typeProxy {
		return nil, false
	}
	p := o.Prototype()
	return o, p == nil || p == g.lib.prototypes["Object"]
}

func plainString(s goja.String) (Value, error) {
	out := s.String()
	if strings.ContainsRune(out, '�') && hasLoneSurrogate(s) {
		return nil, &ValueError{Reason: "the string has a lone surrogate, which cannot be saved"}
	}
	return out, nil
}

func hasLoneSurrogate(s goja.String) bool {
	for i := 0; i < s.Length(); i++ {
		if r := rune(s.CharAt(i)); utf16.IsSurrogate(r) {
			if i+1 < s.Length() && utf16.DecodeRune(r, rune(s.CharAt(i+1))) != '�' {
				i++
				continue
			}
			return true
		}
	}
	return false
}

func number(v goja.Value) (float64, bool) {
	if _, ok := v.(*goja.Object); ok || v == nil {
		return 0, false
	}
	t := v.ExportType()
	if t == nil || t.Kind() != reflect.Int64 && t.Kind() != reflect.Float64 {
		return 0, false
	}
	return v.ToFloat(), true
}

func boolean(v goja.Value) (b, ok bool) {
	if _, ok := v.(*goja.Object); ok || v == nil {
		return false, false
	}
	t := v.ExportType()
	return v.ToBoolean(), t != nil && t.Kind() == reflect.Bool
}

func (g *Registry) date(v goja.Value) (Date, bool) {
	o, ok := g.isInstance(v, "Date")
	if !ok {
		return 0, false
	}
	if t, ok := o.Export().(time.Time); ok {
		return Date(t.UnixMilli()), true
	}
	return Date(math.NaN()), true
}

func (g *Registry) bytes(v goja.Value) (Bytes, bool) {
	o, ok := v.(*goja.Object)
	if !ok || o.ExportType() != typeBytes || o.Prototype() != g.lib.prototypes["Uint8Array"] {
		return nil, false
	}
	b, ok := o.Export().([]byte)
	return slices.Clone(b), ok
}

// try runs f, which works on JavaScript values from Go, and returns what it panics with if that is
// an exception of a script (a getter in plain data may throw), an interrupt or an exhausted stack.
func (g *Registry) try(f func() error) (err error) {
	defer func() {
		switch x := recover().(type) {
		case nil:
		case *goja.InterruptedError:
			err = x
		case *goja.StackOverflowError:
			err = x
		default:
			panic(x)
		}
	}()
	if thrown := g.vm.Try(func() { err = f() }); thrown != nil {
		return thrown
	}
	return err
}

// rethrow panics with err in a way that goja takes on from a Go function.
func (g *Registry) rethrow(err error) {
	switch err := err.(type) {
	case *goja.Exception, *goja.InterruptedError, *goja.StackOverflowError:
		panic(err)
	}
	panic(g.typeError("%v", err))
}

// stopped reports whether err ends the script that runs, rather than being its concern.
func stopped(err error) bool {
	switch err.(type) {
	case *goja.InterruptedError, *goja.StackOverflowError:
		return true
	}
	return false
}

// unsaveable says that v is nothing that can be saved.
func (g *Registry) unsaveable(v goja.Value) error {
	what := Describe(v)
	if o, ok := v.(*goja.Object); ok && !isFunction(o) && o.ExportType() != typeProxy {
		name, err := g.lib.call("className", o)
		if text, ok := name.(goja.String); err == nil && ok && text.String() != o.ClassName() {
			what = "an instance of " + text.String()
		}
	}
	return &ValueError{Reason: what + " cannot be saved; plain data, managed objects, Date, Map, Set, BigInt and Uint8Array can (usage: \"runtime\" is for the rest)"}
}
