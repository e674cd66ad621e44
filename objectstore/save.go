package objectstore

import (
	"errors"
	"fmt"
	"slices"

	"github.com/dop251/goja"
)

// Persistable returns every object that the root leads to through persistable properties and owner
// edges (gc 2.4), destroyed ones included. Where one of these properties holds what cannot be saved, that may
// lead to anything: whatever is reachable (gc 2.1) is among them then. As with Unreachable, no caller may have a
// *goja.Object in a local variable.
func (s *Store) Persistable() map[*Object]bool {
	if s.root == nil {
		return map[*Object]bool{}
	}
	kept, whole := s.closure([]*Object{s.root})
	if whole {
		return kept
	}
	dead := map[*Object]bool{}
	for _, o := range s.Unreachable(s.Objects()) {
		dead[o] = true
	}
	for _, o := range s.Objects() {
		kept[o] = kept[o] || !dead[o]
	}
	return kept
}

// closure returns the given objects and all that they lead to, and whether that is all.
func (s *Store) closure(from []*Object) (objects map[*Object]bool, whole bool) {
	whole = true
	seen := make(map[*Object]bool, len(s.byID))
	queue := slices.Clone(from)
	for _, o := range from {
		seen[o] = true
	}
	for len(queue) > 0 {
		o := queue[len(queue)-1]
		queue = queue[:len(queue)-1]
		whole = s.neighbours(o, func(to *Object) {
			if !seen[to] {
				seen[to] = true
				queue = append(queue, to)
			}
		}) && whole
	}
	return seen, whole
}

