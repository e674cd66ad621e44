package sexton

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"time"

	"github.com/dop251/goja"

	"github.com/sextongc/sexton/gcext"
	"github.com/sextongc/sexton/objectstore"
	"github.com/sextongc/sexton/runtime"
)

// Script is a program for Run.
type Script struct {
	// File is a path, relative to the package's directory unless absolute. A file whose name ends in .cjs runs as a
	// classic script: in the global scope, sloppy unless it says otherwise, without imports.
	File     string
	Source   string   // TypeScript, instead of a file
	Args     []string // what the script sees as the global scriptArgs, and in process.argv
	Keep     bool     // what is left at the end is not destroyed
	ExposeGC bool     // the script has the global gc(): see runtime.Runtime.CollectGarbage

	// With types the script, instead of a file: TypeScript, input by input, each with the globals that the inputs before
	// have left. The exports of the package's main module and of the modules Files, paths, are globals, too.
	With  *Conversation `json:"-"`
	Files []string
}

const (
	scriptEntry = "script"
	rootOfRun   = "run" // id of the root object
)

// Run runs a script in a throwaway environment: one that is in memory only, with an empty root object of
// class Environment. The script is evaluated, a default export that is a function is called with the root
// object, timers and effects are awaited, and what is left is destroyed in order.
//
// When ctx is done, the script is ended and what is left is destroyed; if that has begun already, what
// runs is finished and nothing new is started. kill stops at once. Settings.Timeout does both, one after
// the other, as for a deployment. The error is as that of Environment.Deploy; the report is nil if nothing
// was begun.
func Run(ctx, kill context.Context, opts *Options, script *Script) (*Report, error) {
	with := Options{}
	if opts != nil {
		with = *opts
	}
	opts = &with
	opts.masked()
	pkg, err := LoadPackage(opts.Dir)
	if err != nil {
		return nil, err
	}
	if script.Source == "" && script.With == nil {
		absolute := *script
		if absolute.File, err = filepath.Abs(script.File); err != nil {
			return nil, err
		}
		script = &absolute
	}
	doing := newActivity()
	stop := newStopping(ctx, kill, opts.settings(pkg).Timeout, doing.String)
	defer stop.end()
	if stop.soft.Err() != nil {
		return nil, stop.conclude(ErrInterrupted)
	}
	var report *Report
	if opts.Isolation == IsolationProcess {
		report, err = runIsolated(stop, opts, pkg, script, doing.before(opts.Observe))
	} else {
		so := &SessionOptions{Options: *opts}
		so.Observe = doing.before(opts.Observe)
		report, err = runHere(stop.soft, stop.hard, so, script)
	}
	return report, stop.conclude(err)
}

// runHere runs a script in this process.
func runHere(ctx, kill context.Context, opts *SessionOptions, script *Script) (*Report, error) {
	opts.Anonymous, opts.scriptOnly, opts.exposeGC, opts.redeclared = true, true, script.ExposeGC, script.With != nil
	if script.With == nil {
		opts.Entries = []runtime.Entry{{
			Name: scriptEntry, Source: script.Source, Path: script.File, Classic: filepath.Ext(script.File) == ".cjs",
		}}
	}
	s, err := NewSession(opts)
	if err != nil {
		return nil, err
	}
	if script.With != nil {
		for _, file := range append([]string{s.Package.Main}, script.Files...) {
			if file != "" {
				s.opts.Entries = append(s.opts.Entries, runtime.Entry{Name: file, Path: file})
			}
		}
	}
	r := &scriptRun{s: s, Script: script, deploying: deploying{
		Deployment: &Deployment{Observe: opts.Observe}, s: s, ctx: ctx, settings: s.settings(Settings{}), report: &Report{},
	}}
	began := time.Now()
	err = r.evaluate(ctx)
	if s.store != nil && !script.Keep {
		err = errors.Join(err, r.destroy(ctx, kill))
	}
	r.report.Duration = time.Since(began)
	r.report.conclude()
	if err == nil && r.report.Incomplete() {
		err = ErrIncomplete
	}
	err = errors.Join(err, s.Close())
	if s.performer != nil {
		r.report.Audit = s.performer.Audit()
	}
	return r.report, err
}

// scriptRun is a Run under way.
type scriptRun struct {
	*Script
	deploying
	s *Session
}

