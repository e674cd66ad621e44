package gcext

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/sextongc/sexton/objectstore"
	"github.com/sextongc/sexton/runtime"
)

// Settings of a collector. The zero value of each field is its documented default.
type Settings struct {
	Continue       bool          // onDestroyError: "continue" instead of "hold" (gc 5.6)
	Spare          bool          // resurrection: "spare" instead of "tombstone" (gc 5.5)
	Concurrency    int           // destructors that run at once; 0: 10
	DestroyTimeout time.Duration // for each destroy() of an object's classes; 0: 10 min
	HandlerTimeout time.Duration // for one handler; 0: 1 min
	MaxRounds      int           // 0: 1,000 (gc 2.8)
}

func (s Settings) withDefaults() Settings {
	if s.Concurrency <= 0 {
		s.Concurrency = 10
	}
	if s.DestroyTimeout <= 0 {
		s.DestroyTimeout = 10 * time.Minute
	}
	if s.HandlerTimeout <= 0 {
		s.HandlerTimeout = time.Minute
	}
	if s.MaxRounds <= 0 {
		s.MaxRounds = 1000
	}
	return s
}

// Journal records what a collection does, so that another process can finish it. A record is durable
// when the call returns; an error stops the collection. All calls come from the goroutine that runs
// the runtime.
type Journal interface {
	// Planned comes before the first notification of a round, with the doomed objects in the order of
	// their destruction. quiet: nobody has to be told of any of them, so that their destruction begins.
	Planned(doomed []*objectstore.Object, quiet bool) error
	// Notified comes when the handler of a subscription of the object has ended, well or badly. all: every
	// subscriber of it has been told by now.
	Notified(o *objectstore.Object, told *objectstore.Subscribed, all bool) error
	// Decided comes when all handlers have ended, with what Notified did not tell: these objects are live again,
	// those will be destroyed.
	Decided(spared, condemned []*objectstore.Object) error
	// Settled comes before anything starts that had to wait for one of these objects: they are
	// destroyed, or failed (Failure says why).
	Settled(objects []*objectstore.Object) error
}

// EventKind is what an Event tells of.
type EventKind string

// The events of a collection.
const (
	EventPlan      EventKind = "plan"      // a round begins: Count objects are doomed
	EventNotify    EventKind = "notify"    // Subscriber's Handler is called for Object
	EventDestroy   EventKind = "destroy"   // the destructors of Object start
	EventDestroyed EventKind = "destroyed" // Object is destroyed
	EventFailed    EventKind = "failed"    // a destructor of Object, or a handler for it, failed: Err
	EventBlocked   EventKind = "blocked"   // Object must wait for By, which failed
	EventSpared    EventKind = "spared"    // a handler made Object reachable again
)

// Event is something that a collection did. Duration is set where something ended.
type Event struct {
	Kind       EventKind
	Object     *objectstore.Object
	Subscriber *objectstore.Object
	Handler    string
	By         *objectstore.Object
	Err        error
	Count      int
	Duration   time.Duration
}

// Failure is an object whose destruction failed.
type Failure struct{ ID, Type, Error string }

// Blocked is an object that was not destroyed because it must come after the failed object By.
type Blocked struct{ ID, Type, By string }

// HandlerFailure is a handler that failed (gc 4.8).
type HandlerFailure struct{ Publisher, Subscriber, Type, Handler, Error string }

// Report is what a collection did.
type Report struct {
	Destroyed   int       // objects whose destruction completed
	Notified    int       // handlers called
	Rounds      int       // rounds that found something
	Failed      []Failure // in creation order, like Blocked
	Blocked     []Blocked
	Ignored     []Failure // failures that onDestroyError "continue" passed over
	Handlers    []HandlerFailure
	Interrupted bool // cancelled (gc 5.8): what is left is doomed and waits for the next deployment
}

// Incomplete reports whether something that should be destroyed is not.
func (r *Report) Incomplete() bool { return len(r.Failed) > 0 || len(r.Blocked) > 0 || r.Interrupted }

// order puts the lists of failed and blocked objects into creation order.
func (r *Report) order(objects []*objectstore.Object) {
	created := make(map[string]*objectstore.Object, len(objects))
	for _, o := range objects {
		created[o.ID] = o
	}
	compare := func(a, b string) int {
		switch x, y := created[a], created[b]; {
		case x == y:
			return 0
		case x.After(y):
			return 1
		default:
			return -1
		}
	}
	slices.SortStableFunc(r.Failed, func(a, b Failure) int { return compare(a.ID, b.ID) })
	slices.SortStableFunc(r.Blocked, func(a, b Blocked) int { return compare(a.ID, b.ID) })
}

// RoundsError says that a collection found something in every one of its rounds (gc 2.8).
type RoundsError struct {
	Rounds  int
	Classes []string // of what would have died next, sorted
}

func (e *RoundsError) Error() string {
	return fmt.Sprintf("collection did not end after %d rounds: each destroyed objects and left new ones to destroy; classes still dying: %s",
		e.Rounds, strings.Join(e.Classes, ", "))
}

// Collector collects one environment. It belongs to the goroutine that runs the runtime.
type Collector struct {
	rt       *runtime.Runtime
	registry *objectstore.Registry
	store    *objectstore.Store
	settings Settings
	journal  Journal
	observe  func(Event)
	running  *collection
	overdue  map[string]*overdue // by token
	token    func(*objectstore.Object) string
}

// Options of a Collector. Nil works.
type Options struct {
	Settings Settings
	Journal  Journal     // nil: nothing is recorded
	Observe  func(Event) // nil: nobody listens
}

