package scenario

import (
	"time"

	"github.com/sextongc/sexton/runtime"
)

// clock is the time of test scripts: real until a test asks for t.clock, then virtual until that test
// ends. So what waits for the outside world works as it is, and a test that wants to decide about time
// decides about all of it.
type clock struct {
	virtual *runtime.VirtualClock // nil: real time
}

func (c *clock) Now() time.Time {
	if c.virtual != nil {
		return c.virtual.Now()
	}
	return time.Now()
}

func (c *clock) Until(t time.Time) (<-chan struct{}, func()) {
	if c.virtual != nil {
		return c.virtual.Until(t)
	}
	if t.IsZero() { // no timer is set
		return nil, func() {}
	}
	due := make(chan struct{})
	timer := time.AfterFunc(time.Until(t), func() { close(due) })
	return due, func() { timer.Stop() }
}

// freeze makes time virtual; it stands still from now on.
func (c *clock) freeze() *runtime.VirtualClock {
	if c.virtual == nil {
		c.virtual = runtime.NewVirtualClock(time.Now())
	}
	return c.virtual
}

// thaw makes time real again.
func (c *clock) thaw() { c.virtual = nil }
