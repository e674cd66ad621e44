package sexton

import (
	"slices"

	"github.com/sextongc/sexton/objectstore"
	"github.com/sextongc/sexton/serialize"
)

// savedEntry is an object as the journal has it. What collections write down of it stands apart, because
// records of its own tell of it.
type savedEntry struct {
	entry *objectstore.Entry // nobody changes it any more
	size  int                // in bytes, encoded; 0: not known
	doom  doom
}

func save(e *objectstore.Entry) *savedEntry { return &savedEntry{entry: e, doom: doomOf(e)} }

// small reports whether the object may be recorded each time a handler of it has run.
func (s *savedEntry) small() bool {
	if s.size == 0 {
		data, err := serialize.EncodeEntry(s.entry)
		if err != nil {
			return false // a checkpoint tells of it
		}
		s.size = len(data)
	}
	return s.size <= smallEntry
}

// unchanged compares all but what collections write down.
func unchanged(a, b *objectstore.Entry) bool {
	return a.ID == b.ID && a.Type == b.Type && a.Version == b.Version && a.Name == b.Name && a.Owner == b.Owner &&
		a.Incarnation == b.Incarnation && a.Destroyed == b.Destroyed && a.Protect == b.Protect &&
		slices.EqualFunc(a.Subscriptions, b.Subscriptions, func(a, b objectstore.Subscription) bool {
			return a.Subscriber == b.Subscriber && a.Handler == b.Handler && a.Count == b.Count
		}) &&
		slices.EqualFunc(a.Properties, b.Properties, func(a, b objectstore.Field) bool {
			return a.Name == b.Name && objectstore.Equal(a.Value, b.Value)
		})
}

// doom is the part of an entry that only doomed objects have.
type doom struct {
	doomed, notified bool
	failure          string
	completed        []string
	told             []objectstore.Subscription // if not all are
}

func doomOf(e *objectstore.Entry) doom {
	d := doom{doomed: e.Doomed, notified: e.Notified, failure: e.Failure, completed: e.Completed}
	for _, s := range e.Subscriptions {
		if s.Told {
			d.told = append(d.told, objectstore.Subscription{Subscriber: s.Subscriber, Handler: s.Handler})
		}
	}
	return d
}

func (a *doom) equal(b *doom) bool {
	return a.doomed == b.doomed && a.notified == b.notified && a.failure == b.failure && slices.Equal(a.completed, b.completed) &&
		slices.Equal(a.told, b.told)
}
