package serialize

import (
	"github.com/sextongc/sexton/objectstore"
)

// EncodeEntry writes one object in the form that it has in a snapshot, on a single line. References are
// not looked at. The error is an *Error without a position: a value that cannot be saved.
func EncodeEntry(e *objectstore.Entry) ([]byte, error) {
	w := writer{depth: 2}
	w.entry(e, ", ")
	if w.err != nil {
		return nil, w.err
	}
	return w.buf, nil
}

// DecodeEntry reads what EncodeEntry wrote, as strictly as DecodeSnapshot except that nothing is known of
// other objects, so references may dangle.
func DecodeEntry(data []byte) (*objectstore.Entry, error) {
	doc := &document{file: "entry", data: data}
	n, err := parseJSON(doc)
	if err != nil {
		return nil, err
	}
	r := entryReader{valueReader: valueReader{doc: doc, refer: func(string, *node) error { return nil }}}
	return r.entry(n)
}

// EncodeValue writes one value as a property of a snapshot has it. The error is as that of EncodeEntry.
func EncodeValue(v objectstore.Value) ([]byte, error) {
	w := writer{depth: 3} // that of a property
	w.value(v)
	if w.err != nil {
		return nil, w.err
	}
	return w.buf, nil
}

// entry writes one object; between separates its properties.
func (w *writer) entry(e *objectstore.Entry, between string) {
	w.object, w.trail = label(e.Type, e.ID), w.trail[:0]
	w.depth++
	w.raw("{ ")
	w.header(e)
	for _, f := range e.Properties {
		w.raw(between)
		w.trail.field(f.Name)
		w.key(f.Name)
		w.value(f.Value)
		w.trail.pop()
	}
	w.uniqueKeys(len(e.Properties), func(i int) string { return e.Properties[i].Name })
	w.depth--
	w.raw(" }")
}

// An entryReader reads objects in the form of a snapshot.
type entryReader struct{ valueReader }

func (r *entryReader) entry(n *node) (*objectstore.Entry, error) {
	r.object, r.trail = "", r.trail[:0]
	if n.kind != nodeObject {
		return nil, r.errorf(n.position, "an object was expected")
	}
	head := n.member(headerKey)
	if head == nil {
		return nil, r.errorf(n.position, `the object has no header "?"`)
	}
	e := &objectstore.Entry{}
	h, err := r.header(head, e, nil)
	switch {
	case err != nil:
		return nil, err
	case h.id == nil || h.class == nil:
		return nil, r.errorf(head.position, "a header needs an id and a type")
	}
	if h.owner != nil {
		if err := r.refer(e.Owner, h.owner); err != nil {
			return nil, err
		}
	}
	for _, s := range h.subscribers {
		if err := r.refer(s.text, s); err != nil {
			return nil, err
		}
	}
	if n.count > 1 {
		e.Properties = make([]objectstore.Field, 0, n.count-1)
	}
	for c := n.first; c != nil; c = c.next {
		if c == head {
			continue
		}
		name, err := r.key(c)
		if err != nil {
			return nil, err
		}
		r.trail.field(name)
		v, err := r.value(c)
		if err != nil {
			return nil, err
		}
		r.trail.pop()
		e.Properties = append(e.Properties, objectstore.Field{Name: name, Value: v})
	}
	return e, nil
}
