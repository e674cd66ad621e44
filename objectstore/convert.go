package objectstore

import (
	"fmt"
	"math"
	"math/big"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/dop251/goja"
)

const (
	maxNesting = 1000    // how deep plain data may nest inside of one property
	maxValues  = 1 << 24 // how many values one property may hold
)

var typeBigInt = reflect.TypeFor[*big.Int]()

// converter turns JavaScript values into plain ones and checks them on the way.
type converter struct {
	registry *Registry
	depth    int
	values   int // met so far
}

// plain returns v as plain data, or a *ValueError if it does not fit t. Getters in plain data run; what
// they throw is returned.
func (g *Registry) plain(t *Type, v goja.Value, name string) (plain Value, err error) {
	err = g.try(func() (err error) {
		c := converter{registry: g}
		plain, err = c.toValue(t, v)
		return err
	})
	if err != nil {
		return nil, at(err, name)
	}
	return plain, nil
}

// at puts a step before the path of a *ValueError.
func at(err error, step string) error {
	if e, ok := err.(*ValueError); ok {
		e.Path = step + e.Path
	}
	return err
}

func index(i int) string { return "[" + strconv.Itoa(i) + "]" }

func (c *converter) mismatch(t *Type, v goja.Value) *ValueError {
	got := Describe(v)
	if o := c.registry.Find(v); o != nil {
		got = o.String()
	}
	return &ValueError{Expected: t.String(), Got: got}
}

