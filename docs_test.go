package sexton_test

import (
	"bytes"
	"context"
	"errors"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sextongc/sexton"
	"github.com/sextongc/sexton/internal/cli"
	"github.com/sextongc/sexton/internal/scenario"
)

// document reads a document of the repository.
func document(t *testing.T, name string) string {
	data, err := os.ReadFile(filepath.FromSlash(name))
	require.NoError(t, err)
	return string(data)
}

// documents are the texts that readers of the project begin with.
func documents(t *testing.T) []string {
	found, err := filepath.Glob(filepath.Join("docs", "*.md"))
	require.NoError(t, err)
	names := []string{"README.md", "testdata/conformance/README.md"}
	for _, name := range found {
		names = append(names, filepath.ToSlash(name))
	}
	return names
}

var (
	markdownLink = regexp.MustCompile(`\]\(([^)\s]+)\)`)
	heading      = regexp.MustCompile(`(?m)^#+ (.*)$`)
	notInAnchors = regexp.MustCompile(`[^\p{L}\p{N} _-]`)
	fenced       = regexp.MustCompile("(?ms)^```.*?^```$")
)

// anchors are the names that headings get, as GitHub makes them.
func anchors(text string) []string {
	var names []string
	for _, h := range heading.FindAllStringSubmatch(fenced.ReplaceAllString(text, ""), -1) {
		name := strings.ReplaceAll(strings.ToLower(notInAnchors.ReplaceAllString(h[1], "")), " ", "-")
		names = append(names, name)
	}
	return names
}

func TestDocumentLinks(t *testing.T) {
	checked := 0
	for _, name := range documents(t) {
		text := fenced.ReplaceAllString(document(t, name), "")
		for _, link := range markdownLink.FindAllStringSubmatch(text, -1) {
			target, anchor, _ := strings.Cut(link[1], "#")
			if strings.Contains(target, "://") {
				continue
			}
			checked++
			to := name
			if target != "" {
				to = path.Join(path.Dir(name), target)
				_, err := os.Stat(filepath.FromSlash(to))
				require.NoError(t, err, "%s: link to %s", name, link[1])
			}
			if anchor != "" {
				require.Contains(t, anchors(document(t, to)), anchor, "%s: link to %s", name, link[1])
			}
		}
	}
	require.Greater(t, checked, 20)
}

// Every function that a table of architecture.md names is there.
func TestDocumentedFunctions(t *testing.T) {
	named := regexp.MustCompile("`([a-z/]+)\\.(?:\\(\\*?([A-Za-z]+)\\)\\.)?([A-Za-z]+)\\(\\)`")
	declared := map[string]map[string]bool{} // by folder: "Function", "Type.Method"
	for _, file := range goFiles(t) {
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		tree, err := parser.ParseFile(token.NewFileSet(), filepath.FromSlash(file), nil, parser.SkipObjectResolution)
		require.NoError(t, err)
		dir := path.Dir(file)
		if declared[dir] == nil {
			declared[dir] = map[string]bool{}
		}
		for _, d := range tree.Decls {
			if f, ok := d.(*ast.FuncDecl); ok {
				declared[dir][receiver(f)+f.Name.Name] = true
			}
		}
	}
	checked := 0
	for line := range strings.SplitSeq(document(t, "docs/architecture.md"), "\n") {
		if !strings.HasPrefix(line, "|") {
			continue
		}
		for _, m := range named.FindAllStringSubmatch(line, -1) {
			dir, function := m[1], m[3]
			if m[2] != "" {
				function = m[2] + "." + function
			}
			if dir == "sexton" {
				dir = "."
			}
			require.True(t, declared[dir][function], "architecture.md names %s, which is not in %q", m[0], dir)
			checked++
		}
	}
	require.Greater(t, checked, 20)
}

// receiver returns "Type." of a method.
func receiver(f *ast.FuncDecl) string {
	if f.Recv == nil {
		return ""
	}
	typ := f.Recv.List[0].Type
	if star, ok := typ.(*ast.StarExpr); ok {
		typ = star.X
	}
	name, ok := typ.(*ast.Ident)
	if !ok {
		return ""
	}
	return name.Name + "."
}

