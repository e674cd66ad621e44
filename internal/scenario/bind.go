package scenario

import (
	"encoding/json"
	"fmt"
	"time"

	"github.com/dop251/goja"
)

// Host is what the module needs of the program around it. All methods are called on the goroutine that
// runs the scripts. A result of type goja.Value may be a promise, which the module awaits; a returned
// error reaches the script as an Error with its text. Tests run one after another, so at most one
// environment is open.
type Host interface {
	// Begin opens a fresh environment for the test with this full name. If it fails, End is not called.
	Begin(test string) (goja.Value, error)
	// End closes the environment. With check it answers what the test left behind, as the text of an
	// Ending; otherwise the answer is not looked at. Nothing of the module refers to objects of the
	// test when End is called.
	End(check bool) (goja.Value, error)
	// Deploy deploys a model, given as the text of a model file, with settings of js-api.md as a JSON
	// object. It answers the report as JSON text, also when destruction is incomplete.
	Deploy(model, settings string) (goja.Value, error)
	// Load loads a model as the beginning of a deployment does: constructors, recover() and loaded().
	Load(model string) (goja.Value, error)
	// Collect runs an on-demand collection and answers its report as JSON text.
	Collect() (goja.Value, error)
	// Snapshot answers the canonical snapshot as text.
	Snapshot() (goja.Value, error)
	// Env returns the root object, undefined before the first deployment.
	Env() goja.Value

	// Identify returns the id of a managed object, and whether the value is one. It runs no script.
	Identify(value goja.Value) (id string, ok bool)
	// State returns "live", "doomed", "destroyed", "gone" (was there, and is forgotten) or "unknown"
	// for a managed object or an id.
	State(objectOrID goja.Value) string
	// Destructor returns what runs as the destroy() of the class with this prototype, undefined if it is no
	// class of managed objects or has no destroy() of its own. If by is a function, that runs from now on.
	Destructor(prototype, by goja.Value) goja.Value

	// Golden returns the value stored for a test file under a key, false if there is none. A host that
	// updates stored values keeps text and returns it.
	Golden(file, key, text string) (stored string, ok bool)
	// Report takes a result. The event is the host's to keep.
	Report(e *Event)

	// Timer calls fire once, as a job of the event loop, after d of real time unless cancelled.
	Timer(d time.Duration, fire func()) (cancel func())
	// Time is the real time since some moment, for durations.
	Time() time.Duration
	// Now is the virtual time in milliseconds since 1970; Advance moves it and answers when all that
	// became due has run.
	Now() float64
	Advance(d time.Duration) (goja.Value, error)
}

// Ending is what a test left behind.
type Ending struct {
	Leaks    []Left `json:"leaks,omitempty"`    // live objects that no root reaches
	Failures []Left `json:"failures,omitempty"` // objects whose destructor failed
}

// Left is one object in an Ending.
type Left struct {
	ID    string `json:"id"`
	Type  string `json:"type"`
	At    string `json:"at,omitempty"`    // file:line:column that created it
	Error string `json:"error,omitempty"` // why its destructor failed
}

// Module is the module in one JavaScript runtime. It is not safe for concurrent use: all calls must come
// from the goroutine that runs the scripts.
type Module struct {
	Exports *goja.Object // what test files import

	vm                     *goja.Runtime
	file, run, event, fail goja.Callable
}

// RunOptions selects what runs, and how.
type RunOptions struct {
	Pattern string        // substring of the full name, or "/regexp/flags"; empty: all
	Lines   []int         // of the file: only the tests or suites that begin there, or before; none: all
	Bail    bool          // stop after the first failure
	Seed    *uint32       // shuffle; nil: as declared
	Timeout time.Duration // of a test or hook that has none of its own; 0: none
}

// Bind evaluates the module. It must be called before scripts that may change built-in objects run.
func Bind(vm *goja.Runtime, host Host) (*Module, error) {
	value, err := vm.RunProgram(program())
	if err != nil {
		return nil, fmt.Errorf("evaluate %s: %w", ModuleName, err)
	}
	body, _ := goja.AssertFunction(value)
	value, err = body(goja.Undefined(), hostObject(vm, host))
	if err != nil {
		return nil, fmt.Errorf("evaluate %s: %w", ModuleName, err)
	}
	result := value.ToObject(vm)
	m := &Module{Exports: result.Get("exports").ToObject(vm), vm: vm}
	for name, f := range map[string]*goja.Callable{"file": &m.file, "run": &m.run, "event": &m.event, "fault": &m.fail} {
		*f, _ = goja.AssertFunction(result.Get(name))
	}
	return m, nil
}

// File makes the tests that are declared from now on belong to the file with this name. It must be
// called before a test file is evaluated.
func (m *Module) File(name string) error {
	_, err := m.file(goja.Undefined(), m.vm.ToValue(name))
	return err
}

