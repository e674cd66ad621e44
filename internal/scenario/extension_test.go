package scenario_test

import (
	"context"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/dop251/goja"
	"github.com/stretchr/testify/require"

	"github.com/sextongc/sexton/internal/scenario"
	"github.com/sextongc/sexton/runtime"
)

// liveHost connects the module to a real runtime; only what these tests ask of it does something.
type liveHost struct {
	scenario.Host
	rt     *runtime.Runtime
	clock  *runtime.VirtualClock
	events []*scenario.Event
}

func (h *liveHost) Begin(string) (goja.Value, error)         { return nil, nil }
func (h *liveHost) End(bool) (goja.Value, error)             { return nil, nil }
func (h *liveHost) Identify(goja.Value) (id string, ok bool) { return "", false }
func (h *liveHost) Report(e *scenario.Event)                 { h.events = append(h.events, e) }
func (h *liveHost) Time() time.Duration                      { return 0 }
func (h *liveHost) Now() float64                             { return float64(h.clock.Now().UnixMilli()) }

func (h *liveHost) Advance(d time.Duration) (goja.Value, error) {
	p, resolve, _ := h.rt.Promise()
	h.clock.Advance(d, func() { h.rt.Enqueue(func() { resolve(nil) }) })
	return p, nil
}

func (h *liveHost) Timer(d time.Duration, fire func()) func() {
	release := h.rt.Hold()
	timer := time.AfterFunc(d, func() {
		h.rt.Enqueue(func() {
			release()
			fire()
		})
	})
	return func() {
		timer.Stop()
		release()
	}
}

func runLive(t *testing.T, name, source string, opts *scenario.RunOptions) []*scenario.Event {
	t.Helper()
	h := &liveHost{clock: runtime.NewVirtualClock(time.UnixMilli(1000))}
	var module *scenario.Module
	extensions := []*runtime.Extension{scenario.Extension(
		func(rt *runtime.Runtime) (scenario.Host, error) {
			h.rt = rt
			return h, nil
		},
		func(m *scenario.Module) { module = m })}
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(source), 0o666))
	bundle, err := runtime.Build(t.Context(), &runtime.BuildOptions{
		Dir:        dir,
		Entries:    []runtime.Entry{{Name: name, Path: name}},
		Extensions: []*runtime.Extension{scenario.Extension(nil, nil)},
	})
	require.NoError(t, err)
	rt, err := runtime.New(&runtime.Options{
		Clock: h.clock, Extensions: extensions,
		Unhandled: func(err *runtime.ScriptError, _ any) { // a job of its own: what it settles must be acted on
			h.rt.Enqueue(func() { require.NoError(t, module.Fault(h.rt.ErrorValue(err))) })
		},
	})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, rt.Close()) })
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	require.NoError(t, rt.Run(ctx, func(task *runtime.Task) error {
		require.NoError(t, module.File(name))
		if _, err := rt.Load(task, bundle); err != nil {
			return err
		}
		p, err := module.Run(opts)
		if err != nil {
			return err
		}
		_, err = task.Await(p)
		return err
	}))
	return h.events
}

func TestInARuntime(t *testing.T) {
	events := runLive(t, "net.test.ts", `import run, { assert, describe, test, trace } from "sexton/test";
interface Machine { name: string }

describe("typed", () => {
  test("fails", async (t: { name: string }) => {
    const machine: Machine = { name: t.name };
    await Promise.resolve();
    assert.equal(machine.name, "works");
  });
});
run("virtual time", async (t) => {
  const begin = Date.now();
  let rang = false;
  setTimeout(() => { rang = true; }, 3600e3);
  await t.clock.advance(3600e3);
  assert(rang);
  assert.equal(t.clock.now() - begin, 3600e3);
  assert.equal(Date.now(), t.clock.now());
  t.mock.method(globalThis, "setTimeout", () => 0);
  assert.equal(t.signal?.aborted, t.signal ? false : undefined);
});
test("unhandled", async () => {
  Promise.reject(new RangeError("nobody cares"));
  await new Promise(() => {});
});
test("time-out in real time", { timeout: 5 }, () => new Promise((resolve) => setTimeout(resolve, 1)));
`, &scenario.RunOptions{Timeout: 5 * time.Second})
	failed := map[string]*scenario.Event{}
	passed := 0
	for _, e := range events {
		if e.Type == scenario.TypeFail && e.Kind == scenario.KindTest {
			failed[e.Name] = e
		}
		if e.Type == scenario.TypePass {
			passed++
		}
	}
	require.Equal(t, 1, passed)
	require.Len(t, failed, 3)

	e := failed["fails"]
	require.Equal(t, "net.test.ts", e.File)
	require.Equal(t, 5, e.Line)
	require.Equal(t, []string{"at net.test.ts:8:12"}, e.Error.Stack)
	require.Equal(t, "RangeError: nobody cares", failed["unhandled"].Error.Title())
	require.Equal(t, "TimeoutError", failed["time-out in real time"].Error.Name)
}
