package sexton

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/sextongc/sexton/internal/state"
	"github.com/sextongc/sexton/objectstore"
	"github.com/sextongc/sexton/serialize"
)

// stateJournal records a deployment in a state directory. A checkpoint holds what has changed since the
// last one; Replay puts it all together again.
type stateJournal struct {
	ctx   context.Context
	dir   *state.Dir
	saved map[string]savedEntry // as the journal has them
	// snapshot returns the environment as it is; a plan may name objects that no checkpoint has yet.
	snapshot func() (*objectstore.Graph, error)
}

type savedEntry struct {
	data        []byte
	incarnation uint64
}

// checkpointRecord is the payload of a checkpoint.
type checkpointRecord struct {
	Phase   string            `json:"phase"`
	Root    string            `json:"root"`
	Changed []json.RawMessage `json:"changed,omitempty"`
	Removed []string          `json:"removed,omitempty"`
}

// planRecord is the payload of a plan: the doomed objects in the order of their destruction.
type planRecord struct {
	Doomed []string `json:"doomed"`
}

// notifiedRecord says that an object's subscribers have been told.
type notifiedRecord struct {
	ID string `json:"id"`
}

// settledRecord says what became of a doomed object: destroyed, failed, or live again.
type settledRecord struct {
	ID        string   `json:"id"`
	State     string   `json:"state"`
	Failure   string   `json:"failure,omitempty"`
	Completed []string `json:"completed,omitempty"`
}

func newStateJournal(ctx context.Context, dir *state.Dir, last *objectstore.Graph) (*stateJournal, error) {
	j := &stateJournal{ctx: context.WithoutCancel(ctx), dir: dir, saved: make(map[string]savedEntry, len(last.Objects))}
	for _, e := range last.Objects {
		data, err := serialize.EncodeEntry(e)
		if err != nil {
			return nil, err
		}
		j.saved[e.ID] = savedEntry{data, e.Incarnation}
	}
	return j, nil
}

func (j *stateJournal) append(kind state.Kind, payloads ...any) error {
	records := make([]state.Record, len(payloads))
	for i, p := range payloads {
		records[i] = state.Record{Kind: kind, Payload: jsonOf(p)}
	}
	if err := j.dir.Append(j.ctx, records...); err != nil {
		return fmt.Errorf("journal: %w", err)
	}
	return nil
}

// Checkpoint records what has changed.
func (j *stateJournal) Checkpoint(phase string, g *objectstore.Graph) error {
	record := checkpointRecord{Phase: phase, Root: g.Root}
	now := make(map[string]savedEntry, len(g.Objects))
	for _, e := range g.Objects {
		data, err := serialize.EncodeEntry(e)
		if err != nil {
			return err
		}
		now[e.ID] = savedEntry{data, e.Incarnation}
		if !bytes.Equal(j.saved[e.ID].data, data) {
			record.Changed = append(record.Changed, data)
		}
	}
	for id := range j.saved {
		if _, ok := now[id]; !ok {
			record.Removed = append(record.Removed, id)
		}
	}
	slices.Sort(record.Removed)
	j.saved = now
	return j.append(state.Checkpoint, record)
}

// Planned records a plan, and what it names and no checkpoint has yet.
func (j *stateJournal) Planned(doomed []*objectstore.Object) error {
	for _, o := range doomed {
		if saved, ok := j.saved[o.ID]; ok && saved.incarnation == o.Incarnation {
			continue
		}
		g, err := j.snapshot()
		if err != nil {
			return err
		}
		if err := j.Checkpoint("plan", g); err != nil {
			return err
		}
		break
	}
	record := planRecord{Doomed: make([]string, len(doomed))}
	for i, o := range doomed {
		record.Doomed[i] = o.ID
	}
	return j.append(state.Plan, record)
}

// Notified records that an object's subscribers have been told.
func (j *stateJournal) Notified(o *objectstore.Object) error {
	if len(o.Subscriptions()) == 0 {
		return nil // nobody was told: telling nobody again changes nothing
	}
	return j.append(state.Notified, notifiedRecord{o.ID})
}

// Settled records what became of doomed objects.
func (j *stateJournal) Settled(objects []*objectstore.Object) error {
	payloads := make([]any, len(objects))
	for i, o := range objects {
		r := settledRecord{ID: o.ID, State: o.State().String()}
		if o.State() == objectstore.Doomed {
			r.Failure, r.Completed = o.Failure, o.CompletedNames()
		}
		payloads[i] = r
	}
	return j.append(state.Destroyed, payloads...)
}

// replay returns the environment that a state directory holds: the snapshot with the journal applied.
func replay(dir *state.Dir) (*objectstore.Graph, error) {
	g := &objectstore.Graph{}
	if data := dir.Snapshot(); len(data) > 0 {
		var err error
		if g, err = serialize.DecodeSnapshot(data); err != nil {
			return nil, fmt.Errorf("%w: snapshot: %w", ErrCorrupt, err)
		}
	}
	records := dir.Records()
	if len(records) == 0 {
		return g, nil
	}
	r := newReplayer(g)
	for i, record := range records {
		if err := r.apply(record); err != nil {
			return nil, fmt.Errorf("%w: journal: record %d (%s): %w", ErrCorrupt, i+1, record.Kind, err)
		}
	}
	return r.graph(), nil
}

// replayer applies records to a graph. Objects keep the order in which they first appeared.
type replayer struct {
	root    string
	order   []string
	objects map[string]*objectstore.Entry
}

func newReplayer(g *objectstore.Graph) *replayer {
	r := &replayer{root: g.Root, objects: make(map[string]*objectstore.Entry, len(g.Objects))}
	for _, e := range g.Objects {
		r.put(e)
	}
	return r
}

func (r *replayer) put(e *objectstore.Entry) {
	if old := r.objects[e.ID]; old == nil || old.Incarnation != e.Incarnation {
		r.order = append(r.order, e.ID)
	}
	r.objects[e.ID] = e
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
			g.Objects = append(g.Objects, e)
		}
	}
	return g
}

func (r *replayer) apply(record state.Record) error {
	switch record.Kind {
	case state.Checkpoint:
		return r.checkpoint(record.Payload)
	case state.Plan:
		var p planRecord
		if err := json.Unmarshal(record.Payload, &p); err != nil {
			return err
		}
		for _, id := range p.Doomed {
			if err := r.change(id, func(e *objectstore.Entry) { e.Doomed = true }); err != nil {
				return err
			}
		}
	case state.Notified:
		var n notifiedRecord
		if err := json.Unmarshal(record.Payload, &n); err != nil {
			return err
		}
		return r.change(n.ID, func(e *objectstore.Entry) { e.Notified = true })
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
	r.root = c.Root
	for _, data := range c.Changed {
		e, err := serialize.DecodeEntry(data)
		if err != nil {
			return err
		}
		r.put(e)
	}
	for _, id := range c.Removed {
		delete(r.objects, id)
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
	r.objects[id] = &changed
	return nil
}

func (r *replayer) settled(s *settledRecord) error {
	return r.change(s.ID, func(e *objectstore.Entry) {
		switch s.State {
		case "destroyed":
			e.Destroyed, e.Doomed, e.Notified, e.Failure, e.Completed = true, false, false, "", nil
			e.Subscriptions = nil
		case "live":
			e.Doomed, e.Notified, e.Failure, e.Completed = false, false, "", nil
		default:
			e.Doomed, e.Notified, e.Failure, e.Completed = true, true, s.Failure, s.Completed
		}
	})
}
