package scenario

import "strings"

const (
	colorRed   = "31"
	colorGreen = "32"
	colorBlue  = "34"
	colorGrey  = "90"
)

// spec prints a tree for people. The name of a suite, or of a test with subtests, stands above what is
// in it as soon as the first of that ends, and once more with its result below.
type spec struct {
	*printer
	open []*specNode
}

type specNode struct {
	event  *Event
	headed bool // its name is printed
}

func (r *spec) Report(e *Event) error {
	switch e.Type {
	case TypeStart:
		r.open = append(r.open, &specNode{event: e})
	case TypePass, TypeFail, TypeSkip, TypeTodo:
		headed := r.pop(e)
		r.heads()
		r.result(e, headed)
	case TypeDiagnostic:
		if e.Kind == KindTest {
			r.heads()
		}
		r.printf("%s%s\n", margin(e.Nesting), r.paint(colorBlue, "ℹ "+strings.ReplaceAll(e.Message, "\n", "\n"+margin(e.Nesting)+"  ")))
	}
	return r.err
}

// pop takes the started test or suite that this result ends, if it had a start, and returns whether its
// name is printed.
func (r *spec) pop(e *Event) bool {
	last := len(r.open) - 1
	if last < 0 || r.open[last].event.FullName() != e.FullName() || r.open[last].event.Nesting != e.Nesting || len(e.Path) == 0 {
		return false
	}
	node := r.open[last]
	r.open = r.open[:last]
	return node.headed
}

func (r *spec) heads() {
	for _, node := range r.open {
		if !node.headed {
			node.headed = true
			r.printf("%s▶ %s\n", margin(node.event.Nesting), node.event.Name)
		}
	}
}

func (r *spec) result(e *Event, headed bool) {
	if e.Kind == KindSuite && e.Error == nil && !headed {
		return // a suite in which nothing was printed
	}
	mark, color := "✔", colorGreen
	switch {
	case e.Type == TypeFail:
		mark, color = "✖", colorRed
	case e.Type == TypeSkip, e.Type == TypeTodo:
		mark, color = "﹣", colorGrey
	}
	note := ""
	if e.Type == TypeSkip || e.Type == TypeTodo {
		note = " # " + strings.ToUpper(e.Type)
		if e.Reason != "" {
			note += " " + e.Reason
		}
	}
	took := ""
	if e.DurationMS > 0 {
		took = " " + r.paint(colorGrey, "("+readable(e.DurationMS)+")")
	}
	name := e.Name
	if len(e.Path) == 0 {
		name = r.relative(e.Name)
	}
	r.printf("%s%s%s%s\n", margin(e.Nesting), r.paint(color, mark+" "+name), took, note)
}

func (r *spec) Close(s *Summary) error {
	r.printf("\n")
	for _, line := range trailer(s) {
		r.printf("%s\n", r.paint(colorBlue, "ℹ "+line))
	}
	for _, line := range coverageTable(s.Coverage) {
		r.printf("%s\n", r.paint(colorBlue, "ℹ "+line))
	}
	if len(s.Failed) > 0 {
		r.printf("\n%s\n", r.paint(colorRed, "✖ failing tests:"))
	}
	for _, e := range s.Failed {
		r.printf("\n")
		if at := r.place(e); at != "" {
			r.printf("%s at %s\n", e.Kind, at)
		}
		r.printf("%s\n", r.paint(colorRed, "✖ "+r.title(e)))
		if text := r.problem(e); text != "" {
			r.printf("%s", r.paintDiff(indent(text, "  ")))
		}
	}
	return r.err
}

func margin(nesting int) string { return strings.Repeat("  ", nesting) }

func (p *printer) paint(color, text string) string {
	if !p.opts.Color {
		return text
	}
	return "\x1b[" + color + "m" + text + "\x1b[39m"
}

// paintDiff colours the lines that a difference marks.
func (p *printer) paintDiff(text string) string {
	if !p.opts.Color || !strings.Contains(text, "+ actual - expected") {
		return text
	}
	lines := strings.Split(text, "\n")
	for k, line := range lines {
		switch {
		case strings.HasPrefix(line, "  + "):
			lines[k] = p.paint(colorGreen, line)
		case strings.HasPrefix(line, "  - "):
			lines[k] = p.paint(colorRed, line)
		}
	}
	return strings.Join(lines, "\n")
}
