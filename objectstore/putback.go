package objectstore

import (
	"errors"
	"slices"
	"strconv"

	"github.com/dop251/goja"
)

// image is what the declared properties of an object held before its constructor ran.
type image struct {
	values []goja.Value // by property, in the order of the class
	boxes  [][]box      // of each property: what of its value can be changed in place
}

var errNotRestored = errors.New("the constructor made it impossible to put the stored value back")

// putBack undoes what constructors did to stored values: each property holds the value again that
// the constructor was given, the very same arrays and objects with the content that they had.
func (s *Store) putBack(o *Object, img *image) error {
	for i, p := range o.Class.Properties {
		if !p.Usage.Persistable() {
			continue
		}
		if err := s.registry.try(func() error { return s.putBackProperty(o, p, img.values[i], img.boxes[i]) }); stopped(err) {
			return err
		} else if err != nil {
			return &ValueError{Path: p.Name, Reason: err.Error()}
		}
	}
	return nil
}

func (s *Store) putBackProperty(o *Object, p *Property, value goja.Value, boxes []box) error {
	v := o.ref.Object()
	changed := false
	for i := range boxes {
		done, err := s.registry.restore(&boxes[i])
		if err != nil { // frozen, or a class instance by now: another one takes its place
			return s.replace(o, p)
		}
		changed = changed || done
	}
	if now := v.Get(p.Name); now == nil || !now.SameAs(value) {
		if err := v.Set(p.Name, value); err != nil {
			return err
		}
	}
	if changed && !s.holds(o, p) {
		return s.replace(o, p)
	}
	return nil
}

// replace gives a property a fresh copy of what is stored.
func (s *Store) replace(o *Object, p *Property) error {
	stored, _ := o.stored.Property(p.Name)
	if err := o.ref.Object().Set(p.Name, s.registry.toScript(stored, nil)); err != nil {
		return err
	}
	if !s.holds(o, p) {
		return errNotRestored
	}
	return nil
}

// holds reports whether a property has its stored value.
func (s *Store) holds(o *Object, p *Property) bool {
	stored, ok := o.stored.Property(p.Name)
	v := o.ref.Object().Get(p.Name)
	if !ok || stored == nil && p.Optional {
		return true // no containers in it
	}
	plain, err := s.registry.plain(p.Type, v, p.Name)
	return err == nil && Equal(plain, stored)
}

// restore gives a value back the content that it had, and reports whether that had changed.
func (g *Registry) restore(b *box) (changed bool, err error) {
	switch stored := b.stored.(type) {
	case []Value:
		return g.restoreList(b)
	case *Record:
		return g.restoreRecord(b, stored)
	case *Map:
		return g.restoreItems(b, "mapEntries", "mapFill")
	case *Set:
		return g.restoreItems(b, "setItems", "setFill")
	case Date:
		if d, ok := g.date(b.o); ok && Equal(d, stored) {
			return false, nil
		}
		_, err = g.lib.call("setTime", b.o, g.vm.ToValue(float64(stored)))
	case Bytes:
		if now, ok := g.bytes(b.o); ok && Equal(now, stored) {
			return false, nil
		}
		_, err = g.lib.call("setBytes", b.o, g.toScript(stored, nil))
	}
	return true, err
}

func same(a, b goja.Value) bool { return a != nil && a.SameAs(b) }

func (g *Registry) restoreList(b *box) (changed bool, err error) {
	if int(b.o.Get("length").ToInteger()) != len(b.elems) {
		changed = true
		if err := b.o.Set("length", len(b.elems)); err != nil {
			return true, err
		}
	}
	for i, e := range b.elems {
		key := strconv.Itoa(i)
		if same(b.o.Get(key), e) {
			continue
		}
		changed = true
		if err := b.o.Set(key, e); err != nil {
			return true, err
		}
	}
	return changed, nil
}

func (g *Registry) restoreRecord(b *box, stored *Record) (changed bool, err error) {
	keys := b.o.GetOwnPropertyNames()
	if slices.EqualFunc(keys, stored.Fields, func(key string, f Field) bool { return key == f.Name }) {
		for i, key := range keys {
			changed = changed || !same(b.o.Get(key), b.elems[i])
		}
		if !changed {
			return false, nil
		}
	}
	for _, key := range keys { // all of them, for their order
		if err := b.o.Delete(key); err != nil {
			return true, err
		}
	}
	for i, f := range stored.Fields {
		if err := b.o.DefineDataProperty(f.Name, b.elems[i], goja.FLAG_TRUE, goja.FLAG_TRUE, goja.FLAG_TRUE); err != nil {
			return true, err
		}
	}
	return true, nil
}

func (g *Registry) restoreItems(b *box, read, fill string) (changed bool, err error) {
	now, err := g.lib.call(read, b.o)
	if err != nil {
		return true, err
	}
	list := now.(*goja.Object)
	changed = int(list.Get("length").ToInteger()) != len(b.elems)
	for i := 0; i < len(b.elems) && !changed; i++ {
		changed = !same(list.Get(strconv.Itoa(i)), b.elems[i])
	}
	if changed {
		_, err = g.lib.call(fill, b.o, g.array(b.elems))
	}
	return changed, err
}
