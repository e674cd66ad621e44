package serialize

import "github.com/sextongc/sexton/objectstore"

// Merged is what a deployment begins with: the last snapshot and the model put together (gc 2.3).
type Merged struct {
	// Graph is the union to load: all objects of the last snapshot in their order, with what the model
	// says of them, then the new ones in the order of the model. Incarnations of new ones are 0.
	// Root is the model's, or the last one if the model is empty. Replaced objects are in it as they were.
	Graph *objectstore.Graph

	// Incoming holds the ids of the incoming graph: the model's objects, and what they reach through
	// stored values that the model leaves alone. Replaced objects are in it, for their new selves.
	Incoming map[string]bool

	Dropped   []string // not in the incoming graph, in creation order: what the collection destroys
	Forgotten []string // the same, but destroyed already: they disappear without a second destroy()
	Replaced  []Replacement
}

// A Replacement is an object whose class the model changes. Old leaves: it is dropped, or forgotten if it is
// a tombstone; if it is doomed it is tried again anyway. New can be made when Old is gone, and not at all
// where destroying Old fails: until then the id means Old, and Merged.Graph is complete and of the right
// types that way. Where objects of the incoming graph are to name New, they hold what was stored, or nothing;
// what New is to own or to subscribe to is left out.
//
// So a deployment with replacements destroys the old ones first, and merges what is left of the last
// snapshot once more.
type Replacement struct{ Old, New *objectstore.Entry }

// Merge applies the rule of gc 2.3 to what is and what is wanted: objects in both are one instance, with
// the properties, the owner, the name and the protection of the model; stored values of out, inout and
// const properties that the model does not set; and the stored state and incarnation. Subscriptions of
// both count, the higher count where they are the same; destroyed is what either says is. What is in the
// state only is as it was stored.
//
// In properties that the model does not set take their default or are absent. A required property without
// value, a const property that changes, a stored value that no longer fits its type, and a reference that
// leads out of the incoming graph are errors, with positions in the model.
//
// Classes are those that the model was read with. last may be nil, and may name objects that it lacks if the
// model has them. Its doomed objects stay in the union and are never dropped (gc 5.6). Neither last nor the
// model is changed, but what is in the state only, and all values, are shared with the result.
func Merge(last *objectstore.Graph, model *Model) (*Merged, error) {
	if last == nil {
		last = &objectstore.Graph{}
	}
	m := &merger{
		last: last, model: model,
		stored:   make(map[string]*objectstore.Entry, len(last.Objects)),
		merged:   make(map[string]*objectstore.Entry, len(model.Graph.Objects)),
		replaced: make(map[string]bool),
		out:      &Merged{Incoming: make(map[string]bool, len(model.Graph.Objects))},
	}
	for _, e := range last.Objects {
		m.stored[e.ID] = e
	}
	for _, e := range model.Graph.Objects {
		if err := m.object(e); err != nil {
			return nil, err
		}
	}
	m.reach()
	m.union()
	if err := m.verify(); err != nil {
		return nil, err
	}
	return m.out, nil
}

type merger struct {
	last  *objectstore.Graph
	model *Model
	out   *Merged

	stored   map[string]*objectstore.Entry // of last
	merged   map[string]*objectstore.Entry // of the model, with what is stored
	replaced map[string]bool
}

// object merges one object of the model with its stored self.
func (m *merger) object(e *objectstore.Entry) error {
	class := m.model.objects[e.ID].class
	old := m.stored[e.ID]
	made := *e
	if old != nil && old.Type != e.Type {
		m.replaced[e.ID] = true
		m.out.Replaced = append(m.out.Replaced, Replacement{Old: old, New: &made})
		old = nil
	}
	made.Incarnation = 0
	if old != nil {
		made.Incarnation = old.Incarnation
		made.Destroyed = old.Destroyed || e.Destroyed
		made.Doomed, made.Notified, made.Completed, made.Failure = old.Doomed, old.Notified, old.Completed, old.Failure
		made.Subscriptions = m.subscriptions(old, e)
	}
	var err error
	if made.Properties, err = m.properties(class, e, old); err != nil {
		return err
	}
	m.merged[e.ID] = &made
	return nil
}

func (m *merger) properties(class *objectstore.Class, e, old *objectstore.Entry) ([]objectstore.Field, error) {
	fields := make([]objectstore.Field, 0, len(class.Properties))
	for _, p := range class.Properties {
		v, set := e.Property(p.Name)
		var kept objectstore.Value
		has := false
		if old != nil && p.Usage.Kept() {
			kept, has = old.Property(p.Name)
		}
		switch {
		case !p.Usage.Persistable():
			continue
		case set && has && p.Usage == objectstore.UsageConst && !sameValue(v, kept):
			return nil, m.errorf(e, p, "it is const and has the value %s; it cannot become %s: that would be another object, with an id of its own", m.show(p, kept), m.show(p, v))
		case set:
		case has:
			v = kept
		case old != nil && p.Usage.Kept() && p.Optional:
			continue // a script took the value away
		case p.HasDefault:
			v = p.Default
		case p.Optional, p.Usage == objectstore.UsageOut, p.Usage == objectstore.UsageConst, e.Destroyed:
			continue
		default:
			return nil, m.errorf(e, p, "it is required and the model does not set it")
		}
		fields = append(fields, objectstore.Field{Name: p.Name, Value: v})
	}
	return fields, nil
}

