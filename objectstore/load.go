package objectstore

import (
	"errors"
	"fmt"
	"slices"

	"github.com/dop251/goja"
)

// Load restores a graph: first all objects as shells with their properties, then their constructors
// in creation order, then once more the stored values, which win over what constructors assigned
// (gc 6.7). Objects that cannot be restored are kept as they are and answer Broken (gc 5.4).
//
// The graph must be closed: no dangling owners, references or subscribers. call runs one constructor
// under the caller's limits. Load runs on the goroutine that runs the runtime. An error means that the
// store is of no use: an id stands twice, or the runtime was interrupted.
func (s *Store) Load(graph *Graph, call func(o *Object, construct func() error) error) error {
	s.loading = true
	defer func() { s.loading, s.shell = false, nil }()
	loaded := make([]*Object, 0, len(graph.Objects))
	for _, e := range graph.Objects {
		o, err := s.addShell(e)
		if err != nil {
			return err
		}
		loaded = append(loaded, o)
	}
	s.restored = s.seq
	for _, o := range loaded {
		o.storedAt = s.restored
	}
	images := make([]image, len(loaded))
	if err := s.registry.try(func() error { return s.defineAll(loaded, images) }); err != nil {
		return err
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
	for i, o := range loaded {
		if o.broken == "" {
			if err := s.putBack(o, &images[i]); stopped(err) {
				return err
			} else if err != nil {
				o.broken = err.Error()
			}
		}
	}
	s.mergeSubscriptions()
	if err := s.registry.try(func() error { return s.holdBroken(loaded) }); err != nil {
		return err
	}
	for _, o := range loaded {
		if o.state == Destroyed {
			s.registry.heap.Weaken(o.ref)
		}
	}
	return nil
}

// defineAll gives all shells their owners, headers and properties. Destroyed objects are so from here
// on: constructors cannot use them (gc 6.3).
func (s *Store) defineAll(loaded []*Object, images []image) error {
	g := s.registry
	for _, o := range loaded {
		if o.stored.Owner != "" {
			o.owner = s.byID[o.stored.Owner]
		}
		g.lib.must("stamp", o.Value(), g.valueOf(o.owner))
		s.restoreHeader(o)
	}
	for i, o := range loaded {
		if err := s.defineStored(o, &images[i]); stopped(err) {
			return err
		} else if err != nil {
			o.broken = err.Error()
		}
	}
	for _, o := range loaded {
		if o.state == Destroyed {
			if err := g.bury(o); err != nil {
				return err
			}
		}
	}
	return nil
}

// holdBroken lets objects that could not be loaded refer to what their stored properties do: a snapshot
// writes these as they are, and no reference in it may dangle (gc 5.4, 6.1).
func (s *Store) holdBroken(loaded []*Object) error {
	for _, o := range loaded {
		if o.broken == "" {
			continue
		}
		var held []goja.Value
		s.storedNeighbours(o, func(to *Object) { held = append(held, to.Value()) })
		if _, err := s.registry.lib.call("hold", o.Value(), s.registry.array(held)); err != nil {
			return err
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
	drop := map[*Object]bool{}
	for _, o := range s.Unreachable(made) {
		drop[o] = true
	}
	s.forgetAll(drop, 0)
}

// Adopt makes an object that a constructor made while loading one like all others: what has had an effect is
// not dropped, but destroyed when its time comes.
func (s *Store) Adopt(o *Object) { o.provisional = false }

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
		o.broken = err.Error() + ": the package exports no such class; export it again, so that its objects can be loaded or destroyed"
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
		for c := o.Class; c != nil; c = c.Base { // a base class need not be registered
			if slices.Contains(e.Completed, c.label()) {
				o.Complete(c)
			}
		}
	}
	for _, sub := range e.Subscriptions {
		o.subs = append(o.subs, &Subscribed{Subscriber: s.byID[sub.Subscriber], Handler: sub.Handler, Count: sub.Count, Told: sub.Told && e.Doomed})
	}
}

// defineStored gives a shell its declared properties, and notes in img what they hold.
func (s *Store) defineStored(o *Object, img *image) error {
	if o.Class == nil {
		return errors.New(o.broken)
	}
	if err := o.Class.valid(); err != nil {
		return err
	}
	v := o.ref.Object()
	img.values = make([]goja.Value, len(o.Class.Properties))
	img.boxes = make([][]box, len(o.Class.Properties))
	var problem error
	for i, p := range o.Class.Properties {
		value, err := s.storedValue(o, p, &img.boxes[i])
		if stopped(err) {
			return err
		}
		if err != nil {
			problem, value = errors.Join(problem, err), goja.Undefined()
		}
		if err := define(v, p, value); err != nil {
			return err
		}
		img.values[i] = value
	}
	for _, f := range o.stored.Properties {
		if p := o.Class.Property(f.Name); p == nil {
			problem = errors.Join(problem, fmt.Errorf("property %s: the class has no such property any more", f.Name))
		} else if !p.Usage.Persistable() {
			problem = errors.Join(problem, fmt.Errorf("property %s: it is not saved any more (usage changed)", f.Name))
		}
	}
	return problem
}

// storedValue returns what a property has after loading. What is absent in the graph is undefined in
// the object, also where the class has a default by now: loading changes nothing (gc 6.6).
func (s *Store) storedValue(o *Object, p *Property, boxes *[]box) (goja.Value, error) {
	if !p.Usage.Persistable() {
		if o.state == Destroyed {
			return goja.Undefined(), nil
		}
		return s.initial(o, p, nil)
	}
	stored, ok := o.stored.Property(p.Name)
	if !ok {
		return goja.Undefined(), nil
	}
	if stored == nil && p.Optional {
		return goja.Null(), nil
	}
	v := s.registry.toScript(stored, boxes)
	plain, err := s.registry.plain(p.Type, v, p.Name)
	if err == nil && !Equal(plain, stored) {
		err = fmt.Errorf("property %s: it does not come back as it was stored", p.Name)
	}
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
		return o.Class.explainField(err)
	}
	if made != v {
		return fmt.Errorf("the constructor returned another object")
	}
	return nil
}
