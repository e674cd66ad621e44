package sexton

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/sextongc/sexton/gcext"
	"github.com/sextongc/sexton/objectstore"
	"github.com/sextongc/sexton/runtime"
	"github.com/sextongc/sexton/serialize"
)

// prepare merges the model with what is, and loads the result.
func (d *deploying) prepare(t *runtime.Task) error {
	if err := d.merge(); err != nil {
		return err
	}
	gone := d.outgoing()
	if len(gone) == 0 {
		d.number(d.merged.Graph)
	}
	if err := d.load(t, d.merged.Graph); err != nil {
		return err
	}
	if err := d.broken("load", d.unsettled()); err != nil {
		return err
	}
	if err := d.confirm(t); err != nil || d.cancelled() {
		return err
	}
	d.begun = true
	if len(gone) > 0 {
		last, err := d.replace(t, gone)
		if err != nil {
			return err
		}
		if d.merged, err = serialize.Merge(last, d.model); err != nil {
			return err
		}
		d.number(d.merged.Graph)
		if err := d.load(t, d.merged.Graph); err != nil {
			return err
		}
		if err := d.broken("load what is replaced", nil); err != nil {
			return err
		}
	}
	d.warnOfTombstones()
	return d.recover(t)
}

// warnOfTombstones tells which objects of the model do not come back: destroyed ones stay so while anything
// refers to them (gc 6.3).
func (d *deploying) warnOfTombstones() {
	destroyed := map[string]bool{}
	for _, e := range d.merged.Graph.Objects {
		destroyed[e.ID] = e.Destroyed
	}
	for _, e := range d.model.Graph.Objects {
		if destroyed[e.ID] && !e.Destroyed {
			d.warn(fmt.Sprintf("%s %s of the model was destroyed, is still referred to, and so stays destroyed; give a new object another id", e.Type, e.ID))
		}
	}
}

// unsettled returns the new objects that lead to one that is replaced. Until that is made their constructors see less
// than the model says: what they throw then means nothing.
func (d *deploying) unsettled() map[string]bool {
	unsettled := map[string]bool{}
	if len(d.merged.Replaced) == 0 {
		return unsettled
	}
	stored := map[string]bool{}
	for _, e := range d.last.Objects {
		stored[e.ID] = true
	}
	by := map[string][]string{} // new objects that name it
	for _, e := range d.model.Graph.Objects {
		if !stored[e.ID] {
			names(e, func(id string) { by[id] = append(by[id], e.ID) })
		}
	}
	var queue []string
	for _, r := range d.merged.Replaced {
		queue = append(queue, r.Old.ID)
	}
	for i := 0; i < len(queue); i++ {
		for _, id := range by[queue[i]] {
			if !unsettled[id] {
				unsettled[id] = true
				queue = append(queue, id)
			}
		}
	}
	return unsettled
}

// broken returns an error if the incoming graph has an object that could not be restored (gc 5.4), or
// a new one whose constructor threw, but for the given ones.
func (d *deploying) broken(phase string, but map[string]bool) error {
	for _, o := range d.s.store.Objects() {
		if o.Broken() == "" || !d.merged.Incoming[o.ID] || but[o.ID] {
			continue
		}
		err := d.thrown[o]
		if err == nil {
			err = errors.New(o.Broken())
		}
		if d.deployed(o.ID) {
			err = fmt.Errorf("%w: %w", ErrBroken, err)
		}
		return &PhaseError{Phase: phase, Object: o.String(), Err: err}
	}
	return nil
}

// deployed reports whether the state has an object of that id.
func (d *deploying) deployed(id string) bool {
	return d.last != nil && slices.ContainsFunc(d.last.Objects, func(e *objectstore.Entry) bool { return e.ID == id })
}

// number gives incarnations to objects that have none. Entries may be shared with the state.
func (d *deploying) number(g *objectstore.Graph) {
	if d.Incarnation == nil {
		return
	}
	for i, e := range g.Objects {
		if e.Incarnation == 0 {
			numbered := *e
			numbered.Incarnation = d.Incarnation()
			g.Objects[i] = &numbered
		}
	}
}

// confirm asks whether to go on.
func (d *deploying) confirm(t *runtime.Task) error {
	if d.Confirm == nil || d.last == nil || len(d.last.Objects) == 0 {
		return nil
	}
	p, err := d.plan(t)
	if err != nil {
		return err
	}
	return d.Confirm(d.ctx, p)
}

// merge reads the model and merges it with what is.
func (d *deploying) merge() (err error) {
	if err := d.migrate(); err != nil {
		return err
	}
	if d.model, err = serialize.DecodeModel(d.Model, &serialize.ModelOptions{
		File: d.File, Classes: d.s.registry, Stateful: d.Stateful, MaxSize: d.settings.Limits.ModelSize, MaxNesting: d.settings.Limits.Nesting,
		MaxObjects: d.settings.Limits.Objects, MaxEdges: d.settings.Limits.Edges,
	}); err != nil {
		return err
	}
	if d.merged, err = serialize.Merge(d.last, d.model); err != nil {
		return err
	}
	return d.s.rt.Try(d.settings.HandlerTimeout, d.handlers)
}

