package runtime

import (
	"errors"
	"fmt"
	"regexp"
	"strings"
	"sync"

	"github.com/dop251/goja"
	"github.com/dop251/goja/parser"
	"github.com/evanw/esbuild/pkg/api"
)

// BuildError is what is wrong with a source file.
type BuildError struct {
	File         string // relative to the directory of the build, with slashes
	Line, Column int    // from 1; 0: unknown
	Text         string
	Source       string // the line; may be empty
	Hint         string // what to do about it; may be empty
	More         []*BuildError
}

// Error returns "app.ts:3:20: there is no module "sexton/proces": did you mean "sexton/process"?", and
// how many errors there are besides.
func (e *BuildError) Error() string {
	s := e.one()
	switch n := len(e.More); {
	case n == 1:
		s += " (and 1 more error)"
	case n > 1:
		s += fmt.Sprintf(" (and %d more errors)", n)
	}
	return s
}

func (e *BuildError) one() string {
	s := e.Text
	if e.Hint != "" {
		s += ": " + e.Hint
	}
	switch {
	case e.Line > 0:
		s = fmt.Sprintf("%s:%d:%d: %s", e.File, e.Line, e.Column, s)
	case e.File != "":
		s = e.File + ": " + s
	}
	return s
}

// Detail returns all errors, each with its source line and a mark below the place.
func (e *BuildError) Detail() string {
	var b strings.Builder
	for i, e := range append([]*BuildError{e}, e.More...) {
		if i > 0 {
			b.WriteByte('\n')
		}
		b.WriteString(e.one())
		if e.Source != "" && e.Column > 0 {
			before := []rune(e.Source)[:min(e.Column-1, len([]rune(e.Source)))]
			for i, r := range before {
				if r != '\t' {
					before[i] = ' '
				}
			}
			fmt.Fprintf(&b, "\n    %s\n    %s^", e.Source, string(before))
		}
	}
	return b.String()
}

var unresolved = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^Could not resolve "(.*)"`) })

// buildError makes one of what esbuild says.
func buildError(opts *BuildOptions, messages []api.Message) *BuildError {
	known := make([]string, 0, len(opts.Extensions))
	for _, x := range opts.Extensions {
		known = append(known, x.Name)
	}
	var all []*BuildError
	for _, m := range messages {
		e := &BuildError{Text: strings.ReplaceAll(m.Text, `"`+hostNamespace+`:`, `"`)}
		if len(m.Notes) > 0 {
			e.Hint = m.Notes[0].Text
		}
		if found := unresolved().FindStringSubmatch(m.Text); found != nil {
			name := found[1]
			if strings.HasPrefix(name, ".") || strings.HasPrefix(name, "/") {
				e.Text = fmt.Sprintf("there is no file for %q", name)
			} else {
				text, hint := unknownModule(name, known)
				e.Text = text
				if hint != "" {
					e.Hint = hint
				} else if strings.HasPrefix(e.Hint, "You can mark the path") {
					e.Hint = ""
				}
			}
		}
		if l := m.Location; l != nil {
			e.File, e.Line, e.Source = l.File, l.Line, l.LineText
			e.File = strings.TrimPrefix(e.File, evalNamespace+":")
			e.Column = len([]rune(l.LineText[:min(l.Column, len(l.LineText))])) + 1
			if e.Hint == "" && l.Suggestion != "" {
				e.Hint = "did you mean " + l.Suggestion + "?"
			}
		}
		all = append(all, e)
	}
	if len(all) == 0 {
		return &BuildError{Text: "the build failed"}
	}
	all[0].More = all[1:]
	return all[0]
}

// parseError is for what esbuild accepts and goja does not.
func (m *sourceMap) parseError(err error) error {
	var list parser.ErrorList
	if !errors.As(err, &list) || len(list) == 0 {
		return fmt.Errorf("build: %w", err)
	}
	e := &BuildError{Text: list[0].Message}
	e.File, e.Line, e.Column = m.original(list[0].Position.Line, list[0].Position.Column)
	return e
}

func compileError(err error) error {
	var syntax *goja.CompilerSyntaxError
	if !errors.As(err, &syntax) || syntax.File == nil {
		return fmt.Errorf("build: %w", err)
	}
	p := syntax.File.Position(syntax.Offset)
	e := &BuildError{File: sourceName(p.Filename), Line: p.Line, Column: p.Column, Text: syntax.Message}
	if strings.Contains(e.Text, "PrivateIdentifier") {
		e.Text, e.Hint = "the interpreter does not understand this use of a private name", "put parentheses around #name in object"
	}
	return e
}
