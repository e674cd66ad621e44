package scenario

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"reflect"
	"slices"
	"sort"
	"strings"
	"testing"
	"time"

	"github.com/dop251/goja"
	"github.com/stretchr/testify/require"
)

var update = flag.Bool("update", false, "write the golden files of testdata")

// fakeHost is a Host without an environment: scripts say through globals what their objects are and what
// the host answers. Its timers fire in order of their times, as soon as no other job is left.
type fakeHost struct {
	vm     *goja.Runtime
	module *Module
	events []*Event
	log    []string // what scripts print, and the calls of the host

	now    time.Duration
	timers []*fakeTimer
	due    int                 // numbers timers: those of one time fire in the order of their making
	limits map[*fakeTimer]bool // the ones that the module has set, and neither fired nor cancelled

	states  map[string]string
	ending  Ending
	stored  map[string]string
	update  bool
	failing map[string]error // by method: "begin", "end"
	onEnd   func()
}

type fakeTimer struct {
	at   time.Duration
	due  int
	fire func()
}

func (h *fakeHost) Begin(test string) (goja.Value, error) {
	h.log = append(h.log, "begin "+test)
	return nil, h.failing["begin"]
}

func (h *fakeHost) End(check bool) (goja.Value, error) {
	h.log = append(h.log, fmt.Sprintf("end check=%v", check))
	if h.onEnd != nil {
		h.onEnd()
	}
	ending := h.ending
	h.ending = Ending{}
	return h.later(string(must(json.Marshal(ending)))), h.failing["end"]
}

func (h *fakeHost) Deploy(model, settings string) (goja.Value, error) {
	h.log = append(h.log, "deploy "+strings.Join(strings.Fields(model), "")+" "+settings)
	if strings.Contains(model, "broken") {
		return nil, errors.New("the model is broken")
	}
	if err := errors.Join(h.module.Event("notify", "sub", "pub"), h.module.Event("destroy", "pub"), h.module.Event("destroyed", "pub")); err != nil {
		return nil, err
	}
	return h.later(`{"destroyed":1}`), nil
}

func (h *fakeHost) Load(string) (goja.Value, error) { return h.later("undefined"), nil }
func (h *fakeHost) Collect() (goja.Value, error)    { return h.later(`{"rounds":2}`), nil }
func (h *fakeHost) Snapshot() (goja.Value, error)   { return h.later(`{"sexton":1}`), nil }
func (h *fakeHost) Env() goja.Value                 { return h.vm.GlobalObject().Get("root") }

// Identify takes every object with an own id for managed.
func (h *fakeHost) Identify(v goja.Value) (string, bool) {
	o, ok := v.(*goja.Object)
	if !ok {
		return "", false
	}
	if o.ExportType() == reflect.TypeFor[goja.Proxy]() || !slices.Contains(o.GetOwnPropertyNames(), "$id") {
		return "", false
	}
	return o.Get("$id").String(), true
}

func (h *fakeHost) State(v goja.Value) string {
	id, ok := h.Identify(v)
	if !ok {
		id = v.String()
	}
	if state, ok := h.states[id]; ok {
		return state
	}
	return "unknown"
}

func (h *fakeHost) Destructor(goja.Value, goja.Value) goja.Value { return goja.Undefined() }

func (h *fakeHost) Golden(file, key, text string) (string, bool) {
	if h.update {
		h.stored[file+": "+key] = text
	}
	stored, ok := h.stored[file+": "+key]
	return stored, ok
}

func (h *fakeHost) Report(e *Event) { h.events = append(h.events, e) }

func (h *fakeHost) Timer(d time.Duration, fire func()) func() {
	t := h.after(d, fire)
	h.limits[t] = true
	return func() {
		delete(h.limits, t)
		h.timers = slices.DeleteFunc(h.timers, func(o *fakeTimer) bool { return o == t })
	}
}

func (h *fakeHost) after(d time.Duration, fire func()) *fakeTimer {
	h.due++
	t := &fakeTimer{at: h.now + d, due: h.due, fire: fire}
	h.timers = append(h.timers, t)
	return t
}

func (h *fakeHost) Time() time.Duration { return h.now }
func (h *fakeHost) Now() float64        { return milliseconds(h.now) }

func (h *fakeHost) Advance(d time.Duration) (goja.Value, error) {
	h.now += d
	return h.later("undefined"), nil
}

// later is a promise that is fulfilled by a job of its own.
func (h *fakeHost) later(result string) goja.Value {
	p, resolve, _ := h.vm.NewPromise()
	h.after(0, func() { _ = resolve(h.vm.ToValue(result)) })
	return h.vm.ToValue(p)
}

