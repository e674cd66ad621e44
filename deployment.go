package sexton

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/dop251/goja"

	"github.com/sextongc/sexton/gcext"
	"github.com/sextongc/sexton/objectstore"
	"github.com/sextongc/sexton/runtime"
	"github.com/sextongc/sexton/serialize"
)

// Journal records a deployment while it runs. Each call returns when what it says is durable.
type Journal interface {
	gcext.Journal
	// Checkpoint records the environment as it is at a phase boundary.
	Checkpoint(phase string, g *objectstore.Graph) error
}

// Deployment is one deployment of a model in a session.
type Deployment struct {
	Model       []byte             // JSON or YAML; "null" or an empty model destroys everything
	File        string             // names the model in messages
	Last        *objectstore.Graph // what the state holds; nil: nothing
	Settings    Settings           // go before those of the session
	Key         string             // tells the environment's tokens from others'
	Stateful    bool               // list elements need ids or names
	Journal     Journal            // nil: nothing is recorded
	Incarnation func() uint64      // numbers new objects; nil: they have none
	Observe     func(Event)
	Confirm     func(ctx context.Context, p *Plan) error // as in Options
}

// deploying is a Deployment under way.
type deploying struct {
	*Deployment
	s        *Session
	ctx      context.Context // done: start nothing new (gc 5.8)
	settings Settings
	report   *Report
	model    *serialize.Model
	merged   *serialize.Merged
	graph    *objectstore.Graph // the environment as it was saved last
}

// Deploy deploys a model as part of task t: it destroys what the model drops, runs the hooks and
// deploy(), and destroys what the environment no longer holds (gc 2.3, 2.4). It returns the environment
// at rest, also with an error, unless that came before anything was changed.
//
// When ctx is done, what runs is finished and nothing new is started. The error matches ErrIncomplete if
// all went well except that something that should be destroyed is not.
func (s *Session) Deploy(ctx context.Context, t *runtime.Task, d *Deployment) (*Report, *objectstore.Graph, error) {
	run := &deploying{Deployment: d, s: s, ctx: ctx, settings: s.settings(d.Settings), report: &Report{}}
	if run.Observe == nil {
		run.Observe = func(Event) {}
	}
	began := time.Now()
	err := run.deploy(t)
	run.report.Duration = time.Since(began)
	if run.graph != nil {
		if diffErr := run.report.compare(d.Last, run.graph); diffErr != nil {
			err = errors.Join(err, diffErr)
		}
	}
	if err == nil && run.report.Interrupted {
		err = ErrInterrupted
	}
	if err == nil && run.report.Incomplete() {
		err = ErrIncomplete
	}
	return run.report, run.graph, err
}

func (d *deploying) deploy(t *runtime.Task) error {
	if err := d.prepare(t); err != nil {
		return err
	}
	store := d.s.store
	var dropped []*objectstore.Object
	for _, id := range d.merged.Dropped {
		dropped = append(dropped, store.Lookup(id))
	}
	if err := d.checkpoint("begin"); err != nil {
		return err
	}
	err := d.collect(t, "collect what the model dropped", gcext.PreDeployment(dropped))
	if err == nil && store.Root() != nil && store.Root().State() == objectstore.Live && d.merged.Incoming[store.Root().ID] && d.ctx.Err() == nil {
		err = d.runScripts(t)
	}
	// A failed deployment destroys nothing: what it left half-done is saved as it is, and what nothing
	// refers to falls to the next one.
	if err == nil && d.ctx.Err() == nil {
		err = d.collect(t, "collect what the environment no longer holds", gcext.PostDeployment)
	}
	return errors.Join(err, d.checkpoint("end"))
}

