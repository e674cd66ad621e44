package graph

import (
	"cmp"
	"math/rand/v2"
	"slices"
	"testing"
)

const benchVertices, benchEdges = 100_000, 500_000

// randomEdges returns edges between random vertices; forward ones lead to higher numbers only.
func randomEdges(forward bool) []Edge {
	r := rand.New(rand.NewPCG(1, 2))
	edges := make([]Edge, benchEdges)
	for k := range edges {
		a, b := r.Int32N(benchVertices), r.Int32N(benchVertices)
		if forward && a > b {
			a, b = b, a
		}
		edges[k] = Edge{a, b}
	}
	return edges
}

// BenchmarkSort is the yardstick for the others: what the machine needs to sort the same edges.
func BenchmarkSort(b *testing.B) {
	edges := randomEdges(false)
	sorted := make([]Edge, len(edges))
	for b.Loop() {
		copy(sorted, edges)
		slices.SortFunc(sorted, func(x, y Edge) int {
			return cmp.Or(cmp.Compare(x.From, y.From), cmp.Compare(x.To, y.To))
		})
	}
}

func BenchmarkNew(b *testing.B) {
	edges := randomEdges(false)
	b.ReportAllocs()
	for b.Loop() {
		New(benchVertices, edges)
	}
}

func BenchmarkComponents(b *testing.B) {
	for _, c := range []struct {
		name    string
		forward bool
	}{{"acyclic", true}, {"tangled", false}} {
		b.Run(c.name, func(b *testing.B) {
			g := New(benchVertices, randomEdges(c.forward))
			b.ReportAllocs()
			for b.Loop() {
				g.Components()
			}
		})
	}
}

func BenchmarkReach(b *testing.B) {
	g := New(benchVertices, randomEdges(false))
	b.ReportAllocs()
	for b.Loop() {
		g.Reach(0)
	}
}
