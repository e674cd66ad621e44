package scaffold_test

import (
	"flag"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sextongc/sexton/internal/scaffold"
)

var update = flag.Bool("update", false, "write docs/api.md")

// docs/api.md is what sexton.d.ts says.
func TestReference(t *testing.T) {
	file := filepath.Join("..", "..", "docs", "api.md")
	want := reference(scaffold.Types)
	require.Contains(t, want, "### `exec`")
	require.Contains(t, want, "\n* `collect(): Promise<CollectReport>`")
	if *update {
		require.NoError(t, os.WriteFile(file, []byte(want), 0o644))
	}
	data, err := os.ReadFile(file)
	require.NoError(t, err)
	require.Equal(t, want, string(data), "docs/api.md is not what sexton.d.ts says: go test ./internal/scaffold -update")
}

const referenceHead = `# API reference

Everything that scripts can use, module by module, as [sexton.d.ts](../internal/scaffold/sexton.d.ts) declares it; ` + "`sexton types`" + `
writes that file for editors. This text is made of it. [javascript.md](javascript.md) says how it fits together, [guide.md](guide.md)
begins at the beginning.

`

// symbol is a declaration with its comment; overloads are one symbol.
type symbol struct {
	name    string
	text    []string // its lines, without comments inside, one slice for each overload
	doc     string
	members []symbol
}

var (
	symbolName = regexp.MustCompile(`^(?:export |declare )*(?:abstract )?(?:class|interface|function|const|var|type) (\w+)`)
	memberName = regexp.MustCompile(`^(?:static |readonly |declare )*(\w*\$?\w+|\$\w+)`)
	moduleName = regexp.MustCompile(`^declare module ("[^"]+") \{$`)
)

// reference renders declarations, which are formatted as sexton.d.ts is: one declaration begins on a line of its own,
// with the indent of its depth.
func reference(types string) string {
	var b strings.Builder
	b.WriteString(referenceHead)
	lines := strings.Split(types, "\n")
	var globals []string
	var modules [][]string // the lines inside, after one with the name
	for i := 0; i < len(lines); i++ {
		m := moduleName.FindStringSubmatch(lines[i])
		if m == nil {
			globals = append(globals, lines[i])
			continue
		}
		end := i + 1
		for lines[end] != "}" {
			end++
		}
		comment := ""
		if n := len(globals); n > 0 && strings.HasPrefix(globals[n-1], "/**") {
			comment, globals = globals[n-1], globals[:n-1]
		}
		modules = append(modules, append([]string{m[1], comment}, lines[i+1:end]...))
		i = end
	}
	for _, m := range modules {
		b.WriteString("* [`" + m[0] + "`](#" + regexp.MustCompile(`[^a-z]`).ReplaceAllString(m[0], "") + ")\n")
	}
	b.WriteString("* [Globals](#globals)\n")
	for _, m := range modules {
		b.WriteString("\n## `" + m[0] + "`\n\n")
		if text := comment([]string{m[1]}); text != "" {
			b.WriteString(text + "\n\n")
		}
		render(&b, symbols(m[2:], "  ", true))
	}
	b.WriteString("\n## Globals\n\n")
	render(&b, symbols(globals, "", false))
	return strings.TrimRight(regexp.MustCompile(`(?m) +$`).ReplaceAllString(b.String(), ""), "\n") + "\n"
}

// symbols reads the declarations of a depth; exported: those alone that begin with export.
func symbols(lines []string, indent string, exported bool) []symbol {
	var all []symbol
	var doc []string
	for i := 0; i < len(lines); i++ {
		line := strings.TrimPrefix(lines[i], indent)
		switch {
		case strings.TrimSpace(line) == "", strings.HasPrefix(line, "//"), strings.HasPrefix(line, "import "), strings.HasPrefix(line, "export {"):
			continue
		case strings.HasPrefix(line, "/**"):
			doc = nil
			for ; ; i++ {
				doc = append(doc, strings.TrimPrefix(lines[i], indent))
				if strings.Contains(lines[i], "*/") {
					break
				}
			}
			continue
		}
		begin := i
		for depth := 0; ; i++ {
			code := withoutStrings(lines[i])
			depth += strings.Count(code, "{") + strings.Count(code, "(") + strings.Count(code, "[")
			depth -= strings.Count(code, "}") + strings.Count(code, ")") + strings.Count(code, "]")
			if depth == 0 && (strings.HasSuffix(code, ";") || strings.HasSuffix(code, "}")) {
				break
			}
		}
		if exported && !strings.HasPrefix(line, "export ") {
			doc = nil
			continue
		}
		s := symbolOf(lines[begin:i+1], indent)
		s.doc, doc = comment(doc), nil
		if n := len(all); n > 0 && s.name != "" && all[n-1].name == s.name {
			last := &all[n-1]
			last.text, last.members = append(last.text, s.text...), append(last.members, s.members...)
			last.doc = strings.TrimSpace(last.doc + "\n\n" + s.doc)
			continue
		}
		all = append(all, s)
	}
	return all
}

