package gcext

import (
	"fmt"
	"time"

	"github.com/dop251/goja"

	"github.com/sextongc/sexton/objectstore"
)

// overdue tells of the destroy() calls of one object whose attempt has ended without them: they
// exceeded their time, and run on. No other attempt begins before the last of them has ended, in this
// deployment or a later one of the same runtime, so that destroying an object never runs beside itself.
type overdue struct {
	since time.Time
	open  int
}

// watch notes that the destroy() behind promise runs on when the attempt ends.
func (a *attempt) watch(promise *goja.Object) error {
	c, o, class, token := a.c, a.o, a.next, a.c.token(a.o)
	late := c.overdue[token]
	if late == nil {
		late = &overdue{since: c.rt.Now()}
		c.overdue[token] = late
	}
	late.open++
	return c.rt.OnSettled(promise, func(rejected bool) {
		if !rejected && o.State() == objectstore.Doomed {
			o.Completed[class] = true
		}
		if late.open--; late.open == 0 {
			delete(c.overdue, token)
		}
	})
}

// overdueError is why no attempt at destroying o can begin now, nil if one can.
func (c *Collector) overdueError(o *objectstore.Object) error {
	late := c.overdue[c.token(o)]
	if late == nil {
		return nil
	}
	return fmt.Errorf("the destroy() that exceeded its time at %s still runs", late.since.UTC().Format(time.RFC3339))
}
