package scenario

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"
)

// tap prints the Test Anything Protocol, version 13 (testanything.org). The tree is flat: a test's
// description is its full name.
type tap struct {
	*printer
	begun bool
	count int
}

func (r *tap) Report(e *Event) error {
	r.begin()
	switch {
	case e.Type == TypePlan:
		r.printf("# %s\n", oneLine(r.relative(e.Name)))
	case e.Type == TypeDiagnostic:
		for _, line := range strings.Split(e.Message, "\n") {
			r.printf("# %s\n", line)
		}
	case isResult(e):
		r.result(e)
	}
	return r.err
}

func (r *tap) begin() {
	if !r.begun {
		r.begun = true
		r.printf("TAP version 13\n")
	}
}

var tapEscapes = strings.NewReplacer(`\`, `\\`, `#`, `\#`)

func (r *tap) result(e *Event) {
	r.count++
	status, directive := "ok", ""
	if e.Error != nil {
		status = "not ok"
	}
	if e.Type == TypeSkip || e.Type == TypeTodo {
		directive = strings.TrimRight(" # "+strings.ToUpper(e.Type)+" "+oneLine(e.Reason), " ")
	}
	r.printf("%s %d - %s%s\n", status, r.count, tapEscapes.Replace(oneLine(r.title(e))), directive)
	r.printf("  ---\n")
	r.printf("  duration_ms: %s\n", strconv.FormatFloat(e.DurationMS, 'f', -1, 64))
	if at := r.place(e); at != "" && e.Error != nil {
		r.field("location", at)
	}
	if e.Error != nil {
		r.errorFields(e.Error)
		r.field("events", strings.Join(e.Events, "\n"))
	}
	r.printf("  ...\n")
}

func (r *tap) errorFields(e *Error) {
	r.field("name", e.Name)
	r.field("error", e.Message)
	r.field("code", e.Code)
	r.field("operator", e.Operator)
	r.field("expected", e.Expected)
	r.field("actual", e.Actual)
	r.field("source", strings.TrimSpace(e.Source))
	r.field("stack", strings.Join(e.Stack, "\n"))
	if e.Cause != nil {
		r.field("cause", r.details(e.Cause))
	}
	if len(e.Errors) > 0 {
		r.printf("  errors:\n")
		for _, part := range e.Errors[:min(len(e.Errors), maxErrors)] {
			r.printf("    - %s\n", yamlText(part.Title(), "      "))
		}
	}
}

func (r *tap) field(key, value string) {
	if value != "" {
		r.printf("  %s: %s\n", key, yamlText(value, "    "))
	}
}

// yamlText is a YAML scalar; a block of lines is indented by margin.
func yamlText(text, margin string) string {
	text = strings.TrimRight(text, "\n")
	lines := strings.Split(text, "\n")
	plain := strings.IndexFunc(text, func(c rune) bool {
		return c != '\n' && c != '\t' && !unicode.IsPrint(c) || c == '\ufeff' || c == '\ufffd'
	}) < 0
	switch {
	case plain && len(lines) == 1:
		return "'" + strings.ReplaceAll(text, "'", "''") + "'"
	case plain && lines[0] != "" && !strings.HasPrefix(lines[0], " ") && !strings.HasPrefix(lines[0], "\t"):
		return "|-\n" + strings.TrimRight(indent(text, margin), "\n")
	}
	return strconv.QuoteToASCII(text) // Go's escapes are YAML's
}

func (r *tap) Close(s *Summary) error {
	r.begin()
	r.printf("1..%d\n", r.count)
	for _, line := range trailer(s) {
		r.printf("# %s\n", line)
	}
	for _, line := range coverageTable(s.Coverage) {
		r.printf("# %s\n", line)
	}
	return r.err
}

// trailer is the counts at the end, one per line.
func trailer(s *Summary) []string {
	return []string{
		fmt.Sprintf("tests %d", s.Tests),
		fmt.Sprintf("suites %d", s.Suites),
		fmt.Sprintf("pass %d", s.Pass),
		fmt.Sprintf("fail %d", s.Fail),
		fmt.Sprintf("skipped %d", s.Skip),
		fmt.Sprintf("todo %d", s.Todo),
		fmt.Sprintf("duration_ms %s", strconv.FormatFloat(milliseconds(s.Duration), 'f', -1, 64)),
	}
}

func oneLine(text string) string { return strings.Join(strings.Fields(text), " ") }
