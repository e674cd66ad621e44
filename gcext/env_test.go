package gcext_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/dop251/goja"
	"github.com/stretchr/testify/require"

	"github.com/sextongc/sexton"
	"github.com/sextongc/sexton/objectstore"
	"github.com/sextongc/sexton/runtime"
)

// env is an environment whose root is the object "root", with a script's module. What happens is
// written down in events, with what the script adds.
type env struct {
	t       testing.TB
	session *sexton.Session
	clock   *idleClock
	task    *runtime.Task
	ctx     context.Context // done: cancelled in the sense of gc 5.8
	cancel  context.CancelFunc
	key     string       // tells its tokens from others'
	held    []goja.Value // by host code
	events  []string
	report  *sexton.Report // of the last deployment
	last    *objectstore.Graph
	incarn  uint64
	journal sexton.Journal // nil: none
}

const emptyModel = `{"?": {"type": "Environment", "id": "root"}}`

// shared begins every script: A is a class that does nothing in particular.
const shared = `import { Resource, Environment, GC, ObjectDestroyedError } from "sexton";
import { log, cancel, hold, release } from "test";
export class A extends Resource {
  static properties = { next: { type: "any", optional: true }, list: { type: "any", optional: true } };
}
const make = (id, Class = A, properties = {}, owner = undefined) => new Class(properties, owner, { id });
const destroyed = async () => { const r = await GC.collect(); return r.destroyed; };
const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
const thrown = (f) => { try { f(); } catch (e) { return e.name + ": " + e.message; } return "nothing"; };
const thrownLater = async (f) => { try { await f(); } catch (e) { return e.name + ": " + e.message; } return "nothing"; };
`

// newEnv loads a script: shared, and source behind it.
func newEnv(t testing.TB, source string) *env {
	t.Helper()
	e := &env{t: t, key: "test", clock: &idleClock{now: time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)}}
	e.ctx, e.cancel = context.WithCancel(t.Context())
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "main.ts"), []byte(shared+source), 0o600))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "package.json"), []byte(`{"name": "shop", "main": "main.ts"}`), 0o600))
	var err error
	e.session, err = sexton.NewSession(&sexton.SessionOptions{
		Options: sexton.Options{
			Dir: dir, Extensions: []*runtime.Extension{e.module()},
			Permissions: sexton.Permissions{Read: []string{dir}},
			Console:     func(_, text string) { e.events = append(e.events, text) },
			Clock:       e.clock,
		},
		Anonymous: true,
		Unhandled: func(err *runtime.ScriptError, _ any) { e.events = append(e.events, "unhandled "+err.Error()) },
	})
	require.NoError(t, err)
	t.Cleanup(func() {
		e.held = nil
		require.NoError(t, e.session.Close())
	})
	return e
}

// module is what scripts of tests import.
func (e *env) module() *runtime.Extension {
	names := []string{"log", "cancel", "hold", "release"}
	return &runtime.Extension{Name: "test", Exports: names, Open: func(rt *runtime.Runtime) (*runtime.Module, error) {
		exports := map[string]goja.Value{}
		for name, f := range map[string]func(goja.FunctionCall) goja.Value{
			"log":    e.log,
			"cancel": func(goja.FunctionCall) goja.Value { e.cancel(); return goja.Undefined() },
			"hold": func(c goja.FunctionCall) goja.Value {
				e.held = append(e.held, c.Argument(0))
				return goja.Undefined()
			},
			"release": func(goja.FunctionCall) goja.Value { e.held = nil; return goja.Undefined() },
		} {
			exports[name] = rt.Func(name, f)
		}
		return &runtime.Module{Exports: exports}, nil
	}}
}

func (e *env) log(c goja.FunctionCall) goja.Value {
	words := make([]string, len(c.Arguments))
	for i, a := range c.Arguments {
		words[i] = a.String()
	}
	e.events = append(e.events, strings.Join(words, " "))
	return goja.Undefined()
}

// idleClock is a clock that jumps to the next timer whenever there is nothing else to do.
// Scripts that have effects need real time: the loop has nothing to do while these are under way.
type idleClock struct {
	now  time.Time
	real bool
}

