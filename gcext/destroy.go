package gcext

import (
	"errors"
	"fmt"
	"reflect"
	"time"

	"github.com/dop251/goja"

	"github.com/sextongc/sexton/objectstore"
	"github.com/sextongc/sexton/runtime"
)

// destruction is the second half of a round: it walks along the plan and runs destructors.
//
// What is settled is recorded before anything starts that had to wait for it. So the objects that are
// ready are taken in batches: all of one batch start, then their ends are recorded together, then
// what they held up becomes ready.
//
// What ended and is not recorded runs again after a crash. So a batch has at most maxBatch ends, and those of
// the destructors that run already.
type destruction struct {
	r        *collection
	t        *runtime.Task
	p        *planned
	frontier *frontier
	running  int
	ended    []end
}

// maxBatch is many enough that a sync for each batch is little beside the destructors.
const maxBatch = 256

type end struct {
	i    int32
	held bool // it failed, and stays
}

func (r *collection) destroyAll(t *runtime.Task, p *planned) error {
	d := &destruction{r: r, t: t, p: p, frontier: newFrontier(p.Plan)}
	for {
		if err := d.startReady(); err != nil {
			return err
		}
		if len(d.ended) > 0 {
			if err := d.settle(); err != nil {
				return err
			}
			continue
		}
		if d.running == 0 {
			break
		}
		t.Park() // an end wakes us
	}
	d.reportBlocked()
	return nil
}

// startReady starts what may start now (gc 3.6).
func (d *destruction) startReady() error {
	for d.running < d.r.c.settings.Concurrency && len(d.ended) < maxBatch && !d.r.cancelled() {
		i, ok := d.frontier.next()
		if !ok {
			return nil
		}
		o := d.p.object(i)
		if d.r.tried[o] { // failed in an earlier round of this collection
			d.frontier.fail(i)
			continue
		}
		d.start(i, o)
	}
	return nil
}

// start runs the destructors of one object. What is synchronous ends before start returns.
func (d *destruction) start(i int32, o *objectstore.Object) {
	c := d.r.c
	began := c.rt.Now()
	c.observe(Event{Kind: EventDestroy, Object: o})
	d.running++
	finish := func(err error) {
		d.running--
		d.ended = append(d.ended, d.end(i, o, err, c.rt.Now().Sub(began)))
	}
	if o.Broken() != "" {
		finish(fmt.Errorf("it could not be loaded: %s", o.Broken()))
		return
	}
	if err := c.awaitOverdue(o); err != nil {
		finish(err)
		return
	}
	ctx := &Context{Object: o, Limit: c.settings.DestroyTimeout, destroying: true, collection: d.r}
	a := &attempt{c: c, o: o, ctx: ctx}
	promise, err := a.run(d.t)
	if promise == nil {
		finish(err)
		return
	}
	c.rt.Go(func(t *runtime.Task) {
		finish(a.await(t, promise))
		d.t.Wake()
	})
}

// end notes how an attempt ended. A failure under "hold" leaves the object as it is; under
// "continue" the object counts as destroyed (gc 5.6). One that could not be loaded is never let go.
func (d *destruction) end(i int32, o *objectstore.Object, err error, took time.Duration) end {
	r := d.r
	if err != nil {
		r.c.observe(Event{Kind: EventFailed, Object: o, Err: err, Duration: took})
		failure := Failure{ID: o.ID, Type: o.Type(), Error: err.Error()}
		// "continue" passes over what scripts do wrong, not over being interrupted.
		if r.c.settings.Continue && o.Broken() == "" && r.hard.Err() == nil {
			r.report.Ignored = append(r.report.Ignored, failure)
		} else {
			r.report.Failed = append(r.report.Failed, failure)
			r.failed = append(r.failed, o)
			r.tried[o] = true
			o.Failure, o.BlockedBy = err.Error(), ""
			return end{i, true}
		}
	}
	if err := r.c.store.Bury(o); err != nil {
		r.c.observe(Event{Kind: EventFailed, Object: o, Err: err})
	}
	r.report.Destroyed++
	r.c.observe(Event{Kind: EventDestroyed, Object: o, Duration: took})
	return end{i, false}
}

// settle records the ends of a batch and releases what waited for them.
func (d *destruction) settle() error {
	batch := d.ended
	d.ended = nil
	if j := d.r.c.journal; j != nil {
		objects := make([]*objectstore.Object, len(batch))
		for k, e := range batch {
			objects[k] = d.p.object(e.i)
		}
		if err := j.Settled(objects); err != nil {
			return err
		}
	}
	for _, e := range batch {
		if e.held {
			d.frontier.fail(e.i)
		} else {
			d.frontier.finish(e.i)
		}
	}
	return nil
}

