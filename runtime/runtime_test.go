package runtime_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/dop251/goja"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/sextongc/sexton/runtime"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// host is a runtime for a test, with what its scripts print.
type host struct {
	*runtime.Runtime
	t     *testing.T
	lines []string
	opts  *runtime.Options
}

func newHost(t *testing.T, opts *runtime.Options) *host {
	t.Helper()
	if opts == nil {
		opts = &runtime.Options{}
	}
	h := &host{t: t, opts: opts}
	opts.Console = func(level, text string) {
		if level != "log" {
			text = level + ": " + text
		}
		h.lines = append(h.lines, text)
	}
	rt, err := runtime.New(opts)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, rt.Close()) })
	h.Runtime = rt
	return h
}

// patient is for what must end by itself.
func patient(t *testing.T) context.Context {
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
	t.Cleanup(cancel)
	return ctx
}

// load evaluates a module and returns its exports.
func (h *host) load(task *runtime.Task, source string) (*goja.Object, error) {
	b, err := runtime.Build(context.Background(), &runtime.BuildOptions{
		Entries:    []runtime.Entry{{Name: "main.ts", Source: source}},
		Extensions: h.opts.Extensions,
	})
	require.NoError(h.t, err)
	ns, err := h.Load(task, b)
	return ns["main.ts"], err
}

// run evaluates a module, awaits its export main, if it has one, and returns what was printed.
func (h *host) run(source string) (string, error) {
	h.t.Helper()
	h.lines = nil
	err := h.Run(patient(h.t), func(task *runtime.Task) error {
		ns, err := h.load(task, source)
		if err != nil {
			return err
		}
		if main := ns.Get("main"); main != nil {
			v, err := h.Call(main, nil, 0)
			if err != nil {
				return err
			}
			_, err = task.Await(v)
			return err
		}
		return nil
	})
	return strings.Join(h.lines, "\n"), err
}

func TestScripts(t *testing.T) {
	for name, tt := range map[string]struct{ source, want string }{
		"microtasks before timers": {`
			setTimeout(() => console.log("timeout"), 0);
			setImmediate(() => console.log("immediate"));
			queueMicrotask(() => console.log("microtask"));
			Promise.resolve().then(() => console.log("then"));
			console.log("sync");
			export const main = () => new Promise((r) => setTimeout(r, 5));`,
			"sync\nmicrotask\nthen\ntimeout\nimmediate"},
		"timers in order": {`
			setTimeout(() => console.log(3), 20);
			setTimeout(() => console.log(2), 10);
			setTimeout((a, b) => console.log(a, b), 1, "one", 1);
			clearTimeout(setTimeout(() => console.log("never"), 5));
			export const main = () => new Promise((r) => setTimeout(r, 30));`,
			"one 1\n2\n3"},
		"interval": {`
			export const main = () => new Promise((resolve) => {
				let n = 0;
				const id = setInterval(() => { console.log(++n); if (n === 3) { clearInterval(id); resolve(); } }, 1);
			});`,
			"1\n2\n3"},
		"top-level await": {`
			console.log(await Promise.resolve(1));
			await new Promise((r) => setTimeout(r, 1));
			console.log(2);`,
			"1\n2"},
		"thenable": {`export const main = () => ({ then(ok) { console.log("then"); ok(1); } })`, "then"},
		"language": {`
			enum Colour { Red = 1, Green }
			console.log(Colour.Green, Colour[1]);
			class A { #x = 1; static #n = 0; get x() { A.#n++; return this.#x; } static get n() { return A.#n; } accessor y = 5; }
			const a = new A(); a.y++;
			console.log(a.x, A.n, a.y);
			function twice(value, context) { return function (...args) { return 2 * value.apply(this, args); }; }
			class B { @twice method() { return 21; } }
			console.log(new B().method());
			async function* gen() { yield 1; yield 2; }
			for await (const v of gen()) console.log(v);
			{ using r = { [Symbol.dispose]() { console.log("disposed"); } }; console.log("using"); }
			{ await using r = { async [Symbol.asyncDispose]() { console.log("async disposed"); } }; }
			type T = { a: number }; const o: T = { a: 1 } satisfies T;
			console.log(o!.a ?? 0, import.meta);
			export const main = async () => { console.log("main"); };`,
			"2 Red\n1 1 6\n42\n1\n2\nusing\ndisposed\nasync disposed\n1 {}\nmain"},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := newHost(t, nil).run(tt.source)
			require.NoError(t, err)
			require.Equal(t, tt.want, got)
		})
	}
}
