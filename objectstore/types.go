package objectstore

import (
	"fmt"
	"slices"

	"github.com/dop251/goja"
)

var simpleTypes = map[string]Kind{
	"string": KindString, "number": KindNumber, "integer": KindInteger, "boolean": KindBoolean,
	"any": KindAny, "bytes": KindBytes, "date": KindDate, "secret": KindSecret,
}

var usages = map[string]Usage{
	"in": UsageIn, "out": UsageOut, "inout": UsageInOut, "const": UsageConst, "config": UsageConfig, "runtime": UsageRuntime,
}

// String names the type as a declaration would.
func (t *Type) String() string {
	switch t.Kind {
	case KindClass:
		return t.Class.label()
	case KindList:
		return "[" + t.Elem.String() + "]"
	case KindMap:
		return "{ map: " + t.Elem.String() + " }"
	case KindShape:
		return "{ shape }"
	case KindEnum:
		return fmt.Sprintf("one of %v", t.Enum)
	}
	for name, kind := range simpleTypes {
		if kind == t.Kind {
			return name
		}
	}
	return "any"
}

// readProperties reads `static properties` of one class and merges them with the inherited ones.
func (g *Registry) readProperties(c *Class, constructor *goja.Object) error {
	if c.Base != nil {
		c.Properties = slices.Clone(c.Base.Properties)
	}
	if !slices.Contains(constructor.GetOwnPropertyNames(), "properties") {
		return nil
	}
	declared, ok := constructor.Get("properties").(*goja.Object)
	if !ok {
		return fmt.Errorf("class %s: static properties is no object", c.declarer().label())
	}
	own, err := g.readShape(declared)
	if err != nil {
		return fmt.Errorf("class %s: %w", c.declarer().label(), err)
	}
	for _, p := range own {
		if p.Name[0] == '$' || slices.Contains(reserved, p.Name) {
			return fmt.Errorf("class %s: property %s: the name is reserved", c.declarer().label(), p.Name)
		}
		at := slices.IndexFunc(c.Properties, func(q *Property) bool { return q.Name == p.Name })
		if at >= 0 {
			c.Properties[at] = p
		} else {
			c.Properties = append(c.Properties, p)
		}
	}
	c.byName = nil
	return nil
}

// reserved are the names that no declared property can have, besides those that begin with $.
var reserved = []string{"?", "destroy", "constructor", "__proto__"}

func (c *Class) label() string {
	if c.Name != "" {
		return c.Name
	}
	if name, ok := c.script.constructor.Object().Get("name").(goja.String); ok {
		return name.String()
	}
	return "(anonymous)"
}

// declarer is the class whose declarations those of c are in the eyes of their author: of a class without a
// name, as Resource.with() makes it, the one that extends it.
func (c *Class) declarer() *Class {
	for c.script.heir != nil && c.label() == "" {
		c = c.script.heir
	}
	return c
}

func (g *Registry) readShape(o *goja.Object) ([]*Property, error) {
	var out []*Property
	for _, name := range o.Keys() {
		if name == "" {
			return nil, fmt.Errorf("a property has an empty name")
		}
		p, err := g.readProperty(name, o.Get(name))
		if err != nil {
			return nil, fmt.Errorf("property %s: %w", name, err)
		}
		out = append(out, p)
	}
	return out, nil
}

// readProperty reads one declaration: a type, or an object with type, usage, default and optional.
func (g *Registry) readProperty(name string, v goja.Value) (*Property, error) {
	p := &Property{Name: name, Type: &Type{}}
	spec, ok := v.(*goja.Object)
	if !ok || g.isArray(spec) || isFunction(spec) || isTypeLiteral(spec) {
		t, err := g.readType(v)
		p.Type = t
		return p, err
	}
	for _, key := range spec.Keys() {
		v := spec.Get(key)
		switch key {
		case "type":
			t, err := g.readType(v)
			if err != nil {
				return nil, err
			}
			p.Type = t
		case "usage":
			name, _ := v.(goja.String)
			usage, ok := Usage(0), name != nil
			if ok {
				usage, ok = usages[name.String()]
			}
			if !ok {
				return nil, fmt.Errorf("unknown usage %s: in, out, inout, const, config or runtime", Describe(v))
			}
			p.Usage = usage
		case "optional":
			p.Optional = v.ToBoolean()
		case "default":
			p.HasDefault = !goja.IsUndefined(v)
		case "description":
		default:
			return nil, fmt.Errorf("unknown key %q: type, usage, default, optional, description", key)
		}
	}
	if p.HasDefault {
		given := spec.Get("default")
		if goja.IsNull(given) && p.Optional {
			return p, nil
		}
		value, err := g.plain(p.Type, given, "default")
		if err != nil {
			return nil, err
		}
		managed := false
		if Refs(value, func(Ref) { managed = true }); managed {
			return nil, fmt.Errorf("a default cannot hold managed objects")
		}
		p.Default = value
	}
	return p, nil
}

