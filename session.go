package sexton

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"strconv"
	"time"

	"github.com/dop251/goja"
	"github.com/google/uuid"

	"github.com/sextongc/sexton/gcext"
	"github.com/sextongc/sexton/internal/effect"
	"github.com/sextongc/sexton/objectstore"
	"github.com/sextongc/sexton/runtime"
	"github.com/sextongc/sexton/serialize"
)

// Session is a package loaded into a JavaScript runtime. Deployments, one after another, have an
// environment each, but share the runtime: classes, module variables, what tests remember.
//
// A Session belongs to the goroutine that calls Run, and to the tasks that run in it. It is not safe
// for concurrent use.
type Session struct {
	Package   *Package
	opts      SessionOptions
	rt        *runtime.Runtime
	registry  *objectstore.Registry
	newID     func() string // nil: the store's own
	gc        *gcext.Module
	performer *effect.Performer // nil: the state side has one
	modules   map[string]*goja.Object
	inputs    []string // of the bundle
	config    map[string]objectstore.Value

	store      *objectstore.Store
	collector  *gcext.Collector
	rejections []*runtime.ScriptError // that nothing handled, since somebody asked
}

// SessionOptions configures a Session.
type SessionOptions struct {
	Options
	// Entries are modules to load besides the package's main module and its hooks.
	Entries []runtime.Entry
	// Unhandled hears of rejections that nothing handles; nil: a deployment fails with those that occur
	// while it runs.
	Unhandled func(err *runtime.ScriptError, asyncContext any)
	// Coverage says of which source files of the package Runtime.Coverage counts how often their code runs; nil: none.
	Coverage func(file string) bool
	// Anonymous allows objects of classes that the package does not export; TraceCreation remembers
	// where each object was made.
	Anonymous, TraceCreation bool

	broker     effect.Broker     // performs effects; nil: the session does it by itself
	side       stateSide         // records them, too; nil: they are not recorded
	journal    *stateJournal     // of side
	lastEffect uint64            // the highest number of an effect that side has
	stuck      func(cause error) // told that a script does not stop
	bundled    func() error      // called when the package is read, before its first script runs; may be nil

	scriptOnly bool // load the entries without main module and hooks
	exposeGC   bool // scripts have the global gc()
	redeclared bool // a class may be declared anew
}

const (
	mainEntry       = "main"
	preDeployEntry  = "pre-deploy hook"
	postDeployEntry = "post-deploy hook"
)

// NewSession makes a runtime for the package in opts.Dir. Load, as part of the first task, loads the
// package's modules into it. The caller closes it.
func NewSession(opts *SessionOptions) (*Session, error) {
	p, err := LoadPackage(opts.Dir)
	if err != nil {
		return nil, err
	}
	if err := opts.Settings.check(); err != nil {
		return nil, err
	}
	s := &Session{Package: p, opts: *opts}
	if s.opts.Mask == nil {
		s.opts.Mask = NewMask()
	}
	broker := opts.broker
	if opts.side != nil {
		broker = opts.side
	} else if broker == nil {
		if s.performer, err = opts.performer(p); err != nil {
			return nil, err
		}
		broker = s.performer
	}
	broker = &learning{broker, s.opts.Mask}
	s.opts.Extensions = append([]*runtime.Extension{s.coreModule(), runtime.Process(), runtime.Files()}, opts.Extensions...)
	unhandled := opts.Unhandled
	if unhandled == nil {
		unhandled = func(err *runtime.ScriptError, _ any) { s.rejections = append(s.rejections, err) }
	}
	limits := s.settings(Settings{}).Limits
	s.rt, err = runtime.New(&runtime.Options{
		Limits: limits.runtime(), MaxCallStack: limits.CallDepth,
		Console: opts.Console, Clock: opts.Clock, Seed: opts.Seed, Broker: broker, LastEffect: opts.lastEffect,
		Attribute: s.attribute, Delivered: s.delivered, Mask: s.mask, JobLimit: gcext.JobLimit,
		Extensions: s.opts.Extensions, Unhandled: unhandled, Stuck: opts.stuck, ExposeGC: opts.exposeGC,
	})
	if err != nil {
		return nil, errors.Join(err, s.closePerformer())
	}
	if opts.Seed != 0 {
		random := rand.NewChaCha8(sha256.Sum256(jsonOf(opts.Seed)))
		s.newID = func() string { return uuid.Must(uuid.NewRandomFromReader(random)).String() }
	}
	s.rt.OnAbandoned(s.registry.Abandon)
	return s, nil
}

