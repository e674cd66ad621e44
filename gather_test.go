package sexton

import (
	"errors"
	"runtime"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sextongc/sexton/internal/state"
)

// gathering is a gatherer, and the sizes of the groups that it has appended.
func gathering(err error) (g *gatherer, groups func() []int) {
	var mu sync.Mutex
	var sizes []int
	g = newGatherer(func(group ...state.Record) error {
		mu.Lock()
		defer mu.Unlock()
		sizes = append(sizes, len(group))
		return err
	})
	return g, func() []int { return sizes }
}

func (g *gatherer) addAll(n int) []error {
	errs := make([]error, n)
	var wg sync.WaitGroup
	for i := range n {
		wg.Go(func() { errs[i] = g.add(state.Record{Kind: state.Intent, Payload: []byte("{}")}) })
	}
	wg.Wait()
	return errs
}

// A record for which there are no others is appended at once.
func TestLonelyRecordDoesNotWait(t *testing.T) {
	g, groups := gathering(nil)
	for range 3 {
		require.NoError(t, g.addAll(1)[0])
	}
	require.Equal(t, []int{1, 1, 1}, groups())
}

// Effects that are ready at the same time share groups, also where one processor runs them all.
func TestEffectsAtOnceShareGroups(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	g, groups := gathering(nil)
	for _, err := range g.addAll(400) {
		require.NoError(t, err)
	}
	total := 0
	for _, n := range groups() {
		total += n
	}
	require.Equal(t, 400, total)
	require.Less(t, len(groups()), 40)
}

// Everybody in a group hears that it could not be recorded.
func TestGatheredRecordsFailTogether(t *testing.T) {
	full := errors.New("the disk is full")
	g, groups := gathering(full)
	for _, err := range g.addAll(40) {
		require.ErrorIs(t, err, full)
	}
	require.NotEmpty(t, groups())
}
