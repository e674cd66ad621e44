package sexton

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"sync"

	"github.com/sextongc/sexton/internal/effect"
	"github.com/sextongc/sexton/internal/state"
)

// A deployment has two sides. The script side runs JavaScript: modules, event loop, objects, collector. The
// state side holds the state directory with its lock, the permissions, and whatever effects need. The
// script side only asks, through a stateSide.

// stateSide is the state side as the script side sees it. Only plain data crosses, so that a pipe can take
// the place of the calls. Its methods are safe for concurrent use.
type stateSide interface {
	// Do records and performs an effect: its intent is durable before it starts, its outcome before Do
	// returns. Requests for effects have numbers that were never used in this generation of the state.
	effect.Broker
	// Append makes a group of records durable, all of them or none. Nobody has to recover the effects
	// covered any more: what the group says of their objects has come after them.
	Append(ctx context.Context, covered []uint64, group ...state.Record) error
	// Commit makes a snapshot the state, with what else is known of it and a record for the history. The
	// effects that are not covered stay with it.
	Commit(snapshot, meta, history []byte) error
}

// localState is the stateSide in the same process.
type localState struct {
	dir       *state.Dir
	performer *effect.Performer
	vault     *vault
	records   *gatherer
	mu        sync.Mutex
	epoch     uint64                     // that generation 0 would have had
	open      map[uint64]*recordedEffect // that nothing covers, by number
}

func newLocalState(dir *state.Dir, performer *effect.Performer, v *vault, last *replayed) *localState {
	l := &localState{dir: dir, performer: performer, vault: v, epoch: last.epoch, open: map[uint64]*recordedEffect{}}
	// What is on its way to the disk is not called back.
	l.records = newGatherer(func(group ...state.Record) error { return dir.Append(context.Background(), group...) })
	for _, e := range last.effects {
		l.open[e.intent.N] = e
	}
	return l
}

// Do implements effect.Broker. Concurrent effects share syncs.
func (l *localState) Do(ctx context.Context, req *effect.Request) *effect.Outcome {
	if !effect.IsEffect(req.Op) {
		return l.performer.Do(ctx, req)
	}
	req.Epoch = l.epoch + l.dir.Generation()
	e := &recordedEffect{intent: intentRecord{
		N: req.ID, Object: req.Object, Incarnation: req.Incarnation, Op: req.Op, Token: req.Token, Args: recordable(req.Args),
	}}
	secret := req.Secret || l.vault.mustSeal(req.Args)
	if secret {
		var err error
		if e.intent.Args, err = l.vault.sealData(e.intent.Args); err != nil {
			return notRecorded("it was not started", err)
		}
	}
	l.mu.Lock()
	l.open[req.ID] = e
	l.mu.Unlock()
	if err := l.records.add(record(state.Intent, e.intent)); err != nil {
		l.cover([]uint64{req.ID})
		return notRecorded("it was not started", err)
	}
	outcome := l.performer.Do(ctx, req)
	if outcome.Error != nil && outcome.Error.Code == effect.CodeAborted {
		return outcome // it was ended from here: nobody knows how far it came
	}
	recorded := outcome
	r := record(state.Outcome, outcomeRecord{req.ID, *outcome})
	var err error
	if secret || l.vault.mustSeal(r.Payload) {
		recorded, err = l.vault.sealOutcome(outcome)
		r = record(state.Outcome, outcomeRecord{req.ID, *recorded})
	}
	if err == nil {
		err = l.records.add(r)
	}
	if err != nil {
		return notRecorded("how it ended is not known to the next deployment", err)
	}
	l.mu.Lock()
	e.outcome = recorded
	l.mu.Unlock()
	return outcome
}

func notRecorded(consequence string, err error) *effect.Outcome {
	return &effect.Outcome{Error: &effect.Error{
		Name: "Error", Code: "ERR_JOURNAL", Message: fmt.Sprintf("the effect could not be recorded, %s: %v", consequence, err),
	}}
}

func (l *localState) cover(effects []uint64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, n := range effects {
		delete(l.open, n)
	}
}

// Append implements stateSide.
func (l *localState) Append(ctx context.Context, covered []uint64, group ...state.Record) error {
	group, err := l.vault.sealRecords(group)
	if err != nil {
		return err
	}
	if err := l.dir.Append(ctx, group...); err != nil {
		return err
	}
	l.cover(covered)
	return nil
}

// Commit implements stateSide.
func (l *localState) Commit(snapshot, meta, history []byte) error {
	return l.dir.Commit(&state.Commit{Seq: l.dir.Seq(), Snapshot: snapshot, Meta: meta, History: history, Carry: l.uncovered()})
}

// uncovered returns the records of the effects that nothing covers, for the journal of the next
// generation.
func (l *localState) uncovered() []state.Record {
	l.mu.Lock()
	defer l.mu.Unlock()
	var open []*recordedEffect
	for _, n := range slices.Sorted(maps.Keys(l.open)) {
		open = append(open, l.open[n])
	}
	return effectRecords(open)
}
