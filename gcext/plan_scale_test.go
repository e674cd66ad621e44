package gcext

import (
	"cmp"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

const many = 100_000

func allDoomed(n int) *Graph {
	g := &Graph{Owner: make([]int32, n), Doomed: make([]bool, n)}
	for i := range n {
		g.Owner[i], g.Doomed[i] = -1, true
	}
	return g
}

func ownerChain(g *Graph) {
	for i := range g.Owner {
		g.Owner[i] = int32(i) - 1
	}
}

func dependencyChain(g *Graph) {
	for i := range int32(len(g.Owner) - 1) {
		g.Deps = append(g.Deps, Dependency{i, i + 1})
	}
}

// Neither length nor width is bounded by anything but memory.
//
// gc 2.5, 3.1, 3.3, 3.4
func TestPlanDepth(t *testing.T) {
	for _, c := range []struct {
		name            string
		make            func(g *Graph)
		lowest, highest int32 // levels
		first, last     int32 // objects
		after           int   // how many objects the last one directly comes after
	}{
		{"owners", ownerChain, 1, many, many - 1, 0, 1},
		{"dependencies", dependencyChain, 1, many, 0, many - 1, 1},
		{"ring", func(g *Graph) {
			dependencyChain(g)
			g.Deps = append(g.Deps, Dependency{many - 1, 0})
		}, 1, 1, 0, many - 1, 0},
		{"ring of owners and one dependency", func(g *Graph) {
			ownerChain(g)
			g.Deps = append(g.Deps, Dependency{0, many - 1})
		}, 1, 2, 0, many - 1, 1},
		{"star of owned ones", func(g *Graph) {
			for i := range g.Owner[1:] {
				g.Owner[i+1] = 0
			}
		}, 1, 2, 1, 0, many - 1},
		{"star of publishers", func(g *Graph) {
			for i := range int32(many - 1) {
				g.Deps = append(g.Deps, Dependency{i + 1, 0})
			}
		}, 1, 2, 1, 0, many - 1},
		{"the ends of a live chain", func(g *Graph) {
			dependencyChain(g)
			clear(g.Doomed)
			g.Doomed[0], g.Doomed[many-1] = true, true
		}, 1, 2, 0, many - 1, 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			g := allDoomed(many)
			c.make(g)
			p := NewPlan(g)
			first, last := p.Order[0], p.Order[len(p.Order)-1]
			require.Equal(t, []int32{c.first, c.last}, []int32{first, last})
			require.Equal(t, []int32{c.lowest, c.highest}, []int32{p.Level[first], p.Level[last]})
			require.Len(t, p.After(last), c.after)

			f := newFrontier(p)
			for _, want := range p.Order {
				i, ok := f.next()
				require.True(t, ok)
				if i != want {
					require.Equal(t, want, i)
				}
				f.finish(i)
			}
			notified := p.Notification()
			require.Len(t, notified, len(p.Order))
			require.Equal(t, c.highest, p.Level[notified[0]])
		})
	}
}

// A live chain with doomed objects on all of its links: every one of them is named once, in time linear
// in both.
//
// gc 7.2
func TestAfterSharesChains(t *testing.T) {
	g := allDoomed(2*many + 1) // a chain of live ones, then a doomed one for each, then the end
	for i := range int32(many) {
		g.Doomed[i] = false
		g.Deps = append(g.Deps, Dependency{i, i + 1}, Dependency{many + i, i})
	}
	g.Deps[2*(many-1)].Subscriber = 2 * many
	after := NewPlan(g).After(2 * many)
	require.Len(t, after, many)
	length := 0
	for b := after[0]; b.To != nil; b = b.To {
		length++
	}
	require.Equal(t, many+1, length)
}

// benchGraph has 100,000 objects, 100,000 owners and 400,000 dependencies.
func benchGraph(tangled bool) *Graph {
	r := rand.New(rand.NewPCG(1, 2))
	g := allDoomed(many)
	for i := 1; i < many; i++ {
		g.Owner[i] = r.Int32N(int32(i))
	}
	for len(g.Deps) < 4*many {
		publisher, subscriber := r.Int32N(many), r.Int32N(many)
		if !tangled && publisher < subscriber { // as ownership goes: the later made goes first
			publisher, subscriber = subscriber, publisher
		}
		g.Deps = append(g.Deps, Dependency{publisher, subscriber})
	}
	return g
}

// BenchmarkSort is the yardstick for the others: what the machine needs to sort the same dependencies.
func BenchmarkSort(b *testing.B) {
	g := benchGraph(false)
	sorted := make([]Dependency, len(g.Deps))
	for b.Loop() {
		copy(sorted, g.Deps)
		slices.SortFunc(sorted, func(x, y Dependency) int {
			return cmp.Or(cmp.Compare(x.Publisher, y.Publisher), cmp.Compare(x.Subscriber, y.Subscriber))
		})
	}
}

func BenchmarkPlan(b *testing.B) {
	for _, c := range []struct {
		name    string
		tangled bool
	}{{"acyclic", false}, {"tangled", true}} {
		b.Run(c.name, func(b *testing.B) {
			g := benchGraph(c.tangled)
			b.ReportAllocs()
			for b.Loop() {
				NewPlan(g)
			}
		})
	}
}

func BenchmarkFrontier(b *testing.B) {
	p := NewPlan(benchGraph(false))
	b.ReportAllocs()
	for b.Loop() {
		f := newFrontier(p)
		for i, ok := f.next(); ok; i, ok = f.next() {
			f.finish(i)
		}
	}
}
