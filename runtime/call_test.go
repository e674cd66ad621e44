package runtime_test

import (
	"context"
	"errors"
	"io/fs"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/dop251/goja"
	"github.com/stretchr/testify/require"

	"github.com/sextongc/sexton/runtime"
)

// guard is a host module whose call(f) calls f with a limit and returns the error's text, or "ok".
func guard(limit time.Duration, seen *[]error) *runtime.Extension {
	return &runtime.Extension{Name: "test/guard", Exports: []string{"call"}, Open: func(rt *runtime.Runtime) (*runtime.Module, error) {
		call := rt.Func("call", func(call goja.FunctionCall) goja.Value {
			_, err := rt.Call(call.Argument(0), nil, limit)
			if seen != nil {
				*seen = append(*seen, err)
			}
			if err != nil {
				return rt.Goja().ToValue(err.Error())
			}
			return rt.Goja().ToValue("ok")
		})
		return &runtime.Module{Exports: map[string]goja.Value{"call": call}}, nil
	}}
}

// A call that is cut off ends alone: the script around it, its try and catch, its loops and its promise
// jobs go on.
func TestLimit(t *testing.T) {
	const late = "TimeLimitError: not finished after 20ms"
	for name, tt := range map[string]struct{ victim, want string }{
		"loop":           {`() => { while (true) {} }`, late},
		"catch, finally": {`() => { try { while (true) {} } catch {} finally { while (true) {} } }`, late},
		"async":          {`async () => { while (true) {} }`, late},
		"nested async":   {`async () => { await (async () => { await (async () => { while (true) {} })() })() }`, late},
		"generator":      {`() => { for (const x of (function* () { while (true) {} })()) {} }`, late},
		"iterator return": {`() => { const it = { [Symbol.iterator]() { return this }, next() { return { value: 1 } },
			return() { while (true) {} } }; for (const x of it) while (true) {} }`, late},
		"callback":    {`() => [3, 1, 2].sort(() => { while (true) {} })`, late},
		"class field": {`() => { class A { x = (() => { while (true) {} })() } new A() }`, late},
		"overflow":    {`() => { const f = () => f(); f() }`, "RangeError: the call stack is deeper than 500 calls, the limit callDepth"},
		"async overflow": {`async () => { const f = async () => { await f() }; await f() }`,
			"RangeError: the call stack is deeper than 500 calls, the limit callDepth"},
		"getter overflow": {`() => { const o = { get a() { return this.a } }; o.a }`, "RangeError: the call stack is deeper than 500 calls, the limit callDepth"},
		"panic": {`() => { Object.keys(new Proxy({}, { ownKeys() { return { length: 2 ** 31 } } })) }`,
			"InternalError: panic in Go code: runtime error: invalid memory address"},
		"async panic": {`async () => { Object.keys(new Proxy({}, { ownKeys() { return { length: 2 ** 31 } } })) }`,
			"InternalError: panic in Go code: runtime error: invalid memory address"},
		"throw": {`() => { throw new TypeError("mine") }`, "TypeError: mine"},
		"fine":  {`() => 1`, "ok"},
	} {
		t.Run(name, func(t *testing.T) {
			h := newHost(t, &runtime.Options{Extensions: []*runtime.Extension{guard(20*time.Millisecond, nil)}})
			got, err := h.run(`
				import { call } from "test/guard";
				function around() {
					const local = "local";
					Promise.resolve().then(() => console.log("job"));
					try {
						for (const x of [1, 2]) console.log(call(` + tt.victim + `));
						throw new Error("mine");
					} catch (e) {
						console.log(e.message, local);
					} finally {
						console.log("finally");
					}
				}
				export const main = async () => { await null; around(); await null; console.log("end"); }`)
			require.NoError(t, err)
			lines := strings.Split(got, "\n")
			require.Len(t, lines, 6, got)
			require.Contains(t, lines[0], tt.want)
			require.Contains(t, lines[1], tt.want)
			require.Equal(t, []string{"mine local", "finally", "job", "end"}, lines[2:])
		})
	}
}

func TestNestedLimits(t *testing.T) {
	var seen []error
	opts := &runtime.Options{Extensions: []*runtime.Extension{guard(0, &seen)}}
	h := newHost(t, opts)
	err := h.Run(patient(t), func(task *runtime.Task) error {
		ns, err := h.load(task, `
			import { call } from "test/guard";
			export const outer = () => { call(() => { while (true) {} }); while (true) {} };
			export const fine = () => 42;`)
		require.NoError(t, err)
		// The outer call's limit ends the inner call, which has none, and the outer one.
		_, err = h.Call(ns.Get("outer"), nil, 20*time.Millisecond)
		require.ErrorIs(t, err, runtime.ErrTimeLimit)
		require.Len(t, seen, 1)
		require.ErrorIs(t, seen[0], runtime.ErrTimeLimit)
		require.EqualError(t, seen[0], "TimeLimitError: not finished after 20ms")
		v, err := h.Call(ns.Get("fine"), nil, time.Second)
		require.NoError(t, err)
		require.EqualValues(t, 42, v.Export())
		return nil
	})
	require.NoError(t, err)
}

