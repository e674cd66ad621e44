// Package graph has directed graphs whose vertices are the integers 0 to n-1, in compressed sparse
// row form, and the two questions that Sexton asks of them: what can be reached, and which vertices
// lie on common cycles.
//
// It knows nothing of objects and owners. Nothing in it recurses, so a chain of a million vertices
// costs heap, not stack; and everything in it is deterministic: the answer is a function of the
// number of vertices and the sequence of edges.
package graph

// Edge leads from one vertex to another. One that starts or ends at a negative vertex is no edge: it
// keeps the place, and so the labels, in a list of which some edges do not count.
type Edge struct {
	From, To int32
}

// None is an Edge that is no edge.
var None = Edge{-1, -1}

// Digraph is an immutable directed graph; parallel edges and loops are allowed. It costs 8 bytes per
// edge and 4 per vertex. It is safe for concurrent use.
type Digraph struct {
	start []int32 // n+1: the edges that leave v are at start[v]:start[v+1]
	to    []int32 // where each of them leads
	label []int32 // its index in the list that the graph was made from
}

// New returns the graph with the vertices 0 to n-1 and the given edges, in time O(n + edges). The edges
// that leave a vertex keep the order of the list. It panics if an edge names a vertex beyond n-1.
func New(n int, edges []Edge) *Digraph {
	start := make([]int32, n+2) // one more than stays, so that filling shifts the counts into place
	for _, e := range edges {
		if e.From >= 0 && e.To >= 0 {
			start[e.From+2]++
		}
	}
	for v := 2; v < len(start); v++ {
		start[v] += start[v-1]
	}
	m := start[n+1]
	g := &Digraph{to: make([]int32, m), label: make([]int32, m)}
	for k, e := range edges {
		if e.From < 0 || e.To < 0 {
			continue
		}
		if int(e.To) >= n {
			panic("graph: an edge leads to a vertex that does not exist")
		}
		at := start[e.From+1]
		g.to[at], g.label[at] = e.To, int32(k)
		start[e.From+1]++
	}
	g.start = start[:n+1]
	return g
}

// Len returns the number of vertices.
func (g *Digraph) Len() int { return len(g.start) - 1 }

// Successors returns where the edges lead that leave v, in the order of the list that the graph was
// made from. The caller must not change the slice.
func (g *Digraph) Successors(v int32) []int32 { return g.to[g.start[v]:g.start[v+1]] }

// Labels returns the indices, in the list that the graph was made from, of the edges that
// Successors(v) follows. The caller must not change the slice.
func (g *Digraph) Labels(v int32) []int32 { return g.label[g.start[v]:g.start[v+1]] }

// Reach returns the vertices that paths lead to from the given ones, these included, in time
// O(n/64 + what is reached).
func (g *Digraph) Reach(from ...int32) Set {
	reached := NewSet(g.Len())
	var work []int32
	meet := func(vertices []int32) {
		for _, v := range vertices {
			if !reached.Has(v) {
				reached.Add(v)
				work = append(work, v)
			}
		}
	}
	meet(from)
	for len(work) > 0 {
		v := work[len(work)-1]
		work = work[:len(work)-1]
		meet(g.Successors(v))
	}
	return reached
}

// Set is a set of vertices, one bit each.
type Set []uint64

// NewSet returns an empty set with room for the vertices 0 to n-1.
func NewSet(n int) Set { return make(Set, (n+63)/64) }

// Add puts v into the set.
func (s Set) Add(v int32) { s[v/64] |= 1 << (v % 64) }

// Has reports whether v is in the set.
func (s Set) Has(v int32) bool { return s[v/64]&(1<<(v%64)) != 0 }
