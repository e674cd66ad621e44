package sexton

import (
	"runtime"
	"sync"

	"github.com/sextongc/sexton/internal/state"
)

// gatherer appends the intents and outcomes of effects. Effects that begin or end at the same time share a
// group, and so a sync: nobody waits for others, but whoever comes first lets those go ahead that are ready to
// run. Its methods are safe for concurrent use.
type gatherer struct {
	append func(group ...state.Record) error

	mu   sync.Mutex
	next *gathered
}

// gathered is a group that is still growing. Whoever adds the first record appends it.
type gathered struct {
	records []state.Record
	done    chan struct{}
	err     error // set before done is closed
}

func newGatherer(append func(group ...state.Record) error) *gatherer {
	return &gatherer{append: append, next: newGathered()}
}

func newGathered() *gathered { return &gathered{done: make(chan struct{})} }

// add makes a record durable.
func (g *gatherer) add(r state.Record) error {
	g.mu.Lock()
	group := g.next
	group.records = append(group.records, r)
	first := len(group.records) == 1
	g.mu.Unlock()
	if !first {
		<-group.done
		return group.err
	}
	for before := 0; g.grown(group, &before); {
		runtime.Gosched()
	}
	group.err = g.append(group.records...)
	close(group.done)
	return group.err
}

// grown reports whether a group has more than so many records, and how many. The group is complete if not.
func (g *gatherer) grown(group *gathered, records *int) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	if len(group.records) > *records {
		*records = len(group.records)
		return true
	}
	g.next = newGathered()
	return false
}
