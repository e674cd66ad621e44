package runtime_test

import (
	"os"
	"path/filepath"
	goruntime "runtime"
	"runtime/debug"
	"strings"
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
		require.NoError(t, h.Run(patient(t), func(task *runtime.Task) error {
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
			limit.At = runtime.Frame{}
			require.Contains(t, v.String(), limit.Error())
			return nil
		}))
	}
}

// What grows for ever is ended wherever it runs, and the runtime can be used again.
func TestMemory(t *testing.T) {
	for _, code := range []string{
		`() => { const kept = []; for (;;) kept.push({ n: kept.length }) }`,
		`() => { try { let s = "x"; for (;;) s += s + "y" } catch {} finally { for (const all = [];;) all.push(new Uint8Array(1000)) } }`,
		`async () => { const m = new Map(); for (let i = 0; ; i++) { m.set(i, {}); await null } }`,
	} {
		h := newHost(t, &runtime.Options{Limits: runtime.Limits{Memory: 32 << 20}})
		err := h.Run(patient(t), func(task *runtime.Task) error {
			ns, err := h.load(task, "export const run = "+code)
			require.NoError(t, err)
			p, err := h.Call(ns.Get("run"), nil, 0)
			if err == nil {
				_, err = task.Await(p)
			}
			return err
		})
		var limit *runtime.LimitError
		require.ErrorAs(t, err, &limit, code)
		require.Equal(t, "memory", limit.Limit)
		require.Equal(t, "32M", limit.Value)
		if !strings.HasPrefix(code, "async") { // it may end between two jobs
			require.Equal(t, "main.ts", limit.At.File)
		}
		require.NoError(t, h.Run(patient(t), func(task *runtime.Task) error {
			_, err := h.load(task, "export const ok = [1, 2].map((x) => x * 2)")
			return err
		}))
	}
}

// Garbage is no growth.
func TestMemoryOfGarbage(t *testing.T) {
	h := newHost(t, &runtime.Options{Limits: runtime.Limits{Memory: 16 << 20}})
	require.NoError(t, h.Run(patient(t), func(task *runtime.Task) error {
		_, err := h.load(task, "for (let i = 0, s; i < 3000; i++) s = new Uint8Array(1 << 16)")
		return err
	}))
}

func TestCPU(t *testing.T) {
	h := newHost(t, &runtime.Options{Limits: runtime.Limits{CPU: 50 * time.Millisecond}})
	err := h.Run(patient(t), func(task *runtime.Task) error {
		_, err := h.load(task, "for (;;);")
		return err
	})
	require.ErrorIs(t, err, &runtime.LimitError{Limit: "cpu"})
}

// Sources are looked at before anything parses them.
func TestSourceLimits(t *testing.T) {
	for source, want := range map[string]string{
		"export const a = " + strings.Repeat("(", 1_000_000):               "limit exceeded: nesting: lib.js: it has more than 1000 nested brackets",
		"export const a = 1" + strings.Repeat("+1", 100_000):               "limit exceeded: nesting: lib.js: it has an expression of more than 20000 parts",
		"export const a = 1" + strings.Repeat(" ", 5<<20):                  "limit exceeded: sourceSize (4M): lib.js: it has 5242898 bytes",
		"export const a = [" + strings.Repeat("1,", 100_000) + "1].length": "",
	} {
		dir := t.TempDir()
		require.NoError(t, os.WriteFile(filepath.Join(dir, "lib.js"), []byte(source), 0o600))
		_, err := runtime.Build(t.Context(), &runtime.BuildOptions{
			Dir: dir, Entries: []runtime.Entry{{Name: "main", Source: `import { a } from "./lib.js"; export { a }`}}, SourceSize: 4 << 20,
		})
		if want == "" {
			require.NoError(t, err)
			continue
		}
		require.EqualError(t, err, want)
		require.ErrorIs(t, err, &runtime.LimitError{})
	}
}

// What the program had before is none of the scripts', also if Go has not looked at it yet.
func TestMemoryOfOthers(t *testing.T) {
	defer debug.SetGCPercent(debug.SetGCPercent(-1))
	goruntime.GC()
	held := make([]byte, 200<<20)
	h := newHost(t, &runtime.Options{Limits: runtime.Limits{Memory: 64 << 20}})
	require.NoError(t, h.Run(patient(t), func(task *runtime.Task) error {
		_, err := h.load(task, "for (let i = 0, s; i < 1e6; i++) s = i")
		return err
	}))
	goruntime.KeepAlive(held)
}
