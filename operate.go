package sexton

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/sextongc/sexton/internal/state"
	"github.com/sextongc/sexton/objectstore"
	"github.com/sextongc/sexton/runtime"
	"github.com/sextongc/sexton/serialize"
)

// Errors of what operators do to a state.
var (
	// ErrNoObject: the state has no object of that id.
	ErrNoObject = errors.New("there is no such object")
	// ErrInUse: what is to be forgotten owns, or is referred to by, what is to stay.
	ErrInUse = errors.New("it is in use")
)

// Operation is the part of a HistoryRecord that tells what an operator did to the state. Nothing of it ran a script,
// and none of its objects was created or destroyed.
type Operation struct {
	Verb      string          `json:"verb,omitempty"` // "rm", "import" or "recover"; empty: the record is of a deployment
	Reason    string          `json:"reason,omitempty"`
	Forgotten []HistoryObject `json:"forgotten,omitempty"` // left to the operator
	Imported  []HistoryObject `json:"imported,omitempty"`
	Lost      []HistoryObject `json:"lost,omitempty"` // to damage
}

// ForgetOptions say how Environment.Forget goes about it. Nil works.
type ForgetOptions struct {
	// Recursive forgets what the objects own as well.
	Recursive bool
	// Force takes references to the objects out of those that stay, which only owners are spared otherwise: a
	// property becomes null, and an element of a list, set, map or plain object goes.
	Force bool
	// Reason goes into the history.
	Reason string
	// Confirm is asked before anything is changed, while the state is locked. An error refuses. Nil agrees.
	Confirm func(r *Removal) error
}

// Removal is what Environment.Forget takes out of a state.
type Removal struct {
	Forgotten []Object    // in creation order
	Cut       []Reference // taken out of what stays
	Untold    []string    // ids of what stays and subscribed to the destruction of what goes: it is not told
	Total     int         // objects before
}

// Reference is a property of one object that leads to another one.
type Reference struct {
	From     string `json:"from"` // id
	Property string `json:"property"`
	To       string `json:"to"` // id
}

func (r Reference) String() string { return r.From + "." + r.Property + " refers to " + r.To }

// Forget takes objects out of the state without running anything of theirs: their resources are left to the
// operator, and no deployment will destroy them. What they did and nobody recovered is forgotten with
// them; that of others stays. It is one commit, behind the record of a deployment that was stopped, with a
// record in the history. An id may be used again; the incarnation is not.
//
// Broken, doomed and destroyed objects can be forgotten like any other. The root goes only together with
// everything, with Recursive. The error matches ErrNoObject, ErrInUse if something stays that the objects
// own or that refers to them, ErrLocked or ErrCorrupt; then nothing was changed. What the references are
// taken out of must still load: to find out, the environment is loaded, which runs constructors as Plan
// does; ctx bounds that.
func (e *Environment) Forget(ctx context.Context, ids []string, opts *ForgetOptions) (*Removal, error) {
	if opts == nil {
		opts = &ForgetOptions{}
	}
	began := time.Now()
	var r *Removal
	err := e.write(false, func(dir *state.Dir, last *replayed) error {
		forgotten, err := e.forgetting(last.graph, ids, opts.Recursive)
		if err != nil {
			return err
		}
		var left *objectstore.Graph
		var vital map[string]bool
		if r, left, vital, err = remove(last.graph, forgotten, opts.Force); err != nil {
			return err
		}
		if err := e.stillLoads(ctx, last, left, vital); err != nil {
			return err
		}
		if opts.Confirm != nil {
			if err := opts.Confirm(r); err != nil {
				return err
			}
		}
		effects := slices.DeleteFunc(slices.Clone(last.effects), func(e *recordedEffect) bool { return forgotten[e.intent.Object] })
		o := Operation{Verb: "rm", Reason: opts.Reason, Forgotten: historyObjects(r.Forgotten)}
		return o.commit(dir, e.vault(), last, &replayed{graph: left, effects: effects, incarnation: last.incarnation, key: last.key, epoch: last.epoch}, began, "")
	})
	if err != nil {
		return nil, err
	}
	return r, nil
}

// write opens the state directory for a change that is no deployment.
func (e *Environment) write(create bool, change func(dir *state.Dir, last *replayed) error) error {
	dir, err := state.Open(e.dir, &state.Options{FS: e.opts.fs, Create: create})
	if err != nil {
		return e.located(err)
	}
	last, err := replay(dir)
	if err == nil {
		err = change(dir, last)
	}
	return errors.Join(e.located(err), dir.Close())
}

