package graph

// Strongly connected components.
//
// Two vertices belong to one component when each can be reached from the other. The algorithm is
// Tarjan's in the form that Pearce gave it, with an explicit stack of frames instead of recursion:
// one word per vertex is first its number in the search, then the lowest number that it leads back to,
// and at last its component.
//
//	R. Tarjan. Depth-first search and linear graph algorithms. SIAM J. Comput. 1(2), 1972.
//	D. J. Pearce. A space-efficient algorithm for finding strongly connected components.
//	Inf. Process. Lett. 116(1), 2016.

// Components is a partition of a graph's vertices.
type Components struct {
	Count int
	Of    []int32 // the component of each vertex: 0 to Count-1
}

// Components returns the strongly connected components of g in time O(n + edges).
//
// They are numbered against the direction of the edges: an edge between two components leads to the one
// with the lower number. So ascending numbers visit every component after all that it leads to.
func (g *Digraph) Components() *Components {
	n := int32(g.Len())
	// What stands in mark[v]: 0 before v is met; while v is open, the lowest search number known to be
	// reachable from it; afterwards n minus its component. Search numbers are given back when a
	// component closes, hence they stay at or below the number of vertices without one, and below the
	// mark of every closed vertex. So one comparison serves open and closed neighbours alike.
	mark := make([]int32, n)
	var (
		open   []int32 // visited, without a component, not in frames
		frames []frame
		number int32 = 1
		next         = n // mark of the next component
	)
	enter := func(v int32) {
		mark[v] = number
		frames = append(frames, frame{v: v, edge: g.start[v], number: number})
		number++
	}
	for root := range n {
		if mark[root] != 0 {
			continue
		}
		enter(root)
		for len(frames) > 0 {
			f := &frames[len(frames)-1]
			if f.edge < g.start[f.v+1] {
				w := g.to[f.edge]
				if mark[w] == 0 {
					enter(w) // and look at this edge again afterwards
					continue
				}
				mark[f.v] = min(mark[f.v], mark[w])
				f.edge++
				continue
			}
			v, lowest := f.v, f.number
			frames = frames[:len(frames)-1]
			if mark[v] < lowest {
				open = append(open, v) // leads back to a vertex whose frame is still there
				continue
			}
			for len(open) > 0 && mark[open[len(open)-1]] >= lowest {
				mark[open[len(open)-1]] = next
				open = open[:len(open)-1]
				number--
			}
			mark[v] = next
			number--
			next--
		}
	}
	for v := range mark {
		mark[v] = n - mark[v]
	}
	return &Components{Count: int(n - next), Of: mark}
}

// frame is a vertex whose edges are being followed.
type frame struct {
	v      int32
	edge   int32 // the edge to look at next
	number int32 // of v in the search
}
