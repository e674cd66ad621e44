package scenario

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/sextongc/sexton"
	"github.com/sextongc/sexton/internal/render"
	"github.com/sextongc/sexton/runtime"
)

// outside is what the tests of one file reach of the run that they are part of, which may be in another process.
type outside interface {
	// report takes a result, which is its to keep.
	report(e *Event)
	// lookup is as Golden.Lookup, for the values of this file.
	lookup(key, text string) (stored string, ok bool, err error)
}

// fileRun is the outside of the tests of one file, where the run is.
type fileRun struct {
	run     *run
	job     fileJob
	out     *output // what it has to say waits here for its turn
	golden  *Golden
	running []*Event // the starts of tests that have not ended, the innermost last

	partial bool     // not all tests of the file have run to their end
	skipped []string // the full names of tests that were skipped
}

// do runs the file, to its end or that of ctx.
func (f *fileRun) do(ctx context.Context) {
	defer f.out.close()
	if ctx.Err() != nil {
		return
	}
	opts := f.run.opts.Options
	opts.Console = f.print
	var fault, err error
	if opts.Isolation == sexton.IsolationProcess {
		fault, err = f.isolated(ctx, &opts)
	} else {
		fault, err = f.job.do(ctx, &sexton.SessionOptions{Options: opts}, f)
	}
	if fault != nil {
		fault = fmt.Errorf("%s: %w", f.job.File, fault)
	}
	if err != nil {
		f.fail(err)
	}
	if fault == nil && !f.partial {
		fault = f.obsolete()
	}
	f.out.add(0, func() { f.run.check(errors.Join(fault, f.golden.Close())) })
}

// obsolete reports stored values that no test of the file asks for any more.
func (f *fileRun) obsolete() error {
	keys, err := f.golden.Obsolete(func(key string) bool {
		return slices.ContainsFunc(f.skipped, func(test string) bool { return strings.HasPrefix(key, test+" > ") })
	})
	if err != nil || len(keys) == 0 {
		return err
	}
	what := "--update removes"
	if f.run.opts.Update {
		what = "removed"
	}
	f.say(&Event{
		Type: TypeDiagnostic, Name: f.job.File, File: f.job.File,
		Message: fmt.Sprintf("%s %s that no test asks for: %s", what, render.Count(len(keys), "stored value"), strings.Join(keys, "; ")),
	})
	return nil
}

// print takes what scripts print.
func (f *fileRun) print(level, text string) {
	if console := f.run.opts.Console; console != nil {
		f.out.add(len(text), func() { console(level, text) })
	}
}

func (f *fileRun) report(e *Event) {
	if e.Kind == KindTest && e.Type == TypeStart {
		f.running = append(f.running, e)
	} else if e.Kind == KindTest && isResult(e) {
		f.running = slices.DeleteFunc(f.running, func(start *Event) bool { return slices.Equal(start.Path, e.Path) })
	}
	switch e.Type {
	case TypePlan:
		f.partial = e.Count < e.Total
	case TypeFail:
		f.partial = true
	case TypeSkip, TypeTodo:
		f.skipped = append(f.skipped, e.FullName())
	}
	f.say(e)
}

// say reports an event when it is this file's turn.
func (f *fileRun) say(e *Event) { f.out.add(256+len(e.Message), func() { f.run.report(e) }) }

// fail reports what ended the file from outside of its scripts: as the failure of the test that runs, or of the file.
func (f *fileRun) fail(err error) {
	e := Event{Kind: KindSuite, Name: f.job.File, File: f.job.File}
	if n := len(f.running); n > 0 {
		e = *f.running[n-1]
	}
	f.partial = true
	e.Type, e.Error = TypeFail, errorOf(err)
	f.say(&e)
}

func (f *fileRun) lookup(key, text string) (stored string, ok bool, err error) {
	return f.golden.Lookup(key, text)
}

// fileJob says what of a file runs, and how.
type fileJob struct {
	File       string
	RunOptions RunOptions
	Coverage   bool
}

// do runs the tests of the file in a session with these options, which it completes. A fault is an error of the
// runner itself, err one of the file, or what ended the test that runs.
func (j *fileJob) do(ctx context.Context, opts *sexton.SessionOptions, out outside) (fault, err error) {
	h := &host{ctx: ctx, outside: out, clock: &clock{}, began: time.Now()}
	opts.Anonymous, opts.TraceCreation, opts.Unhandled, opts.Clock = true, true, h.unhandled, h.clock
	opts.Entries = []runtime.Entry{{Name: j.File, Path: j.File}}
	opts.Extensions = append([]*runtime.Extension{Extension(
		func(rt *runtime.Runtime) (Host, error) { h.rt = rt; return h, nil },
		func(m *Module) { h.module = m },
	)}, opts.Extensions...)
	if j.Coverage {
		opts.Coverage = isCovered
	}
	if h.session, err = sexton.NewSession(opts); err != nil {
		return nil, err
	}
	err = h.session.Run(ctx, func(t *runtime.Task) error {
		if err := h.module.File(j.File); err != nil {
			return err
		}
		if err := h.session.Load(ctx, t); err != nil {
			return err
		}
		promise, err := h.module.Run(&j.RunOptions)
		if err != nil {
			return err
		}
		_, err = t.Await(promise)
		return err
	})
	if inputs := h.session.Inputs(); inputs != nil {
		out.report(&Event{Type: typeInputs, Name: j.File, Inputs: inputs})
	}
	if j.Coverage {
		out.report(&Event{Type: typeCoverage, Name: j.File, Coverage: h.session.Runtime().Coverage()})
	}
	return h.fault, errors.Join(err, h.session.Close())
}

// unhandled makes the running test fail; before the first one, the file.
func (h *host) unhandled(err *runtime.ScriptError, _ any) {
	h.rt.Enqueue(func() { h.check(h.module.Fault(h.errorObject(err, err))) })
}

// errorOf makes an Error of a Go error; that of a script keeps its stack.
func errorOf(err error) *Error {
	var script *runtime.ScriptError
	if !errors.As(err, &script) {
		return &Error{Message: err.Error()}
	}
	e := &Error{Name: script.Name, Message: script.Message}
	for _, f := range script.Stack {
		e.Stack = append(e.Stack, "at "+f.String())
	}
	if script.Cause != nil {
		e.Cause = errorOf(script.Cause)
	}
	return e
}
