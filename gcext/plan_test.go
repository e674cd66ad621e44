package gcext

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// parse makes a graph from words. An object is a name, followed by ":owner" if it has one; a lower-case
// name is doomed, an upper-case one lives. A dependency is "publisher>subscriber". names are in creation
// order.
func parse(text string) (g *Graph, names []string) {
	g = &Graph{}
	number := func(name string) int32 { return int32(slices.Index(names, name)) }
	for _, word := range strings.Fields(text) {
		if p, s, ok := strings.Cut(word, ">"); ok {
			g.Deps = append(g.Deps, Dependency{number(p), number(s)})
			continue
		}
		name, owner, _ := strings.Cut(word, ":")
		names = append(names, name)
		g.Owner = append(g.Owner, number(owner))
		g.Doomed = append(g.Doomed, name == strings.ToLower(name))
	}
	return g, names
}

func TestPlanOrder(t *testing.T) {
	for _, c := range []struct {
		clause, name, graph string
		order               string // levels, lowest first
	}{
		{"gc 3.1", "what is owned goes first", "a b:a c:b", "c | b | a"},
		{"gc 3.1", "the publisher goes first", "a b a>b", "a | b"},
		{"gc 3.1", "chains of both kinds", "a b:a c c>b d d>c", "d | c | b | a"},
		{"gc 3.1", "through a live subscriber", "z L a a>L L>z", "a | z"},
		{"gc 3.1", "through a live owner", "z L a:L L>z", "a | z"},
		{"gc 3.1", "through a chain of live ones", "z L M:L N a a>N N>M L>z", "a | z"},
		{"gc 3.1", "through a live cycle", "z L M a a>L L>M M>L M>z", "a | z"},
		{"gc 3.1", "through a live member of a cycle with doomed ones", "z L a x x>L L>a a>L L>z", "x | a | z"},
		{"gc 3.2", "a child that depends on its owner goes last", "a b:a a>b", "a | b"},
		{"gc 3.2", "a grandchild: no ownership of the cycle counts", "a b:a c:b a>c", "a b | c"},
		{"gc 3.2", "ownership outside of the cycle counts", "a b:a a>b c:b", "a c | b"},
		{"gc 3.2", "a chain of owners ends where ownership does not count", "o a:o b:a a>b", "a | o b"},
		{"gc 3.2", "the cycle may lead through live objects", "a L b:a a>L L>b", "a | b"},
		{"gc 3.2", "ownership and dependency that agree", "a b:a b>a", "b | a"},
		{"gc 3.3", "two that depend on each other", "a b a>b b>a", "a b"},
		{"gc 3.3", "three, with one before and one after", "y c b a x a>b b>c c>a c>y x>b", "x | c b a | y"},
		{"gc 3.3", "an owner within a dependency cycle", "a b:a a>b b>a", "a b"},
		{"gc 3.3", "what a member owns is before all of them", "a b c:a a>b b>a", "c | a b"},
		{"gc 3.3", "two cycles in order", "c d a b a>b b>a c>d d>c b>c", "a b | c d"},
		{"gc 3.3", "one that subscribes to itself", "a b a>a a>b", "a | b"},
		{"gc 3.4", "one more than the highest, not than the nearest", "a b c d a>b a>d b>c c>d", "a | b | c | d"},
		{"gc 3.4", "live objects raise no level", "a L M b a>L L>M M>b", "a | b"},
		{"gc 3.4", "levels count from what dies first", "a b:a c:b e f c>f", "c e | b f | a"},
		{"gc 3.4", "ties by creation", "c b a", "c b a"},
		{"gc 3.4", "a dependency made twice", "a b a>b a>b", "a | b"},
		{"gc 3.4", "nothing doomed", "A B:A A>B", ""},
		{"gc 3.4", "nothing at all", "", ""},
	} {
		t.Run(c.clause+" "+c.name, func(t *testing.T) {
			g, names := parse(c.graph)
			p := NewPlan(g)
			var levels [][]string
			for _, i := range p.Order {
				if level := int(p.Level[i]); level > len(levels) {
					levels = append(levels, nil)
					require.Len(t, levels, level, "levels leave no gap")
				}
				last := len(levels) - 1
				levels[last] = append(levels[last], names[i])
			}
			require.Equal(t, c.order, join(levels))

			// gc 3.5: notified from the highest level to the lowest, in creation order within
			slices.Reverse(levels)
			var notified []string
			for _, i := range p.Notification() {
				notified = append(notified, names[i])
			}
			require.Equal(t, slices.Concat(levels...), notified)
		})
	}
}

func join(levels [][]string) string {
	words := make([]string, len(levels))
	for k, level := range levels {
		words[k] = strings.Join(level, " ")
	}
	return strings.Join(words, " | ")
}

