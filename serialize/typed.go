package serialize

import (
	"encoding/base64"

	"github.com/sextongc/sexton/objectstore"
)

// property reads the value of a declared property: null if it is optional, else of its type.
func (r *modelReader) property(n *node, p *objectstore.Property) (objectstore.Value, error) {
	if n.kind == nodeNull && p.Optional {
		return nil, nil
	}
	return r.typed(n, p.Type)
}

// typed reads a value of a declared type. Like value it recurses at most maxDepth deep.
func (r *modelReader) typed(n *node, t *objectstore.Type) (objectstore.Value, error) {
	switch t.Kind {
	case objectstore.KindAny:
		return r.value(n)
	case objectstore.KindClass:
		return r.classValue(n, t)
	case objectstore.KindList:
		if n.kind != nodeArray {
			return nil, r.mismatch(n, t)
		}
		list := make([]objectstore.Value, 0, n.count)
		for c := n.first; c != nil; c = c.next {
			r.trail.index(len(list))
			v, err := r.typed(c, t.Elem)
			if err != nil {
				return nil, err
			}
			r.trail.pop()
			list = append(list, v)
		}
		return list, nil
	case objectstore.KindMap:
		return r.mapValue(n, t)
	case objectstore.KindShape:
		return r.shapeValue(n, t)
	}
	return r.scalarValue(n, t)
}

func (r *modelReader) mismatch(n *node, t *objectstore.Type) error {
	got := describeNode(n)
	if t.Kind == objectstore.KindSecret {
		got = nodeNames[n.kind] // a secret in the wrong form is a secret all the same
	}
	hint := ""
	if (t.Kind == objectstore.KindString || t.Kind == objectstore.KindSecret) && (n.kind == nodeNumber || n.kind == nodeBool) {
		hint = "; put it in quotes"
	}
	return r.errorf(n.position, "expected %s, got %s%s", typeName(t), got, hint)
}

// classValue reads a reference, or an object that stands here itself.
func (r *modelReader) classValue(n *node, t *objectstore.Type) (objectstore.Value, error) {
	switch {
	case n.kind == nodeString && n.text != "":
		r.reference(n.text, n, t.Class, true)
		return objectstore.Ref(n.text), nil
	case n.kind != nodeObject:
		return nil, r.mismatch(n, t)
	}
	tag := tagOf(n)
	switch {
	case tag == nil || n.member(headerKey) != nil:
		return r.inlineObject(n, t.Class)
	case tag.name != tagRef:
		return nil, r.mismatch(n, t)
	case n.count > 1 || tag.kind != nodeString || tag.text == "":
		return r.tagged(n, tag) // the error
	}
	r.reference(tag.text, tag, t.Class, false)
	return objectstore.Ref(tag.text), nil
}

// members checks that n is an object of plain data.
func (r *modelReader) members(n *node, t *objectstore.Type) error {
	if n.kind != nodeObject || n.member(headerKey) != nil || tagOf(n) != nil {
		return r.mismatch(n, t)
	}
	return nil
}

func (r *modelReader) mapValue(n *node, t *objectstore.Type) (objectstore.Value, error) {
	if err := r.members(n, t); err != nil {
		return nil, err
	}
	record := &objectstore.Record{Fields: make([]objectstore.Field, 0, n.count)}
	for c := n.first; c != nil; c = c.next {
		key, err := r.key(c)
		if err != nil {
			return nil, err
		}
		r.trail.field(key)
		v, err := r.typed(c, t.Elem)
		if err != nil {
			return nil, err
		}
		r.trail.pop()
		record.Fields = append(record.Fields, objectstore.Field{Name: key, Value: v})
	}
	record.Order()
	return record, nil
}

// shapeValue reads a shape: its fields in the order of their declaration, defaults filled in.
func (r *modelReader) shapeValue(n *node, t *objectstore.Type) (objectstore.Value, error) {
	if err := r.members(n, t); err != nil {
		return nil, err
	}
	values := make(map[string]objectstore.Value, n.count)
	for c := n.first; c != nil; c = c.next {
		key, err := r.key(c)
		if err != nil {
			return nil, err
		}
		p := fieldIn(t.Fields, key)
		if p == nil {
			return nil, r.errorf(c.keyPosition, "unknown field %q%s", key, DidYouMean(key, propertyNames(t.Fields)))
		}
		r.trail.field(key)
		v, err := r.property(c, p)
		if err != nil {
			return nil, err
		}
		r.trail.pop()
		values[key] = v
	}
	record := &objectstore.Record{}
	for _, p := range t.Fields {
		v, ok := values[p.Name]
		switch {
		case ok:
		case p.HasDefault:
			v = p.Default
		case p.Optional:
			continue
		default:
			return nil, r.errorf(n.position, "the field %q is missing", p.Name)
		}
		record.Fields = append(record.Fields, objectstore.Field{Name: p.Name, Value: v})
	}
	return record, nil
}

// scalarValue reads what holds no other values. Besides its own form, a date may be a string (ISO 8601)
// or a number (milliseconds since 1970), and bytes a string (base64).
func (r *modelReader) scalarValue(n *node, t *objectstore.Type) (objectstore.Value, error) {
	var v objectstore.Value
	switch {
	case n.kind == nodeArray, n.kind == nodeObject && (n.member(headerKey) != nil || tagOf(n) == nil):
		return nil, r.mismatch(n, t)
	case t.Kind == objectstore.KindDate && n.kind == nodeString:
		d, ok := parseDate(n.text)
		if !ok {
			return nil, r.errorf(n.position, "expected date such as 2026-01-31 or 2026-01-31T12:00:00Z, got %s", describeNode(n))
		}
		return d, nil
	case t.Kind == objectstore.KindDate && n.kind == nodeNumber && validTime(n.number):
		return objectstore.Date(n.number), nil
	case t.Kind == objectstore.KindBytes && n.kind == nodeString:
		b, err := base64.StdEncoding.Strict().DecodeString(n.text)
		if err != nil {
			return nil, r.errorf(n.position, "expected bytes in base64, got %s", describeNode(n))
		}
		return objectstore.Bytes(b), nil
	}
	v, err := r.value(n)
	if err != nil {
		return nil, err
	}
	if !fits(t, v) {
		return nil, r.mismatch(n, t)
	}
	if text, ok := v.(string); ok && t.Kind == objectstore.KindSecret {
		return objectstore.Secret(text), nil
	}
	return v, nil
}