// Close releases the runtime, and ends the processes that scripts started and did not detach.
func (s *Session) Close() error {
	if s.store != nil {
		s.store.Close()
	}
	return errors.Join(s.rt.Close(), s.closePerformer())
}

func (s *Session) closePerformer() error {
	if s.performer == nil {
		return nil
	}
	return s.performer.Close()
}

// delivered is what happens when a script is about to see the outcome of a request.
func (s *Session) delivered(req *effect.Request) {
	j := s.opts.journal
	if j == nil || !effect.IsEffect(req.Op) {
		return
	}
	j.delivered(req.ID)
	if s.store != nil && !j.due { // modules have effects before there is an environment to record
		j.due = true
		s.rt.Enqueue(j.afterEffect)
	}
}

// mask takes secrets out of a text of a script. It looks what objects have for secrets now: nobody else may have
// seen them yet.
func (s *Session) mask(text string) string {
	if s.store != nil {
		s.store.LearnSecrets()
	}
	return s.opts.Mask.Text(text)
}

// Runtime is the JavaScript runtime.
func (s *Session) Runtime() *runtime.Runtime { return s.rt }

// Registry knows the classes that are loaded.
func (s *Session) Registry() *objectstore.Registry { return s.registry }

// Store is the environment of the current, or last, deployment; nil before the first.
func (s *Session) Store() *objectstore.Store { return s.store }

// Run runs fn as a task with the runtime's event loop.
func (s *Session) Run(ctx context.Context, fn func(t *runtime.Task) error) error {
	return s.rt.Run(ctx, fn)
}

// Load builds and evaluates the package: main module, hooks, further entries, as one bundle, so that a
// class is the same class in all of them. Exported classes are registered.
func (s *Session) Load(ctx context.Context, t *runtime.Task) error {
	var entries []runtime.Entry
	add := func(name, file string) {
		if file != "" {
			entries = append(entries, runtime.Entry{Name: name, Path: file})
		}
	}
	var needed []dependency
	if !s.opts.scriptOnly {
		var err error
		if needed, err = s.Package.dependencies(); err != nil {
			return err
		}
		for _, d := range needed {
			entries = append(entries, d.entry())
		}
		add(mainEntry, s.Package.Main)
		add(preDeployEntry, s.Package.find("hooks/pre-deploy", scriptExtensions))
		add(postDeployEntry, s.Package.find("hooks/post-deploy", scriptExtensions))
	}
	entries = append(entries, s.opts.Entries...)
	bundle, err := runtime.Build(ctx, &runtime.BuildOptions{
		Dir: s.Package.Dir, Cache: s.opts.Cache, Entries: entries, Extensions: s.opts.Extensions, SourceSize: s.settings(Settings{}).Limits.SourceSize,
		Coverage: s.opts.Coverage,
	})
	if err != nil {
		return err
	}
	s.inputs = bundle.Inputs
	if s.opts.bundled != nil {
		if err := s.opts.bundled(); err != nil {
			return err
		}
	}
	limit := s.settings(Settings{}).HandlerTimeout
	if s.opts.scriptOnly { // a script takes the time that it takes
		limit = 0
	}
	s.rt.WithContext(&gcext.Context{Limit: limit}, func() { s.modules, err = s.rt.LoadFor(t, bundle, limit) })
	switch {
	case err != nil && s.opts.scriptOnly:
		return err
	case err != nil:
		return &PhaseError{Phase: "load", Err: err}
	}
	for _, d := range needed {
		if err := s.registerClasses(s.modules[d.entry().Name], d.prefix, d.Version); err != nil {
			return err
		}
	}
	registered := []string{mainEntry}
	for _, e := range s.opts.Entries {
		registered = append(registered, e.Name)
	}
	for _, name := range registered {
		if err := s.registerClasses(s.modules[name], s.Package.Name, s.Package.Version); err != nil {
			return err
		}
	}
	if err := s.rt.Try(limit, s.registry.Resolve); err != nil {
		return declarationErrors(bundle, err)
	}
	return s.readConfig()
}

