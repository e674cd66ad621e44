package sexton

import (
	"bytes"
	"errors"
	"time"

	"github.com/sextongc/sexton/gcext"
	"github.com/sextongc/sexton/objectstore"
	"github.com/sextongc/sexton/runtime"
	"github.com/sextongc/sexton/serialize"
)

// note adds an event of a collection to the report. What failed or was blocked is listed by conclude.
func (r *Report) note(e gcext.Event) {
	switch e.Kind {
	case gcext.EventDestroyed:
		if e.Object.Failure == "" {
			delete(r.troubled, e.Object.ID)
		}
		r.Destroyed = append(r.Destroyed, *plainObject(e.Object))
		r.took = append(r.took, e.Duration)
	case gcext.EventFailed:
		if e.Subscriber == nil {
			r.addTrouble(trouble{object: *plainObject(e.Object), err: e.Err.Error(), took: e.Duration})
		}
	case gcext.EventBlocked:
		r.addTrouble(trouble{object: *plainObject(e.Object), by: e.By.ID})
	}
}

// trouble is an attempt at destroying an object that failed, or one that was not made, because it waits
// for the object "by".
type trouble struct {
	object  Object
	err, by string
	took    time.Duration
}

func (r *Report) addTrouble(t trouble) {
	if r.troubled == nil {
		r.troubled = map[string]int{}
	}
	r.troubled[t.object.ID] = len(r.troubles)
	r.troubles = append(r.troubles, t)
}

// conclude lists what failed and what was blocked.
func (r *Report) conclude() {
	for _, t := range r.standing() {
		if t.by == "" {
			r.Failed = append(r.Failed, gcext.Failure{ID: t.object.ID, Type: t.object.Type, Error: t.err})
		} else {
			r.Blocked = append(r.Blocked, gcext.Blocked{ID: t.object.ID, Type: t.object.Type, By: t.by})
		}
	}
}

// standing are the troubles that nothing has put right. An object that was tried several times counts
// once, with what became of it last.
func (r *Report) standing() []trouble {
	var list []trouble
	for i, t := range r.troubles {
		if last, ok := r.troubled[t.object.ID]; ok && last == i {
			list = append(list, t)
		}
	}
	return list
}

// compare fills the lists of what was created, changed and kept.
func (r *Report) compare(last, now *objectstore.Graph) error {
	stored := map[string]*objectstore.Entry{}
	if last != nil {
		for _, e := range last.Objects {
			stored[e.ID] = e
		}
	}
	for _, e := range now.Objects {
		if e.Destroyed || e.Doomed {
			continue
		}
		o := Object{ID: e.ID, Type: e.Type, Name: e.Name, Owner: e.Owner}
		old := stored[e.ID]
		if old == nil || old.Incarnation != 0 && old.Incarnation != e.Incarnation {
			r.Created = append(r.Created, o)
			continue
		}
		before := *old
		before.Incarnation = e.Incarnation // it may have got its first one now
		same, err := sameEntry(&before, e)
		if err != nil {
			return err
		}
		if same {
			r.Kept = append(r.Kept, o)
		} else {
			r.Changed = append(r.Changed, o)
		}
	}
	return nil
}

func sameEntry(a, b *objectstore.Entry) (bool, error) {
	x, err := serialize.EncodeEntry(a)
	if err != nil {
		return false, err
	}
	y, err := serialize.EncodeEntry(b)
	return bytes.Equal(x, y), err
}

// Detail returns an error with the script's stack, if it has one.
func Detail(err error) string {
	var script *runtime.ScriptError
	if errors.As(err, &script) {
		return script.Detail()
	}
	return err.Error()
}
