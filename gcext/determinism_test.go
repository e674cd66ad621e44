package gcext_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sextongc/sexton"
)

// gc 2.6: neither does the order in which scripts find things depend on the run.
func TestOrderOfKeys(t *testing.T) {
	for range 8 {
		require.Equal(t, []string{
			"collect,isDestroyed,isDoomed,subscribeDestruction,unsubscribeDestruction,plan,token,why",
			"id,name",
		}, run(t, `
			class B extends A { constructor(p, o, options) { super(p, o, options); log(Object.keys(options)); } }
			class C extends A { static properties = { b: B }; }
			export default () => {
				log(Object.keys(GC));
				make("c", C, { b: { "?": { id: "b", name: "n" } } });
			};`, sexton.Settings{})[:2])
	}
}