// NewCollector returns the collector of an environment.
func NewCollector(rt *runtime.Runtime, registry *objectstore.Registry, store *objectstore.Store, opts *Options) *Collector {
	c := &Collector{
		rt: rt, registry: registry, store: store, settings: Settings{}.withDefaults(), observe: func(Event) {},
		overdue: map[string]*overdue{}, token: func(o *objectstore.Object) string { return o.ID },
	}
	if opts != nil {
		c.settings, c.journal = opts.Settings.withDefaults(), opts.Journal
		if opts.Observe != nil {
			c.observe = opts.Observe
		}
	}
	return c
}

// Phase is the moment of a collection at which its scope is asked.
type Phase uint8

// The moments at which a scope is asked.
const (
	First  Phase = iota // the first round
	Later               // a later round
	Rescan              // between notification and destruction, with resurrection "spare"
)

// Scope says which objects a collection takes; since is the store's mark of the moment at which the
// collection began. A scope holds records, never JavaScript objects.
type Scope func(s *objectstore.Store, phase Phase, since int) []*objectstore.Object

// OnDemand is the scope of GC.collect(): what no root leads to (gc 2.1).
func OnDemand(s *objectstore.Store, _ Phase, _ int) []*objectstore.Object {
	return s.Unreachable(s.Objects())
}

// PreDeployment is the scope before a deployment: the objects that the incoming graph dropped, and what has to
// go with them; then what was made meanwhile and is unreachable (gc 2.3).
func PreDeployment(dropped []*objectstore.Object) Scope {
	return func(s *objectstore.Store, phase Phase, since int) []*objectstore.Object {
		switch phase {
		case First:
			return slices.Concat(dropped, madeFor(s, dropped))
		case Rescan:
			if root := s.Root(); root != nil && root.State() != objectstore.Live {
				return s.Objects() // it is dropped itself: nothing that it leads to is saved by that
			}
			return PostDeployment(s, phase, since)
		}
		dead := s.Unreachable(s.Objects())
		return slices.DeleteFunc(dead, func(o *objectstore.Object) bool { return !o.Since(since) })
	}
}

// madeFor returns what scripts made since the environment was loaded and goes with what is to be destroyed,
// so that it can go first (gc 3.1): what that owns, transitively, and no persistable property keeps, and what
// is unreachable. The heap is asked only if there are objects of both kinds.
func madeFor(s *objectstore.Store, dropped []*objectstore.Object) []*objectstore.Object {
	objects := s.Objects()
	goes := make(map[*objectstore.Object]bool, len(dropped))
	for _, o := range dropped {
		goes[o] = true
	}
	for _, o := range objects {
		if o.Held() {
			goes[o] = true
		}
	}
	if len(goes) == 0 || !slices.ContainsFunc(objects, made) {
		return nil
	}
	if root := s.Root(); root != nil && goes[root] {
		return slices.DeleteFunc(objects, (*objectstore.Object).Restored)
	}
	kept := s.Persistable()
	for _, o := range s.Unreachable(objects) {
		goes[o] = goes[o] || made(o)
	}
	var out []*objectstore.Object
	for _, o := range objects { // in creation order, so owners first
		if made(o) && (goes[o] || goes[o.Owner()] && !kept[o]) {
			goes[o] = true
			out = append(out, o)
		}
	}
	return out
}

func made(o *objectstore.Object) bool { return !o.Restored() }

// PostDeployment is the scope after a deployment: what the root does not lead to through persistable
// properties and owners (gc 2.4).
func PostDeployment(s *objectstore.Store, _ Phase, _ int) []*objectstore.Object {
	kept := s.Persistable()
	return slices.DeleteFunc(s.Objects(), func(o *objectstore.Object) bool { return kept[o] })
}

// Collect runs one collection as part of task t, after the one that runs already, if any. Call it from
// outside of handlers and destructors only.
func (c *Collector) Collect(ctx context.Context, t *runtime.Task, scope Scope) (*Report, error) {
	for c.running != nil {
		c.running.wait(t)
	}
	return c.finish(t, c.begin(ctx, scope))
}

// finish carries out run; nil: it joins the running collection, which does one more round (gc 5.7).
func (c *Collector) finish(t *runtime.Task, run *collection) (*Report, error) {
	if run != nil {
		run.collect(t)
		return run.report, run.err
	}
	run = c.running
	run.again = true
	run.wait(t)
	return run.report, run.err
}

// wait parks t until the collection has ended.
func (r *collection) wait(t *runtime.Task) {
	for !r.done {
		r.waiting = append(r.waiting, t)
		t.Park()
	}
}

func (c *Collector) begin(ctx context.Context, scope Scope) *collection {
	run := &collection{
		c: c, ctx: ctx, scope: scope, since: c.store.Seq(),
		report: &Report{}, tried: map[*objectstore.Object]bool{},
	}
	c.running = run
	return run
}

// Context names the object and the collection on whose behalf script code runs. It is carried over
// awaits, timers and host promises.
type Context struct {
	Object     *objectstore.Object
	Limit      time.Duration // of each stretch between two awaits; 0: none
	destroying bool          // the attempt at destroying Object for which the code runs is under way
	collection *collection
}

// JobLimit is the Limit of an async context, for the option of runtime.Options.
func JobLimit(asyncContext any) time.Duration {
	if ctx, ok := asyncContext.(*Context); ok {
		return ctx.Limit
	}
	return 0
}

// within reports whether the code that runs now is a handler or destructor of the running collection.
func (c *Collector) within() bool {
	ctx, _ := c.rt.Context().(*Context)
	return c.running != nil && ctx != nil && ctx.collection == c.running
}
