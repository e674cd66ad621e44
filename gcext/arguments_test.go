package gcext_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sextongc/sexton"
)

// gc 4.1, 4.2, 5.1, 5.3
func TestArguments(t *testing.T) {
	source := func(expression string) string {
		return `
			class S extends A { told(p) {} get field() { return 1; } static of() {} }
			let root;
			class K extends A { destroy() { root.dead = this; } }
			export default async (r) => {
				root = r;
				(() => { make("dead", K); })();
				await GC.collect();
				const s = make("s", S), dead = root.dead;
				s.own = () => {};
				log(thrown(() => ` + expression + `), s.$id, dead.$id);
			};`
	}
	for _, x := range []struct{ call, want string }{
		{`GC.isDoomed()`, `TypeError: GC.isDoomed: the first argument must be a managed object, got undefined`},
		{`GC.isDestroyed({})`, `TypeError: GC.isDestroyed: the first argument must be a managed object, got an object`},
		{`GC.isDestroyed("s")`, `TypeError: GC.isDestroyed: the first argument must be a managed object, got string "s"`},
		{`GC.token(null)`, `TypeError: GC.token: the first argument must be a managed object, got null`},
		{`GC.why(1)`, `TypeError: GC.why: the first argument must be a managed object, got number 1`},
		{`GC.isDoomed(S)`, `TypeError: GC.isDoomed: the first argument must be a managed object, got a function`},
		{`GC.isDoomed(S.prototype)`, `TypeError: GC.isDoomed: the first argument must be a managed object, got an object`},
		{`GC.isDoomed(new Proxy(s, {}))`, `TypeError: GC.isDoomed: the first argument must be a managed object, got an object`},
		{`GC.subscribeDestruction([], s)`, `TypeError: GC.subscribeDestruction: the first argument must be a managed object, got an array`},
		{`GC.subscribeDestruction(s)`, `TypeError: GC.subscribeDestruction: the second argument must be a managed object, got undefined`},
		{`GC.unsubscribeDestruction(s, true)`, `TypeError: GC.unsubscribeDestruction: the second argument must be a managed object, got boolean true`},
		{`GC.subscribeDestruction(s, s, 1)`, `TypeError: GC.subscribeDestruction: the handler (third argument) must be the name of a method of the subscriber's class, got number 1`},
		{`GC.subscribeDestruction(s, s, "")`, `TypeError: GC.subscribeDestruction: the handler (third argument) must be the name of a method of the subscriber's class, got string ""`},
		{`GC.subscribeDestruction(s, s, s.told)`, `TypeError: GC.subscribeDestruction: the handler (third argument) must be the name of a method of the subscriber's class, got a function`},
		{`GC.subscribeDestruction(s, s, "tld")`, `TypeError: GC.subscribeDestruction: class S has no method "tld"`},
		{`GC.subscribeDestruction(s, s, "own")`, `TypeError: GC.subscribeDestruction: class S has no method "own"`},
		{`GC.subscribeDestruction(s, s, "of")`, `TypeError: GC.subscribeDestruction: class S has no method "of"`},
		{`GC.subscribeDestruction(s, s, "field")`, `TypeError: GC.subscribeDestruction: class S has no method "field"`},
		{`GC.subscribeDestruction(s, s, "destroy")`, `TypeError: GC.subscribeDestruction: "destroy" cannot be a handler: only the runtime calls it; name another method of class S`},
		{`GC.subscribeDestruction(s, s, "loaded")`, `TypeError: GC.subscribeDestruction: "loaded" cannot be a handler: only the runtime calls it; name another method of class S`},
		{`GC.subscribeDestruction(s, s, "$find")`, `TypeError: GC.subscribeDestruction: "$find" cannot be a handler: names that begin with $ are reserved; name a method of class S`},
		{`GC.subscribeDestruction(s, s, "constructor")`, `TypeError: GC.subscribeDestruction: class S has no method "constructor"`},
		{`GC.subscribeDestruction(dead, s, "told")`, `ObjectDestroyedError: K dead is destroyed: nothing can subscribe to it or with it any more`},
		{`GC.subscribeDestruction(s, dead)`, `ObjectDestroyedError: K dead is destroyed: nothing can subscribe to it or with it any more`},
		{`GC.unsubscribeDestruction(dead, s, "told")`, `nothing`},
		{`GC.unsubscribeDestruction(s, dead)`, `nothing`},
		{`GC.unsubscribeDestruction(s, s, "never")`, `nothing`},
		{`GC.subscribeDestruction(s, s, null)`, `nothing`},
		{`{ GC.collect = 1; }`, `TypeError: Cannot assign to read only property 'collect'`},
		{`{ globalThis.GC = 1; }`, `TypeError: Cannot assign to read only property 'GC'`},
		{`Reflect.apply(GC.isDoomed, undefined, [s])`, `nothing`},
	} {
		t.Run(x.call, func(t *testing.T) {
			t.Parallel()
			events := run(t, source(x.call), sexton.Settings{})
			require.Equal(t, x.want+" s dead", events[len(events)-1])
		})
	}
}

// gc 1.2
func TestToken(t *testing.T) {
	source := `
		let fail = true;
		class F extends A { destroy() { log(GC.token(this)); if (fail) throw new Error("no"); } }
		export default async (root) => {
			((x, y) => { log(GC.token(x)); log(GC.token(y)); })(make("x", F), make("y", A));
			await GC.collect();
			fail = false;
			await GC.collect();
			fail = true;
			(() => { make("x", F); })();
			await GC.collect();
			fail = false;
			await GC.collect();
		};`
	tokens := func(key string) []string {
		e := newEnv(t, source)
		e.key = key
		var out []string
		for _, event := range e.run(sexton.Settings{}) {
			if len(event) == 24 {
				out = append(out, event)
			}
		}
		require.Len(t, out, 6)
		return out
	}
	a := tokens("test")
	require.Equal(t, a[0], a[2], "every attempt")
	require.Equal(t, a[2], a[3])
	require.NotEqual(t, a[0], a[1], "another object")
	require.NotEqual(t, a[0], a[4], "another incarnation")
	require.Equal(t, a[4], a[5])
	require.Equal(t, a, tokens("test"))
	b := tokens("prod")
	for i := range a {
		require.NotEqual(t, a[i], b[i], "another environment")
	}
}
