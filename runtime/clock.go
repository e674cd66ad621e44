package runtime

import (
	"sync"
	"time"
)

// Clock is the time that scripts see.
type Clock interface {
	// Now is the present time.
	Now() time.Time
	// Until returns a channel that can be received from once the time is t or later. stop gives it up.
	// The loop calls it when it is idle, with the time of its first timer.
	Until(t time.Time) (due <-chan struct{}, stop func())
}

type realClock struct{}

func (realClock) Now() time.Time { return time.Now() }

func (realClock) Until(t time.Time) (<-chan struct{}, func()) {
	due := make(chan struct{})
	timer := time.AfterFunc(time.Until(t), func() { close(due) })
	return due, func() { timer.Stop() }
}

// VirtualClock is a Clock that stands still until Advance moves it. Its zero value stands at the zero
// time; NewVirtualClock sets it. It serves one Runtime. Its methods may be called from any goroutine.
type VirtualClock struct {
	mu     sync.Mutex
	now    time.Time
	target time.Time
	timer  time.Time     // the time of the timer that the loop waits for
	due    chan struct{} // closed when target reaches timer; nil: the loop does not wait
}

// NewVirtualClock returns a clock that stands at t.
func NewVirtualClock(t time.Time) *VirtualClock { return &VirtualClock{now: t, target: t} }

// Now is the present virtual time.
func (c *VirtualClock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

// Advance lets d pass. It returns at once: the loop, when it is idle, goes from timer to timer, each at
// its own time, until d has passed. To act then, schedule a timer with Runtime.After before.
func (c *VirtualClock) Advance(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.target = c.target.Add(d)
	if c.due != nil {
		c.settle()
	}
}

// Until implements Clock. As the loop is idle and t is its first timer, time may jump there.
func (c *VirtualClock) Until(t time.Time) (<-chan struct{}, func()) {
	c.mu.Lock()
	defer c.mu.Unlock()
	due := make(chan struct{})
	c.timer, c.due = t, due
	c.settle()
	return due, func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		if c.due == due {
			c.due = nil
		}
	}
}

// settle moves time as far as the target and the timer allow.
func (c *VirtualClock) settle() {
	if c.timer.After(c.target) {
		c.now = c.target
		return
	}
	if c.timer.After(c.now) {
		c.now = c.timer
	}
	close(c.due)
	c.due = nil
}
