package objectstore

import (
	"errors"
	"fmt"
	"math/big"
	"slices"

	"github.com/dop251/goja"
)

// Load restores a graph: first all objects as shells with their properties, then their constructors
// in creation order, then once more the stored values, which win over what constructors assigned
// (gc 6.7). Objects that cannot be restored are kept as they are and answer Broken (gc 5.4).
//
// The graph must be closed: no dangling owners, references or subscribers. call runs one constructor
// under the caller's limits. Load runs on the goroutine that runs the runtime.
func (s *Store) Load(graph *Graph, call func(o *Object, construct func() error) error) error {
	g := s.registry
	s.loading = true
	defer func() { s.loading = false }()
	loaded := make([]*Object, 0, len(graph.Objects))
	for _, e := range graph.Objects {
		o, err := s.addShell(e)
		if err != nil {
			return err
		}
		loaded = append(loaded, o)
	}
	for _, o := range loaded {
		if o.stored.Owner != "" {
			o.owner = s.byID[o.stored.Owner]
		}
		g.lib.must("stamp", o.Value(), g.valueOf(o.owner))
	}
	for _, o := range loaded {
		s.restoreHeader(o)
		if err := s.defineStored(o); err != nil {
			o.broken = err.Error()
		}
	}
	s.root = s.byID[graph.Root]
	for _, o := range ownersFirst(loaded) {
		if o.state == Destroyed || o.broken != "" {
			continue
		}
		if err := call(o, func() error { return s.runConstructor(o) }); err != nil {
			o.broken = err.Error()
		}
		s.shell = nil
	}
	for _, o := range loaded {
		if o.broken == "" {
			if err := s.putBack(o); err != nil {
				o.broken = err.Error()
			}
		}
	}
	s.mergeSubscriptions()
	for _, o := range loaded {
		if o.state == Destroyed {
			if err := g.bury(o); err != nil {
				return err
			}
			g.heap.Weaken(o.ref)
		}
	}
	return nil
}

// DropProvisional drops the objects that constructors made while loading and that nothing refers
// to; call it after loaded() has run (gc 6.7).
func (s *Store) DropProvisional() {
	var made []*Object
	for _, o := range s.objects {
		if o.provisional {
			made = append(made, o)
			o.provisional = false
		}
	}
	if len(made) == 0 {
		return
	}
	for _, o := range s.Unreachable(made) {
		s.forget(o)
	}
}

// Loading reports whether constructors run for objects that are being restored.
func (s *Store) Loading() bool { return s.loading }

func (s *Store) addShell(e *Entry) (*Object, error) {
	g := s.registry
	c, err := g.Lookup(e.Type)
	prototype := g.Resource().script.prototype
	if err == nil {
		prototype = c.script.prototype
	}
	v, callErr := g.lib.call("shell", prototype)
	if callErr != nil {
		return nil, callErr
	}
	if s.byID[e.ID] != nil {
		return nil, fmt.Errorf("id %q stands twice in the graph", e.ID)
	}
	o := s.add(v.(*goja.Object), c, e.ID, e.Name, nil)
	o.stored = e
	if err != nil {
		o.broken = err.Error()
	}
	return o, nil
}

func (s *Store) restoreHeader(o *Object) {
	e := o.stored
	o.Incarnation, o.Protect = e.Incarnation, e.Protect
	switch {
	case e.Destroyed:
		o.state = Destroyed
	case e.Doomed:
		o.state = Doomed
		o.Notified, o.Failure = e.Notified, e.Failure
		o.Completed = map[*Class]bool{}
		for _, name := range e.Completed {
			if c, err := s.registry.Lookup(name); err == nil {
				o.Completed[c] = true
			}
		}
	}
	for _, sub := range e.Subscriptions {
		o.subs = append(o.subs, &Subscribed{Subscriber: s.byID[sub.Subscriber], Handler: sub.Handler, Count: sub.Count})
	}
}

// defineStored gives a shell its declared properties.
func (s *Store) defineStored(o *Object) error {
	if o.Class == nil {
		return errors.New(o.broken)
	}
	g, v := s.registry, o.ref.Object()
	for _, p := range o.Class.Properties {
		value, err := s.storedValue(o, p)
		if err != nil {
			return err
		}
		if _, err := g.lib.call("define", v, g.vm.ToValue(p.Name), value); err != nil {
			return err
		}
	}
	for _, f := range o.stored.Properties {
		if p := o.Class.Property(f.Name); p == nil {
			return fmt.Errorf("property %s: the class has no such property any more", f.Name)
		} else if !p.Usage.Persistable() {
			return fmt.Errorf("property %s: it is not saved any more (usage changed)", f.Name)
		}
	}
	return nil
}

