package sexton

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/sextongc/sexton/internal/state"
	"github.com/sextongc/sexton/objectstore"
	"github.com/sextongc/sexton/serialize"
)

// stateJournal records a deployment in a state directory. A checkpoint holds what has changed since the
// last one; replay puts it all together again. Every call appends one group of records, which counts
// whole or not at all.
type stateJournal struct {
	ctx  context.Context // for what is under way when kill is done
	kill context.Context
	side stateSide
	// snapshot returns the environment as it is, nil if it cannot be read any more.
	snapshot func() (*objectstore.Graph, error)
	store    func() *objectstore.Store // the environment

	saved map[string]*savedEntry // what replay makes of the journal, by id
	work  int                    // that collections have recorded since the last checkpoint

	took map[string]time.Duration // how long attempts at destruction took that are not recorded yet, by id

	seen    []uint64         // effects whose outcome scripts have seen since the last checkpoint
	covered []uint64         // effects that the checkpoint in the next group covers
	now     func() time.Time // as scripts see it
	spent   time.Duration    // on checkpoints after effects
	last    time.Duration    // what the last checkpoint took
	began   time.Time
	due     bool // a checkpoint after an effect is queued

	given, reserved uint64 // numbers of incarnations
	err             error  // why a number could not be reserved
}

// reserve is how many incarnations one record reserves.
const reserve = 1024

// A collection takes checkpoints on its way by the work that it has recorded, not by the clock: the same
// deployment gives the same journal. The unit of work is an object that a checkpoint has to look at, and
// settling one takes about as long; a group that has to be durable takes groupWork. A checkpoint is due
// when checkpointShare times as much work is recorded as it would be itself.
const groupWork = 10

var checkpointShare = 20

// smallEntry is how many bytes an object has at most that is recorded each time a handler of it has run: little beside the
// sync. A larger one waits for the next checkpoint.
const smallEntry = 4 << 10

func newStateJournal(kill context.Context, side stateSide, last *replayed) *stateJournal {
	j := &stateJournal{
		ctx: context.WithoutCancel(kill), kill: kill, side: side, saved: make(map[string]*savedEntry, len(last.graph.Objects)), took: map[string]time.Duration{},
		given: last.incarnation, reserved: last.incarnation, now: time.Now, began: time.Now(),
	}
	for _, e := range last.graph.Objects {
		j.saved[e.ID] = save(e)
	}
	return j
}

func (j *stateJournal) append(group ...state.Record) error {
	if j.err != nil {
		return j.err
	}
	covered := j.covered
	j.covered = nil
	if err := j.side.Append(j.ctx, covered, group...); err != nil {
		return fmt.Errorf("journal: %w", err)
	}
	return nil
}

func record(kind state.Kind, payload any) state.Record {
	return state.Record{Kind: kind, Payload: jsonOf(payload)}
}

// Incarnation returns the next number. That it may be in use is durable before it is, so that no later
// deployment gives it to another object, whatever becomes of this one. The journal is of no use any
// more where that fails, and says so the next time.
func (j *stateJournal) Incarnation() uint64 {
	j.given++
	if j.given > j.reserved {
		j.reserved = j.given + reserve - 1
		j.err = errors.Join(j.err, j.append(record(state.Reserved, reservedRecord{j.reserved})))
	}
	return j.given
}

// Checkpoint records what has changed.
func (j *stateJournal) Checkpoint(phase string, g *objectstore.Graph, whole bool) error {
	began := j.now()
	r, err := j.checkpoint(phase, g, whole)
	if err == nil {
		err = j.append(r)
	}
	j.last = 2 * j.now().Sub(began) // the snapshot takes about as long
	return err
}

func (j *stateJournal) checkpoint(phase string, g *objectstore.Graph, whole bool) (state.Record, error) {
	c := checkpointRecord{Phase: phase, Root: g.Root}
	now := make(map[string]*savedEntry, len(g.Objects))
	for _, e := range g.Objects {
		saved := save(e)
		now[e.ID] = saved
		if old := j.saved[e.ID]; old != nil && unchanged(old.entry, e) {
			saved.size = old.size
			if old.doom.equal(&saved.doom) {
				continue
			}
		}
		data, err := serialize.EncodeEntry(e)
		if err != nil {
			return state.Record{}, err
		}
		c.Changed = append(c.Changed, data)
	}
	for id := range j.saved {
		if now[id] == nil {
			c.Removed = append(c.Removed, id)
		}
	}
	slices.Sort(c.Removed)
	if whole { // what a script made of an outcome may be just what could not be saved
		slices.Sort(j.seen)
		c.Effects, j.covered, j.seen = j.seen, j.seen, nil
	}
	j.saved, j.work = now, 0
	return record(state.Checkpoint, c), nil
}

// Introduce makes sure that the state has an object before it has an effect: with it, its owners and
// what else of it is new. So what was made a moment before the power went is not lost.
func (j *stateJournal) Introduce(s *objectstore.Store, o *objectstore.Object) error {
	if j.knows(o) {
		return nil
	}
	c, _, err := j.single("effect", s, o)
	if err != nil {
		return err
	}
	return j.append(c)
}

func (j *stateJournal) knows(o *objectstore.Object) bool {
	saved := j.saved[o.ID]
	return saved != nil && saved.entry.Incarnation == o.Incarnation
}

