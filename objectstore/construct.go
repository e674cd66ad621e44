package objectstore

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/dop251/goja"
)

// construct is the constructor of Resource: it makes `this` a managed object, or, while a graph is
// loaded, puts the shell that waits for its constructor in the place of `this`.
func (g *Registry) construct(this, newTarget, properties, owner, options goja.Value) goja.Value {
	s := g.store
	if s == nil {
		panic(g.typeError("no environment is loaded: managed objects are made while a deployment, a script or a test runs"))
	}
	constructor, v := newTarget.(*goja.Object), this.(*goja.Object)
	if shell := s.shell; shell != nil && shell.Class.script.constructor.Object() == constructor {
		s.shell = nil
		return shell.Value()
	}
	c, err := g.classOf(constructor)
	if err != nil {
		panic(g.typeError("%v", err))
	}
	o, err := s.create(v, c, properties, owner, options)
	if err != nil {
		if o != nil {
			s.forget(o)
		}
		var thrown *goja.Exception
		if errors.As(err, &thrown) {
			panic(thrown) // by the constructor of an inline object
		}
		panic(g.typeError("%v", err))
	}
	return v
}

// create registers v and gives it its declared properties.
func (s *Store) create(v *goja.Object, c *Class, properties, owner, options goja.Value) (*Object, error) {
	g := s.registry
	fail := func(err error) error { return fmt.Errorf("%s: %w", c.Short(), err) }
	own, err := s.ownerArgument(owner)
	if err != nil {
		return nil, fail(err)
	}
	given, err := propertiesArgument(properties)
	if err != nil {
		return nil, fail(err)
	}
	id, name, err := optionsArgument(options)
	if err != nil {
		return nil, fail(err)
	}
	if id == "" {
		id = s.opts.NewID()
	} else if err := s.freeID(id); err != nil {
		return nil, fail(err)
	}
	for _, key := range given.keys() {
		if c.Property(key) == nil {
			return nil, fail(fmt.Errorf("unknown property %s%s", key, nearest(key, c)))
		}
	}
	o := s.add(v, c, id, name, own)
	o.provisional = s.loading
	if s.opts.Incarnation != nil {
		o.Incarnation = s.opts.Incarnation()
	}
	if s.opts.TraceCreation {
		o.CreatedAt = Caller(g.vm)
	}
	g.lib.must("stamp", v, g.valueOf(own))
	for _, p := range c.Properties {
		value, err := s.initial(o, p, given.get(p.Name))
		if err != nil {
			return o, fmt.Errorf("%s: %w", o, err)
		}
		g.lib.must("define", v, g.vm.ToValue(p.Name), value)
	}
	return o, nil
}

// initial returns the first value of a declared property.
func (s *Store) initial(o *Object, p *Property, given goja.Value) (goja.Value, error) {
	g := s.registry
	if given == nil || goja.IsUndefined(given) {
		if p.Usage == UsageConfig {
			if stored, ok := s.opts.Config[p.Name]; ok {
				v := g.toScript(stored)
				_, err := (&converter{registry: g}).toValue(p.Type, v, p.Name)
				return v, err
			}
		}
		switch {
		case p.HasDefault:
			return g.toScript(p.Default), nil
		case p.Optional || p.Usage == UsageOut || p.Usage == UsageRuntime:
			return goja.Undefined(), nil
		}
		return nil, &ValueError{Path: p.Name, Expected: p.Type.String(), Got: "nothing; it is required"}
	}
	if p.Usage == UsageRuntime {
		return given, nil
	}
	if goja.IsNull(given) && p.Optional {
		return given, nil
	}
	v, err := s.inline(o, p.Type, given, p.Name)
	if err != nil {
		return nil, err
	}
	_, err = (&converter{registry: g}).toValue(p.Type, v, p.Name)
	return v, err
}

// inline makes managed objects of the plain objects that stand where t expects a class; o owns them.
// What needs no change is returned as it is.
func (s *Store) inline(o *Object, t *Type, v goja.Value, path string) (goja.Value, error) {
	g := s.registry
	x, ok := v.(*goja.Object)
	if !ok || !t.mentionsClass() {
		return v, nil
	}
	switch t.Kind {
	case KindClass:
		if _, plain := (&converter{registry: g}).plainObject(x); plain {
			return s.inlineObject(o, t.Class, x, path)
		}
		return v, nil
	case KindList, KindMap, KindShape:
	default:
		return v, nil
	}
	var out *goja.Object
	for _, key := range x.Keys() {
		elem := t.Elem
		if t.Kind == KindShape {
			at := slices.IndexFunc(t.Fields, func(p *Property) bool { return p.Name == key })
			if at < 0 {
				continue
			}
			elem = t.Fields[at].Type
		}
		old := x.Get(key)
		made, err := s.inline(o, elem, old, path+"."+key)
		if err != nil {
			return nil, err
		}
		if made == old {
			continue
		}
		if out == nil { // the caller's container stays as it is
			plain := g.vm.NewObject()
			if t.Kind == KindList {
				plain = g.vm.NewArray()
			}
			for _, k := range x.Keys() {
				g.set(plain, k, x.Get(k))
			}
			out = plain
		}
		g.set(out, key, made)
	}
	if out == nil {
		return v, nil
	}
	return out, nil
}