// storedValue returns what a property has after loading. What is absent in the graph is undefined in
// the object, also where the class has a default by now: loading changes nothing (gc 6.6).
func (s *Store) storedValue(o *Object, p *Property) (goja.Value, error) {
	if !p.Usage.Persistable() {
		return s.initial(o, p, nil)
	}
	stored, ok := o.stored.Property(p.Name)
	if !ok {
		return goja.Undefined(), nil
	}
	if stored == nil && p.Optional {
		return goja.Null(), nil
	}
	v := s.registry.toScript(stored)
	_, err := (&converter{registry: s.registry}).toValue(p.Type, v, p.Name)
	return v, err
}

// ownersFirst orders objects by creation, owners before what they own.
func ownersFirst(objects []*Object) []*Object {
	out := make([]*Object, 0, len(objects))
	done := make(map[*Object]bool, len(objects))
	var chain []*Object
	for _, o := range objects {
		for ; o != nil && !done[o]; o = o.owner {
			done[o] = true
			chain = append(chain, o)
		}
		slices.Reverse(chain)
		out = append(out, chain...)
		chain = chain[:0]
	}
	return out
}

func (s *Store) runConstructor(o *Object) error {
	g := s.registry
	v := o.ref.Object()
	properties, options := g.vm.NewObject(), g.vm.NewObject()
	for _, p := range o.Class.Properties {
		if value := v.Get(p.Name); value != nil && !goja.IsUndefined(value) {
			g.set(properties, p.Name, value)
		}
	}
	g.set(options, "id", g.vm.ToValue(o.ID))
	if o.Name != "" {
		g.set(options, "name", g.vm.ToValue(o.Name))
	}
	s.shell = o
	made, err := g.lib.call("construct", o.Class.script.constructor.Object(), properties, g.valueOf(o.owner), options)
	if err != nil {
		return err
	}
	if made != v {
		return fmt.Errorf("the constructor returned another object")
	}
	return nil
}

// putBack undoes what constructors did to stored values; the containers that they saw stay the same
// ones.
func (s *Store) putBack(o *Object) error {
	v := o.ref.Object()
	for _, p := range o.Class.Properties {
		if !p.Usage.Persistable() {
			continue
		}
		stored, ok := o.stored.Property(p.Name)
		if !ok {
			if err := v.Set(p.Name, goja.Undefined()); err != nil {
				return err
			}
			continue
		}
		now := v.Get(p.Name)
		plain, err := (&converter{registry: s.registry}).any(now, p.Name)
		if err == nil && Equal(plain, stored) {
			continue
		}
		if c, ok := now.(*goja.Object); ok && sameContainer(plain, stored) {
			if err := s.registry.refill(c, stored); err == nil {
				continue
			}
		}
		if err := v.Set(p.Name, s.registry.toScript(stored)); err != nil {
			return err
		}
	}
	return nil
}

func sameContainer(a, b Value) bool {
	switch b.(type) {
	case []Value:
		_, ok := a.([]Value)
		return ok
	case *Record:
		_, ok := a.(*Record)
		return ok
	case *Map:
		_, ok := a.(*Map)
		return ok
	case *Set:
		_, ok := a.(*Set)
		return ok
	}
	return false
}

// Equal reports whether two plain values are the same; NaN equals itself, 0 and -0 differ.
func Equal(a, b Value) bool {
	switch a := a.(type) {
	case float64:
		b, ok := b.(float64)
		return ok && (a == b && 1/a == 1/b || a != a && b != b)
	case Date:
		b, ok := b.(Date)
		return ok && (a == b || a != a && b != b)
	case Bytes:
		b, ok := b.(Bytes)
		return ok && slices.Equal(a, b)
	case *big.Int:
		b, ok := b.(*big.Int)
		return ok && a.Cmp(b) == 0
	case []Value:
		b, ok := b.([]Value)
		return ok && slices.EqualFunc(a, b, Equal)
	case *Record:
		b, ok := b.(*Record)
		return ok && slices.EqualFunc(a.Fields, b.Fields, func(x, y Field) bool { return x.Name == y.Name && Equal(x.Value, y.Value) })
	case *Map:
		b, ok := b.(*Map)
		return ok && slices.EqualFunc(a.Entries, b.Entries, func(x, y MapEntry) bool { return Equal(x.Key, y.Key) && Equal(x.Value, y.Value) })
	case *Set:
		b, ok := b.(*Set)
		return ok && slices.EqualFunc(a.Items, b.Items, Equal)
	default:
		return a == b
	}
}