func (c *idleClock) Now() time.Time {
	if c.real {
		return time.Now()
	}
	return c.now
}

func (c *idleClock) Until(t time.Time) (<-chan struct{}, func()) {
	if t.IsZero() {
		return nil, func() {}
	}
	due := make(chan struct{})
	if c.real {
		timer := time.AfterFunc(time.Until(t), func() { close(due) })
		return due, func() { timer.Stop() }
	}
	c.now = t
	close(due)
	return due, func() {}
}

func (e *env) observe(ev sexton.Event) {
	add := func(format string, args ...any) { e.events = append(e.events, fmt.Sprintf(format, args...)) }
	switch ev.Kind {
	case "notify":
		add("notify %s of %s", ev.Subscriber.ID, ev.Object.ID)
	case "blocked":
		add("blocked %s by %s", ev.Object.ID, ev.By.ID)
	case "failed":
		if ev.Subscriber != nil {
			add("handler failed: %s", ev.Error)
			return
		}
		add("failed %s: %s", ev.Object.ID, strings.ReplaceAll(ev.Error, "\n", "; "))
	case "destroy", "destroyed", "spared":
		add("%s %s", ev.Kind, ev.Object.ID)
	}
}

func (e *env) deployment(model string, settings sexton.Settings) *sexton.Deployment {
	return &sexton.Deployment{
		Model: []byte(model), File: "model", Last: e.last, Settings: settings, Key: e.key, Observe: e.observe, Journal: e.journal,
		Incarnation: func() uint64 { e.incarn++; return e.incarn },
	}
}

// start deploys the empty model and hands over to fn, as one task.
func (e *env) start(settings sexton.Settings, fn func()) {
	e.t.Helper()
	require.NoError(e.t, e.session.Run(e.t.Context(), func(t *runtime.Task) error {
		e.task = t
		if err := e.session.Load(e.t.Context(), t); err != nil {
			return err
		}
		if err := e.deploy(emptyModel, settings); err != nil {
			return err
		}
		e.events = nil
		fn()
		return nil
	}))
}

// deploy deploys a model onto what the last deployment left.
func (e *env) deploy(model string, settings sexton.Settings) error {
	report, graph, err := e.session.Deploy(e.ctx, e.task, e.deployment(model, settings))
	e.report = report
	if graph != nil {
		e.last = graph
	}
	return err
}

// call calls an exported function with the root object and awaits what it returns.
func (e *env) call(name string) (goja.Value, error) {
	e.t.Helper()
	rt := e.session.Runtime()
	var result goja.Value
	err := rt.Try(0, func() (err error) {
		f, ok := goja.AssertFunction(e.session.Entry("main").Get(name))
		require.True(e.t, ok, "the script exports no function "+name)
		result, err = f(goja.Undefined(), e.session.Store().Root().Value())
		return err
	})
	if err != nil {
		return nil, err
	}
	return e.task.Await(result)
}

// run runs the script's default export in a new environment and returns the events.
func run(t testing.TB, source string, settings sexton.Settings) []string {
	t.Helper()
	return newEnv(t, source).run(settings)
}

func (e *env) run(settings sexton.Settings) []string {
	t := e.t
	t.Helper()
	e.start(settings, func() {
		_, err := e.call("default")
		var script *runtime.ScriptError
		if errors.As(err, &script) {
			t.Error(script.Detail())
		}
		require.NoError(t, err)
	})
	return e.events
}

// lines splits a text into lines, without indentation and empty ones.
func lines(text string) []string {
	var out []string
	for line := range strings.SplitSeq(text, "\n") {
		if line = strings.TrimSpace(line); line != "" {
			out = append(out, line)
		}
	}
	return out
}

// example is a script and the events that it gives.
type example struct {
	name, source, want string
	settings           sexton.Settings
	real               bool // time
}

func testExamples(t *testing.T, examples []example) {
	for _, x := range examples {
		t.Run(x.name, func(t *testing.T) {
			t.Parallel()
			e := newEnv(t, x.source)
			e.clock.real = x.real
			require.Equal(t, lines(x.want), e.run(x.settings))
		})
	}
}
