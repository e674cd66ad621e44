package runtime_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sextongc/sexton/runtime"
)

// weakly runs the body of an async function that has gc().
func weakly(t *testing.T, body string) string {
	t.Helper()
	got, err := newHost(t, &runtime.Options{ExposeGC: true}).run(`export async function main() {` + body + `}`)
	require.NoError(t, err)
	return got
}

// What a WeakRef was made of or answered stays until the job ends, and goes then.
func TestWeakRefWithinAndAfterAJob(t *testing.T) {
	require.Equal(t, "true true\nfalse true false\nfalse\nfalse false", weakly(t, `
		const made = (object) => new WeakRef(object);
		const kept = {}, symbol = Symbol("kept");
		const a = made({}), b = made(kept), s = made(Symbol("s"));
		gc();
		console.log(a.deref() !== undefined, s.deref() !== undefined);
		await null;
		console.log(a.deref() !== undefined, b.deref() === kept, s.deref() !== undefined);
		const c = made({});
		await null;
		(() => { c.deref() })();
		gc();
		await null;
		console.log(c.deref() !== undefined);
		const d = made({}), e = made(Symbol());
		await null;
		gc();
		console.log(d.deref() !== undefined, e.deref() !== undefined);`))
}

func TestWeakRefHoldsSymbols(t *testing.T) {
	require.Equal(t, "true true\nWeakRef: target: expected an object or a symbol that is not registered, got a registered symbol", weakly(t, `
		const symbol = Symbol("x");
		const refs = [new WeakRef(symbol), new WeakRef(Symbol.iterator)];
		await null;
		gc();
		console.log(refs[0].deref() === symbol, refs[1].deref() === Symbol.iterator);
		try { new WeakRef(Symbol.for("y")) } catch (error) { console.log(error.message) }`))
}

// Callbacks are jobs: promise jobs come before them. One that throws costs the others nothing.
func TestFinalizationRegistry(t *testing.T) {
	require.Equal(t, "true\npromise job\ngone: 1\ngone: 2\ngone: 4\nfalse true", weakly(t, `
		const token = {}, other = Symbol(), stays = {};
		const registry = new FinalizationRegistry((held) => console.log("gone:", held));
		(() => {
			registry.register({}, 1);
			registry.register({}, 2, other);
			registry.register({}, 3, token);
			registry.register(Symbol(), 4);
			registry.register(stays, 5, stays);
		})();
		console.log(registry.unregister(token));
		gc();
		Promise.resolve().then(() => console.log("promise job"));
		await new Promise((resolve) => setTimeout(resolve, 1));
		console.log(registry.unregister(other), registry.unregister(stays));`))
}

// A callback that throws costs the others nothing.
func TestFinalizationCallbackThrows(t *testing.T) {
	var unhandled []string
	h := newHost(t, &runtime.Options{ExposeGC: true, Unhandled: func(err *runtime.ScriptError, _ any) {
		unhandled = append(unhandled, err.Phase+": "+err.Message)
	}})
	got, err := h.run(`export async function main() {
		let last = 0;
		const registry = new FinalizationRegistry((held) => { console.log(last = held); if (held < 3) throw new Error("no " + held) });
		(() => { for (let i = 1; i < 4; i++) registry.register({}, i) })();
		gc();
		while (last < 3) await new Promise((resolve) => setTimeout(resolve));
		console.log(registry.constructor === FinalizationRegistry);
	}`)
	require.NoError(t, err)
	require.Equal(t, "1\n2\n3\ntrue", got)
	require.Equal(t, []string{"finalization callback: no 1", "finalization callback: no 2"}, unhandled)
}

// Callbacks that give their registry something to do for ever keep nothing else from running.
func TestFinalizationForEver(t *testing.T) {
	require.Equal(t, "true", weakly(t, `
		let count = 0;
		const registry = new FinalizationRegistry(() => {
			count++;
			registry.register({}, 0);
			gc();
		});
		registry.register({}, 0);
		await null;
		gc();
		for (let i = 0; i < 3; i++) await new Promise((resolve) => setTimeout(resolve));
		console.log(count > 0);`))
}

// Nobody has to ask for a collection: registries hear of Go's own.
func TestFinalizationWithoutBeingAsked(t *testing.T) {
	got, err := newHost(t, nil).run(`
		let gone = 0;
		const registry = new FinalizationRegistry(() => { gone++ });
		export async function main() {
			console.log(typeof gc);
			(() => { for (let i = 0; i < 1000; i++) registry.register({}, i) })();
			for (let garbage = []; gone < 900; garbage = []) {
				for (let i = 0; i < 1e4; i++) garbage.push({ i });
				await new Promise((resolve) => setTimeout(resolve));
			}
		}`)
	require.NoError(t, err)
	require.Equal(t, "undefined", got)
}
