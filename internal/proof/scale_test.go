package proof

import (
	"fmt"
	"runtime/debug"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/sextongc/sexton"
	"github.com/sextongc/sexton/objectstore"
	"github.com/sextongc/sexton/serialize"
)

// large is a way to connect n objects, numbered from 1 in creation order.
type large struct {
	name string
	// connect gives the i-th of n objects its owner, its reference and the publisher to which it
	// subscribes; 0 for none.
	connect func(i, n int) (owner, reference, publisher int)
	handler string
	// nth is the object that is destroyed as the k-th, from 1; nil: the k-th.
	nth func(k, n int) int
}

func next(i, n int) int { return i%n + 1 }

var larges = []large{
	{name: "chain of owners", connect: func(i, _ int) (int, int, int) { return i - 1, 0, 0 }, nth: func(k, n int) int { return n + 1 - k }},
	{name: "chain of dependencies", connect: func(i, _ int) (int, int, int) { return 0, 0, i - 1 }},
	{name: "chain of dependencies with handlers", connect: func(i, _ int) (int, int, int) { return 0, 0, i - 1 }, handler: "told"},
	{name: "chain of owners against dependencies", connect: func(i, _ int) (int, int, int) { return i - 1, 0, i - 1 }},
	{name: "ring of references", connect: func(i, n int) (int, int, int) { return 0, next(i, n), 0 }},
	{name: "ring of dependencies", connect: func(i, n int) (int, int, int) { return 0, 0, next(i, n) }},
	{name: "ring of dependencies with handlers", connect: func(i, n int) (int, int, int) { return 0, 0, next(i, n) }, handler: "told"},
	{name: "star of subscribers", connect: func(i, _ int) (int, int, int) { return 0, 0, min(1, i-1) }},
	{name: "star of subscribers with handlers", connect: func(i, _ int) (int, int, int) { return 0, 0, min(1, i-1) }, handler: "told"},
	{name: "star of publishers with handlers", connect: func(i, n int) (int, int, int) { return 0, 0, 0 }, handler: "told"},
	{name: "star of owned", connect: func(i, _ int) (int, int, int) { return min(1, i-1), 0, 0 }, nth: func(k, n int) int { return next(k, n) }},
}

// graph returns n objects, and a root that refers to all of them.
func (l *large) graph(n int) *objectstore.Graph {
	id := func(i int) string { return fmt.Sprintf("o%06d", i) }
	g := &objectstore.Graph{Root: "root"}
	all := make([]objectstore.Value, n)
	entries := make([]*objectstore.Entry, n+1)
	for i := 1; i <= n; i++ {
		all[i-1] = objectstore.Ref(id(i))
		entries[i] = &objectstore.Entry{ID: id(i), Type: "proof/Node"}
	}
	entries[0] = &objectstore.Entry{ID: "root", Type: "proof/Root", Properties: []objectstore.Field{
		{Name: "applications", Value: []objectstore.Value{}}, {Name: "refs", Value: all},
	}}
	subscribe := func(publisher, subscriber int) {
		p := entries[publisher]
		p.Subscriptions = append(p.Subscriptions, objectstore.Subscription{Subscriber: id(subscriber), Handler: l.handler, Count: 1})
	}
	for i := 1; i <= n; i++ {
		owner, reference, publisher := l.connect(i, n)
		refs := []objectstore.Value{}
		if reference > 0 {
			refs = append(refs, objectstore.Ref(id(reference)))
		}
		entries[i].Properties = []objectstore.Field{{Name: "refs", Value: refs}}
		if owner > 0 {
			entries[i].Owner = id(owner)
		}
		if publisher > 0 {
			subscribe(publisher, i)
		}
		if strings.HasPrefix(l.name, "star of publishers") && i < n {
			subscribe(i, n)
		}
	}
	g.Objects = entries
	return g
}

// handlers is how many handlers are called when all objects die.
func (l *large) handlers(n int) (calls int) {
	if l.handler == "" {
		return 0
	}
	for _, e := range l.graph(n).Objects {
		calls += len(e.Subscriptions)
	}
	return calls
}

// TestLarge loads, plans, destroys and saves graphs that are as deep or as wide as they can be. Nothing
// recurses along them, and nothing takes more than time in proportion. At 100,000 each graph is destroyed in
// one of the three ways, at 5,000 in all.
//
// gc 2.1, 2.3, 2.4, 2.5, 3.1, 3.2, 3.3, 3.4, 3.5, 4.1, 6.1, 6.6
func TestLarge(t *testing.T) {
	defer debug.SetGCPercent(debug.SetGCPercent(400)) // a third of the time would be Go's collector
	for k, l := range larges {
		t.Run(l.name, func(t *testing.T) {
			l.test(t, 5000, ways...)
			if testing.Short() || raceDetector {
				return
			}
			n := 100_000
			if slices.ContainsFunc(larges, func(other large) bool { return other.name == l.name+" with handlers" }) {
				n = 20_000 // the other does all that this one does
			}
			l.test(t, n, ways[k%len(ways)])
		})
	}
}

// way is a way to destroy everything.
type way struct {
	name  string
	drops bool // the model does
	steps [][]any
}

var ways = []way{
	{"collected on demand (gc 2.1)", false, [][]any{{"clear", "root", "root", ""}, {"collect"}}},
	{"the model drops them (gc 2.3)", true, nil},
	{"deploy() drops them (gc 2.4)", false, [][]any{{"clear", "root", "root", ""}}},
}

func (l *large) test(t *testing.T, n int, ways ...way) {
	h := newHost(t)
	graph := l.graph(n)
	whole, err := serialize.EncodeSnapshot(graph)
	require.NoError(t, err)
	none := []byte(`{"sexton": 1, "root": "root", "objects": [{"?": {"id": "root", "type": "Root"}, "refs": []}]}`)

	kept, _ := l.deploy(t, h, "all stay", n, whole, nil)
	require.Equal(t, texts(graph), texts(kept))
	for _, w := range ways {
		model := whole
		if w.drops {
			model = none
		}
		h.steps = w.steps
		left, count := l.deploy(t, h, w.name, n, model, kept)
		require.Len(t, left.Objects, 1)
		require.Equal(t, tally{destroyed: n, told: l.handlers(n)}, count)
	}
}

// tally is what happened in a deployment.
type tally struct{ destroyed, disorderly, told, failed, blocked, spared int }

// deploy deploys and saves.
func (l *large) deploy(t *testing.T, h *host, what string, n int, model []byte, last *objectstore.Graph) (*objectstore.Graph, tally) {
	var count tally
	h.trace = func(format string, args ...any) {
		switch {
		case strings.HasPrefix(format, "failed"), strings.HasPrefix(format, "handler"):
			count.failed++
		case format == "%s" && strings.HasPrefix(args[0].(string), "told"):
			count.told++
		case format == "%s %s" && args[0] == "destroyed":
			count.destroyed++
			expected := count.destroyed
			if l.nth != nil {
				expected = l.nth(count.destroyed, n)
			}
			if args[1] != fmt.Sprintf("o%06d", expected) {
				count.disorderly++
			}
		}
	}
	began := time.Now()
	_, g, err := h.deploy(model, last, sexton.Settings{})
	require.NoError(t, err)
	saved, err := serialize.EncodeSnapshot(g)
	require.NoError(t, err)
	t.Logf("%7d objects, %-30s %6.2f s, %d destroyed, %d told, %d bytes saved", n, what, time.Since(began).Seconds(), count.destroyed, count.told, len(saved))
	return g, count
}
