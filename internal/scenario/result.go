package scenario

import (
	"strings"
	"time"

	"github.com/sextongc/sexton/runtime"
)

// The types of events.
const (
	TypePlan       = "plan"       // a file's tests begin; Name is the file, Count the number of selected tests
	TypeStart      = "start"      // a test or suite begins
	TypePass       = "pass"       // it ended well
	TypeFail       = "fail"       // it did not. A suite without an Error failed because of something in it
	TypeSkip       = "skip"       // it was not run, or asked to be counted as such
	TypeTodo       = "todo"       // it ended, well or with an Error that does not count
	TypeDiagnostic = "diagnostic" // a message about a test or a file

	// No reporter hears of these.
	typeInputs   = "inputs"   // the sources that a file was bundled from
	typeCoverage = "coverage" // how often code ran in a file that has ended
)

// The kinds of what an event is about.
const (
	KindTest  = "test"
	KindSuite = "suite" // also the file itself, whose Path is empty, when one of its own hooks failed
)

// Event is one step of a test run, as the module reports it and as the json reporter writes it. Events
// of one file come in the order of execution: what happens in a suite or test lies between its start
// and its end. Skipped tests, and those that were not run because a suite could not be prepared, have no start.
type Event struct {
	Type       string   `json:"type"`
	Kind       string   `json:"kind,omitempty"`
	Name       string   `json:"name"`
	Path       []string `json:"path,omitempty"` // names of the suites and tests around it, and its own
	Nesting    int      `json:"nesting"`        // len(Path) - 1, 0 for files
	File       string   `json:"file,omitempty"` // where it is declared
	Line       int      `json:"line,omitempty"`
	Column     int      `json:"column,omitempty"`
	DurationMS float64  `json:"durationMs,omitempty"`
	Count      int      `json:"count,omitempty"`
	Total      int      `json:"total,omitempty"` // of a plan: the tests that the file declares
	Message    string   `json:"message,omitempty"`
	Reason     string   `json:"reason,omitempty"` // of skip and todo
	Error      *Error   `json:"error,omitempty"`
	Events     []string `json:"events,omitempty"` // of a test that failed: what happened in it, the last ones

	Inputs   []string          `json:"inputs,omitempty"`
	Coverage []runtime.Covered `json:"coverage,omitempty"`
}

// FullName is the path as one text: "suite > test". For a file it is the file's name.
func (e *Event) FullName() string {
	if len(e.Path) == 0 {
		return e.Name
	}
	return strings.Join(e.Path, " > ")
}

// Error is what a test threw, as data.
type Error struct {
	Name     string   `json:"name"` // of the class; empty if it was no Error
	Message  string   `json:"message"`
	Code     string   `json:"code,omitempty"`
	Stack    []string `json:"stack,omitempty"`  // frames, innermost first: "at f (file:line:column)"
	Source   string   `json:"source,omitempty"` // the line of the innermost frame
	Operator string   `json:"operator,omitempty"`
	Actual   string   `json:"actual,omitempty"` // of an assertion: values as text
	Expected string   `json:"expected,omitempty"`
	Cause    *Error   `json:"cause,omitempty"`
	Errors   []*Error `json:"errors,omitempty"` // of an AggregateError
}

// Title is name and message as one text, which may have several lines.
func (e *Error) Title() string {
	message := strings.TrimRight(e.Message, "\n")
	switch {
	case e.Name == "":
		return message
	case message == "":
		return e.Name
	}
	return e.Name + ": " + message
}

// Summary counts the results of a run. Tests are counted, subtests among them; suites are not, except
// that one which failed by itself (a hook, its body) is in Fail and Failed.
type Summary struct {
	Files    int           `json:"files"`
	Suites   int           `json:"suites"`
	Tests    int           `json:"tests"`
	Pass     int           `json:"pass"`
	Fail     int           `json:"fail"`
	Skip     int           `json:"skip"`
	Todo     int           `json:"todo"`
	Duration time.Duration `json:"-"` // set by the caller

	Coverage []*FileCoverage `json:"coverage,omitempty"` // by file; nil: it was not asked for

	// Inputs are the sources of each test file, relative to the package; none if it could not be bundled.
	Inputs map[string][]string `json:"-"`

	Failed []*Event `json:"-"` // what is counted in Fail, in the order of the results
}

// OK reports whether nothing failed.
func (s *Summary) OK() bool { return s.Fail == 0 }

// Add counts an event.
func (s *Summary) Add(e *Event) {
	switch {
	case e.Type == TypePlan:
		s.Files++
	case e.Kind == KindSuite && e.Type == TypeStart:
		s.Suites++
	}
	if !isResult(e) {
		return
	}
	if e.Kind == KindTest {
		s.Tests++
	}
	switch e.Type {
	case TypePass:
		s.Pass++
	case TypeFail:
		s.Fail++
		s.Failed = append(s.Failed, e)
	case TypeSkip:
		s.Skip++
	case TypeTodo:
		s.Todo++
	}
}

// isResult reports whether an event counts: the end of a test, or the failure of a suite by itself.
func isResult(e *Event) bool {
	switch e.Type {
	case TypePass, TypeSkip, TypeTodo:
		return e.Kind == KindTest
	case TypeFail:
		return e.Kind == KindTest || e.Error != nil
	}
	return false
}
