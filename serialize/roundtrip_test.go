package serialize

import (
	"bytes"
	"math"
	"math/big"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/sextongc/sexton/objectstore"
)

func text() *rapid.Generator[string] { return rapid.String() }

func key() *rapid.Generator[string] {
	return rapid.OneOf(text(), rapid.SampledFrom([]string{"", "?", "$", "$?", "$ref", "$$", "$$ref", "$map", "a", "2", "10"}))
}

// anyValue generates values of every kind, references to the given ids included.
func anyValue(ids []string, depth int) *rapid.Generator[objectstore.Value] {
	scalars := []*rapid.Generator[objectstore.Value]{
		rapid.Just[objectstore.Value](nil),
		rapid.Just[objectstore.Value](objectstore.Undefined{}),
		rapid.Bool().AsAny(), rapid.Float64().AsAny(), rapid.Map(rapid.Int32(), func(i int32) float64 { return float64(i) }).AsAny(),
		rapid.SampledFrom([]float64{math.NaN(), math.Inf(1), math.Inf(-1), math.Copysign(0, -1)}).AsAny(),
		text().AsAny(),
		rapid.Map(rapid.SampledFrom(ids), func(id string) objectstore.Ref { return objectstore.Ref(id) }).AsAny(),
		rapid.Map(rapid.Int64Range(-maxTime, maxTime), func(ms int64) objectstore.Date { return objectstore.Date(ms) }).AsAny(),
		rapid.Just[objectstore.Value](objectstore.Date(math.NaN())),
		rapid.Map(rapid.SliceOf(rapid.Byte()), func(b []byte) objectstore.Bytes { return b }).AsAny(),
		rapid.Map(rapid.SliceOf(rapid.Byte()), func(b []byte) *big.Int { return new(big.Int).Neg(new(big.Int).SetBytes(b)) }).AsAny(),
	}
	if depth == 0 {
		return rapid.OneOf(scalars...)
	}
	return rapid.OneOf(append(scalars, rapid.Custom(func(t *rapid.T) objectstore.Value {
		list := rapid.SliceOfN(anyValue(ids, depth-1), 0, 4).Draw(t, "items")
		switch rapid.IntRange(0, 3).Draw(t, "kind") {
		case 0:
			return list
		case 1:
			r := &objectstore.Record{}
			for _, k := range rapid.SliceOfNDistinct(key(), len(list), len(list), rapid.ID[string]).Draw(t, "keys") {
				r.Fields = append(r.Fields, objectstore.Field{Name: k, Value: list[len(r.Fields)]})
			}
			r.Order()
			return r
		case 2:
			s, seen := &objectstore.Set{}, map[any]struct{}{}
			for _, v := range list {
				if distinct(seen, v) {
					s.Items = append(s.Items, v)
				}
			}
			return s
		default:
			m, seen := &objectstore.Map{}, map[any]struct{}{}
			for i, v := range list {
				if distinct(seen, v) {
					m.Entries = append(m.Entries, objectstore.MapEntry{Key: v, Value: list[len(list)-1-i]})
				}
			}
			return m
		}
	}))...)
}

func anyGraph(t *rapid.T) *objectstore.Graph {
	name := rapid.StringN(1, -1, -1)
	ids := rapid.SliceOfNDistinct(name, 1, 6, rapid.ID[string]).Draw(t, "ids")
	g := &objectstore.Graph{}
	if rapid.Bool().Draw(t, "has a root") {
		g.Root = ids[0]
	}
	for i, id := range ids {
		e := &objectstore.Entry{ID: id, Type: name.Draw(t, "type"), Version: text().Draw(t, "version"), Name: text().Draw(t, "name")}
		if i > 0 && rapid.Bool().Draw(t, "owned") {
			e.Owner = ids[rapid.IntRange(0, i-1).Draw(t, "owner")]
		}
		e.Incarnation = rapid.Uint64Range(0, maxInteger).Draw(t, "incarnation")
		e.Destroyed, e.Doomed, e.Protect = rapid.Bool().Draw(t, "destroyed"), rapid.Bool().Draw(t, "doomed"), rapid.Bool().Draw(t, "protect")
		if e.Doomed {
			e.Notified = rapid.Bool().Draw(t, "notified")
			e.Completed = rapid.SliceOfNDistinct(name, 0, 3, rapid.ID[string]).Draw(t, "completed")
			e.Failure = text().Draw(t, "failure")
		}
		for _, s := range rapid.SliceOfNDistinct(rapid.SampledFrom(ids), 0, len(ids), rapid.ID[string]).Draw(t, "subscribers") {
			e.Subscriptions = append(e.Subscriptions, objectstore.Subscription{
				Subscriber: s, Handler: text().Draw(t, "handler"), Count: rapid.IntRange(1, 9).Draw(t, "count"),
				Told: e.Doomed && !e.Notified && rapid.Bool().Draw(t, "told")})
		}
		for _, k := range rapid.SliceOfNDistinct(key(), 0, 3, rapid.ID[string]).Draw(t, "properties") {
			e.Properties = append(e.Properties, objectstore.Field{Name: k, Value: anyValue(ids, 3).Draw(t, "value")})
		}
		g.Objects = append(g.Objects, e)
	}
	return g
}

// gc 6.6: saving and loading is the identity.
func TestRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := anyGraph(t)
		text, err := EncodeSnapshot(g)
		require.NoError(t, err)
		back, err := DecodeSnapshot(text)
		require.NoError(t, err)
		again, err := EncodeSnapshot(back)
		require.NoError(t, err)
		require.Equal(t, string(text), string(again))
		require.Equal(t, len(g.Objects), len(back.Objects))
		for i, e := range g.Objects {
			one, err := EncodeEntry(e)
			require.NoError(t, err)
			got, err := DecodeEntry(one)
			require.NoError(t, err)
			other, err := EncodeEntry(got)
			require.NoError(t, err)
			require.Equal(t, string(one), string(other))
			require.Equal(t, e.ID, back.Objects[i].ID)
			require.Equal(t, e.Notified, got.Notified)
			require.Equal(t, e.Incarnation, got.Incarnation)
		}
	})
}

// Any single changed byte of a snapshot is noticed.
func TestEveryByteCounts(t *testing.T) {
	text, err := EncodeSnapshot(shopGraph())
	require.NoError(t, err)
	for i := range text {
		for _, with := range []byte{text[i] ^ 1, text[i] ^ 32, ' ', '0'} {
			if with == text[i] {
				continue
			}
			changed := bytes.Clone(text)
			changed[i] = with
			_, err := DecodeSnapshot(changed)
			require.Error(t, err, "byte %d: %q instead of %q", i, with, text[i])
		}
	}
}

func TestNumbersAreThoseOfECMAScript(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		v := rapid.Float64().Draw(t, "v")
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return
		}
		b := appendNumber(nil, v)
		back, err := strconv.ParseFloat(string(b), 64)
		require.NoError(t, err)
		require.Equal(t, v, back)
	})
}

func TestDatesReadBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := objectstore.Date(rapid.Int64Range(-maxTime, maxTime).Draw(t, "ms"))
		back, ok := parseDate(string(appendDate(nil, d)))
		require.True(t, ok)
		require.Equal(t, d, back)
	})
}
