package serialize

import (
	"encoding/base64"
	"math"
	"math/big"
	"slices"
	"strings"

	"github.com/sextongc/sexton/objectstore"
)

// The tags: an object whose only key is one of them stands for a value that JSON has no form for.
const (
	tagRef       = "$ref"       // id of a managed object
	tagDate      = "$date"      // ISO 8601 in UTC; null: an invalid Date
	tagBytes     = "$bytes"     // base64 with padding
	tagBigInt    = "$bigint"    // decimal digits
	tagMap       = "$map"       // [[key, value], …]
	tagSet       = "$set"       // [item, …]
	tagNumber    = "$number"    // "NaN", "Infinity", "-Infinity", "-0"
	tagSealed    = "$sealed"    // an encrypted secret, as text
	tagSecret    = "$secret"    // a secret in clear text
	tagUndefined = "$undefined" // true
)

var tags = []string{tagBigInt, tagBytes, tagDate, tagMap, tagNumber, tagRef, tagSealed, tagSecret, tagSet, tagUndefined}

// headerKey is the key of an object's header. As a key of plain data it is written "$?".
const headerKey = "?"

// maxDigits bounds a BigInt: reading decimal digits takes more than linear time.
const maxDigits = 100_000

// A valueReader makes Values of nodes. It is what snapshots, journal entries and models have in common.
type valueReader struct {
	doc    *document
	object string // "Network net-1": the object that is being read, for messages
	trail  trail

	refer  func(id string, n *node) error           // called for each reference
	inline func(n *node) (objectstore.Value, error) // an object with a header inside of a value; nil: an error
}

func (r *valueReader) path() string {
	if r.object == "" || len(r.trail) == 0 {
		return r.object
	}
	return r.object + ": property " + r.trail.String()
}

func (r *valueReader) errorf(p position, format string, args ...any) error {
	return r.doc.errorf(p, r.path(), format, args...)
}

// value reads any value. It recurses as deep as the document nests, which maxDepth bounds.
func (r *valueReader) value(n *node) (objectstore.Value, error) {
	switch n.kind {
	case nodeNull:
		return nil, nil
	case nodeBool:
		return n.boolean, nil
	case nodeNumber:
		return n.number, nil
	case nodeString:
		return n.text, nil
	case nodeArray:
		return r.array(n)
	}
	if n.member(headerKey) != nil {
		if r.inline == nil {
			return nil, r.errorf(n.position, `an object inside of another: write {"$ref": id}, or "$?" for a plain key "?"`)
		}
		return r.inline(n)
	}
	if tag := tagOf(n); tag != nil {
		return r.tagged(n, tag)
	}
	record := &objectstore.Record{Fields: make([]objectstore.Field, 0, n.count)}
	for c := n.first; c != nil; c = c.next {
		key, err := r.key(c)
		if err != nil {
			return nil, err
		}
		r.trail.field(key)
		v, err := r.value(c)
		if err != nil {
			return nil, err
		}
		r.trail.pop()
		record.Fields = append(record.Fields, objectstore.Field{Name: key, Value: v})
	}
	record.Order()
	return record, nil
}

func (r *valueReader) array(n *node) ([]objectstore.Value, error) {
	list := make([]objectstore.Value, 0, n.count)
	for c := n.first; c != nil; c = c.next {
		r.trail.index(len(list))
		v, err := r.value(c)
		if err != nil {
			return nil, err
		}
		r.trail.pop()
		list = append(list, v)
	}
	return list, nil
}

// tagOf returns the first member whose key is a tag or looks like one.
func tagOf(n *node) *node {
	for c := n.first; c != nil; c = c.next {
		if strings.HasPrefix(c.name, "$") && !escaped(c.name) {
			return c
		}
	}
	return nil
}

func escaped(key string) bool { return strings.HasPrefix(key, "$$") || key == "$"+headerKey }

// key returns the plain key that a member's key stands for.
func (r *valueReader) key(n *node) (string, error) {
	switch {
	case !strings.HasPrefix(n.name, "$"):
		return n.name, nil
	case escaped(n.name):
		return n.name[1:], nil
	}
	return "", r.unknownTag(n)
}

func (r *valueReader) unknownTag(n *node) error {
	if slices.Contains(tags, n.name) {
		return r.errorf(n.keyPosition, "%s does not belong here; a plain key that begins with $ is written with $$", n.name)
	}
	return r.errorf(n.keyPosition, "unknown tag %q%s; a plain key that begins with $ is written with $$",
		n.name, DidYouMean(n.name, tags))
}

