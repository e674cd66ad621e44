package gcext

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// gc 3.6, 5.6
func TestFrontier(t *testing.T) {
	for _, c := range []struct {
		name, graph string
		fails       []string
		destroyed   []string
		blocked     map[string]string // with the name of the blocker
	}{
		{"nothing fails", "a b:a c:b e f c>f", nil, []string{"c", "e", "b", "f", "a"}, nil},
		{"what is after waits", "a b c d a>b b>c", []string{"a"}, []string{"d"}, map[string]string{"b": "a", "c": "a"}},
		{"through a live object", "a L z a>L L>z", []string{"a"}, nil, map[string]string{"z": "a"}},
		{"members of a cycle proceed", "a b y a>b b>a b>y", []string{"a"}, []string{"b"}, map[string]string{"y": "a"}},
		{"of several the first in order", "z b a a>z b>z", []string{"a", "b"}, nil, map[string]string{"z": "b"}},
		{"of several the lowest level", "z a b c b>a c>z a>z", []string{"a", "c"}, []string{"b"}, map[string]string{"z": "c"}},
		{"the one that failed, not who waits", "c b a a>b b>c", []string{"a"}, nil, map[string]string{"b": "a", "c": "a"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			g, names := parse(c.graph)
			p := NewPlan(g)
			f := newFrontier(p)
			var destroyed []string
			for i, ok := f.next(); ok; i, ok = f.next() {
				if slices.Contains(c.fails, names[i]) {
					f.fail(i)
					continue
				}
				destroyed = append(destroyed, names[i])
				f.finish(i)
			}
			require.Equal(t, c.destroyed, destroyed)
			for _, i := range p.Order {
				if blocker, ok := c.blocked[names[i]]; ok {
					require.EqualValues(t, slices.Index(names, blocker), f.blockerOf(i), names[i])
				} else {
					require.EqualValues(t, -1, f.blockerOf(i), names[i])
				}
			}
		})
	}
}

// gc 3.6: one that takes long holds up what is after it, and nothing else.
func TestFrontierConcurrent(t *testing.T) {
	g, names := parse("slow x:slow a b c:b slow>a")
	f := newFrontier(NewPlan(g))
	next := func() string {
		i, ok := f.next()
		if !ok {
			return ""
		}
		return names[i]
	}
	finish := func(name string) { f.finish(int32(slices.Index(names, name))) }

	require.Equal(t, "x", next())
	require.Equal(t, "c", next())
	require.Empty(t, next(), "slow waits for x, b for c")
	finish("x")
	require.Equal(t, "slow", next())
	finish("c")
	require.Equal(t, "b", next())
	finish("b")
	require.Empty(t, next(), "a waits for slow")
	finish("slow")
	require.Equal(t, "a", next())
	finish("a")
	require.Empty(t, next())
}

// Objects start, finish and fail in any interleaving: what may start is at every moment what the model
// says.
//
// gc 3.6, 5.6
func TestFrontierAgainstModel(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := graphs().Draw(t, "graph")
		p, m := NewPlan(g), newModel(g)
		f := newFrontier(p)
		const waiting, running, finished, failed = 0, 1, 2, 3
		state := make([]int, len(g.Owner))
		// mayStart says whether everything doomed before a, outside of its cycle, is finished.
		mayStart := func(a int32) bool {
			for b := range g.Doomed {
				if g.Doomed[b] && m.before[b][a] && !m.before[a][b] && state[b] != finished {
					return false
				}
			}
			return g.Doomed[a] && state[a] == waiting
		}
		var atWork []int32
		for {
			want := []int32{}
			for _, a := range m.order() {
				if mayStart(a) {
					want = append(want, a)
				}
			}
			ready := slices.SortedFunc(slices.Values(f.ready.objects), p.compare)
			require.Equal(t, want, append([]int32{}, ready...))
			if len(want)+len(atWork) == 0 {
				break
			}
			if len(atWork) == 0 || len(want) > 0 && rapid.Bool().Draw(t, "start") {
				i, ok := f.next()
				require.True(t, ok)
				require.Equal(t, want[0], i)
				state[i] = running
				atWork = append(atWork, i)
				continue
			}
			k := rapid.IntRange(0, len(atWork)-1).Draw(t, "ends")
			i := atWork[k]
			atWork = slices.Delete(atWork, k, k+1)
			if rapid.IntRange(0, 3).Draw(t, "fails") == 0 {
				state[i] = failed
				f.fail(i)
			} else {
				state[i] = finished
				f.finish(i)
			}
		}
		for _, a := range p.Order {
			want := int32(-1)
			for _, b := range slices.Backward(p.Order) {
				if state[b] == failed && m.before[b][a] && !m.before[a][b] {
					want = b
				}
			}
			require.Equal(t, want, f.blockerOf(a), "blocker of %d", a)
			require.Equal(t, want >= 0, state[a] == waiting, "object %d", a)
		}
	})
}