// prepare merges the model with what is, and loads the result.
func (d *deploying) prepare(t *runtime.Task) error {
	if err := d.merge(); err != nil {
		return err
	}
	gone := d.outgoing()
	asked := len(gone) > 0
	if asked { // what follows changes something before everything is loaded
		if err := d.confirm(t, true); err != nil {
			return err
		}
		last, err := d.replace(t, gone)
		if err != nil {
			return err
		}
		if d.merged, err = serialize.Merge(last, d.model); err != nil {
			return err
		}
	}
	for _, e := range d.merged.Graph.Objects {
		if e.Incarnation == 0 && d.Incarnation != nil {
			e.Incarnation = d.Incarnation()
		}
	}
	if err := d.load(t, d.merged.Graph); err != nil {
		return err
	}
	if !asked {
		if err := d.confirm(t, false); err != nil {
			return err
		}
	}
	for _, o := range d.s.store.Objects() {
		if o.Broken() != "" && d.merged.Incoming[o.ID] {
			return &PhaseError{Phase: "load", Object: o.String(), Err: fmt.Errorf("%w: %s", ErrBroken, o.Broken())}
		}
	}
	return d.loaded(t)
}

// confirm asks whether to go on. With load, the environment is loaded for that.
func (d *deploying) confirm(t *runtime.Task, load bool) error {
	if d.Confirm == nil || d.Last == nil || len(d.Last.Objects) == 0 {
		return nil
	}
	if load {
		if err := d.load(t, d.merged.Graph); err != nil {
			return err
		}
	}
	p, err := d.plan()
	if err != nil {
		return err
	}
	return d.Confirm(d.ctx, p)
}

// merge reads the model and merges it with what is.
func (d *deploying) merge() (err error) {
	if d.model, err = serialize.DecodeModel(d.Model, &serialize.ModelOptions{File: d.File, Classes: d.s.registry, Stateful: d.Stateful}); err != nil {
		return err
	}
	d.merged, err = serialize.Merge(d.Last, d.model)
	return err
}

// outgoing returns the ids whose objects have to go before new ones of the same id can be made: those
// whose class the model changes, and a root whose destruction was begun.
func (d *deploying) outgoing() map[string]bool {
	gone := map[string]bool{}
	for _, r := range d.merged.Replaced {
		gone[r.Old.ID] = true
	}
	if root := d.model.Graph.Root; d.Last != nil && root != "" {
		if e := d.Last.Lookup(root); e != nil && (e.Doomed || e.Destroyed) {
			gone[e.ID] = true
		}
	}
	return gone
}

// replace destroys the outgoing objects, and returns what is left without them.
func (d *deploying) replace(t *runtime.Task, gone map[string]bool) (*objectstore.Graph, error) {
	if err := d.load(t, d.Last); err != nil {
		return nil, err
	}
	store := d.s.store
	var old []*objectstore.Object
	for _, e := range d.Last.Objects {
		if gone[e.ID] && !e.Destroyed && !e.Doomed {
			old = append(old, store.Lookup(e.ID))
		}
	}
	if err := d.collect(t, "collect what is replaced", gcext.PreDeployment(old)); err != nil {
		return nil, err
	}
	if err := d.checkpoint("replaced"); err != nil {
		return nil, err
	}
	left := &objectstore.Graph{Root: d.graph.Root}
	for _, e := range d.graph.Objects {
		switch {
		case !gone[e.ID]:
			left.Objects = append(left.Objects, e)
		case !e.Destroyed:
			return nil, &PhaseError{Phase: "replace", Object: e.Type + " " + e.ID, Err: fmt.Errorf("%w: a new object of that id cannot be made before the old one is destroyed", ErrIncomplete)}
		}
	}
	return left, nil
}

// load makes a new environment in the session and restores a graph into it.
func (d *deploying) load(t *runtime.Task, g *objectstore.Graph) error {
	d.phase("load")
	s := d.s
	s.newStore(d.ctx, d.Key, d.settings, d.gcJournal(), d.Incarnation, d.observe)
	return s.store.Load(g, func(o *objectstore.Object, construct func() error) error {
		return s.rt.Try(d.settings.HandlerTimeout, construct)
	})
}

func (d *deploying) gcJournal() gcext.Journal {
	if d.Journal == nil {
		return nil
	}
	return d.Journal
}

// loaded runs loaded() of all objects that define it, in creation order.
func (d *deploying) loaded(t *runtime.Task) error {
	s := d.s
	for _, o := range s.store.Objects() {
		if o.Broken() != "" || o.State() == objectstore.Destroyed || !s.store.HasMethod(o, "loaded") {
			continue
		}
		if _, err := s.collector.Invoke(t, o, "loaded", d.settings.HandlerTimeout); err != nil {
			return &PhaseError{Phase: "loaded()", Object: o.String(), Err: err}
		}
	}
	s.store.DropProvisional()
	return d.unhandled("loaded()")
}