// gc 7.2
func TestPlanExplanations(t *testing.T) {
	for _, c := range []struct {
		name, graph, object string
		want                []string // chains: what goes first at the left, reasons between
	}{
		{"nothing", "a b", "a", nil},
		{"owned", "a b:a", "a", []string{"b owned a"}},
		{"subscribed", "a b c a>c b>c", "c", []string{"a 0 c", "b 1 c"}},
		{"the first of several", "a b b>a a>b a>b", "b", nil},
		{"the first subscription of the same pair", "x a b x>a a>b a>b", "b", []string{"a 1 b"}},
		{"dependency rather than ownership", "a b:a b>a", "a", []string{"b 0 a"}},
		{"through live ones", "z L M:L a a>M L>z", "z", []string{"a 0 M owned L 1 z"}},
		{"the shortest", "z L M a a>M M>L L>z a>L", "z", []string{"a 3 L 2 z"}},
		{"only the closest", "a b c a>b b>c a>c", "c", []string{"a 2 c", "b 1 c"}},
		{"through its own cycle", "a b x a>b b>a x>b", "a", []string{"x 2 b 1 a"}},
		{"ownership that gave way is none", "a b:a a>b", "a", nil},
		{"in the order of destruction", "d c b a:b a>d b>d c>d", "d", []string{"c 2 d", "a 0 d", "b 1 d"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			g, names := parse(c.graph)
			var got []string
			for _, b := range NewPlan(g).After(int32(slices.Index(names, c.object))) {
				text := names[b.Object]
				for ; b.To != nil; b = b.To {
					reason := "owned"
					if b.Dependency != Owned {
						reason = string(rune('0' + b.Dependency))
					}
					text += " " + reason + " " + names[b.To.Object]
				}
				got = append(got, text)
			}
			require.Equal(t, c.want, got)
		})
	}
}

func TestPlanRefusesForeignObjects(t *testing.T) {
	require.Panics(t, func() { NewPlan(&Graph{Owner: []int32{1}, Doomed: []bool{true}}) })
	require.Panics(t, func() {
		NewPlan(&Graph{Owner: []int32{-1}, Doomed: []bool{true}, Deps: []Dependency{{0, 1}}})
	})
}

// model is gc 3.1 to 3.4 word by word: no components, all paths.
type model struct {
	before [][]bool // before[b][a]: b is before a; all are before themselves
	level  []int32
}

func newModel(g *Graph) *model {
	n := len(g.Owner)
	matrix := func() [][]bool {
		m := make([][]bool, n)
		for i := range m {
			m[i] = make([]bool, n)
			m[i][i] = true
		}
		return m
	}
	close := func(m [][]bool) {
		for k := range m {
			for b := range m {
				for a := range m {
					m[b][a] = m[b][a] || m[b][k] && m[k][a]
				}
			}
		}
	}
	all, m := matrix(), &model{before: matrix(), level: make([]int32, n)}
	for _, d := range g.Deps {
		all[d.Publisher][d.Subscriber] = true
		m.before[d.Publisher][d.Subscriber] = true
	}
	for owned, owner := range g.Owner {
		if owner >= 0 {
			all[owned][owner] = true
		}
	}
	close(all)
	for owned, owner := range g.Owner {
		if owner >= 0 && !all[owner][owned] { // else ownership would close a cycle
			m.before[owned][owner] = true
		}
	}
	close(m.before)
	for range n { // no level is higher than n
		for a := range n {
			for b := range n {
				if g.Doomed[a] && g.Doomed[b] && m.before[b][a] && !m.before[a][b] {
					m.level[a] = max(m.level[a], m.level[b]+1)
				} else if g.Doomed[a] {
					m.level[a] = max(m.level[a], 1)
				}
			}
		}
	}
	return m
}

// order returns the doomed objects by level and creation.
func (m *model) order() []int32 {
	order := []int32{}
	for level := int32(1); int(level) <= len(m.level); level++ {
		for i, l := range m.level {
			if l == level {
				order = append(order, int32(i))
			}
		}
	}
	return order
}

// graphs generates environments: a forest of owners, not always created before what they own, and
// dependencies without any order.
func graphs() *rapid.Generator[*Graph] {
	return rapid.Custom(func(t *rapid.T) *Graph {
		n := rapid.IntRange(1, 12).Draw(t, "n")
		object := rapid.Int32Range(0, int32(n-1))
		g := &Graph{Owner: make([]int32, n)}
		numbers := make([]int32, n)
		for i := range numbers {
			numbers[i] = int32(i)
		}
		if rapid.Bool().Draw(t, "shuffled") {
			numbers = rapid.Permutation(numbers).Draw(t, "numbers")
		}
		for k, i := range numbers {
			owner := rapid.IntRange(-2, k-1).Draw(t, "owner")
			g.Owner[i] = -1
			if owner >= 0 {
				g.Owner[i] = numbers[owner]
			}
		}
		g.Deps = rapid.SliceOfN(rapid.Custom(func(t *rapid.T) Dependency {
			return Dependency{object.Draw(t, "publisher"), object.Draw(t, "subscriber")}
		}), 0, 2*n).Draw(t, "deps")
		g.Doomed = rapid.SliceOfN(rapid.Bool(), n, n).Draw(t, "doomed")
		return g
	})
}

