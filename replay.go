package sexton

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/sextongc/sexton/internal/state"
	"github.com/sextongc/sexton/objectstore"
	"github.com/sextongc/sexton/serialize"
)

// replayed is what a state directory holds.
type replayed struct {
	graph       *objectstore.Graph
	incarnation uint64            // the highest number that may have been given out
	effects     []*recordedEffect // that no checkpoint covers, in order
	lastEffect  uint64            // the highest number of an effect
	key         string            // that tokens are made with; empty: the id of the state directory
	epoch       uint64            // that generation 0 would have had
	open        *openDeployment   // that was stopped, or runs; nil: none
}

// meta is what stays beside the snapshot when incarnations up to this one may have been given out.
func (r *replayed) meta(incarnation uint64) *meta { return &meta{incarnation, r.key, r.epoch} }

// replay returns what a state directory holds: the snapshot with the journal applied. The error matches
// ErrCorrupt and says what does not fit.
func replay(dir *state.Dir) (*replayed, error) {
	var m meta
	if data := dir.Meta(); len(data) > 0 {
		if err := json.Unmarshal(data, &m); err != nil {
			return nil, fmt.Errorf("%w: meta: %w", ErrCorrupt, err)
		}
	}
	g := &objectstore.Graph{}
	if data := dir.Snapshot(); len(data) > 0 {
		var err error
		if g, err = serialize.DecodeSnapshot(data); err != nil {
			return nil, fmt.Errorf("%w: snapshot: %w", ErrCorrupt, err)
		}
	}
	r := newReplayer(g, m.Incarnation)
	records := dir.Records()
	if len(records) == 0 {
		return &replayed{graph: g, incarnation: r.incarnation, key: m.Key, epoch: m.Epoch}, nil
	}
	for i, record := range records {
		if err := r.apply(record); err != nil {
			return nil, fmt.Errorf("%w: journal: record %d (%s): %w", ErrCorrupt, i+1, record.Kind, err)
		}
	}
	g = r.graph()
	sweep(g)
	if err := closed(g); err != nil {
		return nil, fmt.Errorf("%w: journal: after its %d records %w", ErrCorrupt, len(records), err)
	}
	return &replayed{g, r.incarnation, r.uncovered(), r.lastEffect, m.Key, m.Epoch, r.open}, nil
}

// replayer applies records to a graph. Objects keep the order in which they first appeared.
type replayer struct {
	root        string
	order       []string
	objects     map[string]*objectstore.Entry
	told        map[string]map[listener]bool // by id of a doomed object: who has been told since its entry was recorded
	incarnation uint64
	effects     map[uint64]*recordedEffect // that no checkpoint covers
	lastEffect  uint64
	open        *openDeployment
	gone        map[string]*objectstore.Entry     // what checkpoints took out, as it was
	watch       func(old, now *objectstore.Entry) // hears of every change; nil: nobody does
}

// listener is a subscription of one object.
type listener struct{ subscriber, handler string }

func newReplayer(g *objectstore.Graph, incarnation uint64) *replayer {
	r := &replayer{
		root: g.Root, objects: make(map[string]*objectstore.Entry, len(g.Objects)), told: map[string]map[listener]bool{},
		gone: map[string]*objectstore.Entry{}, incarnation: incarnation, effects: map[uint64]*recordedEffect{},
	}
	for _, e := range g.Objects {
		r.put(e)
	}
	return r
}

// uncovered lists the effects that no checkpoint covers.
func (r *replayer) uncovered() []*recordedEffect {
	var list []*recordedEffect
	for _, n := range slices.Sorted(maps.Keys(r.effects)) {
		list = append(list, r.effects[n])
	}
	return list
}

func (r *replayer) put(e *objectstore.Entry) {
	if old := r.objects[e.ID]; old == nil || old.Incarnation != e.Incarnation {
		r.order = append(r.order, e.ID)
	}
	r.set(e.ID, e)
	delete(r.told, e.ID)
	r.incarnation = max(r.incarnation, e.Incarnation)
}

// set makes e, or nothing if it is nil, what the environment has under an id.
func (r *replayer) set(id string, e *objectstore.Entry) {
	if r.watch != nil {
		r.watch(r.objects[id], e)
	}
	if e == nil {
		delete(r.objects, id)
	} else {
		r.objects[id] = e
	}
}