// single is a checkpoint of one object, with what it leads to and is new. It says whether that differs from what the
// journal has.
func (j *stateJournal) single(phase string, s *objectstore.Store, o *objectstore.Object) (r state.Record, changed bool, err error) {
	c := checkpointRecord{Phase: phase, Partial: true}
	fresh := map[string]*savedEntry{}
	for _, e := range s.Entries(o, j.knows) {
		data, err := serialize.EncodeEntry(e)
		if err != nil {
			return state.Record{}, false, err
		}
		old := j.saved[e.ID]
		changed = changed || old == nil || !unchanged(old.entry, e)
		fresh[e.ID] = save(e)
		c.Changed = append(c.Changed, data)
	}
	if changed {
		maps.Copy(j.saved, fresh)
	}
	return record(state.Checkpoint, c), changed, nil
}

// delivered says that the script has seen the outcome of an effect: what it makes of that is in the next
// checkpoint.
func (j *stateJournal) delivered(n uint64) { j.seen = append(j.seen, n) }

// recovered says that objects have looked after these effects, or have no method for that: the next
// checkpoint covers them.
func (j *stateJournal) recovered(effects []*recordedEffect) {
	for _, e := range effects {
		j.seen = append(j.seen, e.intent.N)
	}
}

// afterEffect is a checkpoint when the turn of the event loop ends in which a script saw the outcome of
// an effect. All of them together take at most a fiftieth of the deployment's time, the next one
// included if it takes as long as the last one; what is left out is in the next one.
func (j *stateJournal) afterEffect() {
	j.due = false
	began := j.now()
	if (j.spent+j.last)*50 > began.Sub(j.began) {
		return
	}
	c, err := j.present("effect")
	if err == nil {
		err = j.append(c)
	}
	j.err = errors.Join(j.err, err)
	j.last = j.now().Sub(began)
	j.spent += j.last
}

// present is a checkpoint of this moment. A property that cannot be saved as it is keeps its last value;
// that is told at the end of the phase.
func (j *stateJournal) present(phase string) (state.Record, error) {
	g, err := j.snapshot()
	if g == nil {
		return state.Record{}, err
	}
	return j.checkpoint(phase, g, err == nil)
}

// Planned records a plan, with all objects as they are: those that it names may have come or changed
// since the last checkpoint, and whoever resumes the plan has them from here.
func (j *stateJournal) Planned(doomed []*objectstore.Object, quiet bool) error {
	plan := planRecord{Doomed: make([]string, len(doomed)), Notified: quiet}
	for i, o := range doomed {
		plan.Doomed[i] = o.ID
		if saved := j.saved[o.ID]; saved != nil && saved.entry.Incarnation == o.Incarnation {
			saved.doom.doomed = true
			if quiet {
				saved.doom.notified, saved.doom.told = true, nil
			}
		}
	}
	c, err := j.present("plan")
	if err != nil {
		return err
	}
	return j.append(c, record(state.Plan, plan))
}

// Notified records that a subscriber has been told, so that it is not told again after a crash, and with that what its
// handler made of itself: it may hold the publisher now.
func (j *stateJournal) Notified(o *objectstore.Object, told *objectstore.Subscribed, all bool) error {
	var group []state.Record
	if old := j.saved[told.Subscriber.ID]; old == nil || old.small() {
		c, changed, err := j.single("notify", j.store(), told.Subscriber)
		if err != nil {
			return err
		}
		if changed {
			group = append(group, c)
		}
	}
	if saved := j.saved[o.ID]; saved != nil && saved.entry.Incarnation == o.Incarnation {
		if d := &saved.doom; all {
			d.notified, d.told = true, nil
		} else {
			d.told = append(d.told, objectstore.Subscription{Subscriber: told.Subscriber.ID, Handler: told.Handler})
		}
	}
	return j.progress(1, append(group, record(state.Notified, notifiedRecord{o.ID, told.Subscriber.ID, told.Handler, all}))...)
}

// Decided records which doomed objects are live again, and that notification of those others is complete: their
// destruction begins.
func (j *stateJournal) Decided(spared, condemned []*objectstore.Object) error {
	var group []state.Record
	for _, o := range spared {
		group = append(group, record(state.Destroyed, settledRecord{ID: o.ID, State: o.State().String()}))
	}
	for _, o := range condemned {
		if saved := j.saved[o.ID]; saved != nil && saved.entry.Incarnation == o.Incarnation {
			saved.doom.notified, saved.doom.told = true, nil
		}
		group = append(group, record(state.Notified, notifiedRecord{ID: o.ID, All: true}))
	}
	if len(group) == 0 {
		return nil
	}
	return j.progress(len(group), group...)
}

// Settled records what became of doomed objects.
func (j *stateJournal) Settled(objects []*objectstore.Object) error {
	group := make([]state.Record, len(objects))
	for i, o := range objects {
		r := settledRecord{ID: o.ID, State: o.State().String(), Duration: j.took[o.ID]}
		delete(j.took, o.ID)
		if o.State() == objectstore.Doomed {
			r.Failure, r.Completed = o.Failure, o.CompletedNames()
		}
		group[i] = record(state.Destroyed, r)
	}
	return j.progress(len(objects), group...)
}

// progress appends records of n objects, and, when that is due, with them what handlers and destructors
// have changed.
func (j *stateJournal) progress(n int, group ...state.Record) error {
	if err := j.kill.Err(); err != nil {
		return err // what has just ended may have been interrupted
	}
	if j.work += groupWork + n; j.work >= checkpointShare*len(j.saved) {
		c, err := j.present("collect")
		if err != nil {
			return err
		}
		group = append(group, c)
	}
	return j.append(group...)
}
