package gcext

// The order of destruction.
//
// A collection has found out which objects are doomed. What is left to decide is in which order they
// go, and that is all that this file does: a graph in, a plan out.
//
// # Vocabulary
//
//	object       a managed object, known here by its number in creation order; live or doomed
//	owner        each object has at most one; what is owned goes before its owner
//	dependency   a subscriber depends on its publisher; the publisher goes before the subscriber
//	before       B is before A: B must be destroyed first. Transitive, also through live objects
//	tangle       a strongly connected component of owners and dependencies together: every object in
//	             it is before every other
//	cycle        what remains of tangles when ownership gives way: a strongly connected component of
//	             dependencies. Its members are not ordered with each other. Most have one member
//	level        of a doomed object: 1 if no doomed object outside of its cycle is before it, else one
//	             more than the highest level of these. Live objects have none: 0
//
// # Phases
//
//  1. Edges. Dependencies and ownership become edges of one graph, each from the object that goes
//     later to the one that goes earlier. An object that subscribed to itself orders nothing.
//  2. Tangles. The strongly connected components of that graph. Ownership inside one of them would
//     contradict a chain of dependencies, and dependencies are stronger (gc 3.2): these edges go.
//  3. Cycles. The strongly connected components of what is left. All ownership now leads from one tangle
//     to another, so a cycle consists of dependencies alone (gc 3.3).
//  4. Levels. Components arrive in an order in which each comes after all that is before it, so one
//     pass suffices. A cycle with a doomed member stands one above the highest level below it; one
//     without passes that level on, which is how order reaches through live objects (gc 3.1, 3.4).
//  5. Order. Doomed objects by (level, creation), by counting.
//
// # Invariants
//
//   - The plan is a function of the graph: no map is iterated, no time is read, nothing is random.
//   - If doomed B is before doomed A and they share no cycle, then Level[B] < Level[A]. So everything
//     before an object stands earlier in Order, and destroying in that order one by one is always right.
//   - The members of one cycle have the same level.
//   - Levels depend neither on the numbers of objects nor on the order of Deps; Order depends on numbers
//     only within a level.
//
// # Cost
//
// Time and memory O(objects + dependencies), live ones included; no recursion, so chains may be as long
// as memory allows.
//
// # Literature
//
// Levels are those of Coffman and Graham's layering without a bound on width, counted from what goes
// first, on the condensation of the graph (Purdom 1970). Components: Tarjan 1972, see package graph. Two
// deviations: an edge may be dropped between two computations of components, because of two kinds of
// edges the weaker gives way only where it contradicts the stronger; and vertices that are not doomed
// carry a level on without raising it.
//
//	E. G. Coffman, R. L. Graham. Optimal scheduling for two-processor systems. Acta Inf. 1, 1972.
//	P. Purdom. A transitive closure algorithm. BIT 10, 1970.

import (
	"cmp"
	"slices"

	"github.com/sextongc/sexton/internal/graph"
)

// Graph is what a plan is made from. Objects are numbered in creation order from 0; live ones belong to
// it, because order passes through them. Objects that are destroyed already have no place in it except
// as owners, or numbers to skip: their subscriptions have ended.
type Graph struct {
	Owner  []int32      // by object: its owner, negative if it has none
	Deps   []Dependency // in any order; the same pair may occur more than once
	Doomed []bool       // by object
}

// Dependency is a destruction dependency: Publisher goes before Subscriber.
type Dependency struct {
	Publisher, Subscriber int32
}

// Plan is the order in which doomed objects are notified of and destroyed. It does not change once made
// and is safe for concurrent use.
type Plan struct {
	// Order has the doomed objects in the order of destruction: by level, then by creation.
	Order []int32
	// Level is the level of each object, 0 for those that are not doomed.
	Level []int32

	// The objects with the edges that count, from later to earlier. Labels below deps are indices of
	// Graph.Deps, the others are ownership.
	before *graph.Digraph
	deps   int32

	// The cycles (single objects, mostly) as an acyclic graph. Live ones are part of it. They are numbered
	// so that edges lead from lower to higher numbers.
	cycle   []int32        // by object: its cycle
	members *graph.Digraph // cycle to its objects, in creation order
	after   *graph.Digraph // cycle to the cycles that come directly after it, each once
	waits   []int32        // by cycle: how many cycles come directly before it
}

// NewPlan plans the destruction of g's doomed objects. It keeps nothing of g. It panics if g names an
// object beyond the last.
func NewPlan(g *Graph) *Plan {
	n := len(g.Owner)
	edges := g.edges()
	tangles := graph.New(n, edges).Components()
	giveWay(edges[len(g.Deps):], tangles)

	p := &Plan{before: graph.New(n, edges), deps: int32(len(g.Deps))}
	p.assignLevels(g.Doomed)
	p.Order = p.byLevel()
	return p
}

// edges returns phase 1: the dependencies, then the ownership of each object.
func (g *Graph) edges() []graph.Edge {
	edges := make([]graph.Edge, 0, len(g.Deps)+len(g.Owner))
	for _, d := range g.Deps {
		edges = append(edges, graph.Edge{From: d.Subscriber, To: d.Publisher})
	}
	for owned, owner := range g.Owner {
		edges = append(edges, graph.Edge{From: owner, To: int32(owned)})
	}
	return edges
}

