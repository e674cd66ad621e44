package serialize

import (
	"fmt"
	"math"
	"math/big"
	"slices"
	"strconv"
	"strings"

	"github.com/sextongc/sexton/objectstore"
)

const maxInteger = 1<<53 - 1

func isInteger(v float64) bool { return v == math.Trunc(v) && math.Abs(v) <= maxInteger }

// CheckProperty checks a stored value against the declaration of its property. resolve says whether an
// object exists and what its class is; a nil class is one that is not known, and fits everywhere. The
// error is an *Error without a position: "property subnets[2]: expected Subnet, got string "x"".
func CheckProperty(p *objectstore.Property, v objectstore.Value, resolve func(objectstore.Ref) (*objectstore.Class, bool)) error {
	c := checker{resolve: resolve}
	c.trail.field(p.Name)
	return c.property(p, v)
}

type checker struct {
	trail   trail
	resolve func(objectstore.Ref) (*objectstore.Class, bool)
}

func (c *checker) errorf(format string, args ...any) error {
	return &Error{Path: "property " + c.trail.String(), Msg: fmt.Sprintf(format, args...)}
}

func (c *checker) mismatch(t *objectstore.Type, v objectstore.Value) error {
	got := describe(v)
	if t.Kind == objectstore.KindSecret {
		got, _, _ = strings.Cut(got, " ")
	}
	return c.errorf("expected %s, got %s", typeName(t), got)
}

func (c *checker) property(p *objectstore.Property, v objectstore.Value) error {
	if v == nil && p.Optional {
		return nil
	}
	return c.value(p.Type, v)
}

func (c *checker) value(t *objectstore.Type, v objectstore.Value) error {
	if len(c.trail) > maxDepth {
		return c.errorf("nested deeper than 10,000 levels")
	}
	switch t.Kind {
	case objectstore.KindAny:
		return c.any(t, v)
	case objectstore.KindClass:
		return c.reference(t, v)
	case objectstore.KindList:
		list, ok := v.([]objectstore.Value)
		if !ok {
			return c.mismatch(t, v)
		}
		return c.list(t.Elem, list)
	case objectstore.KindMap:
		record, ok := v.(*objectstore.Record)
		if !ok {
			return c.mismatch(t, v)
		}
		for _, f := range record.Fields {
			c.trail.field(f.Name)
			if err := c.value(t.Elem, f.Value); err != nil {
				return err
			}
			c.trail.pop()
		}
		return nil
	case objectstore.KindShape:
		return c.shape(t, v)
	}
	if !fits(t, v) {
		return c.mismatch(t, v)
	}
	return nil
}

func (c *checker) list(elem *objectstore.Type, list []objectstore.Value) error {
	for i, e := range list {
		c.trail.index(i)
		if err := c.value(elem, e); err != nil {
			return err
		}
		c.trail.pop()
	}
	return nil
}

func (c *checker) reference(t *objectstore.Type, v objectstore.Value) error {
	ref, ok := v.(objectstore.Ref)
	if !ok {
		return c.mismatch(t, v)
	}
	class, ok := c.resolve(ref)
	switch {
	case !ok:
		return c.errorf("dangling reference %q: no object has this id", string(ref))
	case class != nil && t.Class != nil && !class.Is(t.Class):
		return c.errorf("expected %s, got %s %q", typeName(t), class.Short(), string(ref))
	}
	return nil
}

func (c *checker) shape(t *objectstore.Type, v objectstore.Value) error {
	record, ok := v.(*objectstore.Record)
	if !ok {
		return c.mismatch(t, v)
	}
	for _, f := range record.Fields {
		c.trail.field(f.Name)
		p := fieldIn(t.Fields, f.Name)
		if p == nil {
			return c.errorf("the shape has no such field%s", DidYouMean(f.Name, propertyNames(t.Fields)))
		}
		if err := c.property(p, f.Value); err != nil {
			return err
		}
		c.trail.pop()
	}
	for _, p := range t.Fields {
		if _, ok := record.Lookup(p.Name); !ok && !p.Optional {
			return c.errorf("the field %q is missing", p.Name)
		}
	}
	return nil
}

