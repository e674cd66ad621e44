package sexton

import (
	"errors"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/sextongc/sexton/internal/state"
)

// gathering is a gatherer of so many effects, and the groups that it has appended.
func gathering(effects int, patience time.Duration, err error) (g *gatherer, groups func() []int) {
	var mu sync.Mutex
	var sizes []int
	g = newGatherer(func(group ...state.Record) error {
		mu.Lock()
		defer mu.Unlock()
		sizes = append(sizes, len(group))
		return err
	})
	g.patience = patience
	for range effects {
		g.begin()
	}
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

// An effect that runs with few others is not held up for them.
func TestFewEffectsDoNotWait(t *testing.T) {
	for _, effects := range []int{0, 1, 2, manyEffects - 1} {
		g, groups := gathering(effects, time.Hour, nil)
		require.NoError(t, g.addAll(1)[0])
		require.Equal(t, []int{1}, groups())
	}
}

// Of many effects two thirds share a group.
func TestManyEffectsShareGroups(t *testing.T) {
	g, groups := gathering(60, time.Hour, nil)
	for range 3 {
		for _, err := range g.addAll(40) {
			require.NoError(t, err)
		}
	}
	require.Equal(t, []int{40, 40, 40}, groups())
	g, groups = gathering(60, 0, nil)
	require.NoError(t, g.addAll(1)[0], "nobody comes")
	require.Equal(t, []int{1}, groups())
}

// The number of effects that is expected falls with those that there are.
func TestGathererForgetsEffects(t *testing.T) {
	g, _ := gathering(1000, 0, nil)
	for range 1000 {
		g.end()
	}
	for range 100 {
		require.NoError(t, g.addAll(1)[0])
	}
	g.patience = time.Hour
	require.NoError(t, g.addAll(1)[0])
}

// Everybody in a group hears that it could not be recorded.
func TestGatheredRecordsFailTogether(t *testing.T) {
	full := errors.New("the disk is full")
	g, groups := gathering(60, time.Hour, full)
	for _, err := range g.addAll(40) {
		require.ErrorIs(t, err, full)
	}
	require.Equal(t, []int{40}, groups())
}
