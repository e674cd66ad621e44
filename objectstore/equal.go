package objectstore

import (
	"math/big"
	"slices"
)

// Equal reports whether two plain values are the same; NaN equals itself, 0 and -0 differ.
// A Secret is the same as the string that it is.
func Equal(a, b Value) bool {
	if s, ok := b.(Secret); ok {
		b = string(s)
	}
	switch a := a.(type) {
	case Secret:
		return string(a) == b
	case float64:
		b, ok := b.(float64)
		return ok && (a == b && 1/a == 1/b || a != a && b != b)
	case Date:
		b, ok := b.(Date)
		return ok && (a == b || a != a && b != b)
	case Bytes:
		b, ok := b.(Bytes)
		return ok && slices.Equal(a, b)
	case *big.Int:
		b, ok := b.(*big.Int)
		return ok && a.Cmp(b) == 0
	case []Value:
		b, ok := b.([]Value)
		return ok && slices.EqualFunc(a, b, Equal)
	case *Record:
		b, ok := b.(*Record)
		return ok && slices.EqualFunc(a.Fields, b.Fields, func(x, y Field) bool { return x.Name == y.Name && Equal(x.Value, y.Value) })
	case *Map:
		b, ok := b.(*Map)
		return ok && slices.EqualFunc(a.Entries, b.Entries, func(x, y MapEntry) bool { return Equal(x.Key, y.Key) && Equal(x.Value, y.Value) })
	case *Set:
		b, ok := b.(*Set)
		return ok && slices.EqualFunc(a.Items, b.Items, Equal)
	default:
		return a == b
	}
}