// A timer that fires about when the call returns never interrupts what comes after the call.
func TestLimitRace(t *testing.T) {
	h := newHost(t, nil)
	err := h.Run(patient(t), func(task *runtime.Task) error {
		ns, err := h.load(task, `
			export const spin = (n) => { let x = 0; for (let i = 0; i < n; i++) x += i; return x };
			export const after = () => { let x = 0; for (let i = 0; i < 300; i++) x += i; return x };`)
		require.NoError(t, err)
		spin, after := ns.Get("spin"), ns.Get("after")
		late, inTime := 0, 0
		for i := range 600 {
			_, err := h.Call(spin, nil, 200*time.Microsecond, h.Goja().ToValue(i*20))
			if err != nil {
				require.ErrorIs(t, err, runtime.ErrTimeLimit)
				late++
			} else {
				inTime++
			}
			_, err = h.Call(after, nil, 0)
			require.NoError(t, err)
		}
		require.Positive(t, inTime)
		require.Positive(t, late)
		return nil
	})
	require.NoError(t, err)
}

// Errors are data; making them runs what the script wrote for no longer than a moment.
func TestErrors(t *testing.T) {
	for name, tt := range map[string]struct {
		source string
		want   runtime.ScriptError
	}{
		"error":        {`throw new TypeError("x")`, runtime.ScriptError{Name: "TypeError", Message: "x"}},
		"subclass":     {`class E extends Error { name = "Mine" } throw new E("x")`, runtime.ScriptError{Name: "Mine", Message: "x"}},
		"string":       {`throw "x"`, runtime.ScriptError{Message: "x"}},
		"undefined":    {`throw undefined`, runtime.ScriptError{Message: "undefined"}},
		"object":       {`throw { a: 1 }`, runtime.ScriptError{Message: "{ a: 1 }"}},
		"like":         {`throw { name: "Like", message: "an error" }`, runtime.ScriptError{Name: "Like", Message: "an error"}},
		"no message":   {`throw new Error()`, runtime.ScriptError{Name: "Error"}},
		"toString":     {`throw { toString() { while (true) {} } }`, runtime.ScriptError{Message: "{ toString: [Function: toString] }"}},
		"name getter":  {`throw Object.defineProperty(new Error("x"), "name", { get() { throw this } })`, runtime.ScriptError{Message: "a value that cannot be described"}},
		"endless":      {`throw Object.defineProperty(new Error("x"), "message", { get() { while (true) {} } })`, runtime.ScriptError{Message: "a value that cannot be described"}},
		"proxy":        {`throw new Proxy({}, { get() { while (true) {} } })`, runtime.ScriptError{Message: "[Proxy]"}},
		"long":         {`throw new Error("x".repeat(1 << 20))`, runtime.ScriptError{Name: "Error", Message: strings.Repeat("x", 64<<10) + "…"}},
		"patched":      {`Error.prototype.toString = null; Array.prototype[Symbol.iterator] = null; throw new Error("x")`, runtime.ScriptError{Name: "Error", Message: "x"}},
		"after await":  {`await null; throw new RangeError("x")`, runtime.ScriptError{Name: "RangeError", Message: "x"}},
		"name newline": {`throw new Error("a\nb")`, runtime.ScriptError{Name: "Error", Message: "a\nb"}},
	} {
		t.Run(name, func(t *testing.T) {
			h := newHost(t, nil)
			_, err := h.run(`export async function main() { ` + tt.source + `}`)
			var e *runtime.ScriptError
			require.ErrorAs(t, err, &e)
			require.Equal(t, tt.want.Name, e.Name)
			require.Equal(t, tt.want.Message, e.Message)
			require.NotContains(t, e.Error(), "\n")
			_, err = h.run(`export const main = () => 1`)
			require.NoError(t, err)
		})
	}
}

func TestErrorDetail(t *testing.T) {
	h := newHost(t, nil)
	_, err := h.run(`
class Store {
  save(): void {
    throw new Error("disk full");
  }
}
async function deploy(): Promise<void> {
  try {
    new Store().save();
  } catch (e) {
    throw new Error("cannot deploy", { cause: e });
  }
}
export async function main() {
  await null;
  await deploy();
}`)
	var e *runtime.ScriptError
	require.ErrorAs(t, err, &e)
	require.Equal(t, `Error: cannot deploy
    at deploy (main.ts:11:11)
    at main (main.ts:16:9)
caused by Error: disk full
    at Store.save (main.ts:4:11)
    at deploy (main.ts:9:17)
    at main (main.ts:16:9)`, e.Detail())
}

