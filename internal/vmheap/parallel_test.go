package vmheap

import (
	"fmt"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
)

// gc 2.6: any number of runtimes in one process, the same answers.
func TestParallelRuntimes(t *testing.T) {
	const runtimes = 32
	got := make([][]string, runtimes)
	var wg sync.WaitGroup
	for i := range runtimes {
		wg.Go(func() {
			for _, c := range scenarios {
				if c.async || (len(c.name)+i)%4 != 0 {
					continue
				}
				log := play(t, c)
				if fmt.Sprint(log) != fmt.Sprint(c.want) {
					got[i] = append(got[i], fmt.Sprintf("%s: %q", c.name, log))
				}
			}
		})
	}
	wg.Wait()
	for i := range got {
		require.Empty(t, got[i])
	}
}
