package sexton

import (
	"sync"
	"time"

	"github.com/sextongc/sexton/internal/state"
)

// Where effects are many at once, the first to need a sync waits a little for others to share it with: scripts
// issue them one after another, and take longer for a few than the disk takes for all of them.
const (
	manyEffects = 32
	patience    = time.Millisecond
)

// gatherer appends the intents and outcomes of effects. Its methods are safe for concurrent use.
type gatherer struct {
	append   func(group ...state.Record) error
	patience time.Duration

	mu      sync.Mutex
	running int // effects between begin and end
	level   int // what running has been like of late
	next    *gathered
}

// gathered is a group that is still growing. Whoever adds the first record appends it.
type gathered struct {
	records []state.Record
	full    chan struct{} // closed when two thirds as many as there are effects are in it
	done    chan struct{}
	err     error // set before done is closed
}

func newGatherer(append func(group ...state.Record) error) *gatherer {
	return &gatherer{append: append, patience: patience, next: newGathered()}
}

func newGathered() *gathered {
	return &gathered{full: make(chan struct{}), done: make(chan struct{})}
}

// begin counts an effect that is going to add records; end counts it no more.
func (g *gatherer) begin() { g.count(1) }
func (g *gatherer) end()   { g.count(-1) }

func (g *gatherer) count(n int) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.running += n
	g.level = max(g.level, g.running)
}

// add makes a record durable.
func (g *gatherer) add(r state.Record) error {
	g.mu.Lock()
	group, level := g.next, g.level
	group.records = append(group.records, r)
	first := len(group.records) == 1
	if len(group.records) == max(1, level*2/3) {
		close(group.full)
		g.next = newGathered()
	}
	g.mu.Unlock()
	if !first {
		<-group.done
		return group.err
	}
	if level >= manyEffects {
		timer := time.NewTimer(g.patience)
		select {
		case <-group.full:
		case <-timer.C:
		}
		timer.Stop()
	}
	g.mu.Lock()
	if g.next == group {
		g.next = newGathered()
	}
	g.level -= (g.level - g.running) / 8
	g.mu.Unlock()
	group.err = g.append(group.records...)
	close(group.done)
	return group.err
}