// A Go error that a host function throws is found again, however it comes back.
func TestGoErrors(t *testing.T) {
	missing := &fs.PathError{Op: "open", Path: "x", Err: fs.ErrNotExist}
	opts := &runtime.Options{Extensions: []*runtime.Extension{{
		Name: "test/fail", Exports: []string{"fail", "raw", "later", "crash"},
		Open: func(rt *runtime.Runtime) (*runtime.Module, error) {
			return &runtime.Module{Exports: map[string]goja.Value{
				"fail":  rt.Func("fail", func(goja.FunctionCall) goja.Value { panic(rt.ErrorValue(missing)) }),
				"raw":   rt.Func("raw", func(goja.FunctionCall) goja.Value { panic(rt.Goja().NewGoError(missing)) }),
				"crash": rt.Func("crash", func(goja.FunctionCall) goja.Value { var p *fs.PathError; return rt.Goja().ToValue(p.Path) }),
				"later": rt.Func("later", func(goja.FunctionCall) goja.Value {
					p, _, reject := rt.Promise()
					go rt.Enqueue(func() { reject(missing) })
					return p
				}),
			}}, nil
		},
	}}}
	h := newHost(t, opts)
	for _, source := range []string{`fail()`, `raw()`, `await later()`, `try { fail() } catch (e) { throw new Error("wrapped", { cause: e }) }`} {
		_, err := h.run(`import { fail, raw, later } from "test/fail"; export async function main() { ` + source + `}`)
		var path *fs.PathError
		require.ErrorAs(t, err, &path, source)
		require.ErrorIs(t, err, fs.ErrNotExist)
		var e *runtime.ScriptError
		require.ErrorAs(t, err, &e)
		require.Equal(t, "Error", e.Name)
	}
	_, err := h.run(`import { fail } from "test/fail"; export function main() { try { fail() } catch (e) { console.log(Reflect.ownKeys(e)) } }`)
	require.NoError(t, err)
	require.Equal(t, []string{"[ 'stack', 'message' ]"}, h.lines) // nothing of Go to be seen

	_, err = h.run(`import { crash } from "test/fail"; export function main() { crash() }`)
	var p *runtime.PanicError
	require.ErrorAs(t, err, &p)
	require.Contains(t, err.Error(), "nil pointer")
	require.Contains(t, string(p.Stack), "call_test.go")
}

// Cancelling the context interrupts scripts wherever they are, and the runtime is usable afterwards.
func TestCancel(t *testing.T) {
	why := errors.New("enough")
	for name, source := range map[string]string{
		"sync":      `export const main = () => { started(); while (true) {} }`,
		"job":       `export const main = async () => { await null; started(); while (true) {} }`,
		"timer":     `export const main = () => new Promise(() => setTimeout(() => { started(); while (true) {} }, 0))`,
		"waiting":   `export const main = () => new Promise((r) => { started(); setTimeout(r, 1e8) })`,
		"microtask": `export const main = () => { started(); const f = () => Promise.resolve().then(f); return f() }`,
		"overcome":  `export const main = () => { for (;;) { try { started(); while (true) {} } catch {} finally { while (true) {} } } }`,
	} {
		t.Run(name, func(t *testing.T) {
			h := newHost(t, nil)
			ctx, cancel := context.WithCancelCause(context.Background())
			var once atomic.Bool
			require.NoError(t, h.Goja().Set("started", h.Func("started", func(goja.FunctionCall) goja.Value {
				if once.CompareAndSwap(false, true) {
					go cancel(why)
				}
				return goja.Undefined()
			})))
			err := h.Run(ctx, func(task *runtime.Task) error {
				ns, err := h.load(task, "declare const started: any;"+source)
				require.NoError(t, err)
				v, err := h.Call(ns.Get("main"), nil, 0)
				if err != nil {
					return err
				}
				_, err = task.Await(v)
				require.ErrorIs(t, task.Context().Err(), context.Canceled)
				return err
			})
			require.ErrorIs(t, err, why)
			h.CancelTimers()
			got, err := h.run(`export const main = async () => { await null; console.log("alive") }`)
			require.NoError(t, err)
			require.Equal(t, "alive", got)
		})
	}
}

func TestConstruct(t *testing.T) {
	h := newHost(t, nil)
	require.NoError(t, h.Run(patient(t), func(task *runtime.Task) error {
		ns, err := h.load(task, `
			export class A { constructor(n) { if (n < 0) throw new RangeError("negative"); while (n > 100) {} this.n = n } }
			export class B extends A {}`)
		require.NoError(t, err)
		o, err := h.Construct(ns.Get("A"), ns.Get("B").(*goja.Object), time.Second, h.Goja().ToValue(1))
		require.NoError(t, err)
		require.EqualValues(t, 1, o.Get("n").Export())
		require.True(t, h.Goja().InstanceOf(o, ns.Get("B").(*goja.Object)))
		_, err = h.Construct(ns.Get("A"), nil, time.Second, h.Goja().ToValue(-1))
		require.EqualError(t, err, "RangeError: negative")
		_, err = h.Construct(ns.Get("A"), nil, 10*time.Millisecond, h.Goja().ToValue(101))
		require.ErrorIs(t, err, runtime.ErrTimeLimit)
		_, err = h.Construct(h.Goja().ToValue(1), nil, 0)
		require.EqualError(t, err, "TypeError: not a constructor")
		_, err = h.Call(h.Goja().ToValue(1), nil, 0)
		require.EqualError(t, err, "TypeError: not a function")
		return nil
	}))
}
