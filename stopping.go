package sexton

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"
)

// TimeoutError says that something did not end within Settings.Timeout. It matches ErrInterrupted, because
// it ends a deployment like an interruption, and context.DeadlineExceeded.
type TimeoutError struct {
	Limit  time.Duration
	During string // what was going on then: a phase, with the objects that were being destroyed
}

func (e *TimeoutError) Error() string {
	return fmt.Sprintf("not finished within %v (timeout), during: %s", e.Limit, e.During)
}

// Is matches ErrInterrupted and context.DeadlineExceeded.
func (e *TimeoutError) Is(target error) bool {
	return target == ErrInterrupted || target == context.DeadlineExceeded
}

// interruptedError is ErrInterrupted with the cause that the context gives.
type interruptedError struct{ cause error }

func (e *interruptedError) Error() string {
	if e.cause == context.Canceled {
		return ErrInterrupted.Error()
	}
	return ErrInterrupted.Error() + ": " + e.cause.Error()
}
func (e *interruptedError) Is(target error) bool { return target == ErrInterrupted }
func (e *interruptedError) Unwrap() error        { return e.cause }

// grace is the time between the end of limit and a hard stop.
func grace(limit time.Duration) time.Duration { return min(limit/10, time.Minute) }

// stopping are the two contexts of a deployment. When soft is done nothing new is started, when hard is
// done scripts are interrupted; then soft is done, too.
type stopping struct {
	soft, hard context.Context
	end        func() // releases them
}

// newStopping derives the contexts from those of a caller. They end by themselves if limit, unless it is
// 0, has passed: first soft, then, after a grace, hard. during tells what is going on then.
func newStopping(ctx, kill context.Context, limit time.Duration, during func() string) *stopping {
	hard, stop := context.WithCancelCause(kill)
	soft, cancel := context.WithCancelCause(ctx)
	unlink := context.AfterFunc(hard, func() { cancel(context.Cause(hard)) })
	if hard.Err() != nil { // already: nothing is to start before that function has run
		cancel(context.Cause(hard))
	}
	s := &stopping{soft: soft, hard: hard}
	var timers []*time.Timer
	if limit > 0 {
		late := sync.OnceValue(func() error { return &TimeoutError{Limit: limit, During: during()} })
		timers = append(timers,
			time.AfterFunc(limit, func() { cancel(late()) }),
			time.AfterFunc(limit+grace(limit), func() { stop(late()) }))
	}
	s.end = func() {
		for _, t := range timers {
			t.Stop()
		}
		unlink()
		cancel(nil)
		stop(nil)
	}
	return s
}

// conclude puts one error in the place of those that only say that a context is done: it matches
// ErrInterrupted and the cause. Call it before end.
func (s *stopping) conclude(err error) error {
	if err == nil || s.soft.Err() == nil && s.hard.Err() == nil {
		return err
	}
	cause := cmp.Or(context.Cause(s.soft), context.Cause(s.hard))
	told := []error{ErrInterrupted, cause, s.soft.Err()}
	interrupted := s.hard.Err() != nil
	if interrupted {
		told = append(told, context.Cause(s.hard), s.hard.Err())
	}
	var left []error
	for _, e := range joined(err) {
		if slices.ContainsFunc(told, func(t error) bool { return errors.Is(e, t) }) {
			interrupted = true
		} else {
			left = append(left, e)
		}
	}
	if !interrupted {
		return err
	}
	if !errors.Is(cause, ErrInterrupted) {
		cause = &interruptedError{cause}
	}
	return errors.Join(append([]error{cause}, left...)...)
}

// joined returns the errors that errors.Join put together, each alone.
func joined(err error) []error {
	list, ok := err.(interface{ Unwrap() []error })
	if !ok {
		return []error{err}
	}
	var all []error
	texts := make([]string, 0, 2)
	for _, e := range list.Unwrap() { // as deep as Go code nests joins
		texts = append(texts, e.Error())
		all = append(all, joined(e)...)
	}
	if err.Error() != strings.Join(texts, "\n") { // it says something itself
		return []error{err}
	}
	return all
}

// activity follows what a deployment does by its events. It is safe for concurrent use.
type activity struct {
	mu      sync.Mutex
	phase   string
	started int
	running map[string]underWay // by id
}

// underWay is an object that is being destroyed.
type underWay struct {
	label string
	order int
}

func newActivity() *activity { return &activity{phase: "load", running: map[string]underWay{}} }

func (a *activity) observe(e *Event) {
	a.mu.Lock()
	defer a.mu.Unlock()
	switch e.Kind {
	case "phase":
		a.phase = e.Text
	case "destroy":
		a.started++
		a.running[e.Object.ID] = underWay{e.Object.short() + " " + e.Object.ID, a.started}
	case "destroyed", "failed":
		if e.Subscriber == nil {
			delete(a.running, e.Object.ID)
		}
	}
}

// before returns a function that follows events and hands them on; nil: to nobody.
func (a *activity) before(next func(Event)) func(Event) {
	return func(e Event) {
		a.observe(&e)
		if next != nil {
			next(e)
		}
	}
}

// String says what is going on: the phase, and the first few objects that are being destroyed.
func (a *activity) String() string {
	const most = 10
	a.mu.Lock()
	defer a.mu.Unlock()
	list := make([]underWay, 0, len(a.running))
	for _, r := range a.running {
		list = append(list, r)
	}
	if len(list) == 0 {
		return a.phase
	}
	slices.SortFunc(list, func(x, y underWay) int { return x.order - y.order })
	text := a.phase
	for i, r := range list {
		switch {
		case i == 0:
			text += "; destroying " + r.label
		case i == most:
			return text + fmt.Sprintf(" and %d more", len(list)-most)
		default:
			text += ", " + r.label
		}
	}
	return text
}
