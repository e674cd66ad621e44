package objectstore

import (
	"cmp"
	"fmt"
	"math"
	"math/big"
	"slices"
	"strconv"
)

// A Value is plain data as it is stored: what a property holds when it is not in a JavaScript heap.
// Its dynamic type is one of
//
//	nil         null
//	Undefined   undefined
//	bool        a boolean
//	float64     a number, NaN, the infinities and -0 included
//	string      a string (valid UTF-8)
//	Secret      a string that is not to be shown
//	Sealed      a Secret that cannot be read without a key
//	Ref         a reference to a managed object
//	Date        a Date
//	Bytes       a Uint8Array
//	*big.Int    a BigInt
//	[]Value     an array
//	*Record     a plain object, its keys in order
//	*Map        a Map
//	*Set        a Set
//
// Values are trees: an array that two properties share is two values.
type Value = any

// Ref is a reference to the managed object with this id.
type Ref string

// Secret is a string that no sink for people shows: the value of a property of type "secret", or one that
// contains such a value. For scripts, and for Equal, it is a string.
type Secret string

// Sealed is an encrypted Secret, as text. Scripts cannot have it: it has to be opened before it is loaded.
type Sealed string

// Undefined is JavaScript's undefined where it stands inside of an array or a plain object.
type Undefined struct{}

// Date is a point in time: milliseconds since 1970-01-01 UTC, NaN for an invalid Date.
type Date float64

// Bytes is the content of a Uint8Array.
type Bytes []byte

// Record is a plain object: its fields in order, each key once. The order is JavaScript's: keys that are
// array indices come first, the smallest first.
type Record struct{ Fields []Field }

// Field is one property: of a plain object, or of a stored managed object.
type Field struct {
	Name  string
	Value Value
}

// Order puts the fields into JavaScript's order, however they were written.
func (r *Record) Order() {
	slices.SortStableFunc(r.Fields, func(a, b Field) int { return cmp.Compare(arrayIndex(a.Name), arrayIndex(b.Name)) })
}

// arrayIndex returns the array index that a key stands for, math.MaxUint32 if it stands for none.
func arrayIndex(key string) uint32 {
	n, err := strconv.ParseUint(key, 10, 32)
	if err != nil || key[0] == '0' && key != "0" {
		return math.MaxUint32
	}
	return uint32(n)
}

// Lookup returns the value under name, and whether there is one.
func (r *Record) Lookup(name string) (Value, bool) {
	for _, f := range r.Fields {
		if f.Name == name {
			return f.Value, true
		}
	}
	return nil, false
}

// Map is the content of a Map in insertion order.
type Map struct{ Entries []MapEntry }

// MapEntry is one entry of a Map.
type MapEntry struct{ Key, Value Value }

// Set is the content of a Set in insertion order.
type Set struct{ Items []Value }

// Refs calls visit for each reference in v, in order.
func Refs(v Value, visit func(Ref)) {
	switch v := v.(type) {
	case nil, Undefined, bool, float64, string, Secret, Sealed, Date, Bytes, *big.Int:
	case Ref:
		visit(v)
	case []Value:
		for _, e := range v {
			Refs(e, visit)
		}
	case *Record:
		for _, f := range v.Fields {
			Refs(f.Value, visit)
		}
	case *Map:
		for _, e := range v.Entries {
			Refs(e.Key, visit)
			Refs(e.Value, visit)
		}
	case *Set:
		for _, e := range v.Items {
			Refs(e, visit)
		}
	default:
		panic(fmt.Sprintf("objectstore: %T is no Value", v))
	}
}
