package runtime_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/dop251/goja"
	"github.com/stretchr/testify/require"

	"github.com/sextongc/sexton/internal/effect"
	"github.com/sextongc/sexton/runtime"
)

// Tasks take turns: each runs until it parks.
func TestTasksTakeTurns(t *testing.T) {
	h := newHost(t, nil)
	var log []string
	err := h.Run(patient(t), func(main *runtime.Task) error {
		done := 0
		for _, name := range []string{"a", "b"} {
			h.Go(func(task *runtime.Task) {
				log = append(log, name+" starts")
				task.Wake()
				task.Park() // does not wait
				log = append(log, name+" parks")
				h.After(time.Millisecond, task.Wake)
				task.Park()
				log = append(log, name+" ends")
				done++
				main.Wake()
			})
		}
		log = append(log, "main parks")
		for done < 2 {
			main.Park()
		}
		return nil
	})
	require.NoError(t, err)
	require.Equal(t, []string{"a starts", "a parks", "b starts", "b parks", "main parks", "a ends", "b ends"}, log)
}

// A task may start in a host function that a script calls, and park there; the script goes on.
func TestTaskInsideOfCall(t *testing.T) {
	opts := &runtime.Options{Extensions: []*runtime.Extension{{
		Name: "test/task", Exports: []string{"start"},
		Open: func(rt *runtime.Runtime) (*runtime.Module, error) {
			return &runtime.Module{Exports: map[string]goja.Value{
				"start": rt.Func("start", func(call goja.FunctionCall) goja.Value {
					p, resolve, reject := rt.Promise()
					rt.Go(func(task *runtime.Task) {
						v, err := rt.Call(call.Argument(0), nil, time.Second)
						if err == nil {
							v, err = task.Await(v)
						}
						if err != nil {
							reject(err)
							return
						}
						resolve(v)
					})
					return p
				}),
			}}, nil
		},
	}}}
	got, err := newHost(t, opts).run(`
		import { start } from "test/task";
		export async function main() {
			const p = start(async () => { console.log("in"); await new Promise((r) => setTimeout(r, 1)); console.log("later"); return 7 });
			console.log("out");
			console.log(await p, await start(() => start(async () => 8)));
			try { await start(async () => { throw new TypeError("x") }) } catch (e) { console.log(e instanceof TypeError, String(e)) }
		}`)
	require.NoError(t, err)
	require.Equal(t, "in\nout\nlater\n7 8\ntrue TypeError: x", got)
}

func TestAwait(t *testing.T) {
	h := newHost(t, nil)
	err := h.Run(patient(t), func(task *runtime.Task) error {
		eval := func(source string) goja.Value {
			v, err := h.Goja().RunString(source)
			require.NoError(t, err)
			return v
		}
		jobs := 0
		h.Enqueue(func() { jobs++ })
		for source, want := range map[string]any{
			`1`: int64(1), `Promise.resolve(2)`: int64(2), `(async () => 3)()`: int64(3), `undefined`: nil,
		} {
			v, err := task.Await(eval(source))
			require.NoError(t, err)
			require.Equal(t, want, v.Export())
		}
		_, err := task.Await(eval(`Promise.reject(new RangeError("at once"))`))
		require.EqualError(t, err, "RangeError: at once")
		require.Zero(t, jobs) // nothing of this waited
		v, err := task.Await(eval(`(async () => { await null; return 4 })()`))
		require.NoError(t, err)
		require.EqualValues(t, 4, v.Export())
		require.Equal(t, 1, jobs)
		_, err = task.Await(eval(`(async () => { await null; throw "later" })()`))
		require.EqualError(t, err, "later")
		_, err = task.Await(eval(`({ get then() { throw new Error("getter") } })`))
		require.EqualError(t, err, "Error: getter")
		_, err = task.AwaitFor(eval(`new Promise((r) => setTimeout(r, 1e6))`), 2*time.Millisecond)
		require.ErrorIs(t, err, runtime.ErrTimeLimit)
		require.Equal(t, 1, h.CancelTimers())
		v, err = task.AwaitFor(eval(`new Promise((r) => setTimeout(r, 1, "in time"))`), time.Minute)
		require.NoError(t, err)
		require.Equal(t, "in time", v.Export())
		return nil
	})
	require.NoError(t, err)
}

// Promise jobs that make others for ever keep neither limits nor timers from their turn.
func TestEndlessJobs(t *testing.T) {
	for _, source := range []string{
		`(async () => { for (;;) await null })()`,
		`new Promise(() => { const again = () => { queueMicrotask(again) }; again() })`,
		`const make = () => ({ then(resolve) { resolve(make()) } }); (async () => await make())()`,
	} {
		h := newHost(t, nil)
		err := h.Run(patient(t), func(task *runtime.Task) error {
			v, err := h.Goja().RunString(source)
			require.NoError(t, err)
			_, err = task.AwaitFor(v, time.Millisecond)
			require.ErrorIs(t, err, runtime.ErrTimeLimit)
			v, err = h.Goja().RunString(`new Promise((resolve) => setTimeout(resolve, 1, "in time"))`)
			require.NoError(t, err)
			v, err = task.Await(v)
			require.NoError(t, err)
			require.Equal(t, "in time", v.String())
			return nil
		})
		require.NoError(t, err)
	}
}