// gc 3.1, 3.2, 3.3, 3.4
func TestPlanAgainstModel(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := graphs().Draw(t, "graph")
		p, m := NewPlan(g), newModel(g)
		require.Equal(t, m.level, p.Level)
		require.Equal(t, m.order(), p.Order)
		require.Equal(t, p, NewPlan(g), "a plan is a function of the graph")

		for c := range int32(len(p.waits)) {
			before := 0
			for d := range int32(len(p.waits)) {
				if slices.Contains(p.after.Successors(d), c) {
					require.Less(t, d, c)
					before++
				}
			}
			require.EqualValues(t, before, p.waits[c], "cycles before %d", c)
		}
		for b := range int32(len(m.before)) {
			reached := p.after.Reach(p.cycle[b])
			for a := range int32(len(m.before)) {
				require.Equal(t, m.before[b][a], reached.Has(p.cycle[a]), "%d before %d", b, a)
			}
			require.Contains(t, p.members.Successors(p.cycle[b]), b)
		}
	})
}

// gc 3.4: levels do not depend on the numbers of objects or the order of dependencies.
func TestPlanRenumbered(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := graphs().Draw(t, "graph")
		numbers := make([]int32, len(g.Owner))
		for i := range numbers {
			numbers[i] = int32(i)
		}
		numbers = rapid.Permutation(numbers).Draw(t, "numbers")
		other := &Graph{
			Owner:  make([]int32, len(numbers)),
			Deps:   rapid.Permutation(g.Deps).Draw(t, "deps"),
			Doomed: make([]bool, len(numbers)),
		}
		sameNumbers := NewPlan(&Graph{Owner: g.Owner, Deps: other.Deps, Doomed: g.Doomed})
		for i, to := range numbers {
			other.Doomed[to] = g.Doomed[i]
			other.Owner[to] = -1
			if g.Owner[i] >= 0 {
				other.Owner[to] = numbers[g.Owner[i]]
			}
		}
		other.Deps = slices.Clone(other.Deps)
		for k, d := range other.Deps {
			other.Deps[k] = Dependency{numbers[d.Publisher], numbers[d.Subscriber]}
		}
		p, q := NewPlan(g), NewPlan(other)
		require.Equal(t, p.Order, sameNumbers.Order)
		for i, to := range numbers {
			require.Equal(t, p.Level[i], q.Level[to], "object %d, now %d", i, to)
		}
	})
}

// gc 7.2, 7.3
func TestPlanExplanationsAgainstModel(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := graphs().Draw(t, "graph")
		p, m := NewPlan(g), newModel(g)
		for i := range int32(len(g.Owner)) {
			closest := map[int32]int{} // with the length of the chain
			length := map[int32]int{i: 0}
			for work := []int32{i}; len(work) > 0; work = work[1:] {
				a := work[0]
				for b := range int32(len(g.Owner)) {
					owned := g.Owner[b] == a && !tangled(g, b, a)
					direct := owned || slices.Contains(g.Deps, Dependency{b, a})
					if _, ok := length[b]; ok || !direct {
						continue
					}
					length[b] = length[a] + 1
					if g.Doomed[b] && !m.before[i][b] {
						closest[b] = length[b]
					} else {
						work = append(work, b)
					}
				}
			}
			highest := int32(0)
			after := p.After(i)
			require.True(t, slices.IsSortedFunc(after, func(a, b *Before) int { return p.compare(a.Object, b.Object) }))
			for _, b := range after {
				highest = max(highest, p.Level[b.Object])
				want, ok := closest[b.Object]
				require.True(t, ok, "%d is not closest to %d", b.Object, i)
				delete(closest, b.Object)
				got := 0
				for ; b.To != nil; b = b.To {
					got++
					if b.Dependency == Owned {
						require.Equal(t, b.To.Object, g.Owner[b.Object])
					} else {
						d := Dependency{b.Object, b.To.Object}
						require.EqualValues(t, slices.Index(g.Deps, d), b.Dependency)
					}
				}
				require.Equal(t, i, b.Object, "the end of the chain")
				require.Equal(t, want, got, "length of the chain")
			}
			require.Empty(t, closest, "not explained")
			if g.Doomed[i] {
				require.Equal(t, highest+1, p.Level[i])
			}
		}
	})
}

// tangled says whether ownership of owned would close a cycle.
func tangled(g *Graph, owned, owner int32) bool {
	met := map[int32]bool{owner: true}
	for work := []int32{owner}; len(work) > 0; work = work[1:] {
		for _, d := range g.Deps {
			if d.Publisher == work[0] && !met[d.Subscriber] {
				met[d.Subscriber] = true
				work = append(work, d.Subscriber)
			}
		}
		if o := g.Owner[work[0]]; o >= 0 && !met[o] {
			met[o] = true
			work = append(work, o)
		}
	}
	return met[owned]
}
