package sexton

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/sextongc/sexton/gcext"
	"github.com/sextongc/sexton/internal/effect"
	"github.com/sextongc/sexton/internal/state"
	"github.com/sextongc/sexton/objectstore"
)

// guard is the stateSide in front of another one when the script side is in another process: it believes
// nothing that it has not checked. It follows what the journal says of the environment and refuses what does not
// fit, so that the state can be read afterwards, whatever a worker sends.
type guard struct {
	stateSide
	key string

	mu      sync.Mutex
	replica *replayer
	refs    map[string]int  // from entries, by the id that they name
	doubt   map[string]bool // ids that were named or taken out since the last look
	moved   map[string]bool // ids of objects that got an owner since then
	numbers map[uint64]bool // of effects
	last    uint64          // no effect has a number up to this
}

func newGuard(side stateSide, key string, last *replayed) *guard {
	g := &guard{stateSide: side, key: key, refs: map[string]int{}, doubt: map[string]bool{}, moved: map[string]bool{}, numbers: map[uint64]bool{}, last: last.lastEffect}
	g.replica = newReplayer(last.graph, last.incarnation)
	for _, e := range last.graph.Objects {
		g.count(e, 1)
	}
	clear(g.doubt)
	g.replica.watch = func(old, now *objectstore.Entry) {
		g.count(old, -1)
		g.count(now, 1)
		if now == nil && old != nil {
			g.doubt[old.ID] = true
		}
		if now != nil && now.Owner != "" && (old == nil || old.Owner != now.Owner) {
			g.moved[now.ID] = true
		}
	}
	return g
}

// count adds what an entry names.
func (g *guard) count(e *objectstore.Entry, n int) {
	if e == nil {
		return
	}
	names(e, func(id string) {
		if g.refs[id] += n; g.refs[id] == 0 {
			delete(g.refs, id)
		}
		if n > 0 {
			g.doubt[id] = true
		}
	})
}

// Do implements effect.Broker: an effect is for an object that the state has, and its token is made here.
func (g *guard) Do(ctx context.Context, req *effect.Request) *effect.Outcome {
	if effect.IsEffect(req.Op) {
		if err := g.admit(req); err != nil {
			return &effect.Outcome{Error: &effect.Error{Name: "Error", Code: "ERR_PROTOCOL", Message: err.Error()}}
		}
	}
	return g.stateSide.Do(ctx, req)
}

func (g *guard) admit(req *effect.Request) error {
	g.mu.Lock()
	defer g.mu.Unlock()
	if req.ID <= g.last || g.numbers[req.ID] {
		return fmt.Errorf("effect %d: the number was used before", req.ID)
	}
	g.numbers[req.ID] = true
	req.Token = ""
	if req.Object == "" {
		return nil
	}
	e := g.replica.objects[req.Object]
	if e == nil || e.Incarnation != req.Incarnation || e.Destroyed {
		return fmt.Errorf("effect %d: the state has no object %q, incarnation %d, that could have it", req.ID, req.Object, req.Incarnation)
	}
	req.Token = gcext.Token(g.key, req.Object, req.Incarnation)
	return nil
}

// errUnfit is matched by errors about records that cannot be part of the journal.
var errUnfit = errors.New("a record that does not fit the state")

// fromWorker are the kinds of records that the script side writes.
var fromWorker = map[state.Kind]bool{
	state.Checkpoint: true, state.Plan: true, state.Notified: true, state.Destroyed: true, state.Reserved: true,
}

// Append implements stateSide.
func (g *guard) Append(ctx context.Context, covered []uint64, group ...state.Record) error {
	g.mu.Lock()
	defer g.mu.Unlock()
	for _, r := range group {
		if !fromWorker[r.Kind] {
			return fmt.Errorf("%w: a record of kind %q", errUnfit, r.Kind)
		}
		if hasSealed(r.Payload) {
			return fmt.Errorf("%w: %s: a worker has nothing that is sealed", errUnfit, r.Kind)
		}
		if err := g.replica.apply(r); err != nil {
			return fmt.Errorf("%w: %s: %w", errUnfit, r.Kind, err)
		}
	}
	for id := range g.doubt {
		if g.refs[id] > 0 && g.replica.objects[id] == nil {
			graph := g.replica.graph()
			sweep(graph)
			if err := closed(graph); err != nil {
				return fmt.Errorf("%w: %w", errUnfit, err)
			}
			break
		}
	}
	if id := g.ownsItself(); id != "" {
		return fmt.Errorf("%w: object %q owns itself through its owners", errUnfit, id)
	}
	clear(g.doubt)
	clear(g.moved)
	return g.stateSide.Append(ctx, covered, group...)
}

// ownsItself returns the id of an object that its new owner made an owner of itself; empty: there is none.
func (g *guard) ownsItself() string {
	met := map[string]string{} // by id: the object whose owners were being looked at
	for id := range g.moved {
		for at := id; ; {
			e := g.replica.objects[at]
			if e == nil || e.Owner == "" {
				break
			}
			if from, ok := met[at]; ok {
				if from == id {
					return id
				}
				break // the rest was looked at
			}
			met[at] = id
			at = e.Owner
		}
	}
	return ""
}

// given is what a worker says is the last incarnation that it gave out, if that can be.
func (g *guard) given(n uint64) uint64 {
	g.mu.Lock()
	defer g.mu.Unlock()
	for _, e := range g.replica.objects {
		if e.Incarnation > n {
			return g.replica.incarnation
		}
	}
	return min(n, g.replica.incarnation)
}