// runScripts runs the hooks and deploy().
func (d *deploying) runScripts(t *runtime.Task) error {
	if err := d.hook(t, preDeployEntry); err != nil {
		return err
	}
	root := d.s.store.Root()
	if d.s.store.HasMethod(root, "deploy") {
		d.phase("deploy")
		_, err := d.s.collector.Invoke(t, root, "deploy", d.settings.DeployTimeout)
		if err != nil {
			err = &PhaseError{Phase: "deploy", Object: root.String(), Err: err}
		}
		if err := errors.Join(err, d.settle(t), d.unhandled("deploy")); err != nil {
			return err
		}
	}
	if err := d.checkpoint("deployed"); err != nil {
		return err
	}
	return d.hook(t, postDeployEntry)
}

// settle ends what deploy() left running: timers are cancelled, effects under way are awaited.
func (d *deploying) settle(t *runtime.Task) error {
	if n := d.s.rt.CancelTimers(); n > 0 {
		d.warn(fmt.Sprintf("deploy() ended with %d timers set; they are cancelled", n))
	}
	return t.AwaitEffects()
}

func (d *deploying) hook(t *runtime.Task, name string) error {
	module := d.s.modules[name]
	if module == nil {
		return nil
	}
	d.phase(name)
	root := d.s.store.Root()
	var result goja.Value
	err := d.s.rt.Try(d.settings.HandlerTimeout, func() (err error) {
		f, ok := goja.AssertFunction(module.Get("default"))
		if !ok {
			return fmt.Errorf("it has no default export that is a function: write `export default async (env) => { … }`")
		}
		d.s.rt.WithContext(&gcext.Context{Object: root}, func() { result, err = f(goja.Undefined(), root.Value()) })
		return err
	})
	if err == nil {
		_, err = t.AwaitFor(result, d.settings.HandlerTimeout)
	}
	if err != nil {
		err = &PhaseError{Phase: name, Err: err}
	}
	return errors.Join(err, d.unhandled(name))
}

func (d *deploying) collect(t *runtime.Task, phase string, scope gcext.Scope) error {
	d.phase(phase)
	r, err := d.s.collector.Collect(d.ctx, t, scope)
	d.report.add(r)
	if err != nil {
		return &PhaseError{Phase: phase, Err: err}
	}
	return d.unhandled(phase)
}

// checkpoint saves the environment as it is.
func (d *deploying) checkpoint(phase string) error {
	g, err := d.s.store.Snapshot()
	d.graph = g
	if err != nil {
		err = &PhaseError{Phase: "save", Err: err}
	}
	if d.Journal != nil {
		err = errors.Join(err, d.Journal.Checkpoint(phase, g))
	}
	return err
}

// unhandled returns what scripts failed with where nobody could catch it.
func (d *deploying) unhandled(phase string) error {
	errs := d.s.rejections
	d.s.rejections = nil
	if len(errs) == 0 {
		return nil
	}
	return &PhaseError{Phase: phase, Err: fmt.Errorf("unhandled rejection: %w", errors.Join(errs...))}
}

func (d *deploying) phase(name string) { d.Observe(Event{Kind: "phase", Text: name}) }

func (d *deploying) warn(text string) {
	d.report.Warnings = append(d.report.Warnings, text)
	d.Observe(Event{Kind: "warning", Text: text})
}

// observe passes a collection's events on, as plain data.
func (d *deploying) observe(e gcext.Event) {
	out := Event{Kind: string(e.Kind), Object: plainObject(e.Object), Subscriber: plainObject(e.Subscriber), By: plainObject(e.By),
		Handler: e.Handler, Count: e.Count, Duration: e.Duration}
	if e.Err != nil {
		out.Err, out.Error = e.Err, e.Err.Error()
		out.Detail = Detail(e.Err)
	}
	d.report.note(e)
	d.Observe(out)
}

func plainObject(o *objectstore.Object) *Object {
	if o == nil {
		return nil
	}
	p := &Object{ID: o.ID, Type: o.Type(), Name: o.Name}
	if o.Owner() != nil {
		p.Owner = o.Owner().ID
	}
	return p
}