func (r *replayer) graph() *objectstore.Graph {
	g := &objectstore.Graph{}
	if r.objects[r.root] != nil {
		g.Root = r.root
	}
	last := make(map[string]int, len(r.order)) // where its present incarnation appeared
	for i, id := range r.order {
		last[id] = i
	}
	for i, id := range r.order {
		if e := r.objects[id]; e != nil && last[id] == i {
			g.Objects = append(g.Objects, r.tell(e))
		}
	}
	return g
}

func (r *replayer) apply(record state.Record) error {
	switch record.Kind {
	case state.Checkpoint:
		return r.checkpoint(record.Payload)
	case state.Reserved:
		var n reservedRecord
		if err := json.Unmarshal(record.Payload, &n); err != nil {
			return err
		}
		r.incarnation = max(r.incarnation, n.Incarnation)
	case state.Plan:
		var p planRecord
		if err := json.Unmarshal(record.Payload, &p); err != nil {
			return err
		}
		for _, id := range p.Doomed {
			if err := r.change(id, func(e *objectstore.Entry) { e.Doomed, e.Notified = true, e.Notified || p.Notified }); err != nil {
				return err
			}
		}
	case state.Notified:
		var n notifiedRecord
		if err := json.Unmarshal(record.Payload, &n); err != nil {
			return err
		}
		if r.open != nil && n.Handler != "" {
			r.open.notified++
		}
		return r.notified(&n)
	case state.Intent:
		e := &recordedEffect{}
		if err := json.Unmarshal(record.Payload, &e.intent); err != nil {
			return err
		}
		r.effects[e.intent.N] = e
		r.lastEffect = max(r.lastEffect, e.intent.N)
	case state.Outcome:
		var o outcomeRecord
		if err := json.Unmarshal(record.Payload, &o); err != nil {
			return err
		}
		if e := r.effects[o.N]; e != nil {
			e.outcome = &o.Outcome
		}
	case state.Phase:
		var p phaseRecord
		if err := json.Unmarshal(record.Payload, &p); err != nil {
			return err
		}
		r.phase(&p)
	case state.Destroyed:
		var s settledRecord
		if err := json.Unmarshal(record.Payload, &s); err != nil {
			return err
		}
		return r.settled(&s)
	default:
		return fmt.Errorf("unknown kind; the state was written by a newer version")
	}
	return nil
}

func (r *replayer) checkpoint(payload []byte) error {
	var c checkpointRecord
	if err := json.Unmarshal(payload, &c); err != nil {
		return err
	}
	if !c.Partial {
		r.root = c.Root
	}
	for _, n := range c.Effects {
		delete(r.effects, n)
	}
	for _, data := range c.Changed {
		e, err := serialize.DecodeEntry(data)
		if err != nil {
			return err
		}
		r.put(e)
	}
	for _, id := range c.Removed {
		r.gone[id] = r.objects[id]
		r.set(id, nil)
	}
	return nil
}

// change changes a copy of an entry.
func (r *replayer) change(id string, change func(*objectstore.Entry)) error {
	e := r.objects[id]
	if e == nil {
		return fmt.Errorf("object %q is not in the state", id)
	}
	changed := *e
	change(&changed)
	r.set(id, &changed)
	return nil
}

// phase notes what the history will say of a deployment. It changes nothing of the state.
func (r *replayer) phase(p *phaseRecord) {
	if p.Begin != nil {
		r.open = &openDeployment{beginning: *p.Begin, before: r.graph()}
	}
	if r.open != nil {
		r.open.phase, r.open.after, r.open.outcome, r.open.err = p.Phase, p.After, p.Outcome, p.Error
	}
}

func (r *replayer) notified(n *notifiedRecord) error {
	if n.Subscriber == "" || n.All {
		return r.change(n.ID, func(e *objectstore.Entry) { e.Notified = true })
	}
	if r.objects[n.ID] == nil {
		return fmt.Errorf("object %q is not in the state", n.ID)
	}
	if r.told[n.ID] == nil {
		r.told[n.ID] = map[listener]bool{}
	}
	r.told[n.ID][listener{n.Subscriber, n.Handler}] = true
	return nil
}

// tell puts into an entry who has been told since it was recorded.
func (r *replayer) tell(e *objectstore.Entry) *objectstore.Entry {
	told := r.told[e.ID]
	if len(told) == 0 || !e.Doomed || e.Notified {
		return e
	}
	changed := *e
	changed.Subscriptions = slices.Clone(e.Subscriptions)
	for i := range changed.Subscriptions {
		s := &changed.Subscriptions[i]
		s.Told = s.Told || told[listener{s.Subscriber, s.Handler}]
	}
	return &changed
}