// reportBlocked tells which objects stay because something before them failed (gc 5.6).
func (d *destruction) reportBlocked() {
	r := d.r
	for _, i := range d.p.Order {
		o := d.p.object(i)
		if !o.Held() || r.tried[o] {
			continue
		}
		by := d.frontier.blockerOf(i)
		if by < 0 {
			continue // cancelled before its turn
		}
		blocker := d.p.object(by)
		o.BlockedBy, o.Failure = blocker.ID, ""
		r.tried[o] = true
		r.report.Blocked = append(r.report.Blocked, Blocked{ID: o.ID, Type: o.Type(), By: blocker.ID})
		r.failed = append(r.failed, o)
		r.c.observe(Event{Kind: EventBlocked, Object: o, By: blocker})
	}
}

// attempt is one attempt at destroying one object: the destroy() of each class in its hierarchy, from
// its own class up to the base (gc 5.1).
type attempt struct {
	c        *Collector
	o        *objectstore.Object
	ctx      *Context
	deadline time.Time          // of the destroy() that runs
	next     *objectstore.Class // whose destroy() runs next; nil: none is left
	begun    bool
	errs     []error
}

// run goes on with the destructors until all are done or one of them has to be awaited; then it
// returns that one's promise.
func (a *attempt) run(t *runtime.Task) (promise goja.Value, err error) {
	if !a.begun {
		a.begun, a.next = true, a.o.Class
		if err := a.c.registry.BeginDestroy(a.o, a.call); err != nil {
			return nil, err
		}
	}
	for a.next != nil {
		if a.stopped() && !a.o.Started(a.next) {
			a.next = a.next.Base
			continue
		}
		var v goja.Value
		var err error
		a.deadline = a.c.rt.Now().Add(a.c.settings.DestroyTimeout)
		a.c.rt.WithContext(a.ctx, func() {
			// What super.destroy() threw is still an exception.
			err = a.c.rt.Try(0, func() (err error) {
				v, err = a.c.registry.Destroy(a.o, a.next)
				return err
			})
		})
		if err == nil && pending(v) {
			return v, nil
		}
		if err == nil && v != nil {
			_, err = t.AwaitFor(v, 0) // settled: this does not park
		}
		a.ended(err)
	}
	return nil, a.end()
}

// pending reports whether v has to be awaited: it is a promise that is not settled, or an object of a
// script that may be a thenable.
func pending(v goja.Value) bool {
	o, ok := v.(*goja.Object)
	if !ok {
		return false
	}
	if o.ExportType() != promiseType { // to export another object would run its getters
		return true
	}
	return o.Export().(*goja.Promise).State() == goja.PromiseStatePending
}

var promiseType = reflect.TypeFor[*goja.Promise]()

// call runs the synchronous part of one destroy().
func (a *attempt) call(destroy, object *goja.Object) (goja.Value, error) {
	return a.c.rt.Call(destroy, object, a.c.settings.DestroyTimeout)
}

// await goes on after promise.
func (a *attempt) await(t *runtime.Task, promise goja.Value) error {
	for promise != nil {
		_, err := t.AwaitFor(promise, max(1, a.deadline.Sub(a.c.rt.Now())))
		err = whole(err, a.c.settings.DestroyTimeout)
		if err != nil && pending(promise) {
			err = errors.Join(err, a.watch(promise.(*goja.Object), err))
		}
		promise = nil
		a.ended(err)
		var last error
		if promise, last = a.run(t); promise == nil {
			return last
		}
	}
	return a.end()
}

// ended notes the end of one class's destroy().
func (a *attempt) ended(err error) {
	if err != nil {
		a.errs = append(a.errs, fmt.Errorf("destroy of %s: %w", a.next.Short(), err))
	} else {
		a.o.Complete(a.next)
	}
	a.next = a.next.Base
}

// stopped reports whether a failure ends the attempt: the base classes' destructors still run under
// "continue", and do not under "hold".
func (a *attempt) stopped() bool { return len(a.errs) > 0 && !a.c.settings.Continue }

func (a *attempt) end() error {
	a.c.registry.EndDestroy(a.o)
	a.ctx.destroying = false
	return errors.Join(a.errs...)
}
