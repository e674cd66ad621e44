package sexton

import (
	"encoding/json"
	"errors"
	"fmt"

	"github.com/sextongc/sexton/gcext"
	"github.com/sextongc/sexton/internal/state"
	"github.com/sextongc/sexton/objectstore"
	"github.com/sextongc/sexton/serialize"
)

// ErrNoState: the state directory holds nothing, because nothing was deployed yet.
var ErrNoState = state.ErrNoState

// Finding is one thing that Environment.Check noticed.
type Finding = state.Finding

// StateInfo is what a state directory holds: the snapshot with the journal applied.
type StateInfo struct {
	Objects []StoredObject // in creation order
	// Stray are uncovered effects of objects that are no longer there.
	Stray []StoredEffect

	graph *objectstore.Graph
}

// StoredObject is an object as the state has it.
type StoredObject struct {
	Object
	// State is "live", "destroyed" (a tombstone), or that of an object which should be destroyed and is
	// not: "failed" (its destroy() did), "blocked" (BlockedBy failed and goes before it), or "doomed" (its
	// turn has not come).
	State     string
	Failure   string // why destroy() failed
	BlockedBy string // id
	// Effects are those that no checkpoint covers: what the object did after it was saved. With any, it is
	// interrupted.
	Effects []StoredEffect
	// Entry is all that is saved: secrets stand there as they are sealed. It must not be changed.
	Entry *objectstore.Entry
}

// StoredEffect is an effect that the journal has.
type StoredEffect struct {
	Object  string // id
	Op      string
	Token   string          // GC.token of the object
	Args    json.RawMessage // as the script gave them; {"$sealed": …} if there is a secret in them
	Outcome json.RawMessage // {"result": …} or {"error": …}; nil if it is not known whether it happened
	Failed  bool            // the outcome is an error
}

// State returns what is deployed, object by object. It takes no lock and may run beside a deployment; it
// then shows one moment of it. An environment that was never deployed has no objects. The error matches
// ErrCorrupt if the state is damaged: Readable then returns what is left.
func (e *Environment) State() (*StateInfo, error) {
	r := &replayed{graph: &objectstore.Graph{}}
	err := e.read(func(dir *state.Dir) (err error) {
		r, err = replay(dir)
		return err
	})
	if err != nil && !errors.Is(err, ErrNoState) {
		return nil, err
	}
	return newStateInfo(r.graph, r.effects), nil
}

func newStateInfo(g *objectstore.Graph, effects []*recordedEffect) *StateInfo {
	info := &StateInfo{Objects: make([]StoredObject, len(g.Objects)), graph: g}
	index := make(map[string]int32, len(info.Objects))
	for i, entry := range g.Objects {
		index[entry.ID] = int32(i)
		info.Objects[i] = storedObject(entry)
	}
	info.block(index)
	for _, effect := range effects {
		i, ok := index[effect.intent.Object]
		if ok && info.Objects[i].Entry.Incarnation == effect.intent.Incarnation {
			info.Objects[i].Effects = append(info.Objects[i].Effects, storedEffect(effect))
		} else {
			info.Stray = append(info.Stray, storedEffect(effect))
		}
	}
	return info
}

// Snapshot returns the canonical snapshot of it.
func (info *StateInfo) Snapshot() ([]byte, error) { return serialize.EncodeSnapshot(info.graph) }

// read opens the state directory for fn, which may read it only.
func (e *Environment) read(fn func(dir *state.Dir) error) error {
	dir, err := state.Open(e.dir, &state.Options{FS: e.opts.fs, ReadOnly: true})
	if err != nil {
		return e.located(err)
	}
	return e.located(errors.Join(fn(dir), dir.Close()))
}

func entryObject(e *objectstore.Entry) *Object {
	return &Object{ID: e.ID, Type: e.Type, Name: e.Name, Owner: e.Owner}
}

func storedObject(e *objectstore.Entry) StoredObject {
	return StoredObject{Object: *entryObject(e), State: storedState(e), Failure: e.Failure, Entry: e}
}

// storedState is StoredObject.State, but for objects that are blocked: the state does not say it.
func storedState(e *objectstore.Entry) string {
	switch {
	case e.Destroyed:
		return "destroyed"
	case e.Failure != "":
		return "failed"
	case e.Doomed:
		return "doomed"
	}
	return "live"
}

func storedEffect(e *recordedEffect) StoredEffect {
	s := StoredEffect{Object: e.intent.Object, Op: e.intent.Op, Token: e.intent.Token, Args: e.intent.Args}
	if e.outcome != nil {
		s.Outcome, s.Failed = jsonOf(e.outcome), e.outcome.Error != nil
	}
	return s
}

// block finds out which doomed objects wait for one that failed (gc 5.6): the state does not say it.
func (info *StateInfo) block(index map[string]int32) {
	n := len(info.Objects)
	g := &gcext.Graph{Owner: make([]int32, n), Doomed: make([]bool, n)}
	blocker := make([]string, n)
	failed := false
	for i, o := range info.Objects {
		g.Owner[i] = -1
		if owner, ok := index[o.Owner]; ok {
			g.Owner[i] = owner
		}
		for _, s := range o.Entry.Subscriptions {
			if subscriber, ok := index[s.Subscriber]; ok {
				g.Deps = append(g.Deps, gcext.Dependency{Publisher: int32(i), Subscriber: subscriber})
			}
		}
		g.Doomed[i] = o.Entry.Doomed
		if o.State == "failed" {
			blocker[i], failed = o.ID, true
		}
	}
	if !failed {
		return
	}
	p := gcext.NewPlan(g)
	for _, i := range p.Order {
		if blocker[i] != "" {
			continue
		}
		for _, before := range p.After(i) {
			if by := blocker[before.Object]; by != "" {
				blocker[i] = by
				info.Objects[i].State, info.Objects[i].BlockedBy = "blocked", by
				break
			}
		}
	}
}

// Check verifies the state, more thoroughly than a deployment does: the files and what they say of each
// other, the snapshot, the journal's records applied to it, and the history. It changes nothing, takes
// no lock, and returns all that it finds; none means that all is well. The error matches ErrNoState if
// there is nothing to check, or says why it could not be read; that it is damaged is no error.
func (e *Environment) Check() ([]Finding, error) {
	var meaning []Finding
	err := e.read(func(dir *state.Dir) error {
		meaning = checkMeaning(dir)
		return nil
	})
	if err != nil && !errors.Is(err, ErrCorrupt) {
		return nil, err
	}
	found := state.Check(e.dir, e.opts.fs)
	if err != nil && len(found) == 0 { // somebody puts it right meanwhile
		found = append(found, Finding{Problem: err.Error()})
	}
	return append(found, meaning...), nil
}

// checkMeaning checks what the files hold.
func checkMeaning(dir *state.Dir) []Finding {
	var found []Finding
	if r, err := replay(dir); err != nil {
		found = append(found, Finding{Problem: err.Error()})
	} else if _, err := serialize.EncodeSnapshot(r.graph); err != nil {
		found = append(found, Finding{Problem: fmt.Sprintf("what snapshot and journal make together: %v", err)})
	}
	if _, err := readHistory(dir, -1); err != nil {
		found = append(found, Finding{Problem: err.Error()})
	}
	return found
}
