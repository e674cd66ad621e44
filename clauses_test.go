package sexton_test

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// clauses are how many clauses each chapter of the specification of the collector has.
var clauses = []int{6, 8, 6, 9, 8, 7, 3}

// Every clause is named by a test: as "gc 3.4" in a test file, several as "gc 3.4, 5.6", or in the
// clauses of a conformance scenario.
func TestEveryClauseHasATest(t *testing.T) {
	named := map[string]string{} // clause: a file that names it
	list := regexp.MustCompile(`\bgc (\d\.\d+(?:(?:,| and) \d\.\d+)*)`)
	one := regexp.MustCompile(`\d\.\d+`)
	require.NoError(t, filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && (strings.HasPrefix(d.Name(), ".") && path != "." || d.Name() == "node_modules") {
			return fs.SkipDir
		}
		if path == "clauses_test.go" {
			return nil // names some as examples
		}
		scenario := strings.HasSuffix(path, ".json") && strings.Contains(filepath.ToSlash(path), "conformance/scenarios/")
		if !scenario && !strings.HasSuffix(path, "_test.go") && !strings.HasSuffix(path, ".test.js") && !strings.HasSuffix(path, ".test.ts") {
			return nil
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		if scenario {
			var s struct{ Clauses []string }
			if err := json.Unmarshal(text, &s); err != nil {
				return fmt.Errorf("%s: %w", path, err)
			}
			for _, c := range s.Clauses {
				named[c] = path
			}
			return nil
		}
		for _, match := range list.FindAllSubmatch(text, -1) {
			for _, c := range one.FindAll(match[1], -1) {
				named[string(c)] = path
			}
		}
		return nil
	}))
	var missing []string
	for chapter, n := range clauses {
		for i := range n {
			c := fmt.Sprintf("%d.%d", chapter+1, i+1)
			if named[c] == "" {
				missing = append(missing, c)
			}
			delete(named, c)
		}
	}
	require.Empty(t, missing, "clauses without a test")
	require.Empty(t, named, "tests of clauses that there are none")
}
