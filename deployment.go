package sexton

import (
	"cmp"
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
	// Checkpoint records the environment as it is at a phase boundary. It is whole if every property could be
	// saved as it is.
	Checkpoint(phase string, g *objectstore.Graph, whole bool) error
}

// Deployment is one deployment of a model in a session.
type Deployment struct {
	Model       []byte             // JSON or YAML; one whose "Objects" are null destroys everything
	File        string             // names the model in messages
	Last        *objectstore.Graph // what the state holds; nil: nothing
	Settings    Settings           // go before those of the session
	Key         string             // tells the environment's tokens from others'
	Stateful    bool               // list elements need ids or names
	Journal     Journal            // nil: nothing is recorded
	OnlyLoad    bool               // it ends when loaded() has run: nothing is deployed or destroyed
	Incarnation func() uint64      // numbers new objects; nil: they have none
	Observe     func(Event)
	Confirm     func(ctx context.Context, p *Plan) error // as in Options

	interrupted []*recordedEffect               // what objects did after they were saved
	recovered   func(effects []*recordedEffect) // called when they have looked after these
}

// deploying is a Deployment under way.
type deploying struct {
	*Deployment
	s        *Session
	ctx      context.Context // done: start nothing new (gc 5.8)
	settings Settings
	report   *Report
	last     *objectstore.Graph // Deployment.Last, as the present versions of its classes want it
	model    *serialize.Model
	merged   *serialize.Merged
	graph    *objectstore.Graph // the environment as it was saved last
	unsaved  string             // what a checkpoint has told that it could not save
	begun    bool               // everything is checked, and something may have changed

	thrown map[*objectstore.Object]error // by constructors, while the environment was loaded
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
	began := s.rt.Now()
	err := run.deploy(t)
	run.report.Duration = s.rt.Now().Sub(began)
	run.report.conclude()
	if run.graph != nil {
		if diffErr := run.report.compare(d.Last, run.graph); diffErr != nil {
			err = errors.Join(err, diffErr)
		}
	}
	if run.report.Interrupted {
		err = errors.Join(err, ErrInterrupted)
	}
	if err == nil && run.report.Incomplete() {
		err = ErrIncomplete
	}
	return run.report, run.graph, err
}

func (d *deploying) deploy(t *runtime.Task) error {
	if d.cancelled() {
		return nil
	}
	if err := d.prepare(t); err != nil || !d.begun {
		return err
	}
	err := d.change(t)
	if err != nil {
		d.cancelled() // nothing more was begun for that reason, too
	}
	return errors.Join(err, d.checkpoint(t, "end"))
}

// change is a deployment from loaded() on. What it leaves half-done when it fails is saved as it is.
func (d *deploying) change(t *runtime.Task) error {
	store := d.s.store
	var dropped []*objectstore.Object
	for _, id := range d.merged.Dropped {
		dropped = append(dropped, store.Lookup(id))
	}
	if err := d.checkpoint(t, "begin"); err != nil {
		return err
	}
	if err := d.loaded(t); err != nil {
		return err
	}
	if d.OnlyLoad {
		return nil
	}
	if err := d.collect(t, "collect what the model dropped", gcext.PreDeployment(dropped)); err != nil || d.cancelled() {
		return err
	}
	if root := store.Root(); root != nil && root.State() == objectstore.Live && d.merged.Incoming[root.ID] {
		// A deployment that failed destroys nothing more: what nothing refers to falls to the next one.
		if err := d.runScripts(t); err != nil || d.cancelled() {
			return err
		}
	}
	return d.collect(t, "collect what the environment no longer holds", gcext.PostDeployment)
}

// cancelled reports whether nothing new may be started; the report says so, too.
func (d *deploying) cancelled() bool {
	if d.ctx.Err() != nil {
		d.report.Interrupted = true
	}
	return d.report.Interrupted
}

