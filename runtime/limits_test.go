package runtime_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/sextongc/sexton/runtime"
)

// What exceeds a limit is a RangeError that a script can catch, and that tells Go the limit and the place.
func TestLimits(t *testing.T) {
	limits := runtime.Limits{Memory: 1 << 20, Output: 100, Timers: 3, SourceSize: 1 << 10, Nesting: 20}
	for _, c := range []struct{ code, limit, value, what string }{
		{`"x".repeat(2 ** 40)`, "memory", "1M", "String.prototype.repeat asks for 1Ti"},
		{`new Array(2 ** 32 - 1).fill(0)`, "builtin", "", "Array.prototype.fill goes through 4Gi elements, of 8388608 at most"},
		{`JSON.parse("[".repeat(30))`, "nesting", "", "JSON.parse gets more than 20 nested brackets"},
		{`(0, eval)(" ".repeat(2000))`, "sourceSize", "1K", "eval gets 2Ki of code"},
		{`for (;;) console.log("1234567890")`, "output", "100", "console prints more"},
		{`for (;;) setTimeout(() => {}, 1)`, "timers", "3", "more timers are set"},
	} {
		h := newHost(t, &runtime.Options{Limits: limits})
		require.NoError(t, h.Run(context10s(t), func(task *runtime.Task) error {
			ns, err := h.load(task, `
				export const run = () => {
					`+c.code+`;
				};
				export const caught = () => { try { `+c.code+` } catch (e) { return e instanceof RangeError ? e.message : e } };`)
			require.NoError(t, err)
			_, err = h.Call(ns.Get("run"), nil, time.Second)
			var limit *runtime.LimitError
			require.ErrorAs(t, err, &limit, c.code)
			require.Equal(t, runtime.LimitError{Limit: c.limit, Value: c.value, What: c.what, At: limit.At}, *limit)
			require.Equal(t, 3, limit.At.Line, c.code)
			require.ErrorIs(t, err, &runtime.LimitError{Limit: c.limit})
			require.NotErrorIs(t, err, &runtime.LimitError{Limit: "other"})
			require.EqualError(t, err, "RangeError: "+limit.Error())
			v, err := h.Call(ns.Get("caught"), nil, time.Second)
			require.NoError(t, err, c.code)
			require.Equal(t, limit.Error(), v.String())
			return nil
		}))
	}
}
