package runtime

import (
	"errors"
	"fmt"
	"strings"
	"time"
)

// Errors that a caller may want to tell apart; match them with errors.Is.
var (
	// ErrTimeLimit: a script ran, or a promise took, longer than its limit.
	ErrTimeLimit = errors.New("time limit exceeded")
	// ErrCallStack: a script called deeper than Options.MaxCallStack.
	ErrCallStack = errors.New("call stack limit exceeded")
	// ErrDeadlock: a task waits, and there is no timer, job or host operation that could end that.
	ErrDeadlock = errors.New("the script waits for a promise that nothing can settle")
	// ErrAbandoned: a script did not stop when it was interrupted, and was left behind.
	ErrAbandoned = errors.New("the script does not stop and was abandoned")
	// ErrClosed: the Runtime is closed.
	ErrClosed = errors.New("the runtime is closed")
)

// ScriptError is everything that goes wrong in a script: what it threw, or why it was ended. It is plain
// data, and keeps no value of the script alive.
type ScriptError struct {
	// Phase is set for what has no caller: "timer", "promise job", "unhandled rejection".
	Phase string
	// Object is the managed object whose method threw it, if that is known: "Network net". See Runtime.Blame.
	Object string
	// Name and Message are those of the error object. Name is empty if another value was thrown, and
	// Message then describes it.
	Name, Message string
	// Details are the other properties of the error object, as the console shows them; empty if there are none.
	Details string
	// Stack is where it was thrown, innermost call first, in positions of the original sources; of a rejection with
	// something else than an error, where the promise was rejected.
	Stack []Frame
	// Cause is the error's cause: that of the script's error object, or the Go error or panic of a host
	// function, or one of this package's Err values.
	Cause error
	// Errors are those in an AggregateError, not more than ten of ErrorCount.
	Errors     []*ScriptError
	ErrorCount int
}

// Frame is one call of a script.
type Frame struct {
	Func         string // "helper", "Network.deploy", "new Network"; empty: not in a function, or in one without a name
	File         string // relative to the directory of the build; empty: a native function
	Line, Column int    // from 1
}

// String returns "deploy (app.ts:22:11)".
func (f Frame) String() string {
	at := "native"
	if f.File != "" {
		at = fmt.Sprintf("%s:%d:%d", f.File, f.Line, f.Column)
	}
	if f.Func == "" {
		return at
	}
	return f.Func + " (" + at + ")"
}

// Error returns one line: the error's name and message.
func (e *ScriptError) Error() string {
	message := strings.ReplaceAll(strings.ReplaceAll(e.Message, "\r", ""), "\n", " ")
	switch {
	case e.Name == "":
		return message
	case message == "":
		return e.Name
	}
	return e.Name + ": " + message
}

// Unwrap returns the cause.
func (e *ScriptError) Unwrap() error { return e.Cause }

// Detail returns the message with the stack and the causes, one frame a line, without a newline at the end.
func (e *ScriptError) Detail() string {
	var b strings.Builder
	e.detail(&b, "")
	for err := e.Cause; err != nil; err = errors.Unwrap(err) {
		switch cause := err.(type) {
		case *ScriptError:
			cause.detail(&b, "\ncaused by ")
			continue
		case *PanicError:
			fmt.Fprintf(&b, "\n%s", cause.Stack)
		default:
			if text := err.Error(); !strings.Contains(e.Message, text) && b.Len() < maxText {
				b.WriteString("\ncaused by " + text)
			}
		}
		break
	}
	return b.String()
}

func (e *ScriptError) detail(b *strings.Builder, prefix string) {
	b.WriteString(prefix)
	switch {
	case e.Name == "":
		b.WriteString(e.Message)
	case e.Message == "":
		b.WriteString(e.Name)
	default:
		b.WriteString(e.Name + ": " + e.Message)
	}
	for _, f := range e.Stack {
		b.WriteString("\n    at " + f.String())
	}
	for i, inner := range e.Errors {
		inner.detail(b, fmt.Sprintf("\n%d of %d: ", i+1, len(e.Errors)))
	}
}

// PanicError is a Go panic: of the interpreter, of a host function, or of a task's own code.
type PanicError struct {
	Value any
	Stack []byte // of the goroutine
}

func (e *PanicError) Error() string { return fmt.Sprintf("panic in Go code: %v", e.Value) }

// Unwrap returns the panic's value if it is an error.
func (e *PanicError) Unwrap() error {
	err, _ := e.Value.(error)
	return err
}

func timeLimitError(limit time.Duration, stack []Frame) *ScriptError {
	return &ScriptError{Name: "TimeLimitError", Message: fmt.Sprintf("not finished after %v", limit), Stack: stack, Cause: ErrTimeLimit}
}

func callStackError(limit int, stack []Frame) *ScriptError {
	if len(stack) > 10 {
		stack = stack[:10]
	}
	return &ScriptError{Name: "RangeError", Message: fmt.Sprintf("the call stack is deeper than %d calls, the limit callDepth", limit), Stack: stack, Cause: ErrCallStack}
}

// asScriptError returns err if it is a *ScriptError, and wraps it into one if it is not.
func asScriptError(err error) *ScriptError {
	if e, ok := err.(*ScriptError); ok {
		return e
	}
	return &ScriptError{Message: err.Error(), Cause: err}
}