func TestDeadlock(t *testing.T) {
	h := newHost(t, nil)
	unwound := false
	err := h.Run(patient(t), func(task *runtime.Task) error {
		defer func() { unwound = true }()
		v, err := h.Goja().RunString(`new Promise(() => {})`)
		require.NoError(t, err)
		_, err = task.Await(v)
		return err
	})
	require.ErrorIs(t, err, runtime.ErrDeadlock)
	require.True(t, unwound)

	// Limits settle nothing: it is not waited for them. The task learns of it and goes on; of several, the
	// last one first, and what it does lets the others go on.
	var log []string
	err = h.Run(patient(t), func(task *runtime.Task) error {
		outer, resolve, _ := h.Goja().NewPromise()
		for _, name := range []string{"first", "second"} {
			h.Go(func(task *runtime.Task) {
				v, err := h.Goja().RunString(`new Promise(() => {})`)
				require.NoError(t, err)
				_, err = task.AwaitFor(v, time.Hour)
				require.ErrorIs(t, err, runtime.ErrDeadlock)
				log = append(log, name)
				if name == "first" {
					require.NoError(t, resolve("settled"))
				}
			})
		}
		v, err := task.AwaitFor(h.Goja().ToValue(outer), 2*time.Hour)
		require.NoError(t, err)
		log = append(log, v.String())
		return nil
	})
	require.NoError(t, err)
	require.Equal(t, []string{"second", "first", "settled"}, log)

	// What is parked without a promise cannot be told.
	unwound = false
	err = h.Run(patient(t), func(task *runtime.Task) error {
		defer func() { unwound = true }()
		task.Park()
		return nil
	})
	require.ErrorIs(t, err, runtime.ErrDeadlock)
	require.True(t, unwound)

	// What is held is not dead.
	err = h.Run(patient(t), func(task *runtime.Task) error {
		release := h.Hold()
		require.Equal(t, 1, h.Operations())
		go h.Enqueue(func() {
			release()
			release()
			task.Wake()
		})
		task.Park()
		require.Zero(t, h.Operations())
		return nil
	})
	require.NoError(t, err)
}

// brokerFunc answers every request alike.
type brokerFunc func() *effect.Outcome

func (f brokerFunc) Do(context.Context, *effect.Request) *effect.Outcome { return f() }

func TestAwaitEffects(t *testing.T) {
	gate := make(chan struct{})
	h := newHost(t, &runtime.Options{
		Extensions: []*runtime.Extension{runtime.Files()},
		Broker: brokerFunc(func() *effect.Outcome {
			<-gate
			return &effect.Outcome{Result: json.RawMessage("null")}
		}),
	})
	require.NoError(t, h.Run(patient(t), func(task *runtime.Task) error {
		require.NoError(t, task.AwaitEffects(0)) // there is none
		_, err := h.load(task, `import { rm } from "sexton/fs";
			rm("a").then(() => { console.log("a"); return rm("b"); }).then(() => console.log("b"));`)
		require.NoError(t, err)
		_, resolve, _ := h.Promise() // an operation that is no effect
		err = task.AwaitEffects(time.Millisecond)
		require.ErrorIs(t, err, runtime.ErrTimeLimit)
		require.EqualError(t, err, "effects that the script did not await: TimeLimitError: not finished after 1ms")
		close(gate)
		require.NoError(t, task.AwaitEffects(0))
		require.Equal(t, []string{"a", "b"}, h.lines)
		require.Equal(t, 1, h.Operations())
		resolve(nil)
		return nil
	}))
}

func TestUnhandled(t *testing.T) {
	for name, source := range map[string]string{
		"unhandled rejection": `Promise.reject(new TypeError("lost")); export const main = () => new Promise((r) => setTimeout(r, 1e6))`,
		"timer":               `setTimeout(() => { throw new TypeError("lost") }, 1); export const main = () => new Promise((r) => setTimeout(r, 1e6))`,
	} {
		t.Run(name, func(t *testing.T) {
			_, err := newHost(t, nil).run(source)
			require.EqualError(t, err, name+": TypeError: lost")
			var e *runtime.ScriptError
			require.ErrorAs(t, err, &e)
			require.Equal(t, name, e.Phase)
			require.NotEmpty(t, e.Stack)

			var reported []string
			h := newHost(t, &runtime.Options{Unhandled: func(err *runtime.ScriptError, ctx any) {
				reported = append(reported, err.Phase+" "+err.Error())
			}})
			_, err = h.run(strings.ReplaceAll(source, "1e6", "3"))
			require.NoError(t, err)
			require.Equal(t, []string{name + " TypeError: lost"}, reported)
		})
	}
	// One that is handled within the same job is not reported.
	_, err := newHost(t, nil).run(`
		const p = Promise.reject(1);
		export const main = async () => { const q = Promise.reject(2); await null; try { await q } catch {} };
		await p.catch(() => {});`)
	require.NoError(t, err)
}