// giveWay is phase 2: it removes the ownership that lies inside a tangle.
func giveWay(ownership []graph.Edge, tangles *graph.Components) {
	for i, e := range ownership {
		if e.From >= 0 && tangles.Of[e.From] == tangles.Of[e.To] {
			ownership[i] = graph.None
		}
	}
}

// assignLevels is phases 3 and 4.
func (p *Plan) assignLevels(doomed []bool) {
	cycles := p.before.Components()
	p.cycle = cycles.Of
	p.members = membersOf(cycles)
	p.Level = make([]int32, len(doomed))
	p.waits = make([]int32, cycles.Count)

	// Two edges between the same two cycles count once: last[d] is the latest cycle found to be after d.
	last := make([]int32, cycles.Count)
	// The highest level of all that is in a cycle or before it.
	highest := make([]int32, cycles.Count)
	var after []graph.Edge
	for c := range int32(cycles.Count) {
		dies := false
		for _, i := range p.members.Successors(c) {
			dies = dies || doomed[i]
			for _, b := range p.before.Successors(i) {
				d := p.cycle[b]
				if d == c || last[d] == c {
					continue // cycle 0 has nothing before it, so a zero in last is none
				}
				last[d] = c
				highest[c] = max(highest[c], highest[d])
				after = append(after, graph.Edge{From: d, To: c})
				p.waits[c]++
			}
		}
		if !dies {
			continue
		}
		highest[c]++
		for _, i := range p.members.Successors(c) {
			if doomed[i] {
				p.Level[i] = highest[c]
			}
		}
	}
	p.after = graph.New(cycles.Count, after)
}

// membersOf returns the graph whose edges lead from each cycle to its objects. It has as many vertices
// as there are objects, since that many may be led to.
func membersOf(cycles *graph.Components) *graph.Digraph {
	edges := make([]graph.Edge, len(cycles.Of))
	for i, c := range cycles.Of {
		edges[i] = graph.Edge{From: c, To: int32(i)}
	}
	return graph.New(len(cycles.Of), edges)
}

// byLevel is phase 5, a counting sort.
func (p *Plan) byLevel() []int32 {
	var start []int32 // by level: where its next object goes in the order
	doomed := 0
	for _, level := range p.Level {
		for int(level) >= len(start) {
			start = append(start, 0)
		}
		if level > 0 {
			start[level]++
			doomed++
		}
	}
	at := int32(0)
	for level, count := range start {
		start[level] = at
		at += count
	}
	order := make([]int32, doomed)
	for i, level := range p.Level {
		if level > 0 {
			order[start[level]] = int32(i)
			start[level]++
		}
	}
	return order
}

// Notification returns the doomed objects in the order in which their subscribers are told: from the
// highest level to the lowest, in creation order within a level (gc 3.5).
func (p *Plan) Notification() []int32 {
	order := make([]int32, 0, len(p.Order))
	for end := len(p.Order); end > 0; {
		begin := end
		for begin > 0 && p.Level[p.Order[begin-1]] == p.Level[p.Order[end-1]] {
			begin--
		}
		order = append(order, p.Order[begin:end]...)
		end = begin
	}
	return order
}

// Owned stands for a dependency's index where ownership, not a dependency, puts one object before
// another.
const Owned int32 = -1

// Before is one step of an explanation: Object goes before the object of To because that one owns it
// (Dependency is Owned) or subscribed to it (Dependency is the index of the first such one in Graph.Deps).
type Before struct {
	Object     int32
	Dependency int32
	To         *Before // the last of the chain is the object that was asked about: its To is nil
}

// After explains the level of object i (gc 7.2): it returns the doomed objects that i comes after and
// that are closest to it, in the order of destruction. Those between them and i, found by following To,
// are live or members of i's own cycle; of several chains it is a shortest. Time and memory are linear in
// what is visited, because chains share their ends.
func (p *Plan) After(i int32) []*Before {
	var closest []*Before
	met := map[int32]bool{i: true}
	work := []*Before{{Object: i}}
	for len(work) > 0 {
		to := work[0]
		work = work[1:]
		labels := p.before.Labels(to.Object)
		for k, b := range p.before.Successors(to.Object) {
			if met[b] {
				continue
			}
			met[b] = true
			step := &Before{Object: b, Dependency: labels[k], To: to}
			if step.Dependency >= p.deps {
				step.Dependency = Owned
			}
			if p.Level[b] > 0 && p.cycle[b] != p.cycle[i] {
				closest = append(closest, step)
			} else {
				work = append(work, step)
			}
		}
	}
	slices.SortFunc(closest, func(a, b *Before) int {
		return p.compare(a.Object, b.Object)
	})
	return closest
}

// compare is the order of Order.
func (p *Plan) compare(a, b int32) int {
	return cmp.Or(cmp.Compare(p.Level[a], p.Level[b]), cmp.Compare(a, b))
}
