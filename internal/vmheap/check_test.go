package vmheap

import (
	"flag"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

var update = flag.Bool("update", false, "write layout.txt from the linked goja")

// The canary: a goja that adds, moves or retypes a field must be looked at.
func TestLayoutIsAsRecorded(t *testing.T) {
	r := &resolver{}
	l, samples := resolve(r)
	require.NoError(t, r.err)
	e := &engine{l: l, plans: newPlanner(l)}
	newHeap(samples, e).trace(nil, nil)
	got := e.plans.describe()
	if *update {
		require.NoError(t, os.WriteFile("layout.txt", []byte(got), 0o644))
		return
	}
	require.NoError(t, e.plans.err)
	require.Equal(t, layoutText, got)
	require.Greater(t, strings.Count(got, "\n"), 200, "the samples do not reach what they should")
}
