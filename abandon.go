package sexton

import (
	"context"
	"errors"
	"fmt"
	goruntime "runtime"
	"sync"

	"github.com/sextongc/sexton/internal/effect"
	"github.com/sextongc/sexton/internal/state"
	"github.com/sextongc/sexton/runtime"
)

// runOrAbandon does what run does, and leaves a script behind that does not stop a second after it was interrupted: in a
// native function that Go cannot end. What it would still do reaches nothing any more. A session that is kept for further
// deployments is waited for.
func (d *scripting) runOrAbandon(soft, hard context.Context) (*scripted, error) {
	if d.kept != nil {
		return d.run(soft, hard)
	}
	fence := &fence{stateSide: d.side}
	observe := d.observe
	d.side, d.observe = fence, func(e Event) { _ = fence.pass(func() error { observe(e); return nil }) }
	if console := d.opts.Console; console != nil {
		d.opts.Console = func(level, text string) { _ = fence.pass(func() error { console(level, text); return nil }) }
	}
	stuck := make(chan error, 1)
	d.stuck = func(cause error) { stuck <- cause } // once
	ended := make(chan ending, 1)
	go func() {
		e := ending{result: &scripted{}, exits: true}
		defer func() {
			if e.exits {
				if e.panicked = recover(); e.panicked != nil {
					e.exits = false
				}
			}
			ended <- e
		}()
		e.result, e.err = d.run(soft, hard)
		e.exits = false
	}()
	select {
	case e := <-ended:
		switch {
		case e.panicked != nil:
			panic(e.panicked)
		case e.exits:
			goruntime.Goexit()
		}
		return e.result, e.err
	case cause := <-stuck:
		fence.close()
		return &scripted{}, fmt.Errorf("%w: %w", runtime.ErrAbandoned, cause)
	}
}

// ending is how a run ended.
type ending struct {
	result   *scripted
	err      error
	panicked any
	exits    bool // the goroutine, as by testing.T.FailNow
}

// errFenced is what an abandoned script gets, should it ever ask for anything again.
var errFenced = errors.New("the deployment has gone on without this script")

// fence is a stateSide that can be closed. What is under way then is waited for.
type fence struct {
	stateSide
	mu     sync.RWMutex
	closed bool
}

func (f *fence) close() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.closed = true
}

func (f *fence) pass(do func() error) error {
	f.mu.RLock()
	defer f.mu.RUnlock()
	if f.closed {
		return errFenced
	}
	return do()
}

// Do implements effect.Broker. An effect may take long, and ends when the performer closes.
func (f *fence) Do(ctx context.Context, req *effect.Request) *effect.Outcome {
	if err := f.pass(func() error { return nil }); err != nil {
		return notRecorded("it was not started", err)
	}
	return f.stateSide.Do(ctx, req)
}

// Append implements stateSide.
func (f *fence) Append(ctx context.Context, covered []uint64, group ...state.Record) error {
	return f.pass(func() error { return f.stateSide.Append(ctx, covered, group...) })
}

// Commit implements stateSide.
func (f *fence) Commit(snapshot, meta, history []byte) error {
	return f.pass(func() error { return f.stateSide.Commit(snapshot, meta, history) })
}
