package scenario

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/sextongc/sexton"
	"github.com/sextongc/sexton/internal/render"
	"github.com/sextongc/sexton/runtime"
)

// Options says which tests run, and how.
type Options struct {
	sexton.Options
	RunOptions
	Files     []string   // relative to Dir, as Find returns them
	Reporters []Reporter // hear of everything; the caller closes them
	Update    bool       // stored values are replaced by what the tests give
}

// run is one call of Run.
type run struct {
	opts    *Options
	dir     string
	golden  *Golden
	summary Summary
	err     error // the first error of a reporter
}

// Run runs test files one after another, each in a runtime of its own, and returns the summary. An
// error is about the run itself: a reporter that cannot write, a file of stored values that cannot be
// read. Cancelling ctx interrupts the scripts.
func Run(ctx context.Context, opts *Options) (*Summary, error) {
	pkg, err := sexton.LoadPackage(opts.Dir)
	if err != nil {
		return nil, err
	}
	r := &run{opts: opts, dir: pkg.Dir, golden: NewGolden(opts.Update)}
	began := time.Now()
	for _, file := range opts.Files {
		r.file(ctx, file)
		if r.err != nil || ctx.Err() != nil || opts.Bail && r.summary.Fail > 0 {
			break
		}
	}
	r.summary.Files = len(opts.Files)
	r.summary.Duration = time.Since(began)
	return &r.summary, errors.Join(r.err, ctx.Err(), r.golden.Close())
}

// path is where a test file is.
func (r *run) path(file string) string { return filepath.Join(r.dir, filepath.FromSlash(file)) }

func (r *run) report(e *Event) {
	for _, cause := range chain(e.Error) {
		r.quote(cause)
	}
	r.summary.Add(e)
	for _, reporter := range r.opts.Reporters {
		if err := reporter.Report(e); err != nil && r.err == nil {
			r.err = err
		}
	}
}

// quote adds the source line of an error.
func (r *run) quote(e *Error) {
	const most = 1 << 20 // bytes of a file that somebody wrote
	file, line, _ := innermost(e)
	if !filepath.IsLocal(file) { // scripts write what they like into a stack
		return
	}
	if info, err := os.Stat(r.path(file)); err != nil || !info.Mode().IsRegular() || info.Size() > most {
		return
	}
	if data, err := os.ReadFile(r.path(file)); err == nil {
		e.Source = strings.TrimRight(render.Line(string(data), line), "\r")
	}
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

// file runs the tests of one file.
func (r *run) file(ctx context.Context, file string) {
	f := &fileRun{run: r, job: fileJob{File: file, RunOptions: r.opts.RunOptions}}
	var fault, err error
	if r.opts.Isolation == sexton.IsolationProcess {
		fault, err = f.isolated(ctx)
	} else {
		fault, err = f.job.do(ctx, &sexton.SessionOptions{Options: r.opts.Options}, f)
	}
	if fault != nil && r.err == nil {
		r.err = fmt.Errorf("%s: %w", file, fault)
	}
	if err != nil {
		f.fail(err)
	}
}
