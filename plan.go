package sexton

import (
	"context"
	"errors"

	"github.com/sextongc/sexton/gcext"
	"github.com/sextongc/sexton/objectstore"
	"github.com/sextongc/sexton/runtime"
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
	last, err := e.stored()
	if err != nil {
		return nil, err
	}
	s, err := NewSession(&SessionOptions{Options: e.opts})
	if err != nil {
		return nil, err
	}
	var p *Plan
	err = s.Run(ctx, func(t *runtime.Task) error {
		if err := s.Load(ctx, t); err != nil {
			return err
		}
		var err error
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
	if err := run.broken(); err != nil {
		return nil, err
	}
	return run.plan()
}

// plan says what comes next, once the merged graph is loaded.
func (run *deploying) plan() (*Plan, error) {
	s, d := run.s, run.Deployment
	var dead []*objectstore.Object
	dropped := append([]string(nil), run.merged.Dropped...)
	for id := range run.outgoing() {
		dropped = append(dropped, id)
	}
	for _, id := range dropped {
		if o := s.store.Lookup(id); o != nil && o.State() == objectstore.Live {
			dead = append(dead, o)
		}
	}
	g, err := s.store.Snapshot()
	if err != nil {
		return nil, err
	}
	incoming := &objectstore.Graph{}
	for _, entry := range g.Objects {
		if run.merged.Incoming[entry.ID] {
			incoming.Objects = append(incoming.Objects, entry)
		}
	}
	r := &Report{}
	if err := r.compare(d.Last, incoming); err != nil {
		return nil, err
	}
	p := &Plan{Create: r.Created, Change: r.Changed, Keep: r.Kept}
	for _, entry := range d.Last.Objects {
		if !entry.Destroyed {
			p.Total++
		}
	}
	for _, step := range gcext.Explain(s.store, dead) {
		p.Destroy = append(p.Destroy, plannedDestroy(step))
	}
	return p, nil
}

func plannedDestroy(step gcext.Step) PlannedDestroy {
	out := PlannedDestroy{Object: *plainObject(step.Object), Level: step.Level, Protect: step.Object.Protect}
	switch {
	case step.Object.Failure != "":
		out.Why = "tried again: " + step.Object.Failure
	case step.Retry:
		out.Why = "an earlier deployment did not finish with it"
	default:
		out.Why = "the model no longer has it"
	}
	for _, r := range step.After {
		out.After = append(out.After, Reason{ID: r.Object.ID, Why: r.Text})
	}
	return out
}
