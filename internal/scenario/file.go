package scenario

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/sextongc/sexton"
	"github.com/sextongc/sexton/runtime"
)

// outside is what the tests of one file reach of the run that they are part of, which may be in another process.
type outside interface {
	// report takes a result, which is its to keep.
	report(e *Event)
	// golden is as Golden.Lookup, for the values of this file.
	golden(key, text string) (stored string, ok bool, err error)
}

// fileRun is the outside of the tests of one file, where the run is.
type fileRun struct {
	run     *run
	job     fileJob
	running []*Event // the starts of tests that have not ended, the innermost last
}

func (f *fileRun) report(e *Event) {
	if e.Kind == KindTest && e.Type == TypeStart {
		f.running = append(f.running, e)
	} else if e.Kind == KindTest && isResult(e) {
		f.running = slices.DeleteFunc(f.running, func(start *Event) bool { return slices.Equal(start.Path, e.Path) })
	}
	f.run.report(e)
}

// fail reports what ended the file from outside of its scripts: as the failure of the test that runs, or of the file.
func (f *fileRun) fail(err error) {
	e := Event{Kind: KindSuite, Name: f.job.File, File: f.job.File}
	if n := len(f.running); n > 0 {
		e = *f.running[n-1]
	}
	e.Type, e.Error = TypeFail, errorOf(err)
	f.run.report(&e)
}

func (f *fileRun) golden(key, text string) (stored string, ok bool, err error) {
	return f.run.golden.Lookup(f.run.path(f.job.File), key, text)
}

// fileJob says what of a file runs, and how.
type fileJob struct {
	File       string
	RunOptions RunOptions
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
	return h.fault, errors.Join(err, h.session.Close())
}

// unhandled makes the running test fail; before the first one, the file.
func (h *host) unhandled(err *runtime.ScriptError, _ any) {
	h.rt.Enqueue(func() { h.check(h.module.Fault(h.rt.ErrorValue(err))) })
}
