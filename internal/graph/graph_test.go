package graph

import (
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

func TestSuccessors(t *testing.T) {
	g := New(4, []Edge{{2, 0}, {0, 3}, None, {2, 2}, {0, 1}, {-1, 3}, {3, -1}, {0, 3}})
	require.Equal(t, 4, g.Len())
	for v, want := range [][2][]int32{
		{{3, 1, 3}, {1, 4, 7}},
		{{}, {}},
		{{0, 2}, {0, 3}},
		{{}, {}},
	} {
		require.Equal(t, want[0], g.Successors(int32(v)), "successors of %d", v)
		require.Equal(t, want[1], g.Labels(int32(v)), "labels of %d", v)
	}
}

func TestNewRefusesForeignVertices(t *testing.T) {
	require.Panics(t, func() { New(2, []Edge{{0, 2}}) })
	require.Panics(t, func() { New(2, []Edge{{2, 0}}) })
}

func TestComponents(t *testing.T) {
	for _, c := range []struct {
		name  string
		n     int
		edges []Edge
		want  []int32
	}{
		{"empty", 0, nil, []int32{}},
		{"no edges", 3, nil, []int32{0, 1, 2}},
		{"loop", 2, []Edge{{0, 0}, {0, 1}}, []int32{1, 0}},
		{"chain", 4, []Edge{{0, 1}, {1, 2}, {2, 3}}, []int32{3, 2, 1, 0}},
		{"chain backward", 4, []Edge{{3, 2}, {2, 1}, {1, 0}}, []int32{0, 1, 2, 3}},
		{"ring", 3, []Edge{{0, 1}, {1, 2}, {2, 0}}, []int32{0, 0, 0}},
		{"parallel edges", 2, []Edge{{1, 0}, {1, 0}}, []int32{0, 1}},
		{"two rings, one after the other", 4, []Edge{{0, 1}, {1, 0}, {1, 2}, {2, 3}, {3, 2}}, []int32{1, 1, 0, 0}},
		{"a closed neighbour is not joined", 3, []Edge{{0, 1}, {2, 1}, {2, 0}, {0, 2}}, []int32{1, 0, 1}},
		{"rings that share a vertex", 5, []Edge{{0, 1}, {1, 2}, {2, 0}, {2, 3}, {3, 2}, {3, 4}}, []int32{1, 1, 1, 1, 0}},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := New(c.n, c.edges).Components()
			require.Equal(t, c.want, got.Of)
			count := int32(0)
			for _, k := range c.want {
				count = max(count, k+1)
			}
			require.Equal(t, int(count), got.Count)
		})
	}
}

func TestReach(t *testing.T) {
	g := New(70, []Edge{{0, 69}, {69, 64}, {64, 0}, {5, 6}})
	reached := g.Reach(0, 63)
	for v := range int32(70) {
		want := v == 0 || v == 69 || v == 64 || v == 63
		require.Equal(t, want, reached.Has(v), "vertex %d", v)
	}
	require.Equal(t, NewSet(70), g.Reach(), "nothing leads nowhere")
}

// closure is the naive model: closure[v][w] says whether a path leads from v to w; each vertex leads to
// itself.
func closure(n int, edges []Edge) [][]bool {
	leads := make([][]bool, n)
	for v := range leads {
		leads[v] = make([]bool, n)
		leads[v][v] = true
	}
	for _, e := range edges {
		if e != None {
			leads[e.From][e.To] = true
		}
	}
	for k := range n {
		for v := range n {
			for w := range n {
				leads[v][w] = leads[v][w] || leads[v][k] && leads[k][w]
			}
		}
	}
	return leads
}

func TestAgainstClosure(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 14).Draw(t, "n")
		vertex := rapid.Int32Range(0, int32(n-1))
		edges := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) Edge {
			if rapid.IntRange(0, 9).Draw(t, "none") == 0 {
				return None
			}
			return Edge{vertex.Draw(t, "from"), vertex.Draw(t, "to")}
		}), 0, 3*n).Draw(t, "edges")
		g, leads := New(n, edges), closure(n, edges)
		c := g.Components()
		used := make([]bool, c.Count)
		for v := range int32(n) {
			used[c.Of[v]] = true
			reached := g.Reach(v)
			for w := range int32(n) {
				require.Equal(t, leads[v][w], reached.Has(w), "%d reaches %d", v, w)
				require.Equal(t, leads[v][w] && leads[w][v], c.Of[v] == c.Of[w], "%d with %d", v, w)
				if leads[v][w] {
					require.GreaterOrEqual(t, c.Of[v], c.Of[w], "number of %d against that of %d", v, w)
				}
			}
		}
		require.NotContains(t, used, false, "numbers without a component")
		require.Equal(t, c, New(n, edges).Components(), "a second time")
	})
}

func TestDepth(t *testing.T) {
	const n = 1_000_000
	chain := make([]Edge, n-1)
	for v := range chain {
		chain[v] = Edge{int32(v), int32(v + 1)}
	}
	g := New(n, chain)
	require.Equal(t, n, g.Components().Count)
	require.True(t, g.Reach(0).Has(n-1))
	ring := New(n, append(chain, Edge{n - 1, 0}))
	require.Equal(t, 1, ring.Components().Count)
	require.True(t, ring.Reach(n-1).Has(n-2))
}
