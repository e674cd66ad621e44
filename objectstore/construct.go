package objectstore

import (
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
	in := s.inlined
	if in != nil && in.class == c && in.made == nil {
		s.inlined = nil // not for what the properties of this one make
	} else {
		in = nil
	}
	o, err := s.create(v, c, in, properties, owner, options)
	if in != nil {
		in.made = o
	}
	if err != nil {
		if o != nil {
			s.forget(o)
		}
		g.rethrow(err)
	}
	return v
}

// create registers v and gives it its declared properties.
func (s *Store) create(v *goja.Object, c *Class, in *inlined, properties, owner, options goja.Value) (*Object, error) {
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
	if in != nil { // constructors need not pass all their arguments on
		if own == nil {
			own = in.owner
		}
		if id == "" {
			id = in.id
		}
		if name == "" {
			name = in.name
		}
	}
	if id == "" {
		id = s.opts.NewID()
	} else if err := s.freeID(id); err != nil {
		return nil, fail(err)
	}
	for _, key := range given.keys {
		if c.Property(key) == nil {
			return nil, fail(fmt.Errorf("unknown property %s%s", key, nearest(key, c)))
		}
	}
	if most := s.opts.MaxObjects; most > 0 && s.seq-s.ended >= most && !s.loading {
		return nil, s.opts.Exceeded("objects", most)
	}
	o := s.add(v, c, id, name, own)
	o.provisional, o.inline = s.loading, in != nil
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
			if _, ok := err.(*ValueError); ok {
				err = fmt.Errorf("%s: %w", o, err)
			}
			return o, err
		}
		if err := define(v, p, value); err != nil {
			return o, fmt.Errorf("%s: %w", o, err)
		}
	}
	return o, nil
}

// define gives an object a declared property: not configurable, so that a class field of its name is
// an error instead of a silent replacement.
func define(v *goja.Object, p *Property, value goja.Value) error {
	return v.DefineDataProperty(p.Name, value, goja.FLAG_TRUE, goja.FLAG_FALSE, goja.FLAG_TRUE)
}

// initial returns the first value of a declared property.
func (s *Store) initial(o *Object, p *Property, given goja.Value) (goja.Value, error) {
	g := s.registry
	if given == nil || goja.IsUndefined(given) {
		if p.Usage == UsageConfig {
			if stored, ok := s.opts.Config[p.Name]; ok {
				v := g.toScript(stored, nil)
				_, err := g.plain(p.Type, v, p.Name)
				return v, err
			}
		}
		switch {
		case p.HasDefault:
			return g.toScript(p.Default, nil), nil
		case p.Optional || p.Usage == UsageOut || p.Usage == UsageConst || p.Usage == UsageRuntime:
			return goja.Undefined(), nil
		}
		return nil, &ValueError{Path: p.Name, Expected: p.Type.String(), Got: "nothing; it is required"}
	}
	if p.Usage == UsageRuntime || goja.IsNull(given) && p.Optional {
		return given, nil
	}
	v, err := s.inline(o, p.Type, given)
	if err != nil {
		return nil, at(err, p.Name)
	}
	_, err = g.plain(p.Type, v, p.Name)
	return v, err
}

func (g *Registry) valueOf(o *Object) goja.Value {
	if o == nil {
		return goja.Null()
	}
	return o.Value()
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

// forget drops an object that never was one: its constructor threw, or it was made while loading and
// nothing refers to it (gc 5.4, 6.7). What was made inline for it goes with it; what its constructor made
// itself has no owner any more, and is collected as everything else.
func (s *Store) forget(o *Object) {
	i := len(s.objects) - 1
	for i >= 0 && s.objects[i].seq > o.seq {
		i--
	}
	if i < 0 || s.objects[i] != o {
		return
	}
	drop := map[*Object]bool{o: true}
	for _, x := range s.objects[i+1:] {
		switch {
		case !drop[x.owner]:
		case x.inline:
			drop[x] = true
		default:
			x.owner = nil
		}
	}
	s.forgetAll(drop, i)
}

// forgetAll drops objects, none of which stands before the first in creation order.
func (s *Store) forgetAll(drop map[*Object]bool, first int) {
	rest := slices.DeleteFunc(s.objects[first:], func(o *Object) bool {
		if !drop[o] {
			return false
		}
		o.state = Destroyed
		o.endSubscriptions()
		if s.byID[o.ID] == o {
			delete(s.byID, o.ID)
		}
		s.registry.heap.Untrack(o.ref)
		return true
	})
	s.objects = s.objects[:first+len(rest)]
	s.ended++
}
