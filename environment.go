package sexton

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/sextongc/sexton/internal/state"
	"github.com/sextongc/sexton/objectstore"
	"github.com/sextongc/sexton/serialize"
)

// Environment is one environment: a package of classes, and the state directory with what was deployed
// from it. It holds nothing open between calls; its methods may be called from several goroutines, and
// of two deployments at the same time, in one process or two, the second gets ErrLocked.
type Environment struct {
	opts Options
	pkg  *Package
	dir  string
}

// Open returns the environment that opts describes. It reads package.json, and does not create or lock
// anything yet.
func Open(opts *Options) (*Environment, error) {
	e := &Environment{}
	if opts != nil {
		e.opts = *opts
	}
	var err error
	if e.pkg, err = LoadPackage(cmp.Or(e.opts.Dir, ".")); err != nil {
		return nil, err
	}
	if err := e.opts.Settings.check(); err != nil {
		return nil, err
	}
	if name := e.opts.name(e.pkg); e.opts.State == "" && (strings.ContainsAny(name, `/\`) || name == "." || name == "..") {
		return nil, fmt.Errorf("environment %q: its name is that of its state directory, so it cannot be a path", name)
	}
	if i := e.opts.Isolation; i != "" && i != IsolationNone && i != IsolationProcess {
		return nil, fmt.Errorf("isolation is %q: want %q or %q", i, IsolationProcess, IsolationNone)
	}
	e.opts.masked()
	e.opts.Dir = e.pkg.Dir
	e.dir = e.opts.stateDir(e.pkg)
	return e, nil
}

// Package is the package that the environment is made of.
func (e *Environment) Package() *Package { return e.pkg }

// Name is the environment's name.
func (e *Environment) Name() string { return e.opts.name(e.pkg) }

// StateDir is the path of the state directory.
func (e *Environment) StateDir() string { return e.dir }

// Model is what an environment should be: the bytes of a model, and the name of the file that they come
// from, for messages. A name that ends in .yaml or .yml says that it is YAML.
type Model struct {
	Data []byte
	File string
}

// ReadModel reads a model file.
func ReadModel(file string) (*Model, error) {
	return readModel(file, math.MaxInt64-1)
}

// ReadModel reads a model file that is no larger than the environment's limits allow.
func (e *Environment) ReadModel(file string) (*Model, error) {
	return readModel(file, e.limits().ModelSize)
}

func readModel(file string, most int64) (*Model, error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, fmt.Errorf("model: %w", err)
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, most+1))
	if err != nil {
		return nil, fmt.Errorf("model: %w", err)
	}
	if int64(len(data)) > most {
		return nil, fmt.Errorf("model %s: %w", file, tooLarge("modelSize", most, "it has more bytes"))
	}
	return &Model{Data: data, File: file}, nil
}

// emptyModel destroys everything.
var emptyModel = &Model{Data: []byte(`{"Objects": null}`), File: "(empty model)"}

// meta is what a state directory keeps beside the snapshot.
type meta struct {
	Incarnation uint64 `json:"incarnation"`     // the last number given out
	Key         string `json:"key,omitempty"`   // that tokens are made with, if it is not the directory's id
	Epoch       uint64 `json:"epoch,omitempty"` // that generation 0 would have had
}

// Deploy makes the environment what the model says, and saves it. ctx cancels: what runs is finished,
// nothing new is started, and the rest is recorded for the next deployment; the report then says
// Interrupted. kill stops at once: scripts are interrupted, and the journal has what was done. When
// Settings.Timeout is over, the deployment is cancelled, and stopped after a tenth of it, or a minute.
//
// The error matches ErrLocked, ErrCorrupt, ErrBroken, ErrIncomplete (with everything else done),
// ErrInterrupted, or is about the model (*serialize.Error), the package (*runtime.BuildError) or a
// script (*runtime.ScriptError). The report is not nil if anything was begun, unless kill ended it.
func (e *Environment) Deploy(ctx, kill context.Context, model *Model) (*Report, error) {
	if model == nil {
		return nil, errors.New("deploy: the model is nil; ReadModel reads one")
	}
	return e.change(ctx, kill, model, true)
}

// Destroy destroys everything in the environment, in order. It is Deploy of nothing; where nothing was
// ever deployed it does nothing, and makes no state directory.
func (e *Environment) Destroy(ctx, kill context.Context) (*Report, error) {
	report, err := e.change(ctx, kill, emptyModel, false)
	if errors.Is(err, ErrNoState) && !errors.Is(err, ErrCorrupt) {
		return &Report{}, nil
	}
	return report, err
}

// within checks the size of a model, before anything is done with it.
func (e *Environment) within(model *Model) error {
	if most := e.limits().ModelSize; int64(len(model.Data)) > most {
		return fmt.Errorf("model %s: %w", model.File, tooLarge("modelSize", most, fmt.Sprintf("it has %d bytes", len(model.Data))))
	}
	return nil
}

func (e *Environment) change(ctx, kill context.Context, model *Model, create bool) (*Report, error) {
	if err := e.within(model); err != nil {
		return nil, err
	}
	doing := newActivity()
	stop := newStopping(ctx, kill, e.timeout(), doing.String)
	defer stop.end()
	if stop.soft.Err() != nil {
		return nil, stop.conclude(ErrInterrupted)
	}
	dir, err := state.Open(e.dir, &state.Options{FS: e.opts.fs, Create: create})
	if err != nil {
		return nil, e.located(err)
	}
	report, err := e.deploy(stop, doing, dir, model)
	return report, errors.Join(once(err, ErrStateFailed), dir.Close())
}

// once leaves out all but the first of the errors joined in err that match target: what has failed for good
// says so wherever it is asked.
func once(err, target error) error {
	if !errors.Is(err, target) {
		return err
	}
	told := false
	return errors.Join(slices.DeleteFunc(joined(err), func(e error) bool {
		again := told && errors.Is(e, target)
		told = told || errors.Is(e, target)
		return again
	})...)
}

// limits are those of the options, then those of the package, then the defaults.
func (e *Environment) limits() Limits {
	return e.opts.settings(e.pkg).Limits
}

// timeout is how long a deployment may take; 0: as long as it takes.
func (e *Environment) timeout() time.Duration {
	return e.opts.settings(e.pkg).Timeout
}

func (e *Environment) deploy(stop *stopping, doing *activity, dir *state.Dir, model *Model) (*Report, error) {
	kill, now := stop.hard, time.Now
	if e.opts.Clock != nil {
		now = e.opts.Clock.Now
	}
	began := newBeginning(now(), model)
	last, err := replay(dir)
	if err != nil {
		return nil, e.located(err)
	}
	v := e.vault()
	clear, err := v.opened(last)
	if err != nil {
		return nil, e.located(err)
	}
	if model, err = v.openModel(model); err != nil {
		return nil, err
	}
	performer, err := e.opts.performer(e.pkg)
	if err != nil {
		return nil, err
	}
	local := newLocalState(dir, performer, v, last)
	if err := concludeStopped(dir, v, local, last); err != nil {
		return nil, errors.Join(err, performer.Close())
	}
	side := &chronicle{stateSide: local, now: now, began: began, mask: e.opts.Mask, phase: doing.String()}
	opts := e.opts
	if opts.Seed != 0 { // each deployment draws other numbers, also one that goes on after a crash
		sum := sha256.Sum256(jsonOf([]uint64{opts.Seed, dir.Generation(), last.incarnation, last.lastEffect}))
		opts.Seed = max(1, binary.BigEndian.Uint64(sum[:]))
	}
	d := &scripting{
		opts: opts, settings: opts.settings(e.pkg), model: model, last: clear, key: cmp.Or(last.key, dir.Environment()), side: side, kept: e.opts.kept,
		observe: doing.before(func(ev Event) {
			if ev.Kind == "phase" {
				side.enter(ev.Text)
			}
			if e.opts.Observe != nil {
				e.opts.Observe(ev)
			}
		}),
	}
	run := d.runOrAbandon
	if e.opts.Isolation == IsolationProcess {
		run = d.isolated
	}
	result, runErr := run(stop.soft, stop.hard)
	report, graph := result.report, result.graph
	runErr = errors.Join(runErr, performer.Close())
	if report != nil {
		report.Audit = performer.Audit()
	}
	runErr = stop.conclude(runErr)
	if graph == nil { // nothing was changed, or everything that was is in the journal
		outcome := Failed
		if kill.Err() != nil {
			outcome = Stopped
		}
		return report, errors.Join(runErr, side.stop(runErr, outcome))
	}
	m := last.meta(result.given)
	h := newHistoryRecord(began, dir.Generation()+1, now().Sub(began.Time), report, runErr)
	h.Permissions = historyPermissions(performer.Audit())
	if kill.Err() != nil && h.Outcome == Interrupted {
		h.Outcome, h.Phase = Stopped, side.phase
	}
	return report, errors.Join(runErr, commit(v, side, graph, m, h, e.limits().SnapshotSize))
}

// concludeStopped puts a deployment that was stopped into the history, and what it left into the snapshot.
func concludeStopped(dir *state.Dir, v *vault, side stateSide, last *replayed) error {
	if last.open == nil {
		return nil
	}
	h, err := last.open.record(dir.Generation()+1, Stopped, last.graph)
	if err != nil {
		return err
	}
	return commit(v, side, last.graph, last.meta(last.incarnation), h, 0)
}

// commit saves a graph, with its secrets sealed, whose snapshot has no more bytes than most; 0: as many as it has.
// What is too large is left in the journal.
func commit(v *vault, side stateSide, g *objectstore.Graph, m *meta, h *HistoryRecord, most int64) error {
	v.mask.history(h)
	sealed, err := mapGraph(g, v.sealEntry)
	var snapshot []byte
	if err == nil {
		snapshot, err = serialize.EncodeSnapshot(sealed)
	}
	if size := int64(len(snapshot)); err == nil && most > 0 && size > most {
		err = tooLarge("snapshotSize", most, fmt.Sprintf("the snapshot has %d bytes", size))
	}
	if err == nil {
		err = side.Commit(snapshot, jsonOf(m), jsonOf(h))
	}
	if err != nil {
		return fmt.Errorf("save: %w", err)
	}
	return nil
}

// Snapshot returns the canonical snapshot of what is deployed. It takes no lock and may run beside a
// deployment; it then shows one moment of it.
func (e *Environment) Snapshot() ([]byte, error) {
	g, err := e.stored()
	if err != nil {
		return nil, err
	}
	return serialize.EncodeSnapshot(g)
}

// stored reads the state; an environment that was never deployed is empty.
func (e *Environment) stored() (*objectstore.Graph, error) {
	dir, err := state.Open(e.dir, &state.Options{FS: e.opts.fs, ReadOnly: true})
	if errors.Is(err, state.ErrNoState) {
		return &objectstore.Graph{}, nil
	} else if err != nil {
		return nil, e.located(err)
	}
	r, err := replay(dir)
	if err = errors.Join(err, dir.Close()); err != nil {
		return nil, e.located(err)
	}
	return r.graph, nil
}

// located names the state directory in errors about the files in it.
func (e *Environment) located(err error) error {
	if errors.Is(err, ErrCorrupt) || errors.Is(err, state.ErrNewerVersion) {
		return fmt.Errorf("%s: %w", e.dir, err)
	}
	return err
}
