package scenario

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/dop251/goja"

	"github.com/sextongc/sexton"
	"github.com/sextongc/sexton/gcext"
	"github.com/sextongc/sexton/objectstore"
	"github.com/sextongc/sexton/runtime"
)

// host is what the tests of one file run on: a session whose environments live in memory.
type host struct {
	ctx     context.Context
	outside outside
	session *sexton.Session
	rt      *runtime.Runtime
	module  *Module
	clock   *clock
	began   time.Time
	fault   error              // the first error of the module itself
	last    *objectstore.Graph // what the current test's last deployment left
	gone    map[string]bool    // ids of what the current test has destroyed: the store forgets them when nothing refers to them
	next    uint64             // the last incarnation given out
	key     string             // tells the tokens of the current test from others'
}

func (h *host) Begin(test string) (goja.Value, error) {
	h.last, h.gone, h.next, h.key = nil, map[string]bool{}, 0, "test "+test
	h.session.Begin(h.ctx, h.deployment())
	return goja.Undefined(), nil
}

// deployment is what all deployments of a test have in common.
func (h *host) deployment() *sexton.Deployment {
	return &sexton.Deployment{
		Key: h.key, File: "model", Observe: h.observe,
		Incarnation: func() uint64 { h.next++; return h.next },
	}
}

// observe turns what a deployment does into the events of the running test.
func (h *host) observe(e sexton.Event) {
	if gcext.EventKind(e.Kind) == gcext.EventDestroyed {
		h.gone[e.Object.ID] = true
	}
	var words []string
	switch gcext.EventKind(e.Kind) {
	case gcext.EventNotify:
		words = []string{e.Kind, e.Subscriber.ID, e.Object.ID}
	case gcext.EventFailed:
		if e.Subscriber != nil {
			return // a handler: the notification has been told
		}
		words = []string{e.Kind, e.Object.ID}
	case gcext.EventDestroy, gcext.EventDestroyed, gcext.EventBlocked:
		words = []string{e.Kind, e.Object.ID}
	default:
		return
	}
	h.rt.Enter(func() { h.check(h.module.Event(words...)) })
}

// check keeps an error of the module itself: it ends the run.
func (h *host) check(err error) {
	if err != nil && h.fault == nil {
		h.fault = err
	}
}

func (h *host) End(check bool) (goja.Value, error) {
	h.clock.thaw()
	h.rt.CancelTimers()
	store := h.session.Store()
	if !check {
		return goja.Undefined(), nil
	}
	var left Ending
	for _, o := range store.Objects() {
		if o.Held() {
			left.Failures = append(left.Failures, Left{ID: o.ID, Type: o.Type(), At: o.CreatedAt, Error: failureOf(o)})
		}
	}
	for _, o := range store.Unreachable(store.Objects()) {
		if !o.Held() {
			left.Leaks = append(left.Leaks, Left{ID: o.ID, Type: o.Type(), At: o.CreatedAt})
		}
	}
	return h.text(&left)
}

func failureOf(o *objectstore.Object) string {
	switch {
	case o.Failure != "":
		return o.Failure
	case o.BlockedBy != "":
		return "blocked by " + o.BlockedBy
	}
	return "its destruction was not finished"
}

func (h *host) text(v any) (goja.Value, error) {
	data, err := json.Marshal(v)
	if err != nil {
		return nil, err
	}
	return h.rt.Goja().ToValue(string(data)), nil
}

// answer carries fn out as a task and returns a promise of its result as text.
func (h *host) answer(fn func(t *runtime.Task) (any, error)) (goja.Value, error) {
	promise, resolve, reject := h.rt.Promise()
	h.rt.WithContext(nil, func() {
		h.rt.Go(func(t *runtime.Task) {
			result, err := fn(t)
			if err != nil {
				reject(h.thrown(err))
				return
			}
			text, err := h.text(result)
			if err != nil {
				reject(err)
				return
			}
			resolve(text)
		})
	})
	return promise, nil
}

func (h *host) Load(model string) (goja.Value, error) {
	d := h.deployment()
	d.Model, d.OnlyLoad = []byte(model), true
	return h.deploy(d)
}

func (h *host) Deploy(model, settings string) (goja.Value, error) {
	d := h.deployment()
	d.Model = []byte(model)
	var err error
	if d.Settings, err = sexton.ParseSettings([]byte(settings)); err != nil {
		return nil, err
	}
	return h.deploy(d)
}

func (h *host) deploy(d *sexton.Deployment) (goja.Value, error) {
	return h.answer(func(t *runtime.Task) (any, error) {
		// The test may have changed the environment since the last deployment.
		var err error
		if d.Last, err = h.session.Store().Snapshot(); err != nil {
			return nil, err
		}
		report, graph, err := h.session.Deploy(h.ctx, t, d)
		if graph != nil {
			h.last = graph
		}
		if err != nil && !errors.Is(err, sexton.ErrIncomplete) || report == nil {
			return nil, err
		}
		return reportOf(report), nil
	})
}

// thrown is the error object that a test sees of err. Its stack is the one of the script that failed: that
// of the call says only that the test deploys. Its cause is that of the script's error.
func (h *host) thrown(err error) any {
	var script *runtime.ScriptError
	if !errors.As(err, &script) {
		return err
	}
	return h.errorObject(err, script)
}

