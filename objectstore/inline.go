package objectstore

import (
	"fmt"
	"slices"
	"strings"

	"github.com/dop251/goja"
)

// inlined is what the next `new` of a class has to know although the class's constructor may not pass
// it on to super().
type inlined struct {
	class    *Class
	owner    *Object
	id, name string
	made     *Object
}

// inline makes managed objects of the plain objects that stand where t expects a class; o owns them.
// Fields of shapes take their defaults. What needs no change is returned as it is, and what does is
// copied: the caller's containers stay as they are.
func (s *Store) inline(o *Object, t *Type, v goja.Value) (goja.Value, error) {
	g := s.registry
	x, ok := v.(*goja.Object)
	if !ok || !t.completes() {
		return v, nil
	}
	switch t.Kind {
	case KindClass:
		if _, plain := g.isPlain(x); plain {
			return s.inlineObject(o, t.Class, x)
		}
		return v, nil
	case KindList:
		if _, ok := g.isInstance(x, "Array"); !ok {
			return v, nil
		}
	case KindMap, KindShape:
		if _, ok := g.isPlain(x); !ok {
			return v, nil
		}
	}
	keys := x.Keys()
	values := make([]goja.Value, 0, len(keys))
	changed := false
	for _, key := range keys {
		elem, step := t.Elem, "."+key
		switch t.Kind {
		case KindList:
			step = "[" + key + "]"
		case KindShape:
			field := t.field(key)
			if field == nil {
				return v, nil // the check of the type says so
			}
			elem = field.Type
		}
		old := x.Get(key)
		made, err := s.inline(o, elem, old)
		if err != nil {
			return nil, at(err, step)
		}
		changed = changed || made != old
		values = append(values, made)
	}
	for _, p := range t.Fields {
		if i := slices.Index(keys, p.Name); p.HasDefault && (i < 0 || goja.IsUndefined(values[i])) {
			value := g.toScript(p.Default, nil)
			if changed = true; i < 0 {
				keys, values = append(keys, p.Name), append(values, value)
			} else {
				values[i] = value
			}
		}
	}
	if !changed {
		return v, nil
	}
	out := g.vm.NewObject()
	if t.Kind == KindList {
		out = g.vm.NewArray()
		if err := out.Set("length", x.Get("length")); err != nil {
			return nil, err
		}
	}
	for i, key := range keys {
		g.set(out, key, values[i])
	}
	return out, nil
}

func (s *Store) inlineObject(o *Object, c *Class, x *goja.Object) (goja.Value, error) {
	g := s.registry
	in := &inlined{class: c, owner: o}
	properties := g.vm.NewObject()
	for _, key := range x.Keys() {
		if key != "?" {
			g.set(properties, key, x.Get(key))
		} else if err := s.inlineHeader(in, x.Get(key)); err != nil {
			return nil, err
		}
	}
	options := g.vm.NewObject()
	if in.id != "" {
		g.set(options, "id", g.vm.ToValue(in.id))
	}
	if in.name != "" {
		g.set(options, "name", g.vm.ToValue(in.name))
	}
	outer := s.inlined
	s.inlined = in
	defer func() { s.inlined = outer }()
	made, err := g.lib.call("make", in.class.script.constructor.Object(), properties, o.Value(), options)
	if err != nil && in.made != nil {
		s.forget(in.made) // gc 5.4
	}
	return made, in.class.explainField(err)
}

// inlineHeader reads the "?" of an inline object.
func (s *Store) inlineHeader(in *inlined, v goja.Value) error {
	header, ok := v.(*goja.Object)
	if !ok {
		return &ValueError{Reason: `"?" is no object`}
	}
	for _, key := range header.Keys() {
		text, ok := header.Get(key).(goja.String)
		if !ok {
			return &ValueError{Reason: fmt.Sprintf(`%s in "?" must be a string, got %s`, key, Describe(header.Get(key)))}
		}
		switch key {
		case "type":
			sub, err := s.registry.Lookup(text.String())
			if err != nil {
				return &ValueError{Reason: err.Error()}
			}
			if !sub.Is(in.class) {
				return &ValueError{Expected: in.class.label(), Got: sub.Short()}
			}
			in.class = sub
		case "id":
			in.id = text.String()
		case "name":
			in.name = text.String()
		default:
			return &ValueError{Reason: fmt.Sprintf(`"?" has an unknown field %q: type, id, name`, key)}
		}
	}
	return nil
}

func (g *Registry) set(o *goja.Object, key string, v goja.Value) {
	if err := o.DefineDataProperty(key, v, goja.FLAG_TRUE, goja.FLAG_TRUE, goja.FLAG_TRUE); err != nil {
		panic(err) // a fresh container takes everything
	}
}

// completes reports whether inline can have something to do for values of the type.
func (t *Type) completes() bool {
	switch t.Kind {
	case KindClass:
		return true
	case KindList, KindMap:
		return t.Elem.completes()
	case KindShape:
		return slices.ContainsFunc(t.Fields, func(p *Property) bool { return p.HasDefault || p.Type.completes() })
	}
	return false
}

// explainField says what to do about a class field that replaces a declared property, in an error
// that a constructor of the class threw.
func (c *Class) explainField(err error) error {
	if err == nil {
		return nil
	}
	const redefined = "TypeError: Cannot redefine property: "
	if at := strings.Index(err.Error(), redefined); at >= 0 {
		name := strings.FieldsFunc(err.Error()[at+len(redefined):], func(r rune) bool { return r == ' ' || r == '\n' })
		if len(name) > 0 && c.Property(name[0]) != nil {
			return fmt.Errorf("%w; %s", err, fieldAdvice(name[0]))
		}
	}
	return err
}

func fieldAdvice(name string) string {
	return fmt.Sprintf("%s is declared in static properties, and a class field of that name would replace it: declare a default there, or write `declare %s: T`", name, name)
}
