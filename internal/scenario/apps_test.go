package scenario_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sextongc/sexton"
	"github.com/sextongc/sexton/internal/scenario"
)

// TestApps runs the tests of the example applications, and of a package that needs others of npm, with what their packages ask for, on copies of them. Those
// that need what this machine does not have skip themselves, and say why in the output (go test -v).
func TestApps(t *testing.T) {
	for _, c := range []struct {
		app  string
		pass int // at least
	}{
		{"scripts/apps/site", 2},
		{"testdata/npm", 3},
		{"scripts/apps/network", 3}, // of 6: the others need Linux, root and iproute2
	} {
		t.Run(c.app, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), filepath.Base(c.app))
			require.NoError(t, os.CopyFS(dir, os.DirFS("../../"+c.app)))
			files, _, err := scenario.Find(dir, nil)
			require.NoError(t, err)
			spec, err := scenario.NewReporter("spec", t.Output(), &scenario.ReporterOptions{Dir: dir})
			require.NoError(t, err)
			summary, err := scenario.Run(t.Context(), &scenario.Options{
				Options: sexton.Options{Dir: dir, AllowPackage: true}, Files: files, Reporters: []scenario.Reporter{spec},
			})
			require.NoError(t, err)
			require.NoError(t, spec.Close(summary))
			require.True(t, summary.OK())
			require.Equal(t, summary.Tests, summary.Pass+summary.Skip)
			require.GreaterOrEqual(t, summary.Pass, c.pass)
		})
	}
}
