package objectstore

import (
	"errors"
	"fmt"
	"slices"

	"github.com/dop251/goja"
)

// Persistable returns every object that the root leads to through persistable properties and owner
// edges (gc 2.4), destroyed ones included.
func (s *Store) Persistable() map[*Object]bool {
	if s.root == nil {
		return map[*Object]bool{}
	}
	return s.closure([]*Object{s.root})
}

// closure returns the given objects and all that they lead to.
func (s *Store) closure(from []*Object) map[*Object]bool {
	seen := make(map[*Object]bool, len(s.byID))
	queue := slices.Clone(from)
	for _, o := range from {
		seen[o] = true
	}
	for len(queue) > 0 {
		o := queue[len(queue)-1]
		queue = queue[:len(queue)-1]
		s.neighbours(o, func(to *Object) {
			if !seen[to] {
				seen[to] = true
				queue = append(queue, to)
			}
		})
	}
	return seen
}

// neighbours visits what o refers to in a snapshot: its owner, and the objects in its persistable
// properties.
func (s *Store) neighbours(o *Object, visit func(*Object)) {
	if o.owner != nil {
		visit(o.owner)
	}
	if o.broken != "" {
		s.storedNeighbours(o, visit)
		return
	}
	v := o.ref.Object()
	if v == nil {
		return
	}
	for _, p := range o.Class.Properties {
		if p.Usage.Persistable() && p.Type.holdsObjects() {
			s.mentioned(v.Get(p.Name), 0, visit)
		}
	}
}

func (s *Store) storedNeighbours(o *Object, visit func(*Object)) {
	for _, f := range o.stored.Properties {
		Refs(f.Value, func(r Ref) {
			if to := s.byID[string(r)]; to != nil {
				visit(to)
			}
		})
	}
}

// mentioned visits the managed objects in a value of plain data; what cannot be saved leads nowhere.
func (s *Store) mentioned(v goja.Value, depth int, visit func(*Object)) {
	x, ok := v.(*goja.Object)
	if !ok || depth > maxNesting {
		return
	}
	if o := s.registry.Find(x); o != nil {
		if o.store == s {
			visit(o)
		}
		return
	}
	if x.ExportType() == typeProxy {
		return
	}
	switch x.ClassName() {
	case "Array", "Object":
		for _, key := range x.Keys() {
			s.mentioned(x.Get(key), depth+1, visit)
		}
	case "Map", "Set":
		name := "setItems"
		if x.ClassName() == "Map" {
			name = "mapEntries"
		}
		if items, err := s.registry.lib.call(name, x); err == nil {
			s.mentioned(items, depth+1, visit)
		}
	}
}

// holdsObjects reports whether values of the type can hold managed objects.
func (t *Type) holdsObjects() bool {
	switch t.Kind {
	case KindAny, KindClass:
		return true
	case KindList, KindMap:
		return t.Elem.holdsObjects()
	case KindShape:
		return slices.ContainsFunc(t.Fields, func(p *Property) bool { return p.Type.holdsObjects() })
	}
	return false
}

// Snapshot returns the environment at rest, in creation order: all objects that are not destroyed, and
// the destroyed ones that they refer to (gc 6.1). Between collections that holds also what nothing
// refers to: it is not forgotten before it is destroyed.
//
// The error joins what could not be saved as it is: a property that does not fit its type keeps the
// value that was stored last.
func (s *Store) Snapshot() (*Graph, error) {
	in := s.closure(s.Objects())
	members := make([]*Object, 0, len(in))
	for o := range in {
		members = append(members, o)
	}
	slices.SortFunc(members, func(a, b *Object) int { return a.seq - b.seq })
	g := &Graph{Objects: make([]*Entry, 0, len(members))}
	if s.root != nil && in[s.root] {
		g.Root = s.root.ID
	}
	var problems []error
	ids := make(map[string]*Object, len(members))
	for _, o := range members {
		if other := ids[o.ID]; other != nil {
			problems = append(problems, fmt.Errorf("id %q belongs to two objects of the graph, %s and %s", o.ID, other, o))
			continue
		}
		ids[o.ID] = o
		e, err := s.entry(o, func(to *Object) bool { return in[to] })
		if err != nil {
			problems = append(problems, fmt.Errorf("%s: %w", o, err))
		}
		g.Objects = append(g.Objects, e)
		o.stored = e
	}
	return g, errors.Join(problems...)
}

