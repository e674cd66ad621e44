package sexton

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/sextongc/sexton/internal/effect"
	"github.com/sextongc/sexton/internal/state"
)

// chronicle is a stateSide that puts into the journal what the history needs to know of a deployment that
// is stopped hard: that it has begun, and its phases, each in front of what was recorded in it. This
// costs no sync of its own, but for one in each phase whose first record is of an effect.
type chronicle struct {
	stateSide
	now   func() time.Time
	began *beginning
	mask  *Mask

	mu    sync.Mutex
	begun bool   // its beginning is on its way to the journal
	phase string // it is in
	fresh bool   // the journal does not know it
}

// Do implements effect.Broker. Modules may have effects while they load, before anything is recorded.
func (c *chronicle) Do(ctx context.Context, req *effect.Request) *effect.Outcome {
	if effect.IsEffect(req.Op) {
		if p := c.preface(); p != nil {
			if err := c.stateSide.Append(context.WithoutCancel(ctx), nil, p...); err != nil {
				return notRecorded("it was not started", err)
			}
		}
	}
	return c.stateSide.Do(ctx, req)
}

// Append implements stateSide. That numbers are reserved begins nothing.
func (c *chronicle) Append(ctx context.Context, covered []uint64, group ...state.Record) error {
	if len(group) == 1 && group[0].Kind == state.Reserved {
		return c.stateSide.Append(ctx, covered, group...)
	}
	return c.stateSide.Append(ctx, covered, append(c.preface(), group...)...)
}

func (c *chronicle) hasBegun() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.begun
}

func (c *chronicle) enter(phase string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.phase, c.fresh = phase, true
}

// preface returns what the journal is to be told before the next record.
func (c *chronicle) preface() []state.Record {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.begun && !c.fresh {
		return nil
	}
	p := phaseRecord{Phase: c.phase, After: c.now().Sub(c.began.Time)}
	if !c.begun {
		p.Begin = c.began
	}
	c.begun, c.fresh = true, false
	return []state.Record{record(state.Phase, p)}
}

// stop records the end of a deployment that leaves its journal to the next one, if it has begun.
func (c *chronicle) stop(err error, outcome Outcome) error {
	if !c.hasBegun() || err == nil || errors.Is(err, ErrStateFailed) {
		return nil
	}
	c.mu.Lock()
	p := phaseRecord{Phase: c.phase, After: c.now().Sub(c.began.Time), Outcome: outcome, Error: bounded(c.mask.Text(err.Error()))}
	c.mu.Unlock()
	return c.stateSide.Append(context.Background(), nil, record(state.Phase, p))
}