func (m *merger) show(p *objectstore.Property, v objectstore.Value) string {
	if p.Type.Kind == objectstore.KindSecret {
		return "***"
	}
	return describe(v)
}

func (m *merger) errorf(e *objectstore.Entry, p *objectstore.Property, format string, args ...any) error {
	at := m.model.objects[e.ID].at(p.Name)
	return m.model.doc.errorf(at, label(e.Type, e.ID)+": property "+p.Name, format, args...)
}

// subscriptions puts the stored ones first, in their order (gc 4.4).
func (m *merger) subscriptions(old, e *objectstore.Entry) []objectstore.Subscription {
	var list []objectstore.Subscription
	type key struct{ subscriber, handler string }
	index := make(map[key]int)
	for _, s := range old.Subscriptions {
		index[key{s.Subscriber, s.Handler}] = len(list)
		list = append(list, s)
	}
	for _, s := range e.Subscriptions {
		if i, ok := index[key{s.Subscriber, s.Handler}]; ok {
			list[i].Count = max(list[i].Count, s.Count)
			continue
		}
		list = append(list, s)
	}
	return list
}

// reach computes the incoming graph: from the model's objects through kept values and owners, and through
// everything from there on. What the model itself says leads only to what is there without it.
func (m *merger) reach() {
	var queue []*objectstore.Entry
	visit := func(id string) {
		if m.out.Incoming[id] || id == "" {
			return
		}
		if e := m.stored[id]; e != nil {
			m.out.Incoming[id] = true
			queue = append(queue, e)
		}
	}
	for _, e := range m.model.Graph.Objects {
		m.out.Incoming[e.ID] = true
	}
	for _, e := range m.model.Graph.Objects {
		for _, f := range m.merged[e.ID].Properties {
			if _, set := e.Property(f.Name); !set {
				objectstore.Refs(f.Value, func(r objectstore.Ref) { visit(string(r)) })
			}
		}
	}
	for len(queue) > 0 {
		e := queue[len(queue)-1]
		queue = queue[:len(queue)-1]
		e.Refs(visit)
	}
}

// union lists all objects, and who of the stored ones leaves.
func (m *merger) union() {
	g := &objectstore.Graph{Root: m.model.Graph.Root}
	if len(m.model.Graph.Objects) == 0 {
		g.Root = m.last.Root
	}
	for _, e := range m.last.Objects {
		switch {
		case m.out.Incoming[e.ID] && !m.replaced[e.ID]:
			if made := m.merged[e.ID]; made != nil {
				e = made
			}
			g.Objects = append(g.Objects, m.settle(e))
			continue
		case e.Destroyed:
			m.out.Forgotten = append(m.out.Forgotten, e.ID)
		case !e.Doomed:
			m.out.Dropped = append(m.out.Dropped, e.ID)
		}
		g.Objects = append(g.Objects, e)
	}
	for _, e := range m.model.Graph.Objects {
		if m.stored[e.ID] == nil {
			g.Objects = append(g.Objects, m.settle(m.merged[e.ID]))
		}
	}
	m.out.Graph = g
}

// settle returns an object of the incoming graph as it is while replaced objects are not yet made.
func (m *merger) settle(e *objectstore.Entry) *objectstore.Entry {
	if len(m.replaced) == 0 {
		return e
	}
	settled := *e
	if m.replaced[e.Owner] {
		settled.Owner = "" // the old one's owners may lead back here
	}
	settled.Properties = make([]objectstore.Field, 0, len(e.Properties))
	for _, f := range e.Properties {
		if !m.namesReplaced(f.Value) {
			settled.Properties = append(settled.Properties, f)
			continue
		}
		if old := m.stored[e.ID]; old != nil {
			if v, ok := old.Property(f.Name); ok {
				settled.Properties = append(settled.Properties, objectstore.Field{Name: f.Name, Value: v})
			}
		}
	}
	settled.Subscriptions = nil // those of old ones end with them (gc 4.5)
	for _, s := range e.Subscriptions {
		if !m.replaced[s.Subscriber] {
			settled.Subscriptions = append(settled.Subscriptions, s)
		}
	}
	return &settled
}

func (m *merger) namesReplaced(v objectstore.Value) (found bool) {
	objectstore.Refs(v, func(r objectstore.Ref) { found = found || m.replaced[string(r)] })
	return found
}