// Every clause stands in semantics.md once, and is named by a test or scenario.
func TestDocumentedClauses(t *testing.T) {
	last := map[int]int{1: 6, 2: 8, 3: 6, 4: 9, 5: 8, 6: 7, 7: 3}
	text := document(t, "docs/semantics.md")
	covered := namedClauses(t)
	for section := range len(last) {
		section++
		for n := range last[section] {
			clause := strconv.Itoa(section) + "." + strconv.Itoa(n+1)
			require.Equal(t, 1, strings.Count(text, "\n**"+clause+"** "), "clause %s in semantics.md", clause)
			require.True(t, covered[clause], "no test names clause %s", clause)
		}
	}
	require.Len(t, regexp.MustCompile(`(?m)^\*\*\d\.\d\*\* `).FindAllString(text, -1), 47)
}

// namedClauses returns the clauses that comments of tests and scenarios name.
func namedClauses(t *testing.T) map[string]bool {
	comment := regexp.MustCompile(`gc ([1-7]\.[1-9](?:, (?:gc )?[1-7]\.[1-9]| (?:to|and) [1-7]\.[1-9])*)`)
	list := regexp.MustCompile(`"clauses":\s*\[([^\]]*)\]`)
	number := regexp.MustCompile(`[1-7]\.[1-9]`)
	covered := map[string]bool{}
	scenarios, err := filepath.Glob(filepath.FromSlash("testdata/conformance/scenarios/*.json"))
	require.NoError(t, err)
	for _, file := range append(goFiles(t), scenarios...) {
		pattern := list
		if strings.HasSuffix(file, ".go") {
			if pattern = comment; !strings.HasSuffix(file, "_test.go") {
				continue
			}
		}
		data, err := os.ReadFile(filepath.FromSlash(file))
		require.NoError(t, err)
		for _, m := range pattern.FindAllSubmatch(data, -1) {
			for _, clause := range number.FindAll(m[1], -1) {
				covered[string(clause)] = true
			}
		}
	}
	return covered
}

// sextonCommand runs a command line in this process and returns what it prints.
func sextonCommand(t *testing.T, args ...string) string {
	var out bytes.Buffer
	code := cli.Main(&cli.State{
		Args: args, LookupEnv: func(string) (string, bool) { return "", false }, Dir: t.TempDir(),
		Stdin: strings.NewReader(""), Stdout: &out, Stderr: &out,
	})
	require.Zero(t, code, out.String())
	return out.String()
}

// Flags and exit codes in README.md and formats.md are those of the command line, and all of them.
func TestDocumentedCommandLine(t *testing.T) {
	flag := regexp.MustCompile(`--[a-z]+(?:-[a-z]+)*`)
	help := ""
	for _, verb := range []string{"init", "types", "plan", "deploy", "destroy", "run", "repl", "test", "snapshot", "version",
		"state rm", "state recover", "state unlock", "snapshot save", "snapshot diff", "snapshot export", "snapshot import"} {
		help += sextonCommand(t, append(strings.Fields(verb), "--help")...)
	}
	known := append(flag.FindAllString(help, -1), "--help")
	for _, name := range []string{"README.md", "docs/formats.md", "docs/javascript.md", "docs/semantics.md", "docs/limits.md", "docs/guide.md", "docs/cookbook.md"} {
		for _, f := range flag.FindAllString(document(t, name), -1) {
			require.Contains(t, known, f, "%s names %s", name, f)
		}
	}
	formats := document(t, "docs/formats.md")
	for _, f := range regexp.MustCompile(`(?m)^ +(?:-\w, )?(--[a-z-]+)`).FindAllStringSubmatch(help, -1) {
		if f[1] != "--help" {
			require.True(t, strings.Contains(formats, "`"+f[1]+"`"), "formats.md lacks the flag %s", f[1])
		}
	}

	codes := map[string]bool{}
	tree, err := parser.ParseFile(token.NewFileSet(), filepath.FromSlash("internal/cli/exitcodes.go"), nil, parser.SkipObjectResolution)
	require.NoError(t, err)
	ast.Inspect(tree, func(n ast.Node) bool {
		if spec, ok := n.(*ast.ValueSpec); ok && strings.HasPrefix(spec.Names[0].Name, "exit") {
			codes[spec.Values[0].(*ast.BasicLit).Value] = true
		}
		return true
	})
	require.Greater(t, len(codes), 5)
	documented := map[string]bool{}
	for _, m := range regexp.MustCompile(`(?m)^\| (\d+) \|`).FindAllStringSubmatch(formats, -1) {
		documented[m[1]] = true
	}
	require.Equal(t, codes, documented)
	listed := map[string]bool{}
	_, sentence, found := strings.Cut(document(t, "README.md"), "Exit codes: ")
	require.True(t, found)
	sentence, _, _ = strings.Cut(sentence, "\n\n")
	for _, code := range regexp.MustCompile(`\b\d+\b`).FindAllString(sentence, -1) {
		listed[code] = true
	}
	require.Equal(t, codes, listed)
}