// migrate makes of what was saved by other versions of its classes what the present ones want. It changes nothing else: if
// one cannot, the state is as it was.
func (d *deploying) migrate() error {
	if d.Last == nil {
		return nil
	}
	var err error
	d.last, err = mapGraph(d.Last, func(e *objectstore.Entry) (migrated *objectstore.Entry, err error) {
		err = d.s.rt.Try(d.settings.HandlerTimeout, func() error {
			migrated, err = d.s.registry.Migrate(e)
			return err
		})
		if newer := (*objectstore.NewerError)(nil); errors.As(err, &newer) {
			return nil, &PhaseError{Phase: "load", Object: e.Type + " " + e.ID, Err: err}
		} else if err != nil {
			to := ""
			if c, lookupErr := d.s.registry.Lookup(e.Type); lookupErr == nil {
				to = c.Version
			}
			return nil, &PhaseError{Phase: fmt.Sprintf("migrate from version %s to %s", cmp.Or(e.Version, "(none)"), to), Object: e.Type + " " + e.ID, Err: err}
		}
		return migrated, nil
	})
	return err
}

// handlers checks that the subscriptions of the model name methods.
func (d *deploying) handlers() error {
	types := map[string]string{}
	if d.last != nil {
		for _, e := range d.last.Objects {
			types[e.ID] = e.Type
		}
	}
	for _, e := range d.model.Graph.Objects {
		types[e.ID] = e.Type
	}
	for _, e := range d.model.Graph.Objects {
		for i, sub := range e.Subscriptions {
			class, err := d.s.registry.Lookup(types[sub.Subscriber])
			if sub.Handler == "" || err != nil { // an object whose class is missing is kept as it is
				continue
			}
			if err := class.CheckHandler(sub.Handler); err != nil {
				return d.model.SubscriptionError(e.ID, i, "subscriber %q: %v", sub.Subscriber, err)
			}
		}
	}
	return nil
}

// outgoing returns the ids whose objects have to go before new ones of the same id can be made: those
// whose class the model changes, those whose destruction was begun, a root that is destroyed, and what a crash left
// destroyed in the middle of a plan: only what is to be destroyed as well refers to that.
func (d *deploying) outgoing() map[string]bool {
	gone := map[string]bool{}
	for _, r := range d.merged.Replaced {
		gone[r.Old.ID] = true
	}
	if d.last == nil {
		return gone
	}
	model := map[string]bool{}
	for _, e := range d.model.Graph.Objects {
		model[e.ID] = true
	}
	for _, e := range d.last.Objects {
		if model[e.ID] && (e.Doomed || e.Destroyed && e.ID == d.model.Graph.Root) {
			gone[e.ID] = true
		}
	}
	if slices.ContainsFunc(d.last.Objects, func(e *objectstore.Entry) bool { return e.Doomed }) {
		kept := persisting(d.last)
		for _, e := range d.last.Objects {
			if model[e.ID] && e.Destroyed && !kept[e.ID] {
				gone[e.ID] = true
			}
		}
	}
	return gone
}

// persisting returns the ids of what a graph holds on account of its root, not of what is to be destroyed.
func persisting(g *objectstore.Graph) map[string]bool {
	entries := make(map[string]*objectstore.Entry, len(g.Objects))
	for _, e := range g.Objects {
		entries[e.ID] = e
	}
	stays := func(e *objectstore.Entry) bool { return !e.Doomed }
	var root []*objectstore.Entry
	if e := entries[g.Root]; e != nil && stays(e) {
		root = append(root, e)
	}
	return reached(entries, root, stays)
}

// replace destroys the outgoing objects, and returns what is left without them. What the model drops goes
// with them, because some of it may have to go first. One that cannot be destroyed stays, and its id goes on
// to mean it; but not where the model wants another class or a new root.
func (d *deploying) replace(t *runtime.Task, gone map[string]bool) (*objectstore.Graph, error) {
	if err := d.load(t, d.last); err != nil {
		return nil, err
	}
	if err := d.recover(t); err != nil {
		return nil, err
	}
	if err := d.loaded(t); err != nil {
		return nil, errors.Join(err, d.checkpoint(t, "end"))
	}
	if err := d.collect(t, "collect what is replaced", d.leave(gone)); err != nil {
		return nil, errors.Join(err, d.checkpoint(t, "end"))
	}
	if err := d.checkpoint(t, "replaced"); err != nil {
		return nil, err
	}
	other := map[string]bool{d.model.Graph.Root: gone[d.model.Graph.Root]}
	for _, r := range d.merged.Replaced {
		other[r.Old.ID] = true
	}
	meant := d.meant()
	kept := persisting(d.graph)
	left := &objectstore.Graph{Root: d.graph.Root}
	for _, e := range d.graph.Objects {
		by := meant[e.ID]
		switch {
		case gone[e.ID] && e.Destroyed && by == nil:
			continue
		case other[e.ID] && e.Destroyed:
			return nil, &PhaseError{Phase: "replace", Object: e.Type + " " + e.ID, Err: fmt.Errorf("a new object of that id cannot be made while %s %s refers to the destroyed one: "+
				"give the new object another id, or let the reference go first, in a handler, in loaded(), or by a deployment without %[3]s", by.Type, by.ID, e.ID)}
		case gone[e.ID] && e.Destroyed && !kept[e.ID]: // otherwise the model's references would keep it for good
			return nil, &PhaseError{Phase: "replace", Object: e.Type + " " + e.ID, Err: fmt.Errorf("%w: a new object of that id cannot be made while %s %s "+
				"refers to the destroyed one, and is to be destroyed itself", ErrIncomplete, by.Type, by.ID)}
		case other[e.ID]:
			return nil, &PhaseError{Phase: "replace", Object: e.Type + " " + e.ID, Err: fmt.Errorf("%w: a new object of that id cannot be made before the old one is destroyed", ErrIncomplete)}
		}
		left.Objects = append(left.Objects, e)
	}
	return left, nil
}

