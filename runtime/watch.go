package runtime

import (
	"sync"
	"sync/atomic"
	"time"

	"github.com/dop251/goja"
)

// watch interrupts the interpreter when a limit has passed, and never later than the call that had the
// limit: each call has a token, and a timer that comes after its token has ended does nothing.
type watch struct {
	vm *goja.Runtime

	mu     sync.Mutex
	active []*token // of the calls that run, innermost last
	held   int      // > 0: interrupts wait for release
	masked bool     // only calls from base on can be interrupted
	base   int
	hard   error // why everything is to stop

	stuck func(cause error) // called once if the interpreter does not obey; nil: nobody waits for that
	alarm *time.Timer       // runs while the interpreter is to stop
	seen  uint64            // steps when it was set

	executing atomic.Bool   // the interpreter, not Go code that it or the loop called
	steps     atomic.Uint64 // changes of that
}

// obedience is how long the interpreter may take to stop.
const obedience = time.Second

// enter says that the interpreter executes from now on, or Go code that it has called; leave takes the result.
func (w *watch) enter(interpreter bool) (before bool) {
	w.steps.Add(1)
	return w.executing.Swap(interpreter)
}

func (w *watch) leave(before bool) {
	w.steps.Add(1)
	w.executing.Store(before)
}

// arm gives the interpreter time to stop. w.mu is locked.
func (w *watch) arm(cause error) {
	if w.stuck == nil || w.alarm != nil {
		return
	}
	w.seen = w.steps.Load()
	var alarm *time.Timer
	alarm = time.AfterFunc(obedience, func() {
		w.mu.Lock()
		defer w.mu.Unlock()
		switch {
		case w.alarm != alarm:
		case w.executing.Load() && w.steps.Load() == w.seen: // in one and the same call, all the time
			w.alarm = nil
			w.stuck(cause)
		default:
			w.seen = w.steps.Load()
			alarm.Reset(obedience)
		}
	})
	w.alarm = alarm
}

// token is one call with a limit.
type token struct {
	limit   time.Duration
	timer   *time.Timer
	active  bool
	expired bool
}

// begin starts the limit of a call; nil for none.
func (w *watch) begin(limit time.Duration) *token {
	if limit <= 0 {
		return nil
	}
	tok := &token{limit: limit, active: true}
	w.mu.Lock()
	w.active = append(w.active, tok)
	w.mu.Unlock()
	tok.timer = time.AfterFunc(limit, func() {
		w.mu.Lock()
		defer w.mu.Unlock()
		if tok.active {
			tok.expired = true
			w.apply()
		}
	})
	return tok
}

// end ends it, and reports whether the limit had passed. Afterwards only limits of calls around this
// one can interrupt.
func (w *watch) end(tok *token) (expired bool) {
	if tok == nil {
		return false
	}
	tok.timer.Stop()
	w.mu.Lock()
	defer w.mu.Unlock()
	tok.active = false
	for i := len(w.active) - 1; i >= 0; i-- {
		if w.active[i] == tok {
			w.active = append(w.active[:i], w.active[i+1:]...)
			break
		}
	}
	w.apply()
	return tok.expired
}

// cancel interrupts everything until cancel(nil).
func (w *watch) cancel(cause error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.hard = cause
	w.apply()
}

// cause is why everything is to stop, nil if it is not.
func (w *watch) cause() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.hard
}

// hold keeps interrupts off until release.
func (w *watch) hold() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.held++
	w.apply()
}

func (w *watch) release() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.held--
	w.apply()
}

// only runs fn with its own limits alone: what is interrupted already, or is to be, is so afterwards.
func (w *watch) only(fn func()) {
	set := func(masked bool, base int) {
		w.mu.Lock()
		defer w.mu.Unlock()
		w.masked, w.base = masked, base
		w.apply()
	}
	masked, base := w.masked, w.base
	set(true, len(w.active))
	defer set(masked, base)
	fn()
}

// apply sets or clears the interpreter's flag. w.mu is locked.
func (w *watch) apply() {
	if w.held == 0 {
		if w.hard != nil && !w.masked {
			w.vm.Interrupt(w.hard)
			w.arm(w.hard)
			return
		}
		for _, tok := range w.active[w.base:] {
			if tok.expired {
				w.vm.Interrupt(tok)
				w.arm(timeLimitError(tok.limit, nil))
				return
			}
		}
	}
	w.vm.ClearInterrupt()
	if w.alarm != nil {
		w.alarm.Stop()
		w.alarm = nil
	}
}