// The kinds of events of --json are those that formats.md has, by the comment that the code is read with.
func TestDocumentedEvents(t *testing.T) {
	source := document(t, "internal/cli/events.go")
	_, source, found := strings.Cut(source, "The kinds, with their fields:")
	require.True(t, found)
	source, _, _ = strings.Cut(source, "\ntype event")
	_, table, found := strings.Cut(document(t, "docs/formats.md"), "### Events of --json")
	require.True(t, found)
	var kinds, documented []string
	for _, m := range regexp.MustCompile(`(?m)^//\t(\w+)`).FindAllStringSubmatch(source, -1) {
		kinds = append(kinds, m[1])
	}
	for _, m := range regexp.MustCompile("(?m)^\\| `(\\w+)` \\|").FindAllStringSubmatch(table, -1) {
		documented = append(documented, m[1])
	}
	require.NotEmpty(t, kinds)
	require.Equal(t, kinds, documented)
}

// Code in the documents whose first line is "// runs" is run as a script, and prints what its comments
// "// prints: …" say; after "// runs: tests" it is a test file, whose tests pass. It may touch nothing.
//
// gc 1.1, 3.2, 5.1, 5.2
func TestDocumentedJavaScript(t *testing.T) {
	block := regexp.MustCompile("(?ms)^```(?:js|ts)\n// runs(: tests)?\n(.*?)^```$")
	prints := regexp.MustCompile(`(?m)^\s*// prints: (.*)$`)
	ran := 0
	for _, name := range documents(t) {
		for _, m := range block.FindAllStringSubmatch(document(t, name), -1) {
			ran++
			if m[1] != "" {
				runTests(t, m[2])
				continue
			}
			var want []string
			for _, p := range prints.FindAllStringSubmatch(m[2], -1) {
				want = append(want, p[1])
			}
			require.Equal(t, want, runScript(t, m[2]), "%s:\n%s", name, m[2])
		}
	}
	require.GreaterOrEqual(t, ran, 6)
}

// runScript returns what a script prints before what it left is destroyed.
func runScript(t *testing.T, source string) []string {
	var printed []string
	ended := false
	_, err := sexton.Run(context.Background(), context.Background(), &sexton.Options{
		Dir: t.TempDir(),
		Observe: func(e sexton.Event) {
			ended = ended || e.Kind == "phase" && e.Text != "script"
		},
		Console: func(_, text string) {
			if !ended {
				printed = append(printed, strings.Split(text, "\n")...)
			}
		},
	}, &sexton.Script{Source: source})
	require.NoError(t, err)
	return printed
}

func runTests(t *testing.T, source string) {
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "a.test.js"), []byte(source), 0o600))
	var out bytes.Buffer
	reporter, err := scenario.NewReporter("spec", &out, &scenario.ReporterOptions{Dir: dir})
	require.NoError(t, err)
	summary, err := scenario.Run(context.Background(), &scenario.Options{
		Options: sexton.Options{Dir: dir}, Files: []string{"a.test.js"}, Reporters: []scenario.Reporter{reporter},
	})
	require.NoError(t, errors.Join(err, reporter.Close(summary)))
	require.True(t, summary.OK(), out.String())
	require.Positive(t, summary.Pass, out.String())
}

// The journal's records are those that formats.md has.
func TestDocumentedRecords(t *testing.T) {
	_, table, found := strings.Cut(document(t, "docs/formats.md"), "### Records of the journal")
	require.True(t, found)
	table, _, _ = strings.Cut(table, "\n## ")
	var documented []string
	for _, m := range regexp.MustCompile("(?m)^\\| `(\\w+)` \\|").FindAllStringSubmatch(table, -1) {
		documented = append(documented, m[1])
	}
	var kinds []string // that replay understands
	for _, m := range regexp.MustCompile(`case state\.(\w+):`).FindAllStringSubmatch(document(t, "replay.go"), -1) {
		kinds = append(kinds, strings.ToLower(m[1]))
	}
	slices.Sort(kinds)
	slices.Sort(documented)
	require.NotEmpty(t, kinds)
	require.Equal(t, kinds, documented)
}
