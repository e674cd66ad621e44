package scenario

import (
	"fmt"
	"io"
	"maps"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/sextongc/sexton/internal/render"
)

// Reporter prints the events of a run. It is not safe for concurrent use.
type Reporter interface {
	// Report takes the next event. Files come one after another.
	Report(e *Event) error
	// Close ends the output. It does not close the writer.
	Close(s *Summary) error
}

// ReporterOptions says how to print. nil means all defaults.
type ReporterOptions struct {
	Color bool   // ANSI colours, where the format has any
	Dir   string // absolute; files below it are printed relative to it. Empty: as they are
}

var reporters = map[string]func(*printer) Reporter{
	"spec":  func(p *printer) Reporter { return &spec{printer: p} },
	"tap":   func(p *printer) Reporter { return &tap{printer: p} },
	"junit": func(p *printer) Reporter { return &junit{printer: p} },
	"json":  func(p *printer) Reporter { return &jsonLines{printer: p} },
}

// ReporterNames returns the names that NewReporter knows, sorted.
func ReporterNames() []string { return slices.Sorted(maps.Keys(reporters)) }

// NewReporter returns the reporter with this name: "spec", "tap", "junit" or "json".
func NewReporter(name string, w io.Writer, opts *ReporterOptions) (Reporter, error) {
	open, ok := reporters[name]
	if !ok {
		return nil, fmt.Errorf("unknown reporter %q: expected one of %s", name, strings.Join(ReporterNames(), ", "))
	}
	if opts == nil {
		opts = &ReporterOptions{}
	}
	return open(&printer{w: w, opts: *opts}), nil
}

// printer is what the reporters share: a writer that keeps its first error, and paths.
type printer struct {
	w    io.Writer
	opts ReporterOptions
	err  error
}

func (p *printer) printf(format string, args ...any) {
	if p.err == nil {
		_, p.err = fmt.Fprintf(p.w, format, args...)
	}
}

// relative is a file name as it is printed: with slashes, relative to the directory if it is below.
func (p *printer) relative(file string) string {
	if p.opts.Dir != "" && filepath.IsAbs(file) {
		if rel, err := filepath.Rel(p.opts.Dir, file); err == nil && filepath.IsLocal(rel) {
			file = rel
		}
	}
	return filepath.ToSlash(file)
}

// title is the full name of a test; for a file, its name as it is printed.
func (p *printer) title(e *Event) string {
	if len(e.Path) == 0 {
		return p.relative(e.Name)
	}
	return e.FullName()
}

// place is where a test is declared: file:line:column; empty if that is unknown.
func (p *printer) place(e *Event) string {
	switch {
	case e.File == "":
		return ""
	case e.Line == 0:
		return p.relative(e.File)
	}
	return fmt.Sprintf("%s:%d:%d", p.relative(e.File), e.Line, e.Column)
}

// readable is a duration for people: "0.4ms", "12ms", "1.5s".
func readable(ms float64) string {
	switch {
	case ms < 10:
		return strconv.FormatFloat(ms, 'f', 1, 64) + "ms"
	case ms < 1000:
		return strconv.FormatFloat(ms, 'f', 0, 64) + "ms"
	}
	return strconv.FormatFloat(ms/1000, 'f', 1, 64) + "s"
}

// maxErrors bounds the causes and the parts of an error that are printed.
const maxErrors = 10

// chain is an error and what caused it, outermost first.
func chain(e *Error) []*Error {
	var list []*Error
	for ; e != nil && len(list) < maxErrors; e = e.Cause {
		list = append(list, e)
	}
	return list
}

// problem is what a test failed with: its error, and the events until then.
func (p *printer) problem(e *Event) string {
	if e.Error == nil {
		return ""
	}
	text := p.details(e.Error)
	if len(e.Events) > 0 {
		text += "events until then:\n" + indent(strings.Join(e.Events, "\n"), "    ")
	}
	return text
}

// details is an error as indented text: title, source line, frames, parts, causes.
func (p *printer) details(e *Error) string {
	var b strings.Builder
	for k, cause := range chain(e) {
		if k > 0 {
			b.WriteString("caused by ")
		}
		b.WriteString(cause.Title() + "\n")
		if _, line, column := innermost(cause); cause.Source != "" {
			b.WriteString(render.Excerpt(cause.Source, line, column, render.Style{Color: p.opts.Color}))
		}
		for _, frame := range cause.Stack {
			b.WriteString("    " + frame + "\n")
		}
		for _, part := range cause.Errors[:min(len(cause.Errors), maxErrors)] {
			b.WriteString("  - " + strings.ReplaceAll(part.Title(), "\n", "\n    ") + "\n")
		}
	}
	return b.String()
}

var frameEnd = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`([^\s(]+):(\d+):(\d+)\)?$`) })

// innermost is where an error was thrown; an empty file if its stack does not say that.
func innermost(e *Error) (file string, line, column int) {
	if len(e.Stack) == 0 {
		return "", 0, 0
	}
	m := frameEnd().FindStringSubmatch(e.Stack[0])
	if m == nil {
		return "", 0, 0
	}
	line, _ = strconv.Atoi(m[2]) // digits; too many of them are no line
	column, _ = strconv.Atoi(m[3])
	return m[1], line, column
}

// indent puts a margin before each line that is not empty.
func indent(text, margin string) string {
	lines := strings.Split(strings.TrimRight(text, "\n"), "\n")
	for k, line := range lines {
		if line != "" {
			lines[k] = margin + line
		}
	}
	return strings.Join(lines, "\n") + "\n"
}
