package scenario_test

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sextongc/sexton"
	"github.com/sextongc/sexton/internal/scenario"
)

// TestConformance runs every scenario of testdata/conformance through the public JavaScript API.
func TestConformance(t *testing.T) {
	const dir = "../../testdata/conformance"
	names, err := os.ReadFile(dir + "/names.js")
	require.NoError(t, err)
	want := len(regexp.MustCompile(`(?m)^\s+"`).FindAll(names, -1))
	require.Greater(t, want, 200)

	failed := failures{}
	files, _, err := scenario.Find(dir, nil)
	require.NoError(t, err)
	summary, err := scenario.Run(t.Context(), &scenario.Options{
		Options:   sexton.Options{Dir: dir, Permissions: sexton.Permissions{Read: []string{"scenarios"}}},
		Files:     files,
		Reporters: []scenario.Reporter{&failed},
	})
	require.NoError(t, err)
	require.Empty(t, failed.texts, strings.Join(failed.texts, "\n"))
	require.Equal(t, want, summary.Pass)
	require.Zero(t, summary.Fail+summary.Skip+summary.Todo)
}

// failures is a reporter that keeps the texts of what failed.
type failures struct{ texts []string }

func (f *failures) Report(e *scenario.Event) error {
	if e.Type == scenario.TypeFail && e.Error != nil {
		f.texts = append(f.texts, e.FullName()+": "+e.Error.Title())
	}
	return nil
}

func (f *failures) Close(*scenario.Summary) error { return nil }
