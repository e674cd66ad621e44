package sexton

import (
	"math"
	"reflect"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sextongc/sexton/objectstore"
)

// A checkpoint leaves an object out only if nothing of it has changed, whatever it has: every field counts.
func TestEveryChangeOfAnEntryIsSeen(t *testing.T) {
	same := func(a, b *objectstore.Entry) bool {
		x, y := save(a), save(b)
		return unchanged(a, b) && x.doom.equal(&y.doom)
	}
	value := func(v objectstore.Value) []objectstore.Field { return []objectstore.Field{{Name: "p", Value: v}} }
	subscription := func(s objectstore.Subscription) []objectstore.Subscription { return []objectstore.Subscription{s} }
	changes := map[string][]any{
		"Subscriptions": {
			subscription(objectstore.Subscription{Subscriber: "b"}), subscription(objectstore.Subscription{Subscriber: "b", Handler: "gone"}),
			subscription(objectstore.Subscription{Subscriber: "b", Count: 2}), subscription(objectstore.Subscription{Subscriber: "b", Told: true}),
		},
		"Properties": {
			value(nil), value(objectstore.Undefined{}), value(0.0), value(math.Copysign(0, -1)), value("0"), value(objectstore.Ref("0")),
			value([]objectstore.Value{}), value([]objectstore.Value{0.0}), value(&objectstore.Record{}), value(objectstore.Bytes{0}),
		},
		"Completed": {[]string{"A"}, []string{"A", "B"}},
	}
	kind := reflect.TypeFor[objectstore.Entry]()
	for i := range kind.NumField() {
		name := kind.Field(i).Name
		values := changes[name]
		if values == nil {
			values = []any{map[reflect.Kind]any{reflect.String: "x", reflect.Bool: true, reflect.Uint64: uint64(7)}[kind.Field(i).Type.Kind()]}
		}
		entries := []*objectstore.Entry{{}}
		for _, v := range values {
			e := &objectstore.Entry{}
			reflect.ValueOf(e).Elem().Field(i).Set(reflect.ValueOf(v))
			entries = append(entries, e)
		}
		for a := range entries {
			for b := range entries {
				require.Equal(t, a == b, same(entries[a], entries[b]), "%s: %d and %d", name, a, b)
			}
		}
	}
}