// forgetting returns the ids of what goes.
func (e *Environment) forgetting(g *objectstore.Graph, ids []string, recursive bool) (map[string]bool, error) {
	known := make([]string, len(g.Objects))
	for i, o := range g.Objects {
		known[i] = o.ID
	}
	out := map[string]bool{}
	for _, id := range ids {
		if !slices.Contains(known, id) {
			return nil, fmt.Errorf("%s: %w: %q%s", e.Name(), ErrNoObject, id, serialize.DidYouMean(id, known))
		}
		out[id] = true
	}
	if g.Root != "" && out[g.Root] && len(out) < len(g.Objects) {
		if !recursive {
			return nil, fmt.Errorf("%w: %q is the root of %s; it can be forgotten only together with all of them", ErrInUse, g.Root, countObjects(len(g.Objects)))
		}
		for _, id := range known {
			out[id] = true
		}
	}
	for grown := recursive; grown; {
		grown = false
		for _, o := range g.Objects {
			if out[o.Owner] && !out[o.ID] {
				out[o.ID], grown = true, true
			}
		}
	}
	var left []string
	for _, o := range g.Objects {
		if out[o.Owner] && !out[o.ID] {
			left = append(left, fmt.Sprintf("%s is owned by %s", o.ID, o.Owner))
		}
	}
	if len(left) > 0 {
		return nil, fmt.Errorf("%w: %s", ErrInUse, strings.Join(left, ", "))
	}
	return out, nil
}

func countObjects(n int) string {
	if n == 1 {
		return "1 object"
	}
	return fmt.Sprintf("%d objects", n)
}

// remove returns the graph without the objects. What refers to them is an error, or is cut; where their owners
// have them is not asked about. Vital are the ids of objects that lost more than an element of a list.
func remove(g *objectstore.Graph, gone map[string]bool, force bool) (r *Removal, left *objectstore.Graph, vital map[string]bool, err error) {
	r, vital = &Removal{Total: len(g.Objects)}, map[string]bool{}
	left = &objectstore.Graph{Objects: make([]*objectstore.Entry, 0, len(g.Objects))}
	if !gone[g.Root] {
		left.Root = g.Root
	}
	owner := make(map[string]string, len(gone))
	for _, o := range g.Objects {
		if gone[o.ID] {
			owner[o.ID] = o.Owner
		}
	}
	untold, seen := map[string]bool{}, map[Reference]bool{}
	var inUse []string
	for _, o := range g.Objects {
		if gone[o.ID] {
			r.Forgotten = append(r.Forgotten, *entryObject(o))
			for _, s := range o.Subscriptions {
				if s.Handler != "" && !gone[s.Subscriber] && !untold[s.Subscriber] {
					untold[s.Subscriber] = true
					r.Untold = append(r.Untold, s.Subscriber)
				}
			}
			continue
		}
		kept := *o
		kept.Subscriptions = slices.DeleteFunc(slices.Clone(o.Subscriptions), func(s objectstore.Subscription) bool { return gone[s.Subscriber] })
		kept.Properties = slices.Clone(o.Properties)
		for i, f := range kept.Properties {
			before := len(seen)
			objectstore.Refs(f.Value, func(ref objectstore.Ref) {
				c := Reference{o.ID, f.Name, string(ref)}
				if !gone[c.To] || seen[c] {
					return
				}
				seen[c] = true
				r.Cut = append(r.Cut, c)
				if owner[c.To] != o.ID && !force {
					inUse = append(inUse, c.String())
				}
			})
			if len(seen) > before {
				c := &cutter{gone: gone}
				kept.Properties[i].Value = c.property(f.Value)
				vital[o.ID] = vital[o.ID] || c.vital
			}
		}
		left.Objects = append(left.Objects, &kept)
	}
	if len(inUse) > 0 {
		return nil, nil, nil, fmt.Errorf("%w: %s", ErrInUse, strings.Join(inUse, ", "))
	}
	return r, left, vital, nil
}

// cutter takes references to what is gone out of values.
type cutter struct {
	gone map[string]bool
	// vital: something became null, or a plain object lost a field, which not every class can do without. Lists,
	// sets and maps are as good with an element less.
	vital bool
}

