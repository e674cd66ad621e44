package gcext

import (
	"context"
	"fmt"
	"slices"

	"github.com/sextongc/sexton/objectstore"
	"github.com/sextongc/sexton/runtime"
)

// collection is one run of the collector: rounds until a round finds nothing (gc 2.8).
//
// It holds records, never JavaScript objects: a suspect that a local variable of Go holds would live.
type collection struct {
	c       *Collector
	ctx     context.Context // done: nothing new is started (gc 5.8)
	hard    context.Context // done: scripts are interrupted
	scope   Scope
	since   int // the store's mark at the beginning
	report  *Report
	err     error
	tried   map[*objectstore.Object]bool // failed or blocked in this collection: not tried again in it
	failed  []*objectstore.Object        // all that the report names as failed or blocked
	again   bool                         // somebody asked for one more round
	done    bool
	waiting []*runtime.Task
}

func (r *collection) collect(t *runtime.Task) {
	r.hard = t.Context()
	defer func() { // also when the task is unwound
		r.report.order(r.failed)
		r.done = true
		r.c.running = nil
		for _, w := range r.waiting {
			w.Wake()
		}
	}()
	r.err = r.rounds(t)
	r.c.rt.ClearWeak()
}

func (r *collection) rounds(t *runtime.Task) error {
	for phase := First; ; phase = Later {
		if r.cancelled() {
			return nil
		}
		r.again = false
		doomed := r.find(phase)
		if len(doomed) == 0 {
			if r.again {
				continue
			}
			return nil
		}
		if r.report.Rounds == r.c.settings.MaxRounds {
			return &RoundsError{Rounds: r.report.Rounds, Classes: classNames(doomed)}
		}
		r.report.Rounds++
		if err := r.round(t, doomed); err != nil {
			return err
		}
	}
}

func (r *collection) cancelled() bool {
	if r.ctx.Err() != nil || r.hard.Err() != nil {
		r.report.Interrupted = true
	}
	return r.report.Interrupted
}

// find returns what this round destroys, in creation order: what the scope finds, and what earlier
// collections could not finish (gc 5.6: whether or not something refers to it by now).
func (r *collection) find(phase Phase) []*objectstore.Object {
	found := r.scope(r.c.store, phase, r.since)
	take := make(map[*objectstore.Object]bool, len(found))
	for _, o := range found {
		if o.State() != objectstore.Destroyed && !r.tried[o] {
			take[o] = true
		}
	}
	var doomed []*objectstore.Object
	for _, o := range r.c.store.Objects() {
		if take[o] || o.Held() && !r.tried[o] {
			doomed = append(doomed, o)
		}
	}
	return doomed
}

func classNames(objects []*objectstore.Object) []string {
	var names []string
	for _, o := range objects {
		if !slices.Contains(names, o.Type()) {
			names = append(names, o.Type())
		}
	}
	slices.Sort(names)
	return names
}

// round is one round: plan, notify, destroy.
func (r *collection) round(t *runtime.Task, doomed []*objectstore.Object) error {
	var fresh []*objectstore.Object // whose destruction cannot have begun
	for _, o := range doomed {
		if !o.Held() || r.c.settings.Spare && !o.Notified {
			fresh = append(fresh, o)
		}
		r.c.store.Doom(o)
	}
	p := r.plan()
	quiet := !r.c.settings.Spare && r.quiet(p)
	for _, o := range doomed {
		o.Notified = o.Notified || quiet
	}
	if r.c.journal != nil {
		if err := r.c.journal.Planned(p.order(), quiet); err != nil {
			return err
		}
	}
	r.c.observe(Event{Kind: EventPlan, Count: len(doomed)})
	if err := r.notifyAll(t, p); err != nil {
		return err
	}
	if r.cancelled() {
		return nil
	}
	if r.c.settings.Spare {
		spared, err := r.spare(fresh)
		if err != nil {
			return err
		}
		if spared {
			p = r.plan()
		}
	}
	return r.destroyAll(t, p)
}

// planned is a plan with the objects that its numbers stand for.
type planned struct {
	*Plan
	edges *objectstore.Edges
}

func (p *planned) object(i int32) *objectstore.Object { return p.edges.Objects[i] }

func (p *planned) order() []*objectstore.Object {
	out := make([]*objectstore.Object, len(p.Order))
	for k, i := range p.Order {
		out[k] = p.object(i)
	}
	return out
}

// plan orders all doomed objects, those included that failed in this collection: what comes after
// them stays.
func (r *collection) plan() *planned { return planStore(r.c.store, (*objectstore.Object).Held) }

func planStore(s *objectstore.Store, doomed func(*objectstore.Object) bool) *planned {
	edges := s.Edges()
	g := &Graph{Owner: edges.Owner, Deps: make([]Dependency, len(edges.Deps)), Doomed: make([]bool, len(edges.Objects))}
	for i, d := range edges.Deps {
		g.Deps[i] = Dependency{Publisher: d.Publisher, Subscriber: d.Subscriber}
	}
	for i, o := range edges.Objects {
		g.Doomed[i] = doomed(o)
	}
	return &planned{NewPlan(g), edges}
}

// quiet reports whether nobody has to be told of any doomed object.
func (r *collection) quiet(p *planned) bool {
	for _, i := range p.Order {
		if o := p.object(i); !o.Notified && newHearing(o).next() != nil {
			return false
		}
	}
	return true
}