// meant returns the destroyed objects that the environment goes on to refer to, each with who does. What the
// model says of an object is no such reference: it may mean a new object of the same id.
func (d *deploying) meant() map[string]*objectstore.Entry {
	model, stored := map[string]*objectstore.Entry{}, map[string]*objectstore.Entry{}
	for _, e := range d.model.Graph.Objects {
		model[e.ID] = e
	}
	var queue []*objectstore.Entry
	for _, e := range d.graph.Objects {
		if stored[e.ID] = e; !e.Destroyed {
			queue = append(queue, e)
		}
	}
	meant := map[string]*objectstore.Entry{}
	for i := 0; i < len(queue); i++ {
		by := queue[i]
		visit := func(id string) {
			if e := stored[id]; e != nil && e.Destroyed && meant[id] == nil {
				meant[id] = by
				queue = append(queue, e)
			}
		}
		wanted := model[by.ID]
		if wanted == nil {
			visit(by.Owner)
		}
		for _, f := range by.Properties {
			if wanted == nil || d.model.Keeps(wanted, f.Name) {
				objectstore.Refs(f.Value, func(r objectstore.Ref) { visit(string(r)) })
			}
		}
	}
	return meant
}

// leave is the scope of what the model drops and of the outgoing objects. The environment is still as it
// was, so what referred to them spares none of them: only what handlers did (gc 5.5), and no outgoing object.
func (d *deploying) leave(gone map[string]bool) gcext.Scope {
	store := d.s.store
	leaving, before := d.leaving(gone), store.Persistable()
	scope := gcext.PreDeployment(leaving)
	return func(s *objectstore.Store, phase gcext.Phase, since int) []*objectstore.Object {
		found := scope(s, phase, since)
		if phase == gcext.Rescan {
			for _, o := range s.Objects() { // those whose destruction was interrupted included
				if gone[o.ID] || before[o] && !d.merged.Incoming[o.ID] {
					found = append(found, o)
				}
			}
		}
		return found
	}
}

// leaving returns the live objects that the model drops, and the outgoing ones.
func (d *deploying) leaving(gone map[string]bool) []*objectstore.Object {
	ids := maps.Clone(gone)
	for _, id := range d.merged.Dropped {
		ids[id] = true
	}
	return slices.DeleteFunc(d.s.store.Objects(), func(o *objectstore.Object) bool { return !ids[o.ID] || o.State() != objectstore.Live })
}

// load makes a new environment in the session and restores a graph into it.
func (d *deploying) load(t *runtime.Task, g *objectstore.Graph) error {
	d.phase("load")
	s := d.s
	s.newStore(d.ctx, d.Key, d.settings, d.gcJournal(), d.Incarnation, d.observe)
	d.thrown = map[*objectstore.Object]error{}
	return s.store.Load(g, func(o *objectstore.Object, construct func() error) error {
		err := s.rt.Try(d.settings.HandlerTimeout, construct)
		if err != nil {
			d.thrown[o] = err
		}
		return err
	})
}

func (d *deploying) gcJournal() gcext.Journal {
	if d.Journal == nil {
		return nil
	}
	return d.Journal
}

// loaded runs loaded() of all objects that define it, in creation order.
func (d *deploying) loaded(t *runtime.Task) error {
	s, ran := d.s, false
	defer s.store.DropProvisional()
	for _, o := range s.store.Objects() {
		if o.Broken() != "" || o.State() == objectstore.Destroyed || !s.store.HasMethod(o, "loaded") {
			continue
		}
		ran = true
		if _, err := s.collector.Invoke(t, o, "loaded", d.settings.HandlerTimeout); err != nil {
			err = &PhaseError{Phase: "loaded()", Object: o.String(), Err: err}
			return errors.Join(err, d.settle(t, "loaded()", d.settings.HandlerTimeout), d.unhandled("loaded()"))
		}
	}
	if err := errors.Join(d.settle(t, "loaded()", d.settings.HandlerTimeout), d.unhandled("loaded()")); err != nil || !ran {
		return err
	}
	return d.checkpoint(t, "loaded")
}
