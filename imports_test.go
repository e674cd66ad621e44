package sexton_test

import (
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

const module = "github.com/sextongc/sexton"

// levels orders the packages: each imports only packages of lower levels. Tests may import anything.
var levels = map[string]int{
	"cmd/sexton": 6, "internal/cli": 5,
	"internal/scenario": 4,
	".":                 3,
	"gcext":             2, "serialize": 2, "internal/state": 2,
	"objectstore": 1, "runtime": 1,
	"internal/graph": 0, "internal/vmheap": 0, "internal/vmstack": 0, "internal/vmguard": 0, "internal/render": 0, "internal/effect": 0,
	"internal/hook": 0, "internal/pipe": 0, "internal/sandbox": 0, "internal/scaffold": 0,

	// For tests and examples only: nothing may import them but tests.
	"internal/proof": 10, "internal/proof/hostile": 10, "internal/proof/crash": 10, "internal/proof/disk": 10, "internal/state/simdisk": 10, "scripts/apps/site/httpd": 10,
}

// only says which packages, or files, may import something.
var only = map[string][]string{
	"unsafe":                              {"internal/vmheap", "internal/vmstack", "internal/vmguard"},
	"github.com/dop251/goja":              {"internal/vmheap", "internal/vmstack", "internal/vmguard", "objectstore", "runtime", "gcext", ".", "internal/scenario"},
	"github.com/dlclark/regexp2":          {"internal/vmguard"},
	"github.com/evanw/esbuild":            {"runtime"},
	"github.com/nlnwa/whatwg-url":         {"runtime"},
	"golang.org/x/text":                   {"runtime"},
	"github.com/spf13/cobra":              {"internal/cli"},
	"golang.org/x/mod":                    {"objectstore", "."},
	"golang.org/x/term":                   {"internal/cli"},
	"github.com/fsnotify/fsnotify":        {"internal/cli"},
	"github.com/peterh/liner":             {"internal/cli"},
	"github.com/gofrs/flock":              {"internal/state"},
	"github.com/landlock-lsm/go-landlock": {"internal/sandbox"},
	"github.com/elastic/go-seccomp-bpf":   {"internal/sandbox"},
	"go.yaml.in/yaml/v3":                  {"serialize"},
	"github.com/stretchr/testify":         {},
	"pgregory.net/rapid":                  {},
	"testing":                             {},
}

// pure files decide without doing: no engine, no input or output, no clock.
var pure = map[string][]string{
	"gcext/plan.go":     {"cmp", "slices", module + "/internal/graph"},
	"gcext/frontier.go": {"container/heap", "slices"},
}

func TestImports(t *testing.T) {
	checked := 0
	for _, file := range goFiles(t) {
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		checked++
		dir := path.Dir(file)
		level, ok := levels[dir]
		require.True(t, ok, "%s: the package has no level in imports_test.go", file)
		for _, imported := range importsOf(t, file) {
			if allowed, ok := pure[file]; ok {
				require.Contains(t, allowed, imported, "%s is pure", file)
			}
			if sub, ok := strings.CutPrefix(imported+"/", module+"/"); ok {
				target := strings.TrimSuffix(sub, "/")
				if target == "" {
					target = "."
				}
				below, ok := levels[target]
				require.True(t, ok, "%s imports %s, which has no level", file, imported)
				require.Less(t, below, level, "%s (level %d) imports %s (level %d)", file, level, imported, below)
			}
			for name, packages := range only {
				if imported == name || strings.HasPrefix(imported, name+"/") {
					require.Contains(t, packages, dir, "%s imports %s", file, imported)
				}
			}
		}
	}
	require.Greater(t, checked, 100)
}

// TestPlanIsShort holds plan.go to the length at which a newcomer still reads it.
func TestPlanIsShort(t *testing.T) {
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, filepath.FromSlash("gcext/plan.go"), nil, parser.ParseComments)
	require.NoError(t, err)
	require.LessOrEqual(t, fset.Position(file.FileEnd).Line, 300)
}

// TestDependenciesAreExplained: each direct dependency has its line in docs/rationale.md.
func TestDependenciesAreExplained(t *testing.T) {
	mod, err := os.ReadFile("go.mod")
	require.NoError(t, err)
	text, err := os.ReadFile(filepath.FromSlash("docs/rationale.md"))
	require.NoError(t, err)
	found := 0
	for _, line := range strings.Split(string(mod), "\n") {
		name, _, ok := strings.Cut(strings.TrimPrefix(strings.TrimSpace(line), "require "), " v")
		if !ok || strings.HasSuffix(line, "// indirect") {
			continue
		}
		found++
		explained := strings.Contains(string(text), "\n| "+strings.TrimPrefix(name, "github.com/")+" |")
		require.True(t, explained, "docs/rationale.md says nothing about %s", name)
	}
	require.Greater(t, found, 8)
}

// goFiles lists the module's Go files, with slashes, sorted.
func goFiles(t *testing.T) []string {
	var files []string
	require.NoError(t, filepath.WalkDir(".", func(file string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && file != "." && (strings.HasPrefix(d.Name(), ".") || slices.Contains([]string{"testdata", "node_modules"}, d.Name())):
			return fs.SkipDir
		case strings.HasSuffix(file, ".go"):
			files = append(files, filepath.ToSlash(file))
		}
		return nil
	}))
	return files
}

func importsOf(t *testing.T, file string) []string {
	tree, err := parser.ParseFile(token.NewFileSet(), filepath.FromSlash(file), nil, parser.ImportsOnly)
	require.NoError(t, err)
	var imports []string
	for _, spec := range tree.Imports {
		name, err := strconv.Unquote(spec.Path.Value)
		require.NoError(t, err)
		imports = append(imports, name)
	}
	return imports
}