// any looks for references in a value that has no type.
func (c *checker) any(t *objectstore.Type, v objectstore.Value) error {
	switch v := v.(type) {
	case objectstore.Ref:
		if _, ok := c.resolve(v); !ok {
			return c.errorf("dangling reference %q: no object has this id", string(v))
		}
	case []objectstore.Value:
		return c.list(t, v)
	case *objectstore.Record:
		for _, f := range v.Fields {
			c.trail.field(f.Name)
			if err := c.value(t, f.Value); err != nil {
				return err
			}
			c.trail.pop()
		}
	case *objectstore.Set:
		return c.list(t, v.Items)
	case *objectstore.Map:
		for i, e := range v.Entries {
			c.trail.index(i)
			if err := c.value(t, e.Key); err != nil {
				return err
			}
			if err := c.value(t, e.Value); err != nil {
				return err
			}
			c.trail.pop()
		}
	}
	return nil
}

// fits reports whether a value is of a type that holds no other values.
func fits(t *objectstore.Type, v objectstore.Value) bool {
	ok := false
	switch t.Kind {
	case objectstore.KindString, objectstore.KindSecret:
		switch v.(type) {
		case string, objectstore.Secret:
			ok = true
		}
	case objectstore.KindNumber:
		_, ok = v.(float64)
	case objectstore.KindInteger:
		f, isNumber := v.(float64)
		ok = isNumber && isInteger(f)
	case objectstore.KindBoolean:
		_, ok = v.(bool)
	case objectstore.KindBytes:
		_, ok = v.(objectstore.Bytes)
	case objectstore.KindDate:
		_, ok = v.(objectstore.Date)
	case objectstore.KindEnum:
		switch v.(type) {
		case string, float64, bool:
			ok = slices.Contains(t.Enum, v)
		}
	}
	return ok
}

var kindNames = map[objectstore.Kind]string{
	objectstore.KindAny: "any", objectstore.KindString: "string", objectstore.KindNumber: "number",
	objectstore.KindInteger: "integer", objectstore.KindBoolean: "boolean", objectstore.KindBytes: "bytes",
	objectstore.KindDate: "date", objectstore.KindSecret: "secret", objectstore.KindShape: "an object",
}

// typeName names a type in messages.
func typeName(t *objectstore.Type) string {
	var prefix strings.Builder
	for t.Kind == objectstore.KindList || t.Kind == objectstore.KindMap {
		if t.Kind == objectstore.KindList {
			prefix.WriteString("list of ")
		} else {
			prefix.WriteString("map of ")
		}
		t = t.Elem
	}
	switch t.Kind {
	case objectstore.KindClass:
		return prefix.String() + t.Class.Short()
	case objectstore.KindEnum:
		values := make([]string, len(t.Enum))
		for i, v := range t.Enum {
			values[i] = scalarText(v)
		}
		return prefix.String() + "one of " + strings.Join(values, ", ")
	}
	return prefix.String() + kindNames[t.Kind]
}

func scalarText(v objectstore.Value) string {
	switch v := v.(type) {
	case string:
		return strconv.Quote(shorten(v))
	case float64:
		w := writer{}
		w.number(v)
		return string(w.buf)
	}
	return fmt.Sprint(v)
}

// describe says what a value is.
func describe(v objectstore.Value) string {
	switch v := v.(type) {
	case nil:
		return "null"
	case bool:
		return "boolean " + scalarText(v)
	case float64:
		return "number " + scalarText(v)
	case string:
		return "string " + scalarText(v)
	case objectstore.Secret, objectstore.Sealed:
		return "secret"
	case objectstore.Ref:
		return "reference " + scalarText(string(v))
	case []objectstore.Value:
		return "list"
	case *objectstore.Record:
		return "object"
	case objectstore.Undefined:
		return "undefined"
	case objectstore.Date:
		return "Date"
	case objectstore.Bytes:
		return "bytes"
	case *big.Int:
		return "BigInt"
	case *objectstore.Map:
		return "Map"
	case *objectstore.Set:
		return "Set"
	}
	return fmt.Sprintf("%T", v)
}

var nodeNames = map[nodeKind]string{
	nodeNull: "null", nodeBool: "boolean", nodeNumber: "number", nodeString: "string", nodeArray: "list", nodeObject: "object",
}

// describeNode says what stands in a document.
func describeNode(n *node) string {
	switch n.kind {
	case nodeBool:
		return describe(n.boolean)
	case nodeNumber:
		return describe(n.number)
	case nodeString:
		return describe(n.text)
	case nodeObject:
		if tag := tagOf(n); tag != nil {
			return tag.name
		}
	}
	return nodeNames[n.kind]
}
