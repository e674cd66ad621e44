package gcext_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sextongc/sexton"
)

// gc 7.1: only what is alive has a reason. What only the dead refer to has none either, and is not taken
// for something that host code holds.
func TestWhyOfTheDead(t *testing.T) {
	events := run(t, `
		export default (root) => {
			root.extra = make("a", A, { next: make("b") });
			log(GC.why("b"));
			delete root.extra;
			log(GC.why("a"), GC.why("b"), GC.plan().map((step) => step.id));
			hold(make("c", A, { next: make("d") }));
			log(GC.why("c"), GC.why("d"), GC.plan().map((step) => step.id));
			release();
			log(GC.why("c"), GC.why("d"));
		};`, sexton.Settings{})
	require.Equal(t, []string{
		"root,root.extra,root.extra.next", "null null b,a", "host value host value b,a", "null null",
	}, events[:4])
}
