package runtime_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/dop251/goja"
	"github.com/stretchr/testify/require"

	"github.com/sextongc/sexton/runtime"
)

// With a limit on what runs in an async context, a job or timer that does not end costs no other.
func TestJobLimit(t *testing.T) {
	var reported []string
	h := newHost(t, &runtime.Options{
		JobLimit: func(async any) time.Duration {
			limit, _ := async.(time.Duration)
			return limit
		},
		Unhandled: func(err *runtime.ScriptError, _ any) { reported = append(reported, err.Phase+": "+err.Error()) },
	})
	require.NoError(t, h.Run(patient(t), func(task *runtime.Task) error {
		ns, err := h.load(task, `
			export const hang = () => {
				(async () => { await null; while (true) {} })();
				setTimeout(() => { while (true) {} }, 1);
			};
			export const work = async () => {
				(async () => { await null; console.log("other") })();
				await new Promise((resolve) => setTimeout(resolve, 2));
				for (const end = Date.now() + 50; Date.now() < end;);
				console.log("end");
			}`)
		require.NoError(t, err)
		h.WithContext(20*time.Millisecond, func() { _, err = h.Call(ns.Get("hang"), nil, 0) })
		require.NoError(t, err)
		p, err := h.Call(ns.Get("work"), nil, 0)
		require.NoError(t, err)
		_, err = task.Await(p)
		return err
	}))
	require.Equal(t, []string{"other", "end"}, h.lines)
	require.Equal(t, []string{
		"promise job: TimeLimitError: not finished after 20ms", "timer: TimeLimitError: not finished after 20ms",
	}, reported)
}

// OnSettled hears of every promise and thenable, and keeps the loop from nothing.
func TestOnSettled(t *testing.T) {
	h := newHost(t, nil)
	var heard []string
	require.NoError(t, h.Run(patient(t), func(task *runtime.Task) error {
		ns, err := h.load(task, `
			export const ok = Promise.resolve(1), failed = Promise.reject(new Error("no")), never = new Promise(() => {});
			export const thenable = { then(resolve) { resolve(1) } };
			export const later = new Promise((resolve) => setTimeout(resolve, 1));`)
		require.NoError(t, err)
		for _, name := range []string{"ok", "failed", "never", "thenable", "later"} {
			require.NoError(t, h.OnSettled(ns.Get(name).(*goja.Object), func(rejected bool) {
				heard = append(heard, fmt.Sprint(name, " ", rejected))
			}))
		}
		require.Empty(t, heard)
		_, err = task.Await(ns.Get("later"))
		return err
	}))
	require.Equal(t, []string{"ok false", "failed true", "thenable false", "later false"}, heard)
}