// property returns the value of a property without the references: null for one that is the whole value.
func (c *cutter) property(v objectstore.Value) objectstore.Value {
	out, ok := c.value(v)
	c.vital = c.vital || !ok
	return out
}

// value is property for parts of a value; ok is false for what has to leave its container.
func (c *cutter) value(v objectstore.Value) (out objectstore.Value, ok bool) {
	switch v := v.(type) {
	case objectstore.Ref:
		if c.gone[string(v)] {
			return nil, false
		}
	case []objectstore.Value:
		return c.items(v), true
	case *objectstore.Set:
		return &objectstore.Set{Items: c.items(v.Items)}, true
	case *objectstore.Record:
		left := &objectstore.Record{}
		for _, f := range v.Fields {
			if value, ok := c.value(f.Value); ok {
				left.Fields = append(left.Fields, objectstore.Field{Name: f.Name, Value: value})
			} else {
				c.vital = true
			}
		}
		return left, true
	case *objectstore.Map:
		left := &objectstore.Map{}
		for _, entry := range v.Entries {
			key, keyOK := c.value(entry.Key)
			value, valueOK := c.value(entry.Value)
			if keyOK && valueOK {
				left.Entries = append(left.Entries, objectstore.MapEntry{Key: key, Value: value})
			}
		}
		return left, true
	}
	return v, true
}

func (c *cutter) items(items []objectstore.Value) []objectstore.Value {
	left := make([]objectstore.Value, 0, len(items))
	for _, item := range items {
		if value, ok := c.value(item); ok {
			left = append(left, value)
		}
	}
	return left
}

// stillLoads refuses to take out references that objects cannot do without. What could not be loaded before is no
// worse off, unless it is vital: nobody knows what its class requires then.
func (e *Environment) stillLoads(ctx context.Context, last *replayed, left *objectstore.Graph, vital map[string]bool) error {
	if len(vital) == 0 {
		return nil
	}
	v := e.vault()
	was, err := mapGraph(last.graph, v.openEntry)
	if err == nil {
		left, err = mapGraph(left, v.openEntry)
	}
	if err != nil {
		return err
	}
	s, err := NewSession(&SessionOptions{Options: e.opts})
	if err != nil {
		return err
	}
	err = s.Run(ctx, func(t *runtime.Task) error {
		if err := s.Load(ctx, t); err != nil {
			for _, id := range slices.Sorted(maps.Keys(vital)) {
				if vital[id] {
					return fmt.Errorf("whether %s can do without a reference is for its class to say, and the package does not load: %w", id, err)
				}
			}
			return nil
		}
		run := &deploying{Deployment: &Deployment{Observe: func(Event) {}}, s: s, ctx: ctx, settings: s.settings(Settings{}), report: &Report{}}
		if err := run.load(t, was); err != nil {
			return err
		}
		broken := map[string]bool{}
		for _, o := range s.store.Objects() {
			broken[o.ID] = o.Broken() != "" && !vital[o.ID]
		}
		if err := run.load(t, left); err != nil {
			return err
		}
		for _, o := range s.store.Objects() {
			if o.Broken() != "" && !broken[o.ID] {
				return fmt.Errorf("%w: %s could not be loaded without the reference: %s", ErrInUse, o, o.Broken())
			}
		}
		return nil
	})
	return errors.Join(err, s.Close())
}

// commit makes the outcome of an operation the state. A deployment that was stopped before goes into the history
// first.
func (o *Operation) commit(dir *state.Dir, v *vault, last, next *replayed, began time.Time, file string) error {
	if err := concludeStopped(dir, v, newLocalState(dir, nil, v, last), last); err != nil {
		return err
	}
	h := &HistoryRecord{
		Number: dir.Generation() + 1, Time: began.UTC(), Duration: time.Since(began), Model: file, Outcome: Done, Operation: *o,
	}
	return commit(v, newLocalState(dir, nil, v, next), next.graph, next.meta(next.incarnation), h, 0)
}

// LockHolder is who holds the lock of an environment, or held it last.
type LockHolder = state.Holder

// Lock says who holds the lock of the environment. Locks end with their processes, so there is nothing to break:
// a lock that is held is left alone, and one that is not needs nothing. Where nobody holds it, forget is
// asked whether the trace of the last holder is to be removed. The error matches ErrNoState if nobody ever
// held it.
func (e *Environment) Lock(forget func(h *LockHolder) bool) (*LockHolder, error) {
	return state.Inspect(e.dir, forget)
}
