package runtime_test

import (
	"testing"
	"time"

	"github.com/dop251/goja"
	"github.com/stretchr/testify/require"

	"github.com/sextongc/sexton/runtime"
)

// The async context follows whatever was started in it.
func TestAsyncContext(t *testing.T) {
	var h *host
	opts := &runtime.Options{Extensions: []*runtime.Extension{{
		Name: "test/context", Exports: []string{"within", "current", "later", "task"},
		Open: func(rt *runtime.Runtime) (*runtime.Module, error) {
			return &runtime.Module{Exports: map[string]goja.Value{
				"within": rt.Func("within", func(call goja.FunctionCall) goja.Value {
					var v goja.Value
					rt.WithContext(call.Argument(0).String(), func() {
						var err error
						v, err = rt.Call(call.Argument(1), nil, 0)
						require.NoError(t, err)
					})
					return v
				}),
				"current": rt.Func("current", func(goja.FunctionCall) goja.Value {
					s, _ := rt.Context().(string)
					return rt.Goja().ToValue(s)
				}),
				"later": rt.Func("later", func(goja.FunctionCall) goja.Value {
					p, resolve, _ := rt.Promise()
					go rt.Enqueue(func() {
						require.Nil(t, rt.Context())
						resolve(1)
					})
					return p
				}),
				"task": rt.Func("task", func(call goja.FunctionCall) goja.Value {
					p, resolve, _ := rt.Promise()
					rt.Go(func(task *runtime.Task) {
						rt.After(time.Millisecond, task.Wake)
						task.Park()
						v, err := rt.Call(call.Argument(0), nil, 0)
						require.NoError(t, err)
						resolve(v)
					})
					return p
				}),
			}}, nil
		},
	}}}
	for name, body := range map[string]string{
		"sync":             `log()`,
		"await":            `await null; log()`,
		"await twice":      `await null; await new Promise((r) => setTimeout(r, 1)); log()`,
		"await in another": `await (async () => { await null; await null })(); log()`,
		"then":             `await Promise.resolve().then(log)`,
		"catch":            `await Promise.reject(1).catch(log)`,
		"finally":          `await Promise.resolve(1).finally(log)`,
		"timeout":          `await new Promise((r) => setTimeout(() => { log(); r() }, 1))`,
		"immediate":        `await new Promise((r) => setImmediate(() => { log(); r() }))`,
		"interval":         `await new Promise((r) => { const id = setInterval(() => { log(); clearInterval(id); r() }, 1) })`,
		"microtask":        `await new Promise((r) => queueMicrotask(() => { log(); r() }))`,
		"host promise":     `await later(); log()`,
		"task":             `await task(log)`,
		"Promise.all":      `await Promise.all([later(), null]); log()`,
		"for await":        `for await (const x of [later(), 1]) {} log()`,
		"shared promise":   `await shared; log()`,
		"nested":           `await within("inner", async () => { await null; if (current() !== "inner") log() }); log()`,
		"after throw":      `try { await within("inner", async () => { await null; throw 1 }) } catch {} log()`,
	} {
		t.Run(name, func(t *testing.T) {
			h = newHost(t, opts)
			got, err := h.run(`
				import { within, current, later, task } from "test/context";
				const log = () => console.log(current());
				const shared = new Promise((r) => setTimeout(r, 2));
				export async function main() {
					await Promise.all(["a", "b"].map((name) => within(name, async () => { ` + body + ` })));
					console.log("none " + current());
				}`)
			require.NoError(t, err)
			require.Contains(t, []string{"a\nb\nnone ", "b\na\nnone "}, got)
		})
	}
}
