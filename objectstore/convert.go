package objectstore

import (
	"fmt"
	"math"
	"math/big"
	"reflect"
	"slices"
	"strconv"
	"time"
	"unicode/utf16"

	"github.com/dop251/goja"
)

// maxNesting bounds how deep plain data may nest inside of one property.
const maxNesting = 1000

var (
	typeBytes  = reflect.TypeFor[[]byte]()
	typeProxy  = reflect.TypeFor[goja.Proxy]()
	typeBigInt = reflect.TypeFor[*big.Int]()
)

// converter turns JavaScript values into plain ones and checks them on the way.
type converter struct {
	registry *Registry
	depth    int
}

func (c *converter) mismatch(t *Type, v goja.Value, path string) error {
	got := Describe(v)
	if o := c.registry.Find(v); o != nil {
		got = o.String()
	}
	return &ValueError{Path: path, Expected: t.String(), Got: got}
}

// toValue returns v as plain data, or a *ValueError if it does not fit t.
func (c *converter) toValue(t *Type, v goja.Value, path string) (Value, error) {
	switch t.Kind {
	case KindAny:
		return c.any(v, path)
	case KindString, KindSecret:
		if s, ok := v.(goja.String); ok {
			return plainString(s, path)
		}
	case KindNumber, KindInteger:
		if f, ok := number(v); ok {
			if t.Kind == KindInteger && (f != math.Trunc(f) || math.Abs(f) > 1<<53-1) {
				break
			}
			return f, nil
		}
	case KindBoolean:
		if b, ok := boolean(v); ok {
			return b, nil
		}
	case KindBytes:
		if b, ok := bytesOf(v); ok {
			return b, nil
		}
	case KindDate:
		if d, ok := dateOf(v); ok {
			return d, nil
		}
	case KindClass:
		if o := c.registry.Find(v); o != nil && o.Class.Is(t.Class) {
			return Ref(o.ID), nil
		}
	case KindEnum:
		plain, err := c.any(v, path)
		if err == nil && slices.Contains(t.Enum, plain) {
			return plain, nil
		}
	case KindList:
		if o, ok := plainArray(v); ok {
			return c.list(t.Elem, o, path)
		}
	case KindMap:
		if o, ok := c.plainObject(v); ok {
			return c.fields(func(string) *Type { return t.Elem }, o, path)
		}
	case KindShape:
		if o, ok := c.plainObject(v); ok {
			return c.shape(t, o, path)
		}
	}
	return nil, c.mismatch(t, v, path)
}

func (c *converter) enter(path string) error {
	if c.depth++; c.depth > maxNesting {
		return &ValueError{Path: path[:min(len(path), maxShown)], Reason: fmt.Sprintf("data nests deeper than %d levels or contains itself", maxNesting)}
	}
	return nil
}

func (c *converter) list(elem *Type, o *goja.Object, path string) (Value, error) {
	if err := c.enter(path); err != nil {
		return nil, err
	}
	defer func() { c.depth-- }()
	n := int(o.Get("length").ToInteger())
	out := make([]Value, 0, min(n, 1<<16))
	for i := range n {
		v := o.Get(strconv.Itoa(i))
		at := path + "[" + strconv.Itoa(i) + "]"
		if elem.Kind == KindAny && (v == nil || goja.IsUndefined(v)) {
			out = append(out, Undefined{})
			continue
		}
		plain, err := c.toValue(elem, v, at)
		if err != nil {
			return nil, err
		}
		out = append(out, plain)
	}
	return out, nil
}

func (c *converter) fields(typeOf func(key string) *Type, o *goja.Object, path string) (Value, error) {
	if err := c.enter(path); err != nil {
		return nil, err
	}
	defer func() { c.depth-- }()
	r := &Record{}
	for _, key := range o.Keys() {
		t, v := typeOf(key), o.Get(key)
		if t.Kind == KindAny && goja.IsUndefined(v) {
			r.Fields = append(r.Fields, Field{key, Undefined{}})
			continue
		}
		plain, err := c.toValue(t, v, path+"."+key)
		if err != nil {
			return nil, err
		}
		r.Fields = append(r.Fields, Field{key, plain})
	}
	return r, nil
}

