package proof

import (
	"math"
	"math/rand/v2"
	"slices"
)

// shape is a graph of n objects.
type shape struct {
	n     int
	owner []int // -1: none
	deps  int   // bits [publisher*n + subscriber]
	held  int   // bits: what stays referred to
}

func (s *shape) depends(publisher, subscriber int) bool {
	return s.deps>>(publisher*s.n+subscriber)&1 == 1
}

// shapes visits all graphs of n objects; of four and more one of each shape.
func shapes(n int, visit func(*shape)) {
	pairs := make([]int, 0, n*n)
	for i := range n * n {
		if i/n != i%n {
			pairs = append(pairs, i)
		}
	}
	orders := [][]int{nil}
	if n >= 4 {
		orders = permutations(n)
	}
	number := uint64(0)
	forests(n, func(owner []int) {
		for choice := range 1 << len(pairs) {
			deps := 0
			for k, pair := range pairs {
				deps |= choice >> k & 1 << pair
			}
			for held := range 1 << n {
				s := &shape{n: n, owner: owner, deps: deps, held: held}
				if n < 4 {
					visit(s)
				} else if s.first(orders) {
					number++
					visit(s.renamed(rand.New(rand.NewPCG(number, 4)).Perm(n)))
				}
			}
		}
	})
}

// forests visits all forests of n objects: each object's owner.
func forests(n int, visit func(owner []int)) {
	for code := range int(math.Pow(float64(n), float64(n))) {
		owner := make([]int, n)
		for i := range owner {
			if owner[i] = code % n; owner[i] == i {
				owner[i] = -1
			}
			code /= n
		}
		cyclic := false
		for i := range owner {
			at := i
			for steps := 0; at >= 0 && !cyclic; at = owner[at] {
				steps++
				cyclic = steps > n
			}
		}
		if !cyclic {
			visit(owner)
		}
	}
}

func permutations(n int) [][]int {
	if n == 0 {
		return [][]int{{}}
	}
	var out [][]int
	for _, p := range permutations(n - 1) {
		for at := range n {
			out = append(out, slices.Insert(slices.Clone(p), at, n-1))
		}
	}
	return out
}

// renamed returns the same shape with object i as object p[i].
func (s *shape) renamed(p []int) *shape {
	r := &shape{n: s.n, owner: make([]int, s.n)}
	for i := range s.n {
		r.owner[p[i]] = -1
		if s.owner[i] >= 0 {
			r.owner[p[i]] = p[s.owner[i]]
		}
		r.held |= s.held >> i & 1 << p[i]
		for j := range s.n {
			if s.depends(i, j) {
				r.deps |= 1 << (p[i]*s.n + p[j])
			}
		}
	}
	return r
}

// first reports whether no other order of the objects gives a lower number.
func (s *shape) first(orders [][]int) bool {
	for _, p := range orders {
		r := s.renamed(p)
		if c := slices.Compare(append(r.owner, r.deps, r.held), append(slices.Clone(s.owner), s.deps, s.held)); c < 0 {
			return false
		}
	}
	return true
}
