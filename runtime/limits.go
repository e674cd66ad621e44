package runtime

import (
	"fmt"
	"time"
)

// Limits bound what the scripts of a Runtime may use. A field that is 0 bounds nothing.
type Limits struct {
	Memory     int64         // bytes of the process's heap, on top of what it has when Run begins
	CPU        time.Duration // CPU time of the process since the first Run began
	Output     int64         // bytes of text for Options.Console
	Timers     int           // that are set at one time
	Promises   int           // host operations under way at one time
	SourceSize int64         // bytes of code that eval and Function get
	Nesting    int           // levels of arrays and objects in JSON
}

// LimitError says which limit a script exceeded. It ends the script, or is the cause of a RangeError that
// a script can catch.
type LimitError struct {
	Limit string // by its name in package.json: "memory"
	Value string // "512M"
	What  string // what the script did: "String.prototype.repeat asks for 1.0T"
	At    Frame  // where it did that; the zero Frame: not in a script
}

func (e *LimitError) Error() string {
	text := fmt.Sprintf("limit exceeded: %s (%s)", e.Limit, e.Value)
	if e.What != "" {
		text += ": " + e.What
	}
	return text
}

// Is reports whether target is a *LimitError about the same limit, or about none.
func (e *LimitError) Is(target error) bool {
	t, ok := target.(*LimitError)
	return ok && (t.Limit == "" || t.Limit == e.Limit)
}
