package sexton

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/sextongc/sexton/gcext"
	"github.com/sextongc/sexton/internal/state"
)

// Errors to match with errors.Is.
var (
	// ErrIncomplete: something that should be destroyed is not; the report says what and why.
	ErrIncomplete = errors.New("destruction is incomplete")
	// ErrInterrupted: a context was done, or Settings.Timeout over (*TimeoutError); what was begun is
	// recorded for the next deployment. The error matches the cause of the context as well: context.Canceled,
	// context.DeadlineExceeded, or what context.WithCancelCause was given.
	ErrInterrupted = errors.New("interrupted")
	// ErrStateFailed: the state could not be written, as on a full disk. What was recorded before that is safe.
	ErrStateFailed = state.ErrFailed
	// ErrLocked: another deployment of the same environment runs.
	ErrLocked = state.ErrLocked
	// ErrCorrupt: the state directory is damaged.
	ErrCorrupt = state.ErrCorrupt
	// ErrBroken: the model contains a deployed object that could not be restored (gc 5.4).
	ErrBroken = errors.New("the object is deployed and could not be restored")
)

// Object names a managed object in reports and events.
type Object struct {
	ID    string `json:"id"`
	Type  string `json:"type"`
	Name  string `json:"name,omitempty"`
	Owner string `json:"owner,omitempty"`
}

// short is the name of the class without that of its package.
func (o *Object) short() string { return o.Type[strings.LastIndexByte(o.Type, '/')+1:] }

// Report is what a deployment did.
type Report struct {
	Created   []Object // in creation order, like the other lists
	Changed   []Object // their saved properties or headers differ from before
	Kept      []Object
	Destroyed []Object // in the order of their ends
	Failed    []gcext.Failure
	Blocked   []gcext.Blocked
	Ignored   []gcext.Failure        // failures that onDestroyError "continue" passed over
	Handlers  []gcext.HandlerFailure // handlers that failed (gc 4.8)
	Notified  int                    // handlers called
	Warnings  []string
	Duration  time.Duration
	Audit     *Audit // of what permissions were used for; nil from Session.Deploy
	// Interrupted: the context was cancelled, or the time was over.
	Interrupted bool

	took     []time.Duration // of the destroy() of each of Destroyed
	troubles []trouble       // in the order of the events
	troubled map[string]int  // by id: its last one
}

// Incomplete reports whether something that should be destroyed is not.
func (r *Report) Incomplete() bool { return len(r.Failed) > 0 || len(r.Blocked) > 0 || r.Interrupted }

// add notes what a collection did and its events did not tell.
func (r *Report) add(c *gcext.Report) {
	r.Notified += c.Notified
	r.Ignored = append(r.Ignored, c.Ignored...)
	r.Handlers = append(r.Handlers, c.Handlers...)
	r.Interrupted = r.Interrupted || c.Interrupted
}

// Event is something that happened during a deployment. Kind is one of the gcext.Event kinds, or
// "phase", "warning".
type Event struct {
	Kind       string        `json:"kind"`
	Object     *Object       `json:"object,omitempty"`
	Subscriber *Object       `json:"subscriber,omitempty"`
	Handler    string        `json:"handler,omitempty"`
	By         *Object       `json:"by,omitempty"`
	Err        error         `json:"-"`
	Error      string        `json:"error,omitempty"`
	Detail     string        `json:"detail,omitempty"` // the error with its stack
	Text       string        `json:"text,omitempty"`   // the name of the phase, the warning
	Count      int           `json:"count,omitempty"`
	Duration   time.Duration `json:"duration,omitempty"` // ns
}

// PhaseError says in which phase of a deployment something failed, and for which object.
type PhaseError struct {
	Phase  string // "load", "pre-deploy hook", "deploy", …
	Object string // "Network net"; empty: none
	Err    error
}

func (e *PhaseError) Error() string {
	if e.Object == "" {
		return fmt.Sprintf("%s: %v", e.Phase, e.Err)
	}
	return fmt.Sprintf("%s: %s: %v", e.Phase, e.Object, e.Err)
}

// Unwrap returns the error itself.
func (e *PhaseError) Unwrap() error { return e.Err }
