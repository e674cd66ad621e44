package serialize

import (
	"fmt"
	"strings"

	"github.com/sextongc/sexton/runtime"
)

// Error says what is wrong with a document, and where. Lines and columns count from 1; a column is a
// character, not a byte. Line is 0 where the fault is in no document (a graph that cannot be saved).
type Error struct {
	File   string // as the caller named it; "snapshot.json" for a snapshot
	Line   int
	Column int
	Path   string // "Network net-1: property subnets[2]"; empty if the fault is not inside an object
	Msg    string

	// Limit is the limit that the document exceeds; nil: none.
	Limit *runtime.LimitError

	// Secret: the line is about a property of type "secret", and must not be shown.
	Secret bool
}

// Unwrap returns the limit.
func (e *Error) Unwrap() error {
	if e.Limit == nil {
		return nil
	}
	return e.Limit
}

func (e *Error) Error() string {
	var b strings.Builder
	if e.File != "" {
		b.WriteString(e.File)
		if e.Line > 0 {
			fmt.Fprintf(&b, ":%d:%d", e.Line, e.Column)
		}
		b.WriteString(": ")
	}
	if e.Path != "" {
		b.WriteString(e.Path)
		b.WriteString(": ")
	}
	b.WriteString(e.Msg)
	return b.String()
}