// CompletedNames names the classes whose destroy() is done, from the object's own class up.
func (o *Object) CompletedNames() []string {
	var names []string
	for c := o.Class; c != nil; c = c.Base {
		if o.Completed[c] && c.script.destroy != nil {
			names = append(names, c.label())
		}
	}
	return names
}

// entry returns one object at rest.
func (s *Store) entry(o *Object, in func(*Object) bool) (*Entry, error) {
	e := &Entry{ID: o.ID, Type: o.Type(), Name: o.Name, Incarnation: o.Incarnation, Protect: o.Protect}
	if o.Class != nil {
		e.Version = o.Class.Version
	}
	if o.owner != nil {
		e.Owner = o.owner.ID
	}
	switch o.state {
	case Destroyed:
		e.Destroyed = true
	case Doomed:
		e.Doomed, e.Notified, e.Failure, e.Completed = true, o.Notified, o.Failure, o.CompletedNames()
	}
	for _, sub := range o.Subscriptions() {
		if in(sub.Subscriber) { // gc 6.2
			e.Subscriptions = append(e.Subscriptions, Subscription{sub.Subscriber.ID, sub.Handler, sub.Count})
		}
	}
	if o.broken != "" {
		e.Version, e.Properties = o.stored.Version, o.stored.Properties
		return e, nil
	}
	var problems []error
	v := o.ref.Object()
	for _, p := range o.Class.Properties {
		if !p.Usage.Persistable() {
			continue
		}
		plain, absent, err := s.plainProperty(o, p, v.Get(p.Name))
		if err != nil {
			problems = append(problems, err)
			if plain, absent = nil, true; o.stored != nil {
				if last, ok := o.stored.Property(p.Name); ok {
					plain, absent = last, false
				}
			}
		}
		if !absent {
			e.Properties = append(e.Properties, Field{p.Name, plain})
		}
	}
	return e, errors.Join(problems...)
}

func (s *Store) plainProperty(o *Object, p *Property, v goja.Value) (plain Value, absent bool, err error) {
	if v == nil || goja.IsUndefined(v) {
		missing := o.stored != nil
		if missing {
			_, had := o.stored.Property(p.Name)
			missing = !had
		}
		if p.Optional || p.Usage == UsageOut || missing {
			return nil, true, nil
		}
		return nil, true, &ValueError{Path: p.Name, Expected: p.Type.String(), Got: "undefined"}
	}
	if goja.IsNull(v) && p.Optional {
		return nil, false, nil
	}
	plain, err = (&converter{registry: s.registry}).toValue(p.Type, v, p.Name)
	if err == nil && p.Usage == UsageConst && o.stored != nil {
		if before, ok := o.stored.Property(p.Name); ok && !Equal(before, plain) {
			return nil, false, &ValueError{Path: p.Name, Reason: "it is const and was changed"}
		}
	}
	return plain, false, err
}

// Edges describes the order relations among the environment's objects for a plan: objects that are
// not destroyed, in creation order, with their owners and destruction dependencies.
type Edges struct {
	Objects []*Object
	Owner   []int32 // index of the owner, -1 for none
	Deps    []Dependency
}

// Dependency says that Subscriber depends on Publisher: the publisher goes first.
type Dependency struct {
	Publisher, Subscriber int32
	Via                   *Subscribed
}

// Edges returns the order relations as they stand now.
func (s *Store) Edges() *Edges {
	e := &Edges{Objects: s.Objects()}
	index := make(map[*Object]int32, len(e.Objects))
	for i, o := range e.Objects {
		index[o] = int32(i)
	}
	e.Owner = make([]int32, len(e.Objects))
	for i, o := range e.Objects {
		e.Owner[i] = -1
		if at, ok := index[o.owner]; ok && o.owner != nil {
			e.Owner[i] = at
		}
		for _, sub := range o.Subscriptions() {
			if at, ok := index[sub.Subscriber]; ok {
				e.Deps = append(e.Deps, Dependency{int32(i), at, sub})
			}
		}
	}
	return e
}
