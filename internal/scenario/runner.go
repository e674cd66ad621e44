package scenario

import (
	"cmp"
	"context"
	"errors"
	"os"
	"path/filepath"
	goruntime "runtime"
	"strings"
	"sync"
	"time"

	"github.com/sextongc/sexton"
	"github.com/sextongc/sexton/internal/render"
)

// Options says which tests run, and how.
type Options struct {
	sexton.Options
	RunOptions
	Files     []string         // relative to Dir, as Find returns them
	FileLines map[string][]int // by file: as RunOptions.Lines
	Jobs      int              // files that run at once; 0: as many as there are processors
	Reporters []Reporter       // hear of everything; the caller closes them
	Update    bool             // stored values are replaced by what the tests give
	Coverage  bool             // counts how often the package's code runs: Summary.Coverage
}

// run is one call of Run.
type run struct {
	opts    *Options
	dir     string
	summary Summary
	covered coverage
	err     error // the first error of a reporter, or of the runner itself
}

// Run runs test files, each in a runtime of its own, and returns the summary. What is reported, and what scripts
// print, comes file by file in the order of opts.Files, however many run at once. An error is about the run itself:
// a reporter that cannot write, a file of stored values that cannot be read. Cancelling ctx interrupts the scripts.
func Run(ctx context.Context, opts *Options) (*Summary, error) {
	pkg, err := sexton.LoadPackage(opts.Dir)
	if err != nil {
		return nil, err
	}
	r := &run{opts: opts, dir: pkg.Dir, covered: coverage{}, summary: Summary{Inputs: map[string][]string{}}}
	began := time.Now()
	files, stop := r.start(ctx)
	for _, f := range files {
		f.out.drain()
		if r.err != nil || ctx.Err() != nil || opts.Bail && r.summary.Fail > 0 {
			break
		}
	}
	stop()
	r.summary.Files = len(opts.Files)
	r.summary.Coverage = r.covered.files()
	r.summary.Duration = time.Since(began)
	return &r.summary, errors.Join(r.err, ctx.Err())
}

// start begins to run the files, in their order. stop interrupts those that still run, and waits for their end.
func (r *run) start(ctx context.Context) (files []*fileRun, stop func()) {
	for _, name := range r.opts.Files {
		job := fileJob{File: name, RunOptions: r.opts.RunOptions, Coverage: r.opts.Coverage}
		job.RunOptions.Lines = r.opts.FileLines[name]
		files = append(files, &fileRun{run: r, job: job, out: newOutput(), golden: NewGolden(r.path(name), r.opts.Update)})
	}
	ctx, cancel := context.WithCancel(ctx)
	var running sync.WaitGroup
	running.Go(func() {
		jobs := make(chan struct{}, cmp.Or(r.opts.Jobs, goruntime.GOMAXPROCS(0)))
		for _, f := range files {
			jobs <- struct{}{}
			running.Go(func() {
				f.do(ctx)
				<-jobs
			})
		}
	})
	return files, func() {
		cancel()
		for _, f := range files {
			f.out.discard()
		}
		running.Wait()
	}
}

// path is where a test file is.
func (r *run) path(file string) string { return filepath.Join(r.dir, filepath.FromSlash(file)) }

func (r *run) report(e *Event) {
	switch e.Type {
	case typeInputs:
		r.summary.Inputs[e.Name] = e.Inputs
		return
	case typeCoverage:
		r.covered.add(e.Coverage)
		return
	}
	for _, cause := range chain(e.Error) {
		r.quote(cause)
	}
	r.summary.Add(e)
	for _, reporter := range r.opts.Reporters {
		r.check(reporter.Report(e))
	}
}

// check keeps the first error.
func (r *run) check(err error) {
	if r.err == nil {
		r.err = err
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