// neighbours visits what o refers to in a snapshot: its owner, and the objects in its persistable
// properties. It reports false if one of these holds what cannot be saved.
func (s *Store) neighbours(o *Object, visit func(*Object)) (whole bool) {
	if o.owner != nil && s.has(o.owner) {
		visit(o.owner)
	}
	if o.broken != "" {
		s.storedNeighbours(o, visit)
		return true
	}
	v := o.ref.Object()
	if v == nil {
		return true
	}
	whole = true
	for _, p := range o.Class.Properties {
		if p.Usage.Persistable() && p.Type.holdsObjects() {
			whole = s.mentioned(v.Get(p.Name), visit) && whole
		}
	}
	return whole
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

// mentioned visits the managed objects in a value of plain data. It reports false if there is something in it
// that cannot be saved, and that it does not look into.
func (s *Store) mentioned(v goja.Value, visit func(*Object)) (whole bool) {
	g := s.registry
	if o := g.Find(v); o != nil {
		if s.has(o) {
			visit(o)
		}
		return true
	}
	x, ok := v.(*goja.Object)
	if !ok {
		return true
	}
	whole = true
	seen := map[*goja.Object]bool{x: true} // data may contain itself, or the same part many times
	queue := []*goja.Object{x}
	note := func(v goja.Value) {
		x, ok := v.(*goja.Object)
		if !ok {
			return
		}
		if o := g.Find(x); o != nil {
			if s.has(o) {
				visit(o)
			}
		} else if !seen[x] {
			seen[x] = true
			queue = append(queue, x)
		}
	}
	for len(queue) > 0 {
		x := queue[len(queue)-1]
		queue = queue[:len(queue)-1]
		if thrown := g.vm.Try(func() { whole = g.elements(x, note) && whole }); thrown != nil {
			whole = false // a getter; saving tells of it
		}
	}
	return whole
}

// has reports whether o is what its id means in this environment. A destroyed object that no snapshot would hold
// gives its id up; one that nobody has taken by then it gets back.
func (s *Store) has(o *Object) bool {
	if o.store == s && o.state == Destroyed && s.byID[o.ID] == nil {
		s.byID[o.ID] = o
	}
	return o.store == s && s.byID[o.ID] == o
}

// elements visits what a container of plain data holds. It reports false if x is no plain data.
func (g *Registry) elements(x *goja.Object, visit func(goja.Value)) bool {
	if _, ok := g.isInstance(x, "Map"); ok {
		x = g.lib.must("mapEntries", x).(*goja.Object)
	} else if _, ok := g.isInstance(x, "Set"); ok {
		x = g.lib.must("setItems", x).(*goja.Object)
	} else if _, ok := g.isPlain(x); !ok && !g.isArray(x) {
		_, date := g.isInstance(x, "Date")
		return date || x.ExportType() == typeBytes
	}
	for _, key := range x.Keys() {
		visit(x.Get(key))
	}
	return true
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

// members returns what a snapshot holds.
func (s *Store) members() map[*Object]bool {
	in, _ := s.closure(slices.DeleteFunc(s.Objects(), func(o *Object) bool { return o.provisional }))
	return in
}

// Snapshot returns the environment at rest, in creation order: all objects that are not destroyed, and
// the destroyed ones that they refer to (gc 6.1). Between collections that holds also what nothing
// refers to: it is not forgotten before it is destroyed.
//
// The error joins what could not be saved as it is: a property that does not fit its type keeps the
// value that was stored last, and so do those of the same object that would otherwise lose a live object.
func (s *Store) Snapshot() (*Graph, error) {
	in := s.members()
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
	edges := 0
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
		o.stored, o.storedAt = e, s.seq
		before := edges
		edges += len(e.Subscriptions)
		for _, f := range e.Properties {
			Refs(f.Value, func(Ref) { edges++ })
		}
		if most := s.opts.MaxEdges; most > 0 && before <= most && edges > most {
			problems = append(problems, fmt.Errorf("%s: %w", o, s.opts.Exceeded("edges", most)))
		}
	}
	return g, errors.Join(problems...)
}

// Entries returns objects at rest, in creation order: o, and of all that it leads to what is not known
// yet and is reached through what is not. A property that cannot be saved keeps its last value;
// Snapshot tells of it.
func (s *Store) Entries(o *Object, known func(*Object) bool) []*Entry {
	seen := map[*Object]bool{o: true}
	members := []*Object{o}
	for i := 0; i < len(members); i++ {
		s.neighbours(members[i], func(to *Object) {
			if !seen[to] && !known(to) {
				seen[to] = true
				members = append(members, to)
			}
		})
	}
	slices.SortFunc(members, func(a, b *Object) int { return a.seq - b.seq })
	entries := make([]*Entry, len(members))
	for i, o := range members {
		entries[i], _ = s.entry(o, func(to *Object) bool { return seen[to] || known(to) })
	}
	return entries
}

// CompletedNames names the classes whose destroy() is done, from the object's own class up.
func (o *Object) CompletedNames() []string {
	var names []string
	for c := o.Class; c != nil; c = c.Base {
		if o.completed[c] && c.script.destroy != nil {
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
	if o.owner != nil && s.has(o.owner) {
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
			told := sub.Told && e.Doomed && !e.Notified
			e.Subscriptions = append(e.Subscriptions, Subscription{sub.Subscriber.ID, sub.Handler, sub.Count, told})
		}
	}
	if o.broken != "" {
		e.Version, e.Properties = o.stored.Version, o.stored.Properties
		return e, nil
	}
	var problems []error
	v := o.ref.Object()
	if v == nil {
		return e, nil
	}
	var lacking map[string]bool
	for _, p := range o.Class.Properties {
		if !p.Usage.Persistable() {
			continue
		}
		plain, absent, err := s.plainProperty(o, p, v.Get(p.Name))
		if err != nil {
			problems = append(problems, err)
			if plain, absent = s.lastSaved(o, p, in); absent {
				if lacking == nil {
					lacking = map[string]bool{}
				}
				lacking[p.Name] = true
			}
		}
		if !absent {
			e.Properties = append(e.Properties, Field{p.Name, plain})
		}
	}
	o.lacking = lacking
	if len(problems) > 0 {
		s.keepReferences(o, e, in)
	}
	return e, errors.Join(problems...)
}

// keepReferences gives properties the value that was saved last where e would otherwise let go of a live object:
// that may have moved to where it cannot be saved, and would be destroyed by the next deployment.
func (s *Store) keepReferences(o *Object, e *Entry, in func(*Object) bool) {
	named := map[Ref]bool{}
	for _, f := range e.Properties {
		Refs(f.Value, func(r Ref) { named[r] = true })
	}
	fields := make([]Field, 0, len(e.Properties))
	for _, p := range o.Class.Properties {
		if !p.Usage.Persistable() {
			continue
		}
		value, has := e.Property(p.Name)
		if last, absent := s.lastSaved(o, p, in); !absent {
			Refs(last, func(r Ref) {
				if !named[r] && s.byID[string(r)].state != Destroyed {
					value, has = last, true
				}
			})
		}
		if has {
			fields = append(fields, Field{p.Name, value})
		}
	}
	e.Properties = fields
}

// lastSaved returns the value that was stored last, absent if there is none, or if it refers to what is
// gone.
func (s *Store) lastSaved(o *Object, p *Property, in func(*Object) bool) (plain Value, absent bool) {
	if o.stored == nil {
		return nil, true
	}
	plain, ok := o.stored.Property(p.Name)
	dangling := false
	Refs(plain, func(r Ref) {
		to := s.byID[string(r)]
		dangling = dangling || to == nil || !in(to) || to.seq > o.storedAt // another one has the id by now
	})
	if !ok || dangling {
		return nil, true
	}
	return plain, false
}

// plainProperty returns the value of a property to be saved.
func (s *Store) plainProperty(o *Object, p *Property, v goja.Value) (plain Value, absent bool, err error) {
	var before Value
	had := false
	if o.stored != nil {
		before, had = o.stored.Property(p.Name)
	}
	switch {
	case goja.IsUndefined(v) && had && before == any(Undefined{}):
		return before, false, nil // as a model may say it
	case v == nil || goja.IsUndefined(v):
		// What was absent when it was loaded may be so.
		missing := o.stored != nil && !had && !o.lacking[p.Name]
		if !p.Optional && p.Usage != UsageOut && p.Usage != UsageConst && !missing {
			return nil, true, &ValueError{Path: p.Name, Expected: p.Type.String(), Got: "undefined"}
		}
		absent = true
	case goja.IsNull(v) && p.Optional:
	default:
		if plain, err = s.registry.plain(p.Type, v, p.Name); err != nil {
			return nil, false, err
		}
	}
	if p.Usage == UsageConst && had && (absent || !Equal(before, plain)) {
		return nil, false, &ValueError{Path: p.Name, Reason: "it is const and was changed"}
	}
	return plain, absent, nil
}
