package proof

import (
	"cmp"
	"flag"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/sextongc/sexton/objectstore"
)

// TestRandom deploys random environments up to three times in a row and collects on demand meanwhile.
// Everything that happens, and everything that is saved, is what the naive collector says, in its order.
//
// gc 1.3, 1.4, 1.5, 1.6, 2.1, 2.3, 2.4, 2.5, 2.7, 2.8, 3.1, 3.2, 3.3, 3.4, 3.5
// gc 4.1, 4.2, 4.3, 4.4, 4.5, 4.7, 4.8, 4.9, 5.5, 5.6, 6.1, 6.2
func TestRandom(t *testing.T) {
	checks(t, 700)
	h, total := newHost(t), census{}
	rapid.Check(t, func(t *rapid.T) { h.compare(t, rapidDice(t), 8, total) })
	total.report(t, everything...)
}

// TestRandomDense is the same with larger and denser graphs.
//
// gc 1.3, 1.4, 1.5, 1.6, 2.1, 2.3, 2.4, 2.5, 2.7, 2.8, 3.1, 3.2, 3.3, 3.4, 3.5
// gc 4.1, 4.2, 4.3, 4.4, 4.5, 4.7, 4.8, 4.9, 5.5, 5.6, 6.1, 6.2
func TestRandomDense(t *testing.T) {
	h, total := newHost(t), census{}
	for seed := range uint64(checks(t, 700)) {
		h.compare(at{t, seed}, fairDice(seed), 16, total)
	}
	total.report(t, everything...)
}

// at names the seed of a failure.
type at struct {
	*testing.T
	seed uint64
}

// Errorf implements require.TestingT.
func (t at) Errorf(format string, args ...any) {
	t.T.Helper()
	t.T.Errorf("seed %d: "+format, append([]any{t.seed}, args...)...)
}

// compare deploys what the dice say, for real and in the world.
func (h *host) compare(t require.TestingT, d dice, size int, total census) {
	w := d.world(size, false)
	last := w.graph()
	for k := range d("deployments", 1, 3) {
		o := d.order(w, k)
		g, got := h.play(t, w, o, last)
		w.deploy(o)
		require.Equal(t, w.events, got)
		checkOrder(t, w.plans, got)
		require.Equal(t, texts(w.graph()), texts(g))
		total.count(got)
		last = g
	}
}

// TestRandomAsync is the same for destructors that take their time, as many at once as may be: what
// happens within a round is the same, in an order that contradicts nothing.
//
// gc 3.1, 3.2, 3.3, 3.6, 4.9, 5.5, 5.6
func TestRandomAsync(t *testing.T) {
	h, total := newHost(t), census{}
	check := func(t require.TestingT, d dice, size int) {
		w := d.world(size, true)
		o := d.order(w, 0)
		if o.empty {
			return // whether something is resurrected by the root depends on when the root goes
		}
		g, got := h.play(t, w, o, w.graph())
		w.deploy(o)
		require.Equal(t, rounds(w.events), rounds(got))
		checkOrder(t, w.plans, got)
		want := w.graph()
		sortRefs(want)
		sortRefs(g)
		require.Equal(t, texts(want), texts(g))
		total.count(got)
	}
	for seed := range uint64(checks(t, 500)) {
		check(at{t, seed}, fairDice(seed), 12)
	}
	rapid.Check(t, func(t *rapid.T) { check(t, rapidDice(t), 8) })
	total.report(t, everything...)
}

// checks returns how many checks to make, for rapid as well: n, a tenth with -short, or what
// -rapid.checks says.
func checks(t *testing.T, n int) int {
	asked := flag.Lookup("rapid.checks")
	if asked.Value.String() != asked.DefValue {
		n, err := strconv.Atoi(asked.Value.String())
		require.NoError(t, err)
		return n
	}
	if testing.Short() {
		n /= 2 // rapid itself takes a fifth of that
	}
	require.NoError(t, asked.Value.Set(strconv.Itoa(n)))
	t.Cleanup(func() { require.NoError(t, asked.Value.Set(asked.DefValue)) })
	if testing.Short() {
		n /= 5
	}
	return n
}

// play deploys for real what w is going to work out.
func (h *host) play(t require.TestingT, w *world, o *order, last *objectstore.Graph) (*objectstore.Graph, []string) {
	w.events, w.plans = nil, nil
	g, events, err := h.run(w, o, last)
	require.NoError(t, err)
	return g, events
}