var literal = regexp.MustCompile("\"[^\"]*\"|`[^`]*`|//.*$|/\\*.*?\\*/")

func withoutStrings(line string) string {
	return strings.TrimRight(literal.ReplaceAllString(line, ""), " ")
}

// symbolOf makes a symbol of its lines: a class or interface has members.
func symbolOf(lines []string, indent string) symbol {
	var s symbol
	for i := range lines {
		lines[i] = strings.TrimPrefix(lines[i], indent)
	}
	first := lines[0]
	if m := symbolName.FindStringSubmatch(first); m != nil {
		s.name = m[1]
	} else if m := memberName.FindStringSubmatch(first); m != nil {
		s.name = m[1]
	}
	if body := strings.HasSuffix(first, " {") && (strings.Contains(first, "class ") || strings.Contains(first, "interface ")); body {
		s.members = symbols(lines[1:len(lines)-1], "  ", false)
		lines = []string{strings.TrimSuffix(first, " {")}
	}
	text := lines[:0:0]
	for _, line := range lines { // comments inside are for readers of the file
		if !strings.HasPrefix(strings.TrimSpace(line), "/*") && !strings.HasPrefix(strings.TrimSpace(line), "*") {
			text = append(text, line)
		} else if strings.HasPrefix(strings.TrimSpace(line), "/** ") {
			text = append(text, line)
		}
	}
	s.text = []string{strings.TrimSuffix(strings.TrimPrefix(strings.TrimPrefix(strings.Join(text, "\n"), "export "), "declare "), ";")}
	return s
}

var (
	thrown    = regexp.MustCompile(`\s*@throws (?:\{(\w+)\} )?`)
	parameter = regexp.MustCompile(`\s*@param (\w+) `)
)

// comment is the text of a doc comment as Markdown.
func comment(lines []string) string {
	for i, line := range lines {
		line = strings.TrimSpace(line)
		line = strings.TrimSuffix(strings.TrimPrefix(line, "/**"), "*/")
		if i > 0 {
			line = strings.TrimPrefix(strings.TrimPrefix(strings.TrimSuffix(line, "*/"), "*"), " ")
		}
		lines[i] = strings.TrimRight(line, " ")
	}
	text := strings.TrimSpace(strings.Join(lines, "\n"))
	text = parameter.ReplaceAllString(text, "\n\n`$1`: ")
	return strings.TrimSpace(thrown.ReplaceAllStringFunc(text, func(s string) string {
		class := thrown.FindStringSubmatch(s)[1]
		if class == "" {
			return "\n\nThrows "
		}
		return "\n\nThrows `" + class + "` "
	}))
}

func render(b *strings.Builder, all []symbol) {
	for _, s := range all {
		b.WriteString("### `" + s.name + "`\n\n")
		b.WriteString("```ts\n" + strings.Join(s.text, "\n") + "\n```\n\n")
		if s.doc != "" {
			b.WriteString(s.doc + "\n\n")
		}
		for _, m := range s.members {
			texts := make([]string, len(m.text))
			for i, text := range m.text {
				texts[i] = "`" + strings.Join(strings.Fields(text), " ") + "`"
			}
			b.WriteString("* " + strings.Join(texts, ", "))
			if m.doc != "" {
				b.WriteString(": " + strings.ReplaceAll(m.doc, "\n", "\n  "))
			}
			b.WriteString("\n")
		}
		if len(s.members) > 0 {
			b.WriteString("\n")
		}
	}
}
