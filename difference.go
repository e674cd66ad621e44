package sexton

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/sextongc/sexton/internal/state"
	"github.com/sextongc/sexton/objectstore"
	"github.com/sextongc/sexton/serialize"
)

// ErrNoGeneration: the state directory keeps no snapshot of that generation.
var ErrNoGeneration = errors.New("no snapshot of that generation is kept")

// Difference is what two snapshots differ in.
type Difference struct {
	Added   []Object       `json:"added"` // in creation order, like the other lists
	Removed []Object       `json:"removed"`
	Changed []ObjectChange `json:"changed"`
	Same    int            `json:"same"` // how many objects are in both, and the same
}

// ObjectChange is an object that is in two snapshots, and what differs.
type ObjectChange struct {
	Object                 // as in the second snapshot
	Replaced bool          `json:"replaced,omitempty"` // it is another object of the same id
	Fields   []FieldChange `json:"fields"`
}

// FieldChange is a property, or a field of the header, with its values; nil where there is none. Values are as
// snapshots write them, those of secrets sealed.
type FieldChange struct {
	Name   string          `json:"name"`
	Header bool            `json:"header,omitempty"` // Name is "owner", "state", "subscription vm1.gone", …
	Old    json.RawMessage `json:"old,omitempty"`
	New    json.RawMessage `json:"new,omitempty"`
}

// Empty reports whether there is no difference.
func (d *Difference) Empty() bool { return len(d.Added)+len(d.Removed)+len(d.Changed) == 0 }

// Compare says what has to change in one snapshot to make it another one. What it is asked to compare may be
// exports, too.
func Compare(a, b []byte) (*Difference, error) {
	_, before, err := decodeExport(a)
	if err != nil {
		return nil, err
	}
	_, after, err := decodeExport(b)
	if err != nil {
		return nil, err
	}
	return difference(before, after)
}

func difference(before, after *objectstore.Graph) (*Difference, error) {
	d := &Difference{Added: []Object{}, Removed: []Object{}, Changed: []ObjectChange{}}
	was := make(map[string]*objectstore.Entry, len(before.Objects))
	for _, e := range before.Objects {
		was[e.ID] = e
	}
	is := make(map[string]bool, len(after.Objects))
	for _, e := range after.Objects {
		is[e.ID] = true
		old := was[e.ID]
		if old == nil {
			d.Added = append(d.Added, *entryObject(e))
			continue
		}
		fields, err := fieldChanges(old, e)
		if err != nil {
			return nil, err
		}
		if len(fields) == 0 {
			d.Same++
			continue
		}
		d.Changed = append(d.Changed, ObjectChange{*entryObject(e), old.Incarnation != e.Incarnation, fields})
	}
	for _, e := range before.Objects {
		if !is[e.ID] {
			d.Removed = append(d.Removed, *entryObject(e))
		}
	}
	return d, nil
}

// field is a named value of an object.
type field struct {
	name   string
	header bool
	value  json.RawMessage
}

func fieldChanges(a, b *objectstore.Entry) ([]FieldChange, error) {
	old, err := fieldsOf(a)
	if err != nil {
		return nil, err
	}
	now, err := fieldsOf(b)
	if err != nil {
		return nil, err
	}
	var changes []FieldChange
	for _, f := range now {
		i := slices.IndexFunc(old, func(o field) bool { return o.name == f.name && o.header == f.header })
		switch {
		case i < 0:
			changes = append(changes, FieldChange{Name: f.name, Header: f.header, New: f.value})
		case !bytes.Equal(old[i].value, f.value):
			changes = append(changes, FieldChange{Name: f.name, Header: f.header, Old: old[i].value, New: f.value})
		}
	}
	for _, f := range old {
		if !slices.ContainsFunc(now, func(n field) bool { return n.name == f.name && n.header == f.header }) {
			changes = append(changes, FieldChange{Name: f.name, Header: f.header, Old: f.value})
		}
	}
	return changes, nil
}

// fieldsOf lists what there is of an object: the header, the subscriptions to it, its properties.
func fieldsOf(e *objectstore.Entry) ([]field, error) {
	var fields []field
	head := func(name string, value any, zero bool) {
		if !zero {
			fields = append(fields, field{name, true, jsonOf(value)})
		}
	}
	head("type", e.Type, false)
	head("version", e.Version, e.Version == "")
	head("name", e.Name, e.Name == "")
	head("owner", e.Owner, e.Owner == "")
	head("incarnation", e.Incarnation, e.Incarnation == 0)
	head("protect", e.Protect, !e.Protect)
	head("state", storedState(e), false)
	head("told", e.Notified, !e.Doomed)
	head("completed", e.Completed, len(e.Completed) == 0)
	head("failure", e.Failure, e.Failure == "")
	for _, s := range e.Subscriptions {
		name := strings.TrimSuffix(s.Subscriber+"."+s.Handler, ".")
		head("subscription "+name, s.Count, false)
		head("told "+name, true, !s.Told)
	}
	for _, f := range e.Properties {
		value, err := serialize.EncodeValue(f.Value)
		if err != nil {
			return nil, err
		}
		fields = append(fields, field{f.Name, false, value})
	}
	return fields, nil
}

// SnapshotOf returns the snapshot that was current until the end of an earlier generation, of the few that the
// state directory keeps. The error matches ErrNoGeneration and names those that there are.
func (e *Environment) SnapshotOf(generation uint64) ([]byte, error) {
	data, kept, err := state.Kept(e.dir, e.opts.fs, generation)
	if err != nil {
		return nil, e.located(err)
	}
	if data == nil {
		texts := make([]string, len(kept))
		for i, g := range kept {
			texts[i] = fmt.Sprintf("@%d", g)
		}
		there := "there is none"
		if len(texts) > 0 {
			there = "there are " + strings.Join(texts, ", ")
		}
		return nil, fmt.Errorf("%s: %w: %d; %s", e.Name(), ErrNoGeneration, generation, there)
	}
	return data, nil
}