// evaluate runs the script until nothing is left that could make it go on.
func (r *scriptRun) evaluate(ctx context.Context) error {
	var err error
	if r.With != nil {
		err = r.converse(ctx)
	} else {
		err = r.s.Run(ctx, func(t *runtime.Task) error {
			if err := r.begin(ctx); err != nil {
				return err
			}
			r.phase("script")
			err := r.s.Load(ctx, t)
			if err == nil {
				err = r.callDefault(t)
			}
			return errors.Join(err, r.unhandled("script"))
		})
		if err == nil {
			err = r.await(ctx)
		}
	}
	if err != nil && ctx.Err() != nil {
		r.report.Interrupted = true
		err = errors.Join(ErrInterrupted, notCancelled(ctx, err))
	}
	return errors.Join(err, r.unhandled("script"))
}

// await lets timers and effects go on. When there are none left, the loop takes the task for deadlocked.
func (r *scriptRun) await(ctx context.Context) error {
	err := r.s.Run(ctx, func(t *runtime.Task) error {
		t.Park()
		return nil
	})
	if errors.Is(err, runtime.ErrDeadlock) {
		return nil
	}
	return err
}

// notCancelled drops an error that only says that the context is done.
func notCancelled(ctx context.Context, err error) error {
	if errors.Is(err, context.Canceled) || errors.Is(err, context.Cause(ctx)) {
		return nil
	}
	return err
}

// begin makes the environment. It is there before the script is evaluated, which may make objects.
func (r *scriptRun) begin(ctx context.Context) error {
	s := r.s
	if err := s.readConfig(); err != nil {
		return err
	}
	if err := r.arguments(); err != nil {
		return err
	}
	incarnation := uint64(0)
	s.newStore(ctx, fmt.Sprintf("run %d", time.Now().UnixNano()), r.settings, nil,
		func() uint64 { incarnation++; return incarnation }, r.observe)
	root := &objectstore.Graph{Root: rootOfRun, Objects: []*objectstore.Entry{{
		ID: rootOfRun, Type: "Environment", Incarnation: 1,
		Properties: []objectstore.Field{{Name: "applications", Value: []objectstore.Value{}}},
	}}}
	incarnation = 1
	err := s.store.Load(root, func(o *objectstore.Object, construct func() error) error {
		return s.rt.Try(r.settings.HandlerTimeout, construct)
	})
	if err == nil && s.store.Root().Broken() != "" {
		err = errors.New(s.store.Root().Broken())
	}
	return err
}

// arguments gives the script what stands behind it on the command line: as it is, and as Node has it.
func (r *scriptRun) arguments() error {
	vm := r.s.rt.Goja()
	list := func(texts ...string) *goja.Object {
		items := make([]any, len(texts))
		for i, text := range texts {
			items[i] = text
		}
		return vm.NewArray(items...)
	}
	argv := []string{"sexton"}
	if r.File != "" {
		argv = append(argv, r.File)
	}
	process := vm.NewObject()
	return errors.Join(
		vm.GlobalObject().Set("scriptArgs", list(r.Args...)),
		process.Set("argv", list(append(argv, r.Args...)...)),
		process.Set("env", vm.NewObject()), // libraries look into it without asking whether it is there
		vm.GlobalObject().Set("process", process),
	)
}

func (r *scriptRun) callDefault(t *runtime.Task) error {
	s := r.s
	module := s.Entry(scriptEntry)
	root := s.store.Root()
	var result goja.Value
	err := s.rt.Try(0, func() (err error) {
		exported := module.Get("default")
		f, ok := goja.AssertFunction(exported)
		if !ok || s.registry.IsClass(exported) {
			return nil
		}
		s.rt.WithContext(&gcext.Context{Object: root}, func() { result, err = f(goja.Undefined(), root.Value()) })
		return err
	})
	if err == nil && result != nil {
		_, err = t.Await(result)
	}
	return err
}

// destroy destroys what is left, in order: first what nothing refers to any more, then the rest. An
// interruption of the script has been obeyed when this begins; only kill counts then.
func (r *scriptRun) destroy(ctx, kill context.Context) error {
	if kill.Err() != nil {
		return nil
	}
	if ctx.Err() != nil {
		ctx = kill
	}
	r.ctx = ctx
	interrupted := r.report.Interrupted
	err := r.s.Run(kill, func(t *runtime.Task) error {
		r.s.rt.CancelTimers()
		if err := r.collect(t, "collect what nothing refers to", gcext.OnDemand); err != nil {
			return err
		}
		left := slices.DeleteFunc(r.s.store.Objects(), func(o *objectstore.Object) bool { return o.State() != objectstore.Live })
		return r.collect(t, "collect what is left", gcext.PreDeployment(left))
	})
	if err == nil && r.report.Interrupted && !interrupted {
		err = ErrInterrupted
	}
	return err
}