// newFakeHost binds the module in a fresh runtime with some globals for scripts.
func newFakeHost(t *testing.T) *fakeHost {
	t.Helper()
	vm := goja.New()
	vm.SetMaxCallStackSize(500)
	h := &fakeHost{vm: vm, states: map[string]string{}, stored: map[string]string{}, failing: map[string]error{}, limits: map[*fakeTimer]bool{}}
	module, err := Bind(vm, h)
	require.NoError(t, err)
	h.module = module
	for _, name := range module.Exports.Keys() {
		if name != "default" {
			require.NoError(t, vm.Set(name, module.Exports.Get(name)))
		}
	}
	type call = goja.FunctionCall
	for name, f := range map[string]func(call) goja.Value{
		"log": func(c call) goja.Value {
			h.log = append(h.log, c.Argument(0).String())
			return nil
		},
		"setTimeout": func(c call) goja.Value {
			f, _ := goja.AssertFunction(c.Argument(0))
			h.after(duration(c.Argument(1)), func() {
				if _, err := f(goja.Undefined()); err != nil {
					var thrown *goja.Exception
					require.ErrorAs(t, err, &thrown)
					require.NoError(t, h.module.Fault(thrown.Value()))
				}
			})
			return nil
		},
		"setState": func(c call) goja.Value {
			h.states[c.Argument(0).String()] = c.Argument(1).String()
			return nil
		},
		"leave": func(c call) goja.Value { // leave("leak" or "failure", type, id, at, error)
			left := Left{Type: c.Argument(1).String(), ID: c.Argument(2).String(), At: c.Argument(3).String()}
			if c.Argument(0).String() == "leak" {
				h.ending.Leaks = append(h.ending.Leaks, left)
			} else {
				left.Error = c.Argument(4).String()
				h.ending.Failures = append(h.ending.Failures, left)
			}
			return nil
		},
		"failHost": func(c call) goja.Value {
			h.failing[c.Argument(0).String()] = errors.New(c.Argument(1).String())
			return nil
		},
	} {
		require.NoError(t, vm.Set(name, f))
	}
	_, err = vm.RunString(`globalThis.sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
globalThis.root = { $id: "root" };`)
	require.NoError(t, err)
	return h
}

// load evaluates a test file.
func (h *fakeHost) load(t *testing.T, name, source string) {
	t.Helper()
	require.NoError(t, h.module.File(name))
	_, err := h.vm.RunScript(name, source)
	require.NoError(t, err)
}

// await runs jobs and timers until a promise is settled.
func (h *fakeHost) await(t *testing.T, v goja.Value) error {
	t.Helper()
	p, ok := v.Export().(*goja.Promise)
	require.True(t, ok)
	for p.State() == goja.PromiseStatePending {
		require.NotEmpty(t, h.timers, "the run waits for something that nothing will do")
		sort.Slice(h.timers, func(i, j int) bool {
			a, b := h.timers[i], h.timers[j]
			return a.at < b.at || a.at == b.at && a.due < b.due
		})
		next := h.timers[0]
		h.timers = h.timers[1:]
		h.now = max(h.now, next.at)
		next.fire()
	}
	if p.State() == goja.PromiseStateRejected {
		return errors.New(p.Result().String())
	}
	return nil
}

// run runs everything that is loaded.
func (h *fakeHost) run(t *testing.T, opts *RunOptions) {
	t.Helper()
	p, err := h.module.Run(opts)
	require.NoError(t, err)
	require.NoError(t, h.await(t, p))
}

// results are the events as lines, in the tree's indentation.
func (h *fakeHost) results() []string {
	var lines []string
	for _, e := range h.events {
		line := margin(e.Nesting) + e.Type + " " + e.Name
		if e.Type == TypePlan {
			line += fmt.Sprintf(" %d", e.Count)
		}
		if e.Line > 0 && e.Type != TypeStart {
			line += fmt.Sprintf(" :%d", e.Line)
		}
		for _, part := range []string{e.Reason, e.Message} {
			if part != "" {
				line += " (" + part + ")"
			}
		}
		lines = append(lines, line)
		if e.Error != nil {
			lines = append(lines, strings.TrimRight(indent((&printer{}).problem(e), margin(e.Nesting)+"    | "), "\n"))
		}
	}
	return lines
}

// golden compares with a file of testdata, or writes it.
func golden(t *testing.T, path, got string) {
	t.Helper()
	if *update {
		require.NoError(t, os.WriteFile(path, []byte(got), 0o666))
	}
	want, err := os.ReadFile(path)
	require.NoError(t, err)
	require.Equal(t, string(want), got)
}

func TestExportsAreThoseOfTheModule(t *testing.T) {
	h := newFakeHost(t)
	require.ElementsMatch(t, exports, h.module.Exports.Keys())
	require.True(t, h.module.Exports.Get("default").StrictEquals(h.module.Exports.Get("test")))
	require.Len(t, scriptFiles, len(must(scripts.ReadDir("js"))))
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}
