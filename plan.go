package sexton

import (
	"context"
	"errors"
	"slices"

	"github.com/sextongc/sexton/gcext"
	"github.com/sextongc/sexton/objectstore"
	"github.com/sextongc/sexton/runtime"
	"github.com/sextongc/sexton/serialize"
)

// Plan is what a deployment would do, as far as the model and the state decide it. What deploy() and
// destructors make or drop cannot be known before they run.
type Plan struct {
	Create  []Object         `json:"create"` // in creation order, like the other lists
	Change  []Object         `json:"change"`
	Keep    []Object         `json:"keep"`
	Destroy []PlannedDestroy `json:"destroy"` // in the order of destruction
	Total   int              `json:"total"`   // objects that are deployed now and not destroyed
}

// PlannedDestroy is an object that a deployment would destroy.
type PlannedDestroy struct {
	Object
	Level   int32    `json:"level"` // gc 3.4: 1 goes first
	Why     string   `json:"why"`
	After   []Reason `json:"after,omitempty"` // what has to go before it
	Protect bool     `json:"protect,omitempty"`
}

// Reason says why an object goes after another one.
type Reason struct {
	ID  string `json:"id"`
	Why string `json:"why"`
}

// Empty reports whether a deployment would change nothing.
func (p *Plan) Empty() bool { return len(p.Create)+len(p.Change)+len(p.Destroy) == 0 }

// Plan says what Deploy would do with the model. It loads the objects, which runs their constructors,
// and changes nothing: neither loaded() nor destroy() runs, and the state is not locked. The error is as
// that of Deploy.
func (e *Environment) Plan(ctx context.Context, model *Model) (*Plan, error) {
	if model == nil {
		return nil, errors.New("plan: the model is nil; ReadModel reads one")
	}
	if err := e.within(model); err != nil {
		return nil, err
	}
	last, err := e.stored()
	if err != nil {
		return nil, err
	}
	v := e.vault()
	if last, err = mapGraph(last, v.openEntry); err != nil {
		return nil, e.located(err)
	}
	if model, err = v.openModel(model); err != nil {
		return nil, err
	}
	stop := newStopping(ctx, ctx, e.timeout(), func() string { return "plan" })
	defer stop.end()
	var p *Plan
	if e.opts.Isolation == IsolationProcess {
		p, err = e.planIsolated(stop, model, last)
	} else {
		p, err = planHere(stop.soft, &SessionOptions{Options: e.opts}, model, last)
	}
	return p, stop.conclude(err)
}

// planHere plans in this process.
func planHere(ctx context.Context, opts *SessionOptions, model *Model, last *objectstore.Graph) (p *Plan, err error) {
	s, err := NewSession(opts)
	if err != nil {
		return nil, err
	}
	err = s.Run(ctx, func(t *runtime.Task) (err error) {
		if err := s.Load(ctx, t); err != nil {
			return err
		}
		p, err = s.plan(ctx, t, &Deployment{Model: model.Data, File: model.File, Last: last, Stateful: true})
		return err
	})
	return p, errors.Join(err, s.Close())
}

// PlanDestroy says what Destroy would do.
func (e *Environment) PlanDestroy(ctx context.Context) (*Plan, error) { return e.Plan(ctx, emptyModel) }

func (s *Session) plan(ctx context.Context, t *runtime.Task, d *Deployment) (*Plan, error) {
	run := &deploying{Deployment: d, s: s, ctx: ctx, settings: s.settings(d.Settings), report: &Report{}}
	run.Observe = func(Event) {}
	if err := run.merge(); err != nil {
		return nil, err
	}
	if err := run.load(t, run.merged.Graph); err != nil {
		return nil, err
	}
	if err := run.broken("load", run.unsettled()); err != nil {
		return nil, err
	}
	return run.plan(t)
}

// plan says what comes next, once the merged graph is loaded. Where objects have to go before new ones of
// the same id are made, it loads what replace does, and what comes after it.
func (run *deploying) plan(t *runtime.Task) (*Plan, error) {
	s, d, gone, incoming := run.s, run.Deployment, run.outgoing(), run.merged
	if len(gone) > 0 {
		if err := run.load(t, run.last); err != nil {
			return nil, err
		}
	}
	p := &Plan{}
	replaced := map[string]bool{}
	for _, r := range run.merged.Replaced {
		replaced[r.Old.ID] = true
	}
	for _, step := range gcext.Explain(s.store, run.leaving(gone)) {
		p.Destroy = append(p.Destroy, plannedDestroy(step, replaced[step.Object.ID], run.model.Graph))
	}
	if len(gone) > 0 {
		var err error
		if incoming, err = serialize.Merge(without(run.last, gone), run.model); err != nil {
			return nil, err
		}
		if err := run.load(t, incoming.Graph); err != nil {
			return nil, err
		}
		if err := run.broken("load what is replaced", nil); err != nil {
			return nil, err
		}
	}
	g, err := s.store.Snapshot()
	if err != nil {
		return nil, err
	}
	g.Objects = slices.DeleteFunc(g.Objects, func(e *objectstore.Entry) bool { return !incoming.Incoming[e.ID] })
	r := &Report{}
	if err := r.compare(d.Last, g); err != nil {
		return nil, err
	}
	p.Create, p.Change, p.Keep = r.Created, r.Changed, r.Kept
	if d.Last != nil {
		for _, entry := range d.Last.Objects {
			if !entry.Destroyed {
				p.Total++
			}
		}
	}
	return p, nil
}

// without returns a graph from which objects are gone, with their subscriptions.
func without(g *objectstore.Graph, gone map[string]bool) *objectstore.Graph {
	out := &objectstore.Graph{Root: g.Root}
	for _, e := range g.Objects {
		if gone[e.ID] {
			continue
		}
		left := *e
		left.Subscriptions = slices.DeleteFunc(slices.Clone(e.Subscriptions), func(s objectstore.Subscription) bool { return gone[s.Subscriber] })
		out.Objects = append(out.Objects, &left)
	}
	return out
}

func plannedDestroy(step gcext.Step, replaced bool, model *objectstore.Graph) PlannedDestroy {
	out := PlannedDestroy{Object: *plainObject(step.Object), Level: step.Level, Protect: step.Object.Protect}
	switch {
	case step.Object.Failure != "":
		out.Why = "tried again: " + step.Object.Failure
	case step.Retry:
		out.Why = "an earlier deployment did not finish with it"
	case replaced:
		out.Why = "the model gives it another class"
	case model.Root == "":
		out.Why = "everything is to be destroyed"
	default:
		out.Why = "the model no longer has it"
	}
	for _, r := range step.After {
		out.After = append(out.After, Reason{ID: r.Object.ID, Why: r.Text})
	}
	return out
}
