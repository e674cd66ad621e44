package scenario

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/sextongc/sexton"
	"github.com/sextongc/sexton/internal/hook"
)

// jobName is under which name workers know what does the tests of a file.
const jobName = "test"

func init() { hook.Jobs[jobName] = work }

// goldenQuestion and goldenAnswer are outside.lookup on the way to another process and back.
type goldenQuestion struct{ Key, Text string }

type goldenAnswer struct {
	Stored string
	OK     bool
	Error  string // empty: none
}

// isolated does what fileJob.do does, in a process of its own.
func (f *fileRun) isolated(ctx context.Context, opts *sexton.Options) (fault, err error) {
	data, err := json.Marshal(f.job)
	if err != nil {
		return nil, err
	}
	answer, err := hook.Isolate(ctx, opts, &hook.Job{Name: jobName, Data: data, Told: f.told, Asked: f.asked})
	if len(answer) > 0 {
		fault = errors.New(string(answer))
	}
	if ctx.Err() != nil && errors.Is(err, context.Cause(ctx)) { // the worker knows only that it was stopped
		err = context.Cause(ctx)
	}
	return fault, err
}

// told takes a result from a worker.
func (f *fileRun) told(data []byte) error {
	e := &Event{}
	if err := json.Unmarshal(data, e); err != nil {
		return err
	}
	switch e.Type {
	case TypePlan, TypeStart, TypePass, TypeFail, TypeSkip, TypeTodo, TypeDiagnostic, typeInputs, typeCoverage:
		f.report(e)
		return nil
	}
	return fmt.Errorf("a result of type %q", e.Type)
}

// asked looks up a stored value for a worker.
func (f *fileRun) asked(data []byte) ([]byte, error) {
	var q goldenQuestion
	if err := json.Unmarshal(data, &q); err != nil {
		return nil, err
	}
	var a goldenAnswer
	var err error
	if a.Stored, a.OK, err = f.lookup(q.Key, q.Text); err != nil {
		a.Error = err.Error()
	}
	return json.Marshal(a)
}

// work runs the tests of a file in a worker. The answer is the text of a fault.
func work(ctx context.Context, w *hook.Worker) ([]byte, error) {
	job := &fileJob{}
	if err := json.Unmarshal(w.Data, job); err != nil {
		return nil, err
	}
	opts := w.Session.(*sexton.SessionOptions)
	opts.Mask = sexton.NewMask()
	fault, err := job.do(ctx, opts, &remoteRun{w, opts.Mask})
	if fault != nil {
		return []byte(fault.Error()), err
	}
	return nil, err
}

// remoteRun is the outside of tests in a worker.
type remoteRun struct {
	worker *hook.Worker
	mask   *sexton.Mask // the other side does not know what scripts made a secret
}

func (r *remoteRun) report(e *Event) {
	e.Message, e.Reason = r.mask.Text(e.Message), r.mask.Text(e.Reason)
	for i, text := range e.Events {
		e.Events[i] = r.mask.Text(text)
	}
	r.masked(e.Error)
	data, err := json.Marshal(e)
	if err != nil {
		panic(err) // strings and finite numbers
	}
	r.worker.Tell(data)
}

// masked masks an error.
func (r *remoteRun) masked(e *Error) {
	if e == nil {
		return
	}
	e.Message, e.Actual, e.Expected = r.mask.Text(e.Message), r.mask.Text(e.Actual), r.mask.Text(e.Expected)
	r.masked(e.Cause)
	for _, inner := range e.Errors {
		r.masked(inner)
	}
}

func (r *remoteRun) lookup(key, text string) (stored string, ok bool, err error) {
	question, err := json.Marshal(goldenQuestion{key, text})
	if err != nil {
		return "", false, err
	}
	data, err := r.worker.Ask(question)
	if err != nil {
		return "", false, err
	}
	var a goldenAnswer
	if err := json.Unmarshal(data, &a); err != nil {
		return "", false, err
	}
	if a.Error != "" {
		return "", false, errors.New(a.Error)
	}
	return a.Stored, a.OK, nil
}