// runScripts runs the hooks and deploy().
func (d *deploying) runScripts(t *runtime.Task) error {
	if err := d.hook(t, preDeployEntry); err != nil || d.cancelled() {
		return err
	}
	root := d.s.store.Root()
	if d.s.store.HasMethod(root, "deploy") {
		d.phase("deploy")
		_, err := d.s.collector.Invoke(t, root, "deploy", d.settings.DeployTimeout)
		if err != nil {
			object := root.String()
			var script *runtime.ScriptError
			if errors.As(err, &script) {
				object = cmp.Or(script.Object, object)
			}
			err = &PhaseError{Phase: "deploy", Object: object, Err: err}
		}
		if err := errors.Join(err, d.settle(t, "deploy()", d.settings.DeployTimeout), d.unhandled("deploy")); err != nil {
			return err
		}
	}
	if err := d.checkpoint(t, "deployed"); err != nil || d.cancelled() {
		return err
	}
	if d.s.modules[postDeployEntry] == nil {
		return nil
	}
	if err := d.hook(t, postDeployEntry); err != nil {
		return err
	}
	return d.checkpoint(t, "hook") // if something cannot be saved, nothing that it may lead to is destroyed
}

// settle ends what a script left running: promise jobs run, timers are cancelled, effects under way are
// awaited, for as long as limit. What nobody handled of all that is known then.
func (d *deploying) settle(t *runtime.Task, what string, limit time.Duration) error {
	d.turn(t)
	switch n := d.s.rt.CancelTimers(); n {
	case 0:
	case 1:
		d.warn(what + " ended with a timer set; it is cancelled")
	default:
		d.warn(fmt.Sprintf("%s ended with %d timers set; they are cancelled", what, n))
	}
	if err := t.AwaitEffects(limit); err != nil {
		return fmt.Errorf("%s ended: %w", what, err)
	}
	return nil
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
		d.s.rt.WithContext(&gcext.Context{Object: root, Limit: d.settings.HandlerTimeout}, func() { result, err = f(goja.Undefined(), root.Value()) })
		return err
	})
	if err == nil {
		_, err = t.AwaitFor(result, d.settings.HandlerTimeout)
	}
	if err != nil {
		err = &PhaseError{Phase: name, Err: err}
	}
	return errors.Join(err, d.settle(t, "the "+name, d.settings.HandlerTimeout), d.unhandled(name))
}

func (d *deploying) collect(t *runtime.Task, phase string, scope gcext.Scope) error {
	d.phase(phase)
	r, err := d.s.collector.Collect(d.ctx, t, scope)
	d.report.add(r)
	if err != nil {
		return &PhaseError{Phase: phase, Err: err}
	}
	d.turn(t)
	return d.unhandled(phase)
}

// turn lets the turn of the event loop end, which is when it shows which rejections nobody handles.
func (d *deploying) turn(t *runtime.Task) {
	d.s.rt.Enqueue(t.Wake)
	t.Park()
}

// checkpoint saves the environment as it is, unless the task is being killed: then the journal has what
// was saved before.
func (d *deploying) checkpoint(t *runtime.Task, phase string) error {
	g, err := d.s.snapshot(t.Context())
	d.graph = g
	whole := err == nil
	if g == nil {
		return err
	}
	if err != nil && err.Error() == d.unsaved {
		err = nil // the checkpoint that told so has ended the deployment
	} else if err != nil {
		d.unsaved = err.Error()
		err = &PhaseError{Phase: "save", Err: err}
	}
	if d.Journal != nil {
		err = errors.Join(err, d.Journal.Checkpoint(phase, g, whole))
	}
	return err
}

// unhandled returns what scripts failed with where nobody could catch it. What exceeded its time is a
// warning: if somebody waits for it, that has failed.
func (d *deploying) unhandled(phase string) error {
	const told = 10
	var errs []error
	more := 0
	for _, err := range d.s.rejections {
		switch {
		case errors.Is(err, runtime.ErrTimeLimit):
			d.warn(fmt.Sprintf("%s: %v", phase, err))
		case len(errs) == told:
			more++
		default:
			errs = append(errs, &PhaseError{Phase: phase, Err: fmt.Errorf("%s: %w", uncaught(err), err)})
		}
	}
	d.s.rejections = nil
	if more > 0 {
		errs = append(errs, &PhaseError{Phase: phase, Err: fmt.Errorf("%d more errors that nothing handled", more)})
	}
	return errors.Join(errs...)
}

// uncaught says where an error arose that no caller got.
func uncaught(err *runtime.ScriptError) string {
	if err.Phase == "" || err.Phase == "unhandled rejection" {
		return "unhandled rejection"
	}
	return "uncaught in a " + err.Phase
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
		if thrown := d.thrown[e.Object]; thrown != nil {
			e.Err = fmt.Errorf("it could not be loaded: %w", thrown) // with the place
		}
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