func (c *converter) toValue(t *Type, v goja.Value) (Value, error) {
	switch t.Kind {
	case KindAny:
		return c.any(v)
	case KindString:
		if s, ok := v.(goja.String); ok {
			return c.string(s)
		}
	case KindSecret:
		if s, ok := v.(goja.String); ok {
			return c.secret(s)
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
		if b, ok := c.registry.bytes(v); ok {
			return b, nil
		}
	case KindDate:
		if d, ok := c.registry.date(v); ok {
			return d, nil
		}
	case KindClass:
		// One whose class is missing fits everywhere: it may be right, and it alone is broken (gc 5.4).
		if o := c.registry.Find(v); o != nil && (o.Class == nil || o.Class.Is(t.Class)) {
			return c.reference(o)
		}
	case KindEnum:
		plain, err := c.any(v)
		if secret, ok := plain.(Secret); ok {
			plain = string(secret) // the class says it to everybody
		}
		if err == nil && slices.ContainsFunc(t.Enum, func(e Value) bool { return Equal(e, plain) }) {
			return plain, nil
		}
	case KindList:
		if o, ok := c.registry.isInstance(v, "Array"); ok {
			return c.list(t.Elem, o)
		}
	case KindMap:
		if o, ok := c.registry.isPlain(v); ok {
			return c.fields(t.Elem, o)
		}
	case KindShape:
		if o, ok := c.registry.isPlain(v); ok {
			return c.shape(t, o)
		}
	}
	err := c.mismatch(t, v)
	if t.Kind == KindSecret {
		err.Got, _, _ = strings.Cut(err.Got, " ") // not its value
	}
	return nil, err
}

func (c *converter) reference(o *Object) (Value, error) {
	if s := c.registry.store; s == nil || o.store != s {
		return nil, &ValueError{Reason: fmt.Sprintf("%s belongs to an earlier deployment", o)}
	} else if !s.has(o) {
		return nil, &ValueError{Reason: fmt.Sprintf("%s is destroyed, and its id means another object by now", o)}
	}
	return Ref(o.ID), nil
}

// enter counts n values of a container, one level deeper.
func (c *converter) enter(n int) error {
	if c.depth++; c.depth > maxNesting {
		return &ValueError{Reason: fmt.Sprintf("data nests deeper than %d levels or contains itself", maxNesting)}
	}
	if c.values += n; c.values > maxValues {
		return &ValueError{Reason: fmt.Sprintf("it has more than %d values", maxValues)}
	}
	return nil
}

// sparse is the length from which an array must not consist of holes for the most part.
const sparse = 1 << 16

func (c *converter) list(elem *Type, o *goja.Object) (Value, error) {
	length := o.Get("length").ToInteger()
	if length > sparse && int64(len(o.Keys())) < length/4 {
		return nil, &ValueError{Reason: fmt.Sprintf("a sparse array of length %d cannot be saved", length)}
	}
	n := int(length)
	if err := c.enter(n); err != nil {
		return nil, err
	}
	defer func() { c.depth-- }()
	out := make([]Value, n)
	for i := range n {
		plain, err := c.toValue(elem, o.Get(strconv.Itoa(i)))
		if err != nil {
			return nil, at(err, index(i))
		}
		out[i] = plain
	}
	return out, nil
}

func (c *converter) fields(elem *Type, o *goja.Object) (Value, error) {
	keys := o.Keys()
	if err := c.enter(len(keys)); err != nil {
		return nil, err
	}
	defer func() { c.depth-- }()
	r := &Record{Fields: make([]Field, 0, len(keys))}
	for _, key := range keys {
		v := o.Get(key)
		if v == nil && strings.ContainsRune(key, '�') {
			return nil, &ValueError{Path: "." + key, Reason: "the name has a lone surrogate, which cannot be saved"}
		}
		plain, err := c.toValue(elem, v)
		if err != nil {
			return nil, at(err, "."+key)
		}
		r.Fields = append(r.Fields, Field{key, plain})
	}
	return r, nil
}

func (c *converter) shape(t *Type, o *goja.Object) (Value, error) {
	keys := o.Keys()
	if err := c.enter(len(keys)); err != nil {
		return nil, err
	}
	defer func() { c.depth-- }()
	for _, key := range keys {
		if t.field(key) == nil {
			return nil, &ValueError{Path: "." + key, Reason: "the shape has no such field"}
		}
	}
	r := &Record{}
	for _, p := range t.Fields {
		var v goja.Value
		if slices.Contains(keys, p.Name) {
			v = o.Get(p.Name)
		}
		if v == nil || goja.IsUndefined(v) {
			if !p.Optional {
				return nil, &ValueError{Path: "." + p.Name, Expected: p.Type.String(), Got: "undefined"}
			}
			continue
		}
		if goja.IsNull(v) && p.Optional {
			r.Fields = append(r.Fields, Field{p.Name, nil})
			continue
		}
		plain, err := c.toValue(p.Type, v)
		if err != nil {
			return nil, at(err, "."+p.Name)
		}
		r.Fields = append(r.Fields, Field{p.Name, plain})
	}
	return r, nil
}

// field returns the field of a shape, nil if it has none of that name.
func (t *Type) field(name string) *Property {
	if at := slices.IndexFunc(t.Fields, func(p *Property) bool { return p.Name == name }); at >= 0 {
		return t.Fields[at]
	}
	return nil
}

var anyType = &Type{Kind: KindAny}

// any converts JSON data, managed objects and the standard containers.
func (c *converter) any(v goja.Value) (Value, error) {
	switch {
	case v == nil || goja.IsUndefined(v):
		return Undefined{}, nil
	case goja.IsNull(v):
		return nil, nil
	}
	if s, ok := v.(goja.String); ok {
		return c.string(s)
	}
	if f, ok := number(v); ok {
		return f, nil
	}
	if b, ok := boolean(v); ok {
		return b, nil
	}
	x, ok := v.(*goja.Object)
	if !ok {
		if v.ExportType() == typeBigInt {
			return new(big.Int).Set(v.Export().(*big.Int)), nil
		}
		return nil, c.registry.unsaveable(v)
	}
	g := c.registry
	if o := g.Find(x); o != nil {
		return c.reference(o)
	}
	if o, ok := g.isInstance(x, "Array"); ok {
		return c.list(anyType, o)
	}
	if o, ok := g.isPlain(x); ok {
		return c.fields(anyType, o)
	}
	if d, ok := g.date(x); ok {
		return d, nil
	}
	if b, ok := g.bytes(x); ok {
		return b, nil
	}
	if o, ok := g.isInstance(x, "Map"); ok {
		return c.mapping(o)
	}
	if o, ok := g.isInstance(x, "Set"); ok {
		plain, err := c.items("setItems", o)
		return &Set{Items: plain}, err
	}
	return nil, g.unsaveable(v)
}

func (c *converter) mapping(o *goja.Object) (Value, error) {
	plain, err := c.items("mapEntries", o)
	if err != nil {
		return nil, err
	}
	m := &Map{Entries: make([]MapEntry, 0, len(plain)/2)}
	for i := 0; i < len(plain); i += 2 {
		m.Entries = append(m.Entries, MapEntry{plain[i], plain[i+1]})
	}
	return m, nil
}

// items converts what a function of resource.js takes out of a Map or Set.
func (c *converter) items(function string, o *goja.Object) ([]Value, error) {
	items, err := c.registry.lib.call(function, o)
	if err != nil {
		return nil, err
	}
	plain, err := c.list(anyType, items.(*goja.Object))
	if err != nil {
		return nil, at(err, ".entries()")
	}
	return plain.([]Value), nil
}
