package cli

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/sextongc/sexton/internal/render"
)

// showError prints an error for each reason that it has: to standard error, and as events with --json.
func (a *app) showError(err error) {
	for _, e := range split(err) {
		p := a.problem(e)
		if a.flags.json && a.began {
			a.emit(&event{Event: "error", Error: p})
		}
		a.logProblem("error", p)
	}
}

// log tells something on standard error.
func (a *app) log(level, text string) { a.logProblem(level, &problem{Message: text}) }

func (a *app) logProblem(level string, p *problem) {
	if level == "note" && a.flags.quiet {
		return
	}
	if a.flags.logFormat == "json" {
		line, err := json.Marshal(struct {
			V     int    `json:"v"`
			Level string `json:"level"`
			*problem
		}{eventVersion, level, p})
		if err != nil {
			panic(err) // a struct of strings and numbers
		}
		fmt.Fprintf(a.Stderr, "%s\n", line)
		return
	}
	style := a.style()
	colours := map[string]render.Colour{"error": render.Red, "warning": render.Yellow}
	prefix := ""
	if level != "note" {
		prefix = style.Paint(colours[level], level+":") + " "
	}
	w := &problemWriter{style: style}
	w.write(p, prefix, "", nil)
	fmt.Fprint(a.Stderr, w.b.String())
}

// maxCalls is how many calls of a stack are shown.
const maxCalls = 20

// problemWriter writes problems for people.
type problemWriter struct {
	b     strings.Builder
	style render.Style
	shown string // the place that was shown last: further errors from there do not repeat it
}

// write shows a problem, each line behind margin; outer is the stack of the problem that it caused.
func (w *problemWriter) write(p *problem, prefix, margin string, outer []string) {
	line := func(text string) { w.b.WriteString(margin + text + "\n") }
	lines := func(text string) string { return strings.ReplaceAll(cleanLines(text), "\n", "\n"+margin) }
	line(prefix + lines(p.Message))
	if place := fmt.Sprintf("%s:%d:%d", p.File, p.Line, p.Column); p.File != "" && place != w.shown {
		w.shown = place
		line("  --> " + place)
		for excerpt := range strings.Lines(render.Excerpt(p.Source, p.Line, p.Column, w.style)) {
			w.b.WriteString(margin + "  " + excerpt)
		}
	}
	calls, same := p.Stack, 0
	for same < len(calls) && same < len(outer) && calls[len(calls)-1-same] == outer[len(outer)-1-same] {
		same++
	}
	if same < 2 {
		same = 0
	}
	calls = calls[:len(calls)-same]
	left := max(0, len(calls)-maxCalls)
	for _, call := range calls[:len(calls)-left] {
		line("    " + lines(call))
	}
	if left > 0 {
		line(fmt.Sprintf("    ... and %d more calls", left))
	}
	if same > 0 {
		line(fmt.Sprintf("    ... and %d calls as above", same))
	}
	if p.Details != "" {
		line("    " + lines(p.Details))
	}
	for i, inner := range p.Errors {
		w.write(inner, fmt.Sprintf("%d of %d: ", i+1, max(p.Count, len(p.Errors))), margin+"  ", p.Stack)
	}
	if p.Cause != nil {
		w.write(p.Cause, "  caused by ", margin, p.Stack)
	}
	if p.Hint != "" {
		line(fmt.Sprintf("  %s %s", w.style.Paint(render.Bold, "help:"), p.Hint))
	}
}

// cleanLines makes text safe for a terminal, and keeps its lines.
func cleanLines(text string) string {
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		lines[i] = render.Clean(line)
	}
	return strings.Join(lines, "\n    ")
}

func indent(text string) string {
	if text == "" {
		return ""
	}
	return "  " + strings.ReplaceAll(strings.TrimSuffix(text, "\n"), "\n", "\n  ") + "\n"
}
