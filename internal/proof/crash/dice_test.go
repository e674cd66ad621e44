package crash

import (
	"fmt"
	"math/rand/v2"
	"slices"
)

// growth draws the models of one environment, each a change of the one before.
//
// Nodes have ranks, the order in which they were first drawn. A node stands on, and is owned by, those of
// lower ranks, and watches those of higher ones; so everything that has to go before a node has a higher
// rank, and there are no cycles.
type growth struct {
	*rand.Rand
	spare  bool // what handlers rescue
	size   int  // how many nodes it may come to
	ranks  map[string]int
	tied   map[string]bool // ids that do not come back: what became of them depends on handlers and refusals
	gone   []string
	nodes  []*node
	number int
}

func newGrowth(r *rand.Rand) *growth {
	g := &growth{Rand: r, spare: r.IntN(3) == 0, size: 2 + r.IntN(12), ranks: map[string]int{}, tied: map[string]bool{}}
	if g.oneIn(10) {
		g.size = 100
	}
	return g
}

func (g *growth) oneIn(n int) bool { return g.IntN(n) == 0 }

func (g *growth) pick(nodes []*node) *node {
	if len(nodes) == 0 {
		return nil
	}
	return nodes[g.IntN(len(nodes))]
}

// next draws a model. Ids come back only where free says that nothing of that id is left.
func (g *growth) next(free func(id string) bool) *model {
	g.nodes = clone(g.nodes)
	for range g.IntN(1 + g.size/4) {
		g.drop(g.pick(all(g.nodes)))
	}
	for range g.IntN(1 + g.size - min(g.size, len(all(g.nodes)))) {
		g.add(free)
	}
	for _, n := range all(g.nodes) {
		if g.oneIn(3) {
			g.change(n)
		}
	}
	if len(g.nodes) == 0 {
		g.add(free)
	}
	return &model{clone(g.nodes)}
}

func (g *growth) add(free func(id string) bool) {
	n := &node{Class: "Node", Rescue: g.oneIn(4)}
	if g.oneIn(3) && len(g.gone) > 0 && free(g.gone[0]) {
		n.ID, g.gone = g.gone[0], g.gone[1:]
	} else {
		g.number++
		n.ID = fmt.Sprintf("n%d", g.number)
	}
	if g.oneIn(5) {
		n.Refuse = 1 + 2*g.IntN(2)
		g.tied[n.ID] = true
	}
	if g.oneIn(10) {
		n.Balk = 1
	}
	present := all(g.nodes)
	for range g.IntN(3) {
		if o := g.pick(present); o != nil && !slices.Contains(n.On, o.ID) {
			n.On = append(n.On, o.ID)
			g.tied[o.ID] = true // n may be kept by who rescues something, and stand on it when the model has neither any more
		}
	}
	g.ranks[n.ID] = len(g.ranks) + g.number
	for id, rank := range g.ranks { // an id that comes back has the highest
		if id != n.ID {
			g.ranks[n.ID] = max(g.ranks[n.ID], rank+1)
		}
	}
	if owner := g.pick(present); owner != nil && g.oneIn(3) {
		owner.Nodes = append(owner.Nodes, n)
	} else {
		g.nodes = append(g.nodes, n)
	}
	for range g.IntN(3) {
		g.watch(g.pick(present), n)
	}
}

func (g *growth) watch(subscriber, publisher *node) {
	if subscriber == nil || g.ranks[subscriber.ID] >= g.ranks[publisher.ID] || slices.Contains(subscriber.Watch, publisher.ID) {
		return
	}
	subscriber.Watch = append(subscriber.Watch, publisher.ID)
	g.tied[publisher.ID] = true
}

func (g *growth) change(n *node) {
	switch g.IntN(7) {
	case 0:
		n.Size = g.IntN(4)
	case 1:
		n.Want = g.IntN(3)
	case 2:
		n.Temporary = g.IntN(2)
	case 3:
		n.Collect = !n.Collect
	case 4:
		n.Rescue = !n.Rescue
	case 5:
		g.watch(g.pick(all(g.nodes)), n)
	case 6:
		if !g.spare && len(n.Nodes) == 0 && !g.tied[n.ID] && !slices.ContainsFunc(all(g.nodes), func(o *node) bool { return slices.Contains(o.On, n.ID) }) {
			n.Class = map[string]string{"Node": "Other", "Other": "Node"}[n.Class]
		}
	}
}

// drop takes a node out of the model, with what it owns and what stands on that.
func (g *growth) drop(n *node) {
	if n == nil {
		return
	}
	dropped := map[string]bool{}
	for _, o := range all([]*node{n}) {
		dropped[o.ID] = true
	}
	g.nodes = without(g.nodes, dropped)
	for _, o := range all(g.nodes) {
		o.Watch = slices.DeleteFunc(o.Watch, func(id string) bool { return dropped[id] })
	}
	for id := range dropped {
		if !g.tied[id] {
			g.gone = append(g.gone, id)
		}
	}
	slices.Sort(g.gone)
	for {
		remaining := all(g.nodes)
		i := slices.IndexFunc(remaining, func(o *node) bool {
			return slices.ContainsFunc(o.On, func(id string) bool { return dropped[id] })
		})
		if i < 0 {
			return
		}
		g.drop(remaining[i])
	}
}

func without(nodes []*node, dropped map[string]bool) (left []*node) {
	for _, n := range nodes {
		if !dropped[n.ID] {
			n.Nodes = without(n.Nodes, dropped)
			left = append(left, n)
		}
	}
	return left
}