func (g *Registry) isArray(v goja.Value) bool {
	_, ok := g.isInstance(v, "Array")
	return ok
}

func isFunction(o *goja.Object) bool {
	_, ok := goja.AssertFunction(o)
	return ok
}

// isTypeLiteral reports whether o is { map: … }, { shape: … } or { enum: … }.
func isTypeLiteral(o *goja.Object) bool {
	keys := o.Keys()
	return len(keys) == 1 && (keys[0] == "map" || keys[0] == "shape" || keys[0] == "enum")
}

func (g *Registry) readType(v goja.Value) (*Type, error) {
	if s, ok := v.(goja.String); ok {
		if kind, ok := simpleTypes[s.String()]; ok {
			return &Type{Kind: kind}, nil
		}
		c, err := g.Lookup(s.String())
		if err != nil {
			return nil, fmt.Errorf("%w; a type is string, number, integer, boolean, any, bytes, date, secret, a class or its name, [type], { map }, { shape } or { enum }", err)
		}
		return &Type{Kind: KindClass, Class: c}, nil
	}
	o, ok := v.(*goja.Object)
	if !ok {
		return nil, fmt.Errorf("%s is no type", Describe(v))
	}
	if g.IsClass(o) {
		return g.classType(o)
	}
	if f, ok := goja.AssertFunction(o); ok { // () => Class, for classes that are defined later
		v, err := f(goja.Undefined())
		if err != nil {
			return nil, err
		}
		if !g.IsClass(v) {
			return nil, fmt.Errorf("a function as a type must return a class that extends Resource, got %s", Describe(v))
		}
		return g.classType(v.(*goja.Object))
	}
	if g.isArray(o) {
		if n := o.Get("length").ToInteger(); n != 1 {
			return nil, fmt.Errorf("a list type is an array with one type, got %d", n)
		}
		elem, err := g.readType(o.Get("0"))
		return &Type{Kind: KindList, Elem: elem}, err
	}
	if !isTypeLiteral(o) {
		return nil, fmt.Errorf("%s is no type", Describe(v))
	}
	inner := o.Get(o.Keys()[0])
	switch o.Keys()[0] {
	case "map":
		elem, err := g.readType(inner)
		return &Type{Kind: KindMap, Elem: elem}, err
	case "shape":
		fields, ok := inner.(*goja.Object)
		if !ok {
			return nil, fmt.Errorf("shape is %s, not an object", Describe(inner))
		}
		shape, err := g.readShape(fields)
		return &Type{Kind: KindShape, Fields: shape}, err
	default:
		list, ok := inner.(*goja.Object)
		if !ok || !g.isArray(list) {
			return nil, fmt.Errorf("enum is %s, not an array", Describe(inner))
		}
		t := &Type{Kind: KindEnum}
		for _, key := range list.Keys() {
			value, err := g.plain(anyType, list.Get(key), "enum")
			if err != nil {
				return nil, err
			}
			if secret, ok := value.(Secret); ok {
				value = string(secret) // everybody can read it here
			}
			switch value.(type) {
			case string, float64, bool:
			default:
				return nil, fmt.Errorf("an enum lists strings, numbers and booleans, not %s", Describe(list.Get(key)))
			}
			t.Enum = append(t.Enum, value)
		}
		return t, nil
	}
}

func (g *Registry) classType(constructor *goja.Object) (*Type, error) {
	if _, err := g.adopt(constructor); err != nil {
		return nil, err
	}
	return &Type{Kind: KindClass, Class: g.byCtor[constructor]}, nil
}