// run deploys o and returns what is saved, and what happened.
func (h *host) run(w *world, o *order, last *objectstore.Graph) (g *objectstore.Graph, events []string, err error) {
	h.steps = nil
	for _, s := range o.steps {
		h.steps = append(h.steps, s.values())
	}
	h.react = reacting(w.rules, w.fired)
	h.trace = func(format string, args ...any) { events = append(events, fmt.Sprintf(format, args...)) }
	_, g, err = h.deploy(w.model(o), last, w.settings())
	return g, events, err
}

// reacting does what rules say, some of which have done so before.
func reacting(rules map[string]rule, fired map[string]int) func(kind, self, other string) *reaction {
	fired = maps.Clone(fired)
	return func(kind, self, other string) *reaction {
		key := kind + " " + self
		r, ok := rules[key]
		if !ok || fired[key] >= r.times {
			return nil
		}
		fired[key]++
		return &reaction{ticks: r.ticks, throws: r.throws, op: r.at(self, other).values()}
	}
}

// checkOrder compares each pair of each round with the relation "before", whatever the order as a whole: an
// object begins when all before it have ended, and not at all when one of them failed.
func checkOrder(t require.TestingT, plans []*plan, events []string) {
	round := -1
	var began, ended map[string]bool
	for _, line := range events {
		word, id, _ := strings.Cut(line, " ")
		switch word {
		case "plan":
			round, began, ended = round+1, map[string]bool{}, map[string]bool{}
		case "begin":
			began[id] = true
			p := plans[round]
			a := slices.Index(p.ids, id)
			for _, b := range p.order {
				require.False(t, p.before[b][a] && !ended[p.ids[b]], "round %d: %s begins before %s has ended", round, id, p.ids[b])
			}
		case "destroyed":
			require.True(t, began[id], "%s did not begin", id)
			ended[id] = true
		}
	}
	require.Equal(t, len(plans), round+1)
}

// rounds sorts what belongs to the destructions of one round.
func rounds(events []string) []string {
	out := slices.Clone(events)
	isDestruction := func(line string) bool {
		word, _, _ := strings.Cut(line, " ")
		return slices.Contains([]string{"begin", "destroy", "destroyed", "failed", "blocked"}, word)
	}
	for i := 0; i < len(out); i++ {
		j := i
		for j < len(out) && isDestruction(out[j]) {
			j++
		}
		slices.Sort(out[i:j])
		i = max(i, j-1)
	}
	return out
}

// sortRefs forgets in which order destructors resurrected.
func sortRefs(g *objectstore.Graph) {
	for _, e := range g.Objects {
		v, _ := e.Property("refs")
		slices.SortFunc(v.([]objectstore.Value), func(a, b any) int { return cmp.Compare(a.(objectstore.Ref), b.(objectstore.Ref)) })
	}
}

// texts writes a graph down for comparison, without incarnations and versions.
func texts(g *objectstore.Graph) []string {
	out := []string{"root " + g.Root}
	for _, e := range g.Objects {
		x := *e
		x.Incarnation, x.Version = 0, ""
		out = append(out, fmt.Sprintf("%+v", x))
	}
	return out
}

// census counts what happened, so that a test that has become empty is seen.
type census map[string]int

func (c census) count(events []string) {
	c["deployments"]++
	phase := ""
	for _, line := range events {
		word, _, _ := strings.Cut(line, " ")
		switch word {
		case "phase", "collect":
			phase = line
		case "plan":
			c["rounds of "+cmp.Or(names[phase], phase)]++
		default:
			c[word]++
		}
	}
}

var everything = []string{"told", "toldToo", "handler", "begin", "destroy", "destroyed", "failed", "blocked", "spared"}

// names are short for the phases of a deployment.
var names = map[string]string{
	"phase collect what the model dropped":               "gc 2.3",
	"phase collect what is replaced":                     "gc 2.3 by replacing",
	"collect":                                            "gc 2.1",
	"phase collect what the environment no longer holds": "gc 2.4",
}

// report logs the counts and wants some of each: of all three collections, and of these events.
func (c census) report(t *testing.T, events ...string) {
	for _, word := range append(events, "rounds of gc 2.1", "rounds of gc 2.3", "rounds of gc 2.4") {
		require.NotZero(t, c[word], word)
	}
	var words []string
	for word, n := range c {
		words = append(words, fmt.Sprintf("%s %d", word, n))
	}
	slices.Sort(words)
	t.Log(strings.Join(words, ", "))
}