func TestPanicOfTask(t *testing.T) {
	h := newHost(t, nil)
	for name, fn := range map[string]func(task *runtime.Task) error{
		"main": func(task *runtime.Task) error { panic("mine") },
		"other": func(task *runtime.Task) error {
			h.Go(func(*runtime.Task) { panic("mine") })
			return nil
		},
	} {
		t.Run(name, func(t *testing.T) {
			defer func() {
				p, ok := recover().(*runtime.PanicError)
				require.True(t, ok)
				require.Equal(t, "mine", p.Value)
				require.Contains(t, string(p.Stack), "task_test.go")
				got, err := h.run(`console.log("alive")`)
				require.NoError(t, err)
				require.Equal(t, "alive", got)
			}()
			_ = h.Run(patient(t), fn)
		})
	}
}

func TestClose(t *testing.T) {
	closed := 0
	rt, err := runtime.New(&runtime.Options{Extensions: []*runtime.Extension{{
		Name: "x", Open: func(*runtime.Runtime) (*runtime.Module, error) {
			return &runtime.Module{Close: func() error { closed++; return nil }}, nil
		},
	}}})
	require.NoError(t, err)
	var log []string
	require.NoError(t, rt.Run(patient(t), func(task *runtime.Task) error {
		for _, name := range []string{"a", "b"} {
			rt.Go(func(task *runtime.Task) {
				defer func() {
					log = append(log, name)
					_, err := rt.Call(rt.Goja().Get("Object"), nil, 0)
					require.ErrorIs(t, err, runtime.ErrClosed)
				}()
				task.Park()
				log = append(log, "resumed")
			})
		}
		return nil
	}))
	require.NoError(t, rt.Close())
	require.NoError(t, rt.Close())
	require.Equal(t, []string{"b", "a"}, log)
	require.Equal(t, 1, closed)
	require.ErrorIs(t, rt.Run(context.Background(), nil), runtime.ErrClosed)
}

// Parking inside of a call into a script would mix up the interpreter's stack.
func TestParkInsideOfCall(t *testing.T) {
	h := newHost(t, nil)
	err := h.Run(patient(t), func(task *runtime.Task) error {
		return h.Try(0, func() error {
			_, err := h.Call(h.Func("f", func(goja.FunctionCall) goja.Value {
				_, _ = h.Goja().RunString("0")
				return nil
			}), nil, 0)
			require.NoError(t, err)
			require.NoError(t, h.Goja().Set("park", h.Func("park", func(goja.FunctionCall) goja.Value { task.Park(); return nil })))
			_, err = h.Goja().RunString("park()")
			return err
		})
	})
	require.ErrorContains(t, err, "Park inside of a call into a script")
}

func TestVirtualClock(t *testing.T) {
	start := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	clock := runtime.NewVirtualClock(start)
	h := newHost(t, &runtime.Options{Clock: clock})
	require.NoError(t, h.Goja().Set("advance", h.Func("advance", func(call goja.FunctionCall) goja.Value {
		p, resolve, _ := h.Promise()
		d := time.Duration(call.Argument(0).ToInteger()) * time.Millisecond
		clock.Advance(d, func() { h.Enqueue(func() { resolve(nil) }) })
		return p
	})))
	got, err := h.run(`
		declare const advance: any;
		const began = Date.now();
		const log = (x: unknown) => console.log(x, Date.now() - began);
		export async function main() {
			setTimeout(() => log("b"), 2000);
			setTimeout(async () => { log("a"); await null; setTimeout(() => log("c"), 2500) }, 1000);
			const id = setInterval(() => log("i"), 1500);
			setTimeout(() => log("never"), 3_600_000);
			setImmediate(() => log("now"));
			await advance(3500);
			log("advanced");
			clearInterval(id);
			await advance(1);
			log(new Date().toISOString());
		}`)
	require.NoError(t, err)
	require.Equal(t, "now 0\na 1000\ni 1500\nb 2000\ni 3000\nc 3500\nadvanced 3500\n2026-01-01T00:00:03.501Z 3501", got)
	require.Equal(t, 1, h.CancelTimers())
	require.Zero(t, h.CancelTimers())

	// It may be moved by another goroutine while the loop waits.
	err = h.Run(patient(t), func(task *runtime.Task) error {
		h.After(time.Hour, task.Wake)
		go clock.Advance(time.Hour, nil)
		task.Park()
		return nil
	})
	require.NoError(t, err)
	require.Equal(t, start.Add(time.Hour+3501*time.Millisecond), clock.Now())
}

func TestSeed(t *testing.T) {
	numbers := func(seed uint64) string {
		got, err := newHost(t, &runtime.Options{Seed: seed}).run(`console.log(Math.random(), Math.random())`)
		require.NoError(t, err)
		return got
	}
	require.Equal(t, numbers(1), numbers(1))
	require.NotEqual(t, numbers(1), numbers(2))
}