// notifyAll tells the subscribers of all doomed objects that have not been told before (gc 3.5, 4). Of which nobody was
// told is recorded, too: from then on their destruction may have begun, and no later collection may spare them.
func (r *collection) notifyAll(t *runtime.Task, p *planned) error {
	var untold []*objectstore.Object
	for _, i := range p.Notification() {
		if r.cancelled() {
			return nil
		}
		o := p.object(i)
		if o.Notified || o.State() == objectstore.Destroyed {
			continue
		}
		all, err := r.notify(t, o)
		if err != nil {
			return err
		}
		if !all {
			r.cancelled()
			return nil
		}
		if !r.c.settings.Spare && !o.Notified {
			o.Notified = true
			untold = append(untold, o)
		}
	}
	if r.c.journal == nil || len(untold) == 0 || r.cancelled() {
		return nil
	}
	return r.c.journal.Decided(nil, untold)
}

// notify tells the subscribers of one object, and records each that has been told. It returns false if
// the task is being killed. Cancelling does not divide them.
func (r *collection) notify(t *runtime.Task, publisher *objectstore.Object) (all bool, err error) {
	h := newHearing(publisher)
	for s := h.next(); s != nil; {
		if r.hard.Err() != nil {
			return false, nil
		}
		r.call(t, publisher, s)
		if r.hard.Err() != nil { // the handler may have been interrupted
			return false, nil
		}
		s.Told = true
		following := h.next()
		// Before a checkpoint says otherwise. What may be spared is notified when it is known that it is not.
		all := following == nil && !r.c.settings.Spare
		publisher.Notified = all
		if r.c.journal != nil {
			if err := r.c.journal.Notified(publisher, s, all); err != nil {
				return false, err
			}
		}
		s = following
	}
	return true, nil
}

// hearing goes through the subscriptions of one object, in their order as these stand when the turn of
// each comes (gc 4.4, 4.7). Those that have been told before a crash have had their turn.
type hearing struct {
	publisher *objectstore.Object
	told      map[heard]bool // one that is made again is not told again
	version   int
	at        int
}

type heard struct {
	subscriber *objectstore.Object
	handler    string
}

func newHearing(publisher *objectstore.Object) *hearing {
	return &hearing{publisher: publisher, version: publisher.SubscriptionsVersion()}
}

// next returns the next subscription to be told, nil if there is none.
func (h *hearing) next() *objectstore.Subscribed {
	for {
		subs := h.publisher.Subscriptions()
		if v := h.publisher.SubscriptionsVersion(); v != h.version { // some were removed: look again from the start
			h.version, h.at = v, 0
		}
		if h.at == len(subs) {
			return nil
		}
		s := subs[h.at]
		h.at++
		key := heard{s.Subscriber, s.Handler}
		if s.Handler == "" || s.Told || h.told[key] {
			continue
		}
		if h.told == nil {
			h.told = map[heard]bool{}
		}
		h.told[key] = true
		return s
	}
}

// call runs one handler (gc 4.1, 4.8, 4.9).
func (r *collection) call(t *runtime.Task, publisher *objectstore.Object, s *objectstore.Subscribed) {
	r.report.Notified++
	subscriber, handler := s.Subscriber, s.Handler
	r.c.observe(Event{Kind: EventNotify, Object: publisher, Subscriber: subscriber, Handler: handler})
	began := r.c.rt.Now()
	ctx := &Context{Object: subscriber, Limit: r.c.settings.HandlerTimeout, collection: r}
	_, err := r.c.invoke(t, ctx, r.c.settings.HandlerTimeout, subscriber, handler, publisher)
	if err == nil {
		return
	}
	err = fmt.Errorf("%s of %s, told of %s: %w", handler, subscriber, publisher, err)
	r.report.Handlers = append(r.report.Handlers, HandlerFailure{
		Publisher: publisher.ID, Subscriber: subscriber.ID, Type: subscriber.Type(), Handler: handler, Error: err.Error(),
	})
	r.c.observe(Event{Kind: EventFailed, Object: publisher, Subscriber: subscriber, Handler: handler, Err: err, Duration: r.c.rt.Now().Sub(began)})
}

// spare makes those of the objects that this round doomed live again that handlers made reachable (gc
// 5.5). What is left over from an earlier collection is not spared if its destruction may have begun; so
// it is recorded which objects are not, before the first of them is destroyed.
func (r *collection) spare(fresh []*objectstore.Object) (bool, error) {
	dead := map[*objectstore.Object]bool{}
	for _, o := range r.scope(r.c.store, Rescan, r.since) {
		dead[o] = true
	}
	var spared []*objectstore.Object
	for _, o := range fresh {
		if !dead[o] {
			r.c.store.Spare(o)
			spared = append(spared, o)
			r.c.observe(Event{Kind: EventSpared, Object: o})
		}
	}
	var condemned []*objectstore.Object
	for _, o := range fresh {
		if o.Held() {
			o.Notified = true
			condemned = append(condemned, o)
		}
	}
	if r.c.journal != nil {
		if err := r.c.journal.Decided(spared, condemned); err != nil {
			return false, err
		}
	}
	return len(spared) > 0, nil
}
