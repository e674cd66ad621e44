package vmstack_test

import (
	"testing"
	"time"

	"github.com/dop251/goja"
	"github.com/stretchr/testify/require"

	"github.com/sextongc/sexton/internal/vmstack"
)

// An interrupt inside of async functions and generators leaves goja's stacks in disorder; Reset repairs
// them, and the script around the failed call goes on, with its own try and catch.
func TestResetAfterInterrupt(t *testing.T) {
	for name, victim := range map[string]string{
		"function":     `() => { while (true) {} }`,
		"async":        `async () => { while (true) {} }`,
		"nested async": `async () => { await (async () => { await (async () => { while (true) {} })() })() }`,
		"generator":    `() => { for (const x of (function* () { while (true) {} })()) {} }`,
		"iterator": `() => { const it = { [Symbol.iterator]() { return this }, next() { return { value: 1 } },
			return() { while (true) {} } }; for (const x of it) { while (true) {} } }`,
		"sort":     `() => { [3, 1, 2].sort(() => { while (true) {} }) }`,
		"try":      `() => { try { while (true) {} } catch {} finally { while (true) {} } }`,
		"class":    `() => { class A { x = (() => { while (true) {} })() } new A() }`,
		"overflow": `async () => { const f = async () => { await f() }; await f() }`,
		"panic":    `async () => { const a = Array.from({ length: 1000 }, (_, i) => i); a.sort((x, y) => { a.length = 0; return x - y }) }`,
	} {
		t.Run(name, func(t *testing.T) {
			r := goja.New()
			r.SetMaxCallStackSize(300)
			vm, err := vmstack.Of(r)
			require.NoError(t, err)
			var failed any
			require.NoError(t, r.Set("guarded", func(call goja.FunctionCall) goja.Value {
				fn, _ := goja.AssertFunction(call.Argument(0))
				mark := vm.Mark()
				func() {
					defer func() {
						if x := recover(); x != nil {
							failed = x
						}
					}()
					timer := time.AfterFunc(20*time.Millisecond, func() { r.Interrupt("late") })
					defer timer.Stop()
					if _, err := fn(goja.Undefined()); err != nil {
						failed = err
					}
				}()
				r.ClearInterrupt()
				vm.Reset(mark)
				return goja.Undefined()
			}))
			v, err := r.RunString(`
				const log = [];
				Promise.resolve().then(() => log.push("job"));
				(function outer() {
					let local = 7;
					try {
						for (const x of [1, 2]) guarded(` + victim + `);
						throw new Error("mine");
					} catch (e) {
						log.push(e.message, local);
					} finally {
						log.push("finally");
					}
				})();
				log`)
			require.NoError(t, err)
			require.NotNil(t, failed)
			require.Equal(t, 0, vm.Depth())
			require.Equal(t, []any{"mine", int64(7), "finally", "job"}, v.Export())
		})
	}
}

func TestJobs(t *testing.T) {
	r := goja.New()
	vm, err := vmstack.Of(r)
	require.NoError(t, err)
	run := func(goja.FunctionCall) goja.Value {
		require.Positive(t, vm.Depth())
		kept := vm.TakeJobs()
		require.Len(t, kept, 2)
		require.Nil(t, vm.NextJob())
		vm.PutJobs(kept)
		for job := vm.NextJob(); job != nil; job = vm.NextJob() {
			job()
		}
		return goja.Undefined()
	}
	require.NoError(t, r.Set("run", run))
	v, err := r.RunString(`
		const log = [];
		Promise.resolve().then(() => log.push(1)).then(() => log.push(3));
		Promise.resolve().then(() => log.push(2));
		run();
		log.join()`)
	require.NoError(t, err)
	require.Equal(t, "1,2,3", v.String())
}