func (r *replayer) settled(s *settledRecord) error {
	completed := make(map[string]bool, len(s.Completed))
	for _, name := range s.Completed {
		if name == "" || completed[name] { // no snapshot has that
			return fmt.Errorf("object %q: the classes whose destroy() is completed must be different names", s.ID)
		}
		completed[name] = true
	}
	// A checkpoint that came between the end of destroy() and its record has taken the object out already.
	gone := r.objects[s.ID] == nil && r.gone[s.ID] != nil && s.State == "destroyed"
	e := r.objects[s.ID]
	if gone {
		e = r.gone[s.ID]
	}
	if e != nil && r.open != nil && s.State != "live" {
		o := HistoryObject{ID: e.ID, Type: e.Type, Name: e.Name, Error: bounded(s.Failure), Attempts: []time.Duration{s.Duration}}
		r.open.settled = append(r.open.settled, settledObject{o, s.State != "destroyed"})
	}
	if gone {
		return nil
	}
	return r.change(s.ID, func(e *objectstore.Entry) {
		switch s.State {
		case "destroyed":
			if r.root == s.ID {
				r.root = ""
			}
			e.Destroyed, e.Doomed, e.Notified, e.Failure, e.Completed = true, false, false, "", nil
			e.Subscriptions = nil
		case "live":
			e.Doomed, e.Notified, e.Failure, e.Completed = false, false, "", nil
			delete(r.told, s.ID)
			e.Subscriptions = slices.Clone(e.Subscriptions)
			for i := range e.Subscriptions {
				e.Subscriptions[i].Told = false
			}
		default:
			e.Doomed, e.Notified, e.Failure, e.Completed = true, true, s.Failure, s.Completed
		}
	})
}

// sweep takes out the destroyed objects that nothing refers to, and the subscriptions of destroyed ones: what
// was recorded one by one leaves them behind, and a snapshot would not have them (gc 6.1, 6.2). Otherwise
// an id could not come back.
func sweep(g *objectstore.Graph) {
	objects := make(map[string]*objectstore.Entry, len(g.Objects))
	var present []*objectstore.Entry
	for _, e := range g.Objects {
		objects[e.ID] = e
		if !e.Destroyed {
			present = append(present, e)
		}
	}
	kept := reached(objects, present, func(*objectstore.Entry) bool { return true })
	g.Objects = slices.DeleteFunc(g.Objects, func(e *objectstore.Entry) bool { return !kept[e.ID] })
	for i, e := range g.Objects {
		ended := func(s objectstore.Subscription) bool {
			subscriber := objects[s.Subscriber]
			return subscriber != nil && subscriber.Destroyed
		}
		if slices.ContainsFunc(e.Subscriptions, ended) {
			swept := *e
			swept.Subscriptions = slices.DeleteFunc(slices.Clone(e.Subscriptions), ended)
			g.Objects[i] = &swept
		}
	}
}

// reached returns the ids of the entries from, and of those that they lead to, as Entry.Refs goes, through entries that
// pass.
func reached(objects map[string]*objectstore.Entry, from []*objectstore.Entry, pass func(*objectstore.Entry) bool) map[string]bool {
	met := make(map[string]bool, len(from))
	for _, e := range from {
		met[e.ID] = true
	}
	queue := slices.Clone(from)
	for len(queue) > 0 {
		e := queue[len(queue)-1]
		queue = queue[:len(queue)-1]
		e.Refs(func(id string) {
			if to := objects[id]; to != nil && !met[id] && pass(to) {
				met[id] = true
				queue = append(queue, to)
			}
		})
	}
	return met
}

// closed checks that what objects name is in the graph.
func closed(g *objectstore.Graph) error {
	ids := make(map[string]bool, len(g.Objects))
	for _, e := range g.Objects {
		ids[e.ID] = true
	}
	for _, e := range g.Objects {
		missing := ""
		names(e, func(id string) {
			if !ids[id] {
				missing = id
			}
		})
		if missing != "" {
			return fmt.Errorf("object %q names %q, which is not in the state", e.ID, missing)
		}
	}
	return nil
}

// names calls visit with the ids of the objects that an entry names.
func names(e *objectstore.Entry, visit func(id string)) {
	if e.Owner != "" {
		visit(e.Owner)
	}
	for _, s := range e.Subscriptions {
		visit(s.Subscriber)
	}
	for _, f := range e.Properties {
		objectstore.Refs(f.Value, func(r objectstore.Ref) {
			if r != "" {
				visit(string(r))
			}
		})
	}
}
