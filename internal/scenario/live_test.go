package scenario_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sextongc/sexton"
	"github.com/sextongc/sexton/internal/scenario"
)

// TestLive runs the package testdata/live: what tests can do with real environments.
func TestLive(t *testing.T) {
	const dir = "testdata/live"
	files, _, err := scenario.Find(dir, nil)
	require.NoError(t, err)
	var failed failures
	summary, err := scenario.Run(t.Context(), &scenario.Options{
		Options: sexton.Options{Dir: dir}, Files: files, Reporters: []scenario.Reporter{&failed},
	})
	require.NoError(t, err)
	require.Empty(t, failed.texts)
	require.GreaterOrEqual(t, summary.Pass, 4)
	require.Equal(t, summary.Tests, summary.Pass+summary.Skip)
}