// Run runs the declared tests, once, and returns a promise that is fulfilled when all are reported. It is
// rejected only if the pattern is no regular expression or the module itself fails.
func (m *Module) Run(opts *RunOptions) (goja.Value, error) {
	if opts == nil {
		opts = &RunOptions{}
	}
	o := m.vm.NewObject()
	lines := make([]any, len(opts.Lines))
	for i, line := range opts.Lines {
		lines[i] = line
	}
	fields := map[string]any{"lines": m.vm.NewArray(lines...), "pattern": opts.Pattern, "bail": opts.Bail, "timeout": milliseconds(opts.Timeout)}
	if opts.Seed != nil {
		fields["seed"] = int64(*opts.Seed)
	}
	for name, value := range fields {
		if err := o.Set(name, value); err != nil {
			return nil, err
		}
	}
	return m.run(goja.Undefined(), o)
}

// Event adds an event to the running test: "notify" subscriber publisher, "destroy" id, "destroyed" id,
// "failed" id, "blocked" id. It runs no code of the test. Within a native function that a script has
// called, it must be wrapped as every nested call.
func (m *Module) Event(words ...string) error {
	args := make([]goja.Value, len(words))
	for k, word := range words {
		args[k] = m.vm.ToValue(word)
	}
	_, err := m.event(goja.Undefined(), args...)
	return err
}

// Fault makes the running test fail with an error that nothing handled: the reason of a rejected
// promise, or what a timer's callback threw.
func (m *Module) Fault(reason goja.Value) error {
	_, err := m.fail(goja.Undefined(), reason)
	return err
}

func milliseconds(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }

func duration(ms goja.Value) time.Duration {
	return time.Duration(ms.ToFloat() * float64(time.Millisecond))
}

// hostObject makes the object that the scripts call. It holds native functions and nothing else.
func hostObject(vm *goja.Runtime, host Host) *goja.Object {
	answer := func(v goja.Value, err error) goja.Value {
		if err != nil {
			panic(scriptError(vm, err))
		}
		return v
	}
	text := func(s string, ok bool) goja.Value {
		if !ok {
			return goja.Null()
		}
		return vm.ToValue(s)
	}
	type call = goja.FunctionCall
	return object(vm, map[string]any{
		"begin":      func(c call) goja.Value { return answer(host.Begin(c.Argument(0).String())) },
		"end":        func(c call) goja.Value { return answer(host.End(c.Argument(0).ToBoolean())) },
		"deploy":     func(c call) goja.Value { return answer(host.Deploy(c.Argument(0).String(), c.Argument(1).String())) },
		"load":       func(c call) goja.Value { return answer(host.Load(c.Argument(0).String())) },
		"collect":    func(call) goja.Value { return answer(host.Collect()) },
		"snapshot":   func(call) goja.Value { return answer(host.Snapshot()) },
		"env":        func(call) goja.Value { return host.Env() },
		"identify":   func(c call) goja.Value { return text(host.Identify(c.Argument(0))) },
		"state":      func(c call) goja.Value { return vm.ToValue(host.State(c.Argument(0))) },
		"destructor": func(c call) goja.Value { return host.Destructor(c.Argument(0), c.Argument(1)) },
		"golden": func(c call) goja.Value {
			return text(host.Golden(c.Argument(0).String(), c.Argument(1).String(), c.Argument(2).String()))
		},
		"report": func(c call) goja.Value {
			var e Event
			if err := json.Unmarshal([]byte(c.Argument(0).String()), &e); err != nil {
				panic(scriptError(vm, fmt.Errorf("read a report of %s: %w", ModuleName, err)))
			}
			host.Report(&e)
			return goja.Undefined()
		},
		"timer": func(c call) goja.Value {
			fire, _ := goja.AssertFunction(c.Argument(1))
			cancel := host.Timer(duration(c.Argument(0)), func() { _, _ = fire(goja.Undefined()) }) // rejects a promise: cannot fail
			return vm.ToValue(func(call) goja.Value {
				cancel()
				return goja.Undefined()
			})
		},
		"time": func(call) goja.Value { return vm.ToValue(milliseconds(host.Time())) },
		"clock": object(vm, map[string]any{
			"now":     func(call) goja.Value { return vm.ToValue(host.Now()) },
			"advance": func(c call) goja.Value { return answer(host.Advance(duration(c.Argument(0)))) },
		}),
	})
}

func object(vm *goja.Runtime, fields map[string]any) *goja.Object {
	o := vm.NewObject()
	for name, value := range fields {
		if err := o.Set(name, value); err != nil {
			panic(err) // a fresh object takes every property
		}
	}
	return o
}

// scriptError makes a plain Error: no Go value may be seen by scripts.
func scriptError(vm *goja.Runtime, err error) goja.Value {
	o, failure := vm.New(vm.GlobalObject().Get("Error"), vm.ToValue(err.Error()))
	if failure != nil {
		return vm.ToValue(err.Error())
	}
	return o
}