func (h *host) errorObject(err error, script *runtime.ScriptError) *goja.Object {
	object := h.rt.ErrorValue(err)
	define := func(name string, value any) { // cannot fail: the object is new
		_ = object.DefineDataProperty(name, h.rt.Goja().ToValue(value), goja.FLAG_TRUE, goja.FLAG_TRUE, goja.FLAG_FALSE)
	}
	if len(script.Stack) > 0 {
		stack := err.Error()
		for _, f := range script.Stack {
			stack += "\n    at " + f.String()
		}
		define("stack", stack)
	}
	if cause, ok := script.Cause.(*runtime.ScriptError); ok { // a chain that the runtime has bounded
		define("cause", h.errorObject(cause, cause))
	}
	return object
}

// reportOf gives a report the form that scripts know from GC.collect().
func reportOf(r *sexton.Report) any {
	type failed struct {
		ID    string `json:"id"`
		Type  string `json:"type"`
		Error string `json:"error"`
	}
	type blocked struct {
		ID   string `json:"id"`
		Type string `json:"type"`
		By   string `json:"by"`
	}
	out := struct {
		Created   []sexton.Object `json:"created"`
		Changed   []sexton.Object `json:"changed"`
		Kept      []sexton.Object `json:"kept"`
		Destroyed []sexton.Object `json:"destroyed"`
		Notified  int             `json:"notified"`
		Failed    []failed        `json:"failed"`
		Blocked   []blocked       `json:"blocked"`
		Warnings  []string        `json:"warnings"`
	}{orEmpty(r.Created), orEmpty(r.Changed), orEmpty(r.Kept), orEmpty(r.Destroyed), r.Notified, []failed{}, []blocked{}, orEmpty(r.Warnings)}
	for _, f := range r.Failed {
		out.Failed = append(out.Failed, failed(f))
	}
	for _, b := range r.Blocked {
		out.Blocked = append(out.Blocked, blocked(b))
	}
	return out
}

// orEmpty returns a list that scripts see as one, not as null.
func orEmpty[T any](list []T) []T {
	if list == nil {
		return []T{}
	}
	return list
}

func (h *host) Collect() (goja.Value, error) {
	return h.answer(func(t *runtime.Task) (any, error) {
		r, err := h.session.Collector().Collect(h.ctx, t, gcext.OnDemand)
		if err != nil {
			return nil, err
		}
		return struct {
			Destroyed int             `json:"destroyed"`
			Notified  int             `json:"notified"`
			Rounds    int             `json:"rounds"`
			Failed    []gcext.Failure `json:"failed"`
			Blocked   []gcext.Blocked `json:"blocked"`
		}{r.Destroyed, r.Notified, r.Rounds, append([]gcext.Failure{}, r.Failed...), append([]gcext.Blocked{}, r.Blocked...)}, nil
	})
}

func (h *host) Snapshot() (goja.Value, error) {
	data, err := h.session.EncodeSnapshot()
	if err != nil {
		return nil, err
	}
	return h.rt.Goja().ToValue(string(data)), nil
}

func (h *host) Env() goja.Value {
	if root := h.session.Store().Root(); root != nil {
		return root.Value()
	}
	return goja.Undefined()
}

func (h *host) Identify(v goja.Value) (string, bool) {
	if o := h.session.Registry().Find(v); o != nil {
		return o.ID, true
	}
	return "", false
}

func (h *host) State(v goja.Value) string {
	id, was := "", false
	switch o := h.session.Registry().Find(v); {
	case o == nil:
		id = v.String()
	case h.session.Store().Owns(o):
		return o.State().String()
	default: // of an earlier deployment: what counts is what became of it
		id, was = o.ID, true
	}
	if o := h.session.Store().Lookup(id); o != nil {
		if o.State() == objectstore.Destroyed && o.Value() == goja.Undefined() {
			return "gone"
		}
		return o.State().String()
	}
	if was || h.gone[id] || h.last != nil && h.last.Lookup(id) != nil {
		return "gone"
	}
	return "unknown"
}

func (h *host) Destructor(prototype, by goja.Value) goja.Value {
	class, ok := prototype.(*goja.Object)
	if !ok {
		return goja.Undefined()
	}
	replacement, _ := by.(*goja.Object)
	if original := h.session.Registry().ReplaceDestroy(class, replacement); original != nil {
		return original
	}
	return goja.Undefined()
}

func (h *host) Golden(_, key, text string) (string, bool) {
	stored, ok, err := h.outside.lookup(key, text)
	h.check(err)
	return stored, ok
}

func (h *host) Report(e *Event) { h.outside.report(e) }

func (h *host) Timer(d time.Duration, fire func()) func() {
	release := h.rt.Hold()
	cancelled := false
	timer := time.AfterFunc(d, func() {
		h.rt.Enqueue(func() {
			release()
			if !cancelled {
				fire()
			}
		})
	})
	return func() {
		cancelled = true
		if timer.Stop() {
			release()
		}
	}
}

func (h *host) Time() time.Duration { return time.Since(h.began) }

func (h *host) Now() float64 { return float64(h.clock.freeze().Now().UnixMicro()) / 1000 }

func (h *host) Advance(d time.Duration) (goja.Value, error) {
	if d < 0 {
		return nil, fmt.Errorf("time cannot go back by %s", -d)
	}
	virtual := h.clock.freeze()
	promise, resolve, _ := h.rt.Promise()
	virtual.Advance(d, func() { h.rt.Enqueue(func() { resolve(goja.Undefined()) }) })
	return promise, nil
}
