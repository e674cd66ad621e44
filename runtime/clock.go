package runtime

import (
	"sync"
	"time"
)

// Clock is the time that scripts see.
type Clock interface {
	// Now is the present time.
	Now() time.Time
	// Until returns a channel that can be received from once the time is t or later; never if t is
	// zero. stop gives it up. The loop calls it when it is idle, with the time of its first timer.
	Until(t time.Time) (due <-chan struct{}, stop func())
}

type realClock struct{}

func (realClock) Now() time.Time { return time.Now() }

func (realClock) Until(t time.Time) (<-chan struct{}, func()) {
	if t.IsZero() {
		return nil, func() {}
	}
	due := make(chan struct{})
	timer := time.AfterFunc(time.Until(t), func() { close(due) })
	return due, func() { timer.Stop() }
}

// VirtualClock is a Clock that stands still until Advance moves it. It serves one Runtime. Its methods
// may be called from any goroutine.
type VirtualClock struct {
	mu      sync.Mutex
	now     time.Time
	target  time.Time
	waiting []func()      // to be called when now is target
	idle    bool          // the loop waits
	timer   time.Time     // for this, if it is not zero
	due     chan struct{} // closed when it may go on
}

// NewVirtualClock returns a clock that stands at t.
func NewVirtualClock(t time.Time) *VirtualClock { return &VirtualClock{now: t, target: t} }

// Now is the present virtual time.
func (c *VirtualClock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

// Advance lets d pass, and returns at once. Whenever the loop is idle it goes to the next timer, at that
// timer's time, until d has passed and all that is due is done. Then done, which may be nil, is called,
// on some goroutine.
func (c *VirtualClock) Advance(d time.Duration, done func()) {
	c.mu.Lock()
	c.target = c.target.Add(d)
	if done != nil {
		c.waiting = append(c.waiting, done)
	}
	c.settle()
}

// Until implements Clock. As the loop is idle and t is its first timer, time may jump there.
func (c *VirtualClock) Until(t time.Time) (<-chan struct{}, func()) {
	c.mu.Lock()
	due := make(chan struct{})
	c.idle, c.timer, c.due = true, t, due
	c.settle()
	return due, func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		c.idle = false
	}
}

// settle moves time as far as the target and the timer allow, if the loop is idle. It unlocks c.mu.
func (c *VirtualClock) settle() {
	var arrived []func()
	switch {
	case !c.idle:
	case c.timer.IsZero() || c.timer.After(c.target):
		c.now = c.target
		arrived, c.waiting = c.waiting, nil
	default:
		if c.timer.After(c.now) {
			c.now = c.timer
		}
		c.idle = false
		close(c.due)
	}
	c.mu.Unlock()
	for _, done := range arrived {
		done()
	}
}