func (r *valueReader) tagged(n, tag *node) (objectstore.Value, error) {
	if !slices.Contains(tags, tag.name) {
		return nil, r.unknownTag(tag)
	}
	if n.count > 1 {
		return nil, r.errorf(tag.keyPosition, "%s must be the only key of its object", tag.name)
	}
	bad := func(wanted string) error {
		return r.errorf(tag.position, "%s must be %s", tag.name, wanted)
	}
	switch tag.name {
	case tagRef:
		if tag.kind != nodeString || tag.text == "" {
			return nil, bad("the id of an object")
		}
		return objectstore.Ref(tag.text), r.refer(tag.text, tag)
	case tagDate:
		switch {
		case tag.kind == nodeNull:
			return objectstore.Date(math.NaN()), nil
		case tag.kind == nodeString:
			if d, ok := parseDate(tag.text); ok {
				return d, nil
			}
		case tag.kind == nodeNumber && validTime(tag.number):
			return objectstore.Date(tag.number), nil
		}
		return nil, bad("a date such as 2026-01-31T12:00:00.000Z, or null for an invalid one")
	case tagBytes:
		if tag.kind == nodeString {
			if b, err := base64.StdEncoding.Strict().DecodeString(tag.text); err == nil {
				return objectstore.Bytes(b), nil
			}
		}
		return nil, bad("base64 with padding")
	case tagBigInt:
		if tag.kind == nodeString && len(tag.text) <= maxDigits && isDecimal(tag.text) {
			if v, ok := new(big.Int).SetString(tag.text, 10); ok {
				return v, nil
			}
		}
		return nil, bad("an integer in decimal digits, in quotes, of at most 100,000 digits")
	case tagSecret:
		if tag.kind == nodeString {
			return objectstore.Secret(tag.text), nil
		}
		return nil, bad("a string")
	case tagSealed:
		if tag.kind == nodeString && tag.text != "" {
			return objectstore.Sealed(tag.text), nil
		}
		return nil, bad("a string that is not empty")
	case tagMap:
		return r.mapping(tag)
	case tagSet:
		return r.set(tag)
	case tagNumber:
		if tag.kind == nodeString {
			if v, ok := specialNumbers[tag.text]; ok {
				return v, nil
			}
		}
		return nil, bad(`"NaN", "Infinity", "-Infinity" or "-0"`)
	default: // tagUndefined
		if tag.kind == nodeBool && tag.boolean {
			return objectstore.Undefined{}, nil
		}
		return nil, bad("true")
	}
}

var specialNumbers = map[string]float64{
	"NaN": math.NaN(), "Infinity": math.Inf(1), "-Infinity": math.Inf(-1), "-0": math.Copysign(0, -1),
}

func isDecimal(s string) bool {
	s = strings.TrimPrefix(s, "-")
	return s != "" && strings.Trim(s, "0123456789") == ""
}

func (r *valueReader) mapping(tag *node) (objectstore.Value, error) {
	m := &objectstore.Map{Entries: make([]objectstore.MapEntry, 0, tag.count)}
	if tag.kind != nodeArray {
		return nil, r.errorf(tag.position, "%s must be a list of [key, value]", tagMap)
	}
	seen := make(map[any]struct{}, tag.count)
	for c := tag.first; c != nil; c = c.next {
		if c.kind != nodeArray || c.count != 2 {
			return nil, r.errorf(c.position, "%s must be a list of [key, value]", tagMap)
		}
		r.trail.index(len(m.Entries))
		key, err := r.value(c.first)
		if err != nil {
			return nil, err
		}
		if !distinct(seen, key) {
			return nil, r.errorf(c.first.position, "the Map has this key twice")
		}
		v, err := r.value(c.first.next)
		if err != nil {
			return nil, err
		}
		r.trail.pop()
		m.Entries = append(m.Entries, objectstore.MapEntry{Key: key, Value: v})
	}
	return m, nil
}

func (r *valueReader) set(tag *node) (objectstore.Value, error) {
	if tag.kind != nodeArray {
		return nil, r.errorf(tag.position, "%s must be a list", tagSet)
	}
	items, err := r.array(tag)
	if err != nil {
		return nil, err
	}
	seen := make(map[any]struct{}, len(items))
	c := tag.first
	for _, item := range items {
		if !distinct(seen, item) {
			return nil, r.errorf(c.position, "the Set has this item twice")
		}
		c = c.next
	}
	return &objectstore.Set{Items: items}, nil
}

// distinct adds a key of a Map or Set to seen, and reports whether it was new. Map and Set compare by
// value what is not an object, and know neither two NaN nor a -0.
func distinct(seen map[any]struct{}, key objectstore.Value) bool {
	switch k := key.(type) {
	case float64:
		if math.IsNaN(k) {
			return add(seen, [0]int{}) // NaN is not equal to itself
		}
		return (k != 0 || !math.Signbit(k)) && add(seen, k)
	case *big.Int:
		return add(seen, [1]string{k.String()})
	case objectstore.Secret:
		return add(seen, string(k))
	case nil, objectstore.Undefined, bool, string, objectstore.Ref, objectstore.Sealed:
		return add(seen, k)
	}
	return true
}

func add(seen map[any]struct{}, key any) bool {
	if _, dup := seen[key]; dup {
		return false
	}
	seen[key] = struct{}{}
	return true
}
