package sexton

import (
	"context"
	"encoding/json"
	"errors"

	"github.com/sextongc/sexton/gcext"
	"github.com/sextongc/sexton/objectstore"
	"github.com/sextongc/sexton/runtime"
	"github.com/sextongc/sexton/serialize"
)

// errorData is an error that crosses to another process: its text, what it matches, and the errors in it.
type errorData struct {
	Text  string          `json:"text"`
	Kind  string          `json:"kind,omitempty"` // of errorKinds, or the name of a sentinel
	Value json.RawMessage `json:"value,omitempty"`
	Inner []*errorData    `json:"inner,omitempty"`
	// Errors are those of an AggregateError.
	Errors []*errorData `json:"errors,omitempty"`
}

// sentinels are the errors that are compared by identity.
var sentinels = map[string]error{
	"incomplete": ErrIncomplete, "interrupted": ErrInterrupted, "broken": ErrBroken, "state failed": ErrStateFailed,
	"time limit": runtime.ErrTimeLimit, "call stack": runtime.ErrCallStack, "deadlock": runtime.ErrDeadlock, "closed": runtime.ErrClosed,
	kindStopped: errStopped, "canceled": context.Canceled, "deadline": context.DeadlineExceeded,
}

// Errors of the state side that come back from the script side.
const (
	kindStopped = "stopped" // the cause of a context
	kindRefused = "refused" // what Options.Confirm said
)

// refusal is, on the script side, what Options.Confirm said on the other one.
type refusal struct{ text string }

func (e *refusal) Error() string { return e.text }

// errorKinds are the errors that cross with what they hold.
var errorKinds = map[string]func() error{
	"phase":    func() error { return new(PhaseError) },
	"timeout":  func() error { return new(TimeoutError) },
	"script":   func() error { return new(runtime.ScriptError) },
	"build":    func() error { return new(runtime.BuildError) },
	"document": func() error { return new(serialize.Error) },
	"rounds":   func() error { return new(gcext.RoundsError) },
	"limit":    func() error { return new(LimitError) },
	"value":    func() error { return new(objectstore.ValueError) },
}

// maxErrorDepth bounds how deep errors nest in what crosses.
const maxErrorDepth = 100

// encodeError makes data of an error, nil of nil.
func encodeError(err error) *errorData { return encodeErrorAt(err, maxErrorDepth) }

func encodeErrorAt(err error, depth int) *errorData {
	if err == nil || depth == 0 {
		return nil
	}
	d := &errorData{Text: err.Error()}
	var value any
	switch e := err.(type) {
	case *PhaseError:
		d.Kind, value = "phase", &PhaseError{Phase: e.Phase, Object: e.Object}
	case *TimeoutError:
		d.Kind, value = "timeout", e
	case *refusal:
		d.Kind = kindRefused
	case *runtime.ScriptError:
		plain := *e
		plain.Cause, plain.Errors = nil, nil
		for _, inner := range e.Errors {
			d.Errors = append(d.Errors, encodeErrorAt(inner, depth-1))
		}
		d.Kind, value = "script", &plain
	case *runtime.BuildError:
		d.Kind, value = "build", e
	case *serialize.Error:
		d.Kind, value = "document", e
	case *gcext.RoundsError:
		d.Kind, value = "rounds", e
	case *objectstore.ValueError:
		d.Kind, value = "value", e
	case *LimitError:
		d.Kind, value = "limit", e
	default:
		for name, sentinel := range sentinels {
			if err == sentinel {
				d.Kind = name
				return d
			}
		}
	}
	if value != nil {
		d.Value = jsonOf(value)
	}
	switch e := err.(type) {
	case interface{ Unwrap() error }:
		if inner := encodeErrorAt(e.Unwrap(), depth-1); inner != nil {
			d.Inner = append(d.Inner, inner)
		}
	case interface{ Unwrap() []error }:
		for _, err := range e.Unwrap() {
			if inner := encodeErrorAt(err, depth-1); inner != nil {
				d.Inner = append(d.Inner, inner)
			}
		}
	}
	return d
}

// decodeError makes an error of data that may be wrong, nil of nil. known are errors of this process that the other
// side has named.
func decodeError(d *errorData, known map[string]error) error {
	return decodeErrorAt(d, known, maxErrorDepth)
}

func decodeErrorAt(d *errorData, known map[string]error, depth int) error {
	if d == nil {
		return nil
	}
	if err := known[d.Kind]; err != nil {
		return err
	}
	if depth == 0 {
		return errors.New(d.Text)
	}
	if sentinel := sentinels[d.Kind]; sentinel != nil {
		return sentinel
	}
	var inner []error
	for _, i := range d.Inner {
		if err := decodeErrorAt(i, known, depth-1); err != nil {
			inner = append(inner, err)
		}
	}
	var first error
	if len(inner) > 0 {
		first = inner[0]
	}
	if make := errorKinds[d.Kind]; make != nil {
		err := make()
		if json.Unmarshal(d.Value, err) != nil {
			return &remoteError{d.Text, inner}
		}
		switch e := err.(type) {
		case *PhaseError:
			if e.Err = first; first == nil {
				return &remoteError{d.Text, inner}
			}
		case *runtime.ScriptError:
			e.Cause, e.Errors = first, nil
			for _, i := range d.Errors {
				if inner, ok := decodeErrorAt(i, known, depth-1).(*runtime.ScriptError); ok {
					e.Errors = append(e.Errors, inner)
				}
			}
		}
		return err
	}
	return &remoteError{d.Text, inner}
}

// remoteError is an error of another process that is nothing but its text and what is in it.
type remoteError struct {
	text  string
	inner []error
}

func (e *remoteError) Error() string   { return e.text }
func (e *remoteError) Unwrap() []error { return e.inner }