func (s *Store) inlineObject(o *Object, c *Class, x *goja.Object, path string) (goja.Value, error) {
	g := s.registry
	properties, options := g.vm.NewObject(), g.vm.NewObject()
	for _, key := range x.Keys() {
		if key != "?" {
			g.set(properties, key, x.Get(key))
			continue
		}
		header, ok := x.Get(key).(*goja.Object)
		if !ok {
			return nil, &ValueError{Path: path, Reason: `"?" is no object`}
		}
		for _, key := range header.Keys() {
			switch key {
			case "type":
				sub, err := g.Lookup(header.Get(key).String())
				if err != nil {
					return nil, &ValueError{Path: path, Reason: err.Error()}
				}
				if !sub.Is(c) {
					return nil, &ValueError{Path: path, Expected: c.label(), Got: sub.Short()}
				}
				c = sub
			case "id", "name":
				g.set(options, key, header.Get(key))
			default:
				return nil, &ValueError{Path: path, Reason: fmt.Sprintf(`"?" has an unknown field %q: type, id, name`, key)}
			}
		}
	}
	return g.lib.call("make", c.script.constructor.Object(), properties, o.Value(), options)
}

func (g *Registry) set(o *goja.Object, key string, v goja.Value) {
	if err := o.DefineDataProperty(key, v, goja.FLAG_TRUE, goja.FLAG_TRUE, goja.FLAG_TRUE); err != nil {
		panic(err) // a fresh container takes everything
	}
}

// mentionsClass reports whether values of the type can hold managed objects by declaration.
func (t *Type) mentionsClass() bool {
	switch t.Kind {
	case KindClass:
		return true
	case KindList, KindMap:
		return t.Elem.mentionsClass()
	case KindShape:
		return slices.ContainsFunc(t.Fields, func(p *Property) bool { return p.Type.mentionsClass() })
	}
	return false
}

func (s *Store) ownerArgument(v goja.Value) (*Object, error) {
	if v == nil || goja.IsUndefined(v) || goja.IsNull(v) {
		return nil, nil
	}
	o := s.registry.Find(v)
	switch {
	case o == nil:
		return nil, fmt.Errorf("the owner (second argument) must be a managed object, got %s", Describe(v))
	case o.store != s:
		return nil, fmt.Errorf("the owner %s belongs to an earlier deployment", o)
	case o.state == Destroyed:
		return nil, fmt.Errorf("the owner %s is destroyed", o)
	}
	return o, nil
}

// arguments are the properties that `new` was given.
type arguments struct{ o *goja.Object }

func propertiesArgument(v goja.Value) (arguments, error) {
	if v == nil || goja.IsUndefined(v) || goja.IsNull(v) {
		return arguments{}, nil
	}
	o, ok := v.(*goja.Object)
	if !ok || o.ClassName() == "Array" || isFunction(o) {
		return arguments{}, fmt.Errorf("the properties (first argument) must be an object, got %s", Describe(v))
	}
	return arguments{o}, nil
}

func (a arguments) keys() []string {
	if a.o == nil {
		return nil
	}
	return a.o.Keys()
}

func (a arguments) get(name string) goja.Value {
	if a.o == nil {
		return nil
	}
	return a.o.Get(name)
}

func optionsArgument(v goja.Value) (id, name string, err error) {
	if v == nil || goja.IsUndefined(v) || goja.IsNull(v) {
		return "", "", nil
	}
	o, ok := v.(*goja.Object)
	if !ok {
		return "", "", fmt.Errorf("the options (third argument) must be an object { id, name }, got %s", Describe(v))
	}
	for _, key := range o.Keys() {
		v := o.Get(key)
		if goja.IsUndefined(v) {
			continue
		}
		text, ok := v.(goja.String)
		if !ok {
			return "", "", fmt.Errorf("option %s must be a string, got %s", key, Describe(v))
		}
		switch key {
		case "id":
			if id = text.String(); id == "" {
				return "", "", fmt.Errorf("option id is empty")
			}
		case "name":
			name = text.String()
		default:
			return "", "", fmt.Errorf("unknown option %s: id, name", key)
		}
	}
	return id, name, nil
}

func (g *Registry) valueOf(o *Object) goja.Value {
	if o == nil {
		return goja.Null()
	}
	return o.Value()
}

// nearest suggests a declared property for a misspelt one.
func nearest(key string, c *Class) string {
	for _, p := range c.Properties {
		if strings.EqualFold(p.Name, key) || Distance(p.Name, key) <= 2 {
			return fmt.Sprintf("; did you mean %s?", p.Name)
		}
	}
	return ""
}

// Distance is the edit distance (Levenshtein) of two names.
func Distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		last := row[0]
		row[0] = i + 1
		for j := range len(b) {
			above := row[j+1]
			cost := 1
			if a[i] == b[j] {
				cost = 0
			}
			row[j+1] = min(above+1, row[j]+1, last+cost)
			last = above
		}
	}
	return row[len(b)]
}

// Caller returns "file:line:column" of the innermost frame of user code.
func Caller(vm *goja.Runtime) string {
	for _, f := range vm.CaptureCallStack(16, nil) {
		if name := f.SrcName(); name != "<native>" && !strings.HasPrefix(name, "sexton:") {
			p := f.Position()
			return fmt.Sprintf("%s:%d:%d", p.Filename, p.Line, p.Column)
		}
	}
	return ""
}
