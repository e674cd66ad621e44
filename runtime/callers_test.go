package runtime_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sextongc/sexton/runtime"
)

// Functions are called what their source calls them: methods by class, also where the bundler renames, and an error of
// a class of its own arose where that was constructed.
func TestCallers(t *testing.T) {
	for name, c := range map[string]struct {
		source string
		want   []string
	}{
		"methods": {`
			class Net { get gate() { return this.#open(); } #open() { return Net.fail(); } static fail() { throw new Error("no") } }
			new Net().gate;`, []string{"Net.fail", "Net.#open", "Net.gate", ""}},
		"constructors": {`
			class Base { constructor() { throw new Error("no"); } }
			class Net extends Base { constructor() { super(); } }
			function make() { return new Net(); }
			make();`, []string{"new Base", "new Net", "make", ""}},
		"a class that names itself": {`
			class Net { static one = new Net(); fail() { throw new Error("no"); } }
			Net.one.fail();`, []string{"Net.fail", ""}},
		"a function in a method": {`
			class Net { all() { [1].forEach(() => { throw new Error("no"); }); } }
			new Net().all();`, []string{"", "forEach", "Net.all", ""}},
		"a class of errors": {`
			class Own extends Error { constructor(m: string) { super(m); } }
			class Further extends Own { code = 7; }
			function fail() { throw new Further("no"); }
			fail();`, []string{"fail", ""}},
		"a class that is no error": {`
			class Odd extends Map { constructor() { super(5 as any); } }
			new Odd();`, []string{"new Odd", ""}},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := newHost(t, nil).run(c.source)
			var e *runtime.ScriptError
			require.ErrorAs(t, err, &e)
			var names []string
			for _, f := range e.Stack {
				names = append(names, f.Func)
			}
			require.Equal(t, c.want, names)
		})
	}
}

// What is told of an error: its own properties, its causes once, a bounded number of the errors in it; of a rejection
// without an error, where it was rejected.
func TestErrorParts(t *testing.T) {
	thrown := func(source string) *runtime.ScriptError {
		_, err := newHost(t, nil).run(source)
		var e *runtime.ScriptError
		require.ErrorAs(t, err, &e)
		return e
	}
	e := thrown(`throw Object.assign(new Error("no", { cause: 1 }), { code: "E", list: [1, [2, [3]]], name: "Own", hidden: undefined })`)
	require.Equal(t, "{ code: 'E', list: [ 1, [Array] ] }", e.Details)
	require.EqualError(t, e, "Own: no")

	e = thrown(`const e = new Error("a"); e.cause = new Error("b", { cause: e }); throw e`)
	require.EqualError(t, e.Cause, "Error: b")
	require.EqualError(t, e.Cause.(*runtime.ScriptError).Cause, "[Circular]")

	e = thrown(`throw new AggregateError(Array.from({ length: 50 }, (_, i) => new Error(String(i))), "many")`)
	require.Equal(t, 50, e.ErrorCount)
	require.Len(t, e.Errors, 10)
	require.EqualError(t, e.Errors[9], "Error: 9")

	e = thrown(`throw Object.assign(new Error("large"), { text: "x".repeat(1e6), more: Array(1e5).fill({}) })`)
	require.Less(t, len(e.Details), 8<<10)

	h := newHost(t, nil)
	err := h.Run(context.Background(), func(task *runtime.Task) error {
		if _, err := h.load(task, "function refuse() { return Promise.reject(503); }\nrefuse();"); err != nil {
			return err
		}
		task.Park()
		return nil
	})
	require.ErrorAs(t, err, &e)
	require.EqualError(t, e, "503")
	require.Equal(t, []runtime.Frame{{Func: "reject"}, {Func: "refuse", File: "main.ts", Line: 1, Column: 36}}, e.Stack[:2])
}
