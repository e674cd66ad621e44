package scenario_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sextongc/sexton"
	"github.com/sextongc/sexton/internal/scenario"
)

// TestRequirements runs scripts/gc.test.js: what the collector was built for.
func TestRequirements(t *testing.T) {
	var failed failures
	summary, err := scenario.Run(t.Context(), &scenario.Options{
		Options: sexton.Options{Dir: "../../scripts"}, Files: []string{"gc.test.js"}, Reporters: []scenario.Reporter{&failed},
	})
	require.NoError(t, err)
	require.Empty(t, failed.texts)
	require.GreaterOrEqual(t, summary.Pass, 25)
	require.Equal(t, summary.Tests, summary.Pass)
}
