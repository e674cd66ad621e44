package vmheap

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
)

// BenchmarkFind: objects with some properties, an array and a private field each,
// either all reachable or all dead.
func BenchmarkFind(b *testing.B) {
	for _, n := range []int{1000, 100000} {
		for _, dead := range []bool{false, true} {
			b.Run(fmt.Sprintf("objects=%d/dead=%v", n, dead), func(b *testing.B) {
				s := newStore(b)
				fill := s.run(fmt.Sprintf(`(function () { globalThis.keep = []; for (let i = 0; i < %d; i++) keep.push(new Node(i)); %s })`, n, map[bool]string{true: "keep = null"}[dead]))
				require.NoError(b, s.r.Set("fill", fill))
				for b.Loop() {
					b.StopTimer()
					for _, r := range s.refs {
						s.h.Untrack(r)
					}
					s.refs = nil
					s.run("fill()")
					b.StartTimer()
					require.Len(b, s.find(), map[bool]int{true: n}[dead])
				}
			})
		}
	}
}
