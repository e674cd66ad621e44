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
	since     time.Time
	err       error // of the attempt
	open      int
	completed []*objectstore.Class // whose destroy() has ended well since
}

// watch notes that the destroy() behind promise runs on when the attempt has failed with err.
func (a *attempt) watch(promise *goja.Object, err error) error {
	c, class, token := a.c, a.next, a.c.token(a.o)
	late := c.overdue[token]
	if late == nil {
		late = &overdue{since: c.rt.Now(), err: err}
		c.overdue[token] = late
	}
	late.open++
	return c.rt.OnSettled(promise, func(rejected bool) {
		late.open--
		if !rejected {
			late.completed = append(late.completed, class)
		}
	})
}

// awaitOverdue looks after what runs on from an earlier attempt at destroying o: while that is so, the
// error says that no attempt can begin; afterwards o is told what has ended well.
func (c *Collector) awaitOverdue(o *objectstore.Object) error {
	if len(c.overdue) == 0 { // a token is a digest
		return nil
	}
	late := c.overdue[c.token(o)]
	switch {
	case late == nil:
		return nil
	case late.open > 0:
		return fmt.Errorf("the attempt that failed at %s still runs, and another one waits for its end: %w", late.since.UTC().Format(time.RFC3339), late.err)
	}
	delete(c.overdue, c.token(o))
	for _, class := range late.completed {
		o.Complete(class)
	}
	return nil
}