func (c *converter) shape(t *Type, o *goja.Object, path string) (Value, error) {
	if err := c.enter(path); err != nil {
		return nil, err
	}
	defer func() { c.depth-- }()
	keys := o.Keys()
	r := &Record{}
	for _, p := range t.Fields {
		v := o.Get(p.Name)
		if v == nil || goja.IsUndefined(v) {
			if !p.Optional {
				return nil, &ValueError{Path: path + "." + p.Name, Expected: p.Type.String(), Got: "undefined"}
			}
			continue
		}
		plain, err := c.toValue(p.Type, v, path+"."+p.Name)
		if err != nil {
			return nil, err
		}
		r.Fields = append(r.Fields, Field{p.Name, plain})
	}
	for _, key := range keys {
		if !slices.ContainsFunc(t.Fields, func(p *Property) bool { return p.Name == key }) {
			return nil, &ValueError{Path: path + "." + key, Reason: "the shape has no such field"}
		}
	}
	return r, nil
}

// any converts JSON data, managed objects and the standard containers.
func (c *converter) any(v goja.Value, path string) (Value, error) {
	switch {
	case v == nil || goja.IsUndefined(v):
		return Undefined{}, nil
	case goja.IsNull(v):
		return nil, nil
	}
	if s, ok := v.(goja.String); ok {
		return plainString(s, path)
	}
	if f, ok := number(v); ok {
		return f, nil
	}
	if b, ok := boolean(v); ok {
		return b, nil
	}
	if o := c.registry.Find(v); o != nil {
		return Ref(o.ID), nil
	}
	if v.ExportType() == typeBigInt {
		return new(big.Int).Set(v.Export().(*big.Int)), nil
	}
	if o, ok := plainArray(v); ok {
		return c.list(&Type{}, o, path)
	}
	if o, ok := c.plainObject(v); ok {
		return c.fields(func(string) *Type { return &Type{} }, o, path)
	}
	if d, ok := dateOf(v); ok {
		return d, nil
	}
	if b, ok := bytesOf(v); ok {
		return b, nil
	}
	if o, ok := v.(*goja.Object); ok && o.ExportType() != typeProxy {
		switch o.ClassName() {
		case "Map", "Set":
			return c.container(o, path)
		}
	}
	return nil, &ValueError{Path: path, Reason: Describe(v) + " cannot be saved; plain data, managed objects, Date, Map, Set, BigInt and Uint8Array can (usage: \"runtime\" is for the rest)"}
}

func (c *converter) container(o *goja.Object, path string) (Value, error) {
	if err := c.enter(path); err != nil {
		return nil, err
	}
	defer func() { c.depth-- }()
	lib, name := &c.registry.lib, "setItems"
	if o.ClassName() == "Map" {
		name = "mapEntries"
	}
	items, err := lib.call(name, o)
	if err != nil {
		return nil, err
	}
	list := items.(*goja.Object)
	var plain []Value
	for i := range int(list.Get("length").ToInteger()) {
		p, err := c.any(list.Get(strconv.Itoa(i)), fmt.Sprintf("%s.%s()[%d]", path, "entries", i))
		if err != nil {
			return nil, err
		}
		plain = append(plain, p)
	}
	if name == "setItems" {
		return &Set{Items: plain}, nil
	}
	m := &Map{}
	for i := 0; i < len(plain); i += 2 {
		m.Entries = append(m.Entries, MapEntry{plain[i], plain[i+1]})
	}
	return m, nil
}

func plainArray(v goja.Value) (*goja.Object, bool) {
	o, ok := v.(*goja.Object)
	return o, ok && o.ClassName() == "Array" && o.ExportType() != typeProxy
}

// plainObject reports whether v is an object literal: no class instance, no exotic object.
func (c *converter) plainObject(v goja.Value) (*goja.Object, bool) {
	o, ok := v.(*goja.Object)
	if !ok || o.ExportType() == typeProxy || o.ClassName() != "Object" {
		return nil, false
	}
	p := o.Prototype()
	return o, p == nil || p == c.registry.objectPrototype()
}

func (g *Registry) objectPrototype() *goja.Object {
	return g.Resource().script.prototype.Prototype()
}

func plainString(s goja.String, path string) (Value, error) {
	out := s.String()
	for i, r := range out {
		if r == '�' && hasLoneSurrogate(s) {
			return nil, &ValueError{Path: path, Reason: fmt.Sprintf("the string has a lone surrogate near byte %d, which cannot be saved", i)}
		}
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

func dateOf(v goja.Value) (Date, bool) {
	o, ok := v.(*goja.Object)
	if !ok || o.ExportType() == typeProxy || o.ClassName() != "Date" {
		return 0, false
	}
	if t, ok := o.Export().(time.Time); ok {
		return Date(t.UnixMilli()), true
	}
	return Date(math.NaN()), true
}

func bytesOf(v goja.Value) (Bytes, bool) {
	o, ok := v.(*goja.Object)
	if !ok || o.ExportType() != typeBytes {
		return nil, false
	}
	b, ok := o.Export().([]byte)
	return slices.Clone(b), ok
}