// declarationErrors gives what Registry.Resolve found wrong its places.
func declarationErrors(bundle *runtime.Bundle, err error) error {
	joined, ok := err.(interface{ Unwrap() []error })
	if !ok {
		var declared *objectstore.DeclarationError
		if !errors.As(err, &declared) {
			return &PhaseError{Phase: "load", Err: err}
		}
		located := &runtime.BuildError{Text: declared.Error()}
		located.File, located.Line, located.Column = bundle.Locate(declared.Source, declared.Offset)
		return located
	}
	var all []error
	for _, e := range joined.Unwrap() { // as deep as Go code nests joins
		all = append(all, declarationErrors(bundle, e))
	}
	return errors.Join(all...)
}

// Inputs are the source files that the package was bundled from, relative to its directory, with slashes; nil if that
// failed, or was not tried.
func (s *Session) Inputs() []string { return s.inputs }

// Entry returns the namespace object of a loaded module.
func (s *Session) Entry(name string) *goja.Object { return s.modules[name] }

// settings are those of the call, then those of the options, then those of the package, then the
// defaults.
func (s *Session) settings(call Settings) Settings {
	return call.Or(s.opts.settings(s.Package))
}

// newStore begins an environment in the session's runtime.
func (s *Session) newStore(ctx context.Context, key string, settings Settings, journal gcext.Journal, incarnation func() uint64, observe func(gcext.Event)) {
	limits := s.settings(settings).Limits
	s.store = s.registry.NewStore(&objectstore.Options{
		MaxObjects: limits.Objects, MaxEdges: limits.Edges, Exceeded: s.exceeded,
		Package: s.Package.Name, Version: s.Package.Version, NewID: s.newID,
		Anonymous: s.opts.Anonymous, Redeclared: s.opts.redeclared, TraceCreation: s.opts.TraceCreation,
		Incarnation: incarnation, Config: s.config, Stopping: func() bool { return ctx.Err() != nil },
	})
	s.collector = gcext.NewCollector(s.rt, s.registry, s.store, &gcext.Options{Settings: settings.collector(), Journal: journal, Observe: observe})
	s.gc.Use(ctx, s.collector, key)
}

// exceeded makes the error of a limit on what an environment holds: in scripts it is a RangeError.
func (s *Session) exceeded(limit string, most int) error {
	e := &LimitError{Limit: limit, Value: strconv.Itoa(most), What: "the environment has more"}
	if limit == "edges" { // nothing that a script does
		return e
	}
	return s.rt.RangeError(e)
}

// Collector is the collector of the current environment; nil before the first.
func (s *Session) Collector() *gcext.Collector { return s.collector }

// snapshot returns the environment at rest, with an error that tells what could not be saved as it is. It
// returns nil if hard is done: scripts are being interrupted then, and what they hold cannot be read.
func (s *Session) snapshot(hard context.Context) (g *objectstore.Graph, err error) {
	// Properties may have getters, which are scripts. Without them a snapshot takes some microseconds for each object.
	limit := s.settings(Settings{}).HandlerTimeout + time.Duration(len(s.store.Objects()))*100*time.Microsecond
	err = s.rt.Try(limit, func() (err error) {
		g, err = s.store.Snapshot()
		return err
	})
	switch {
	case hard.Err() != nil:
		return nil, context.Cause(hard)
	case errors.Is(err, runtime.ErrTimeLimit):
		return nil, fmt.Errorf("read what is to be saved: %w", err)
	}
	if err := s.rt.Stopped(); err != nil {
		return nil, err
	}
	return g, err
}

// EncodeSnapshot encodes the current environment; an empty one before the first deployment.
func (s *Session) EncodeSnapshot() ([]byte, error) {
	g := &objectstore.Graph{}
	if s.store != nil {
		var err error
		if g, err = s.store.Snapshot(); err != nil {
			return nil, err
		}
	}
	return serialize.EncodeSnapshot(g)
}

func jsonOf(v any) []byte {
	data, err := json.Marshal(v)
	if err != nil {
		panic(err) // structs of strings and numbers
	}
	return data
}

// Begin begins an empty environment without a root, so that scripts can make objects before, or
// without, a deployment.
func (s *Session) Begin(ctx context.Context, d *Deployment) {
	run := &deploying{Deployment: d, s: s, ctx: ctx, settings: s.settings(d.Settings), report: &Report{}}
	if run.Observe == nil {
		run.Observe = func(Event) {}
	}
	s.newStore(ctx, d.Key, run.settings, run.gcJournal(), d.Incarnation, run.observe)
}
