package objectstore_test

import (
	"fmt"
	"math"
	"math/big"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/sextongc/sexton/objectstore"
	"github.com/sextongc/sexton/serialize"
)

// What loading must undo: a constructor that does something to every value that it can reach.
const vandals = `
	class Node extends Resource {
		static properties = {
			text: { type: "string", optional: true }, number: { type: "number", usage: "out" }, count: { type: "integer", usage: "const", optional: true },
			flag: { type: "boolean", default: true, optional: true }, secret: { type: "secret", optional: true }, level: { type: { enum: ["a", 1, true] }, optional: true },
			bytes: { type: "bytes", usage: "inout", optional: true }, date: { type: "date", optional: true },
			node: { type: "Node", optional: true }, nodes: { type: ["Resource"], optional: true },
			map: { type: { map: "any" }, optional: true },
			shape: { type: { shape: { a: "number", b: { type: "Node", optional: true } } }, optional: true },
			any: { optional: true }, other: { type: "any", optional: true },
			config: { usage: "config", default: [1] }, client: { usage: "runtime" },
		};
	}
	const spoil = (v, depth) => {
		if (typeof v !== "object" || v === null || v instanceof Resource || depth > 8) return;
		if (v instanceof Date) v.setTime(0);
		else if (v instanceof Uint8Array) v.fill(7);
		else if (v instanceof Map) { for (const [k, x] of v) { spoil(k, depth + 1); spoil(x, depth + 1) } v.set("spoilt", 1); v.delete([...v.keys()][0]) }
		else if (v instanceof Set) { for (const x of v) spoil(x, depth + 1); v.add("spoilt") }
		else { for (const k of Object.keys(v)) spoil(v[k], depth + 1); if (Array.isArray(v)) { v.reverse(); v.push("spoilt") } else { delete v[Object.keys(v)[0]]; v.spoilt = 1 } }
	};
	class Vandal extends Node {
		constructor(properties, owner, options) {
			super(properties, owner, options);
			for (const k of Object.keys(this)) spoil(this[k], 0);
			this.text = "spoilt"; this.number = NaN; this.node = this; this.shape = { a: 1 }; this.any = this.other; this.other = shared; this.helper = new Node({}, this);
			if (this.node) subscribe(this, this, "m");
		}
		m() {}
	}
	class Freezer extends Node {
		constructor(properties, owner, options) {
			super(properties, owner, options);
			for (const k of Object.keys(this)) if (typeof this[k] === "object" && this[k] !== null && !(this[k] instanceof Resource) && !(this[k] instanceof Uint8Array)) Object.freeze(this[k]);
			this.any = [1]; this.text = undefined;
		}
	}
	const shared = ["not mine"];
`

func scalar(ids []string) *rapid.Generator[objectstore.Value] {
	return rapid.OneOf(
		rapid.Just[objectstore.Value](nil), rapid.Just[objectstore.Value](objectstore.Undefined{}),
		rapid.Bool().AsAny(), rapid.Float64().AsAny(), rapid.String().AsAny(),
		rapid.SampledFrom([]float64{math.NaN(), math.Inf(1), math.Inf(-1), math.Copysign(0, -1), 1 << 53, 1e21, 0.1}).AsAny(),
		reference(ids).AsAny(), dates().AsAny(), bytes().AsAny(),
		rapid.Map(rapid.SliceOf(rapid.Byte()), func(b []byte) objectstore.Value { return new(big.Int).Neg(new(big.Int).SetBytes(b)) }),
	)
}

func reference(ids []string) *rapid.Generator[objectstore.Ref] {
	return rapid.Map(rapid.SampledFrom(ids), func(id string) objectstore.Ref { return objectstore.Ref(id) })
}

func dates() *rapid.Generator[objectstore.Date] {
	const limit = 8_640_000_000_000_000
	return rapid.OneOf(rapid.Just(objectstore.Date(math.NaN())), rapid.Map(rapid.Int64Range(-limit, limit), func(ms int64) objectstore.Date { return objectstore.Date(ms) }))
}

func bytes() *rapid.Generator[objectstore.Bytes] {
	return rapid.Map(rapid.SliceOf(rapid.Byte()), func(b []byte) objectstore.Bytes { return b })
}

func keys(n int) *rapid.Generator[[]string] {
	key := rapid.OneOf(rapid.String(), rapid.SampledFrom([]string{"", "0", "1", "__proto__", "constructor", "$ref", "?", "length", "toString"}))
	return rapid.SliceOfNDistinct(key, n, n, rapid.ID[string])
}

func record(t *rapid.T, items []objectstore.Value) *objectstore.Record {
	r := &objectstore.Record{}
	for i, key := range sorted(keys(len(items)).Draw(t, "keys")) {
		r.Fields = append(r.Fields, objectstore.Field{Name: key, Value: items[i]})
	}
	return r
}

// sorted puts the keys that are array indexes first: no JavaScript object has them elsewhere.
func sorted(keys []string) []string {
	var indexes, names []string
	for n := range 10 {
		for _, key := range keys {
			if key == fmt.Sprint(n) {
				indexes = append(indexes, key)
			}
		}
	}
	for _, key := range keys {
		if len(key) != 1 || key[0] < '0' || key[0] > '9' {
			names = append(names, key)
		}
	}
	return append(indexes, names...)
}

func anyValue(ids []string, depth int) *rapid.Generator[objectstore.Value] {
	if depth == 0 {
		return scalar(ids)
	}
	return rapid.OneOf(scalar(ids), rapid.Custom(func(t *rapid.T) objectstore.Value {
		items := rapid.SliceOfN(anyValue(ids, depth-1), 0, 4).Draw(t, "items")
		switch rapid.IntRange(0, 3).Draw(t, "kind") {
		case 0:
			return items
		case 1:
			return record(t, items)
		case 2:
			s := &objectstore.Set{}
			for i := range items {
				s.Items = append(s.Items, []objectstore.Value{items[i], float64(i)}) // distinct, as objects are
			}
			return s
		default:
			m := &objectstore.Map{}
			for i := range items {
				m.Entries = append(m.Entries, objectstore.MapEntry{Key: fmt.Sprint("key ", i), Value: items[i]})
			}
			return m
		}
	}))
}

// anyGraph makes a graph of Nodes of every kind, closed and canonical.
func anyGraph(t *rapid.T) *objectstore.Graph {
	var ids []string
	for i := range rapid.IntRange(1, 7).Draw(t, "objects") {
		ids = append(ids, fmt.Sprint("n", i))
	}
	g := &objectstore.Graph{Root: ids[0]}
	for i, id := range ids {
		e := &objectstore.Entry{ID: id, Version: "1.0.0"}
		e.Type = rapid.SampledFrom([]string{"shop/Node", "shop/Vandal", "shop/Freezer", "gone/Class"}).Draw(t, "type")
		if i > 0 { // owners stand anywhere
			e.Owner = ids[0]
			if above := rapid.IntRange(-1, i-1).Draw(t, "owner"); above >= 0 {
				e.Owner = ids[above]
			}
		}
		e.Name, e.Protect = rapid.SampledFrom([]string{"", "a name"}).Draw(t, "name"), rapid.Bool().Draw(t, "protect")
		e.Incarnation = rapid.Uint64Range(0, 9).Draw(t, "incarnation")
		switch rapid.IntRange(0, 5).Draw(t, "state") {
		case 0:
			e.Destroyed = i > 0
		case 1:
			e.Doomed, e.Notified, e.Failure = true, true, "it failed"
		case 2:
			e.Doomed = true
		}
		set := func(name string, value *rapid.Generator[objectstore.Value]) {
			if rapid.Bool().Draw(t, "set "+name) {
				e.Properties = append(e.Properties, objectstore.Field{Name: name, Value: value.Draw(t, name)})
			}
		}
		set("text", rapid.String().AsAny())
		set("number", rapid.Float64().AsAny())
		set("count", rapid.Map(rapid.Int32(), func(i int32) objectstore.Value { return float64(i) }))
		set("flag", rapid.OneOf(rapid.Bool().AsAny(), rapid.Just[objectstore.Value](nil)))
		set("secret", rapid.Map(rapid.String(), func(s string) objectstore.Value { return objectstore.Secret(s) }))
		set("level", rapid.SampledFrom([]objectstore.Value{"a", 1.0, true}))
		set("bytes", bytes().AsAny())
		set("date", dates().AsAny())
		set("node", reference(ids).AsAny())
		set("nodes", rapid.Map(rapid.SliceOfN(reference(ids), 0, 3), func(refs []objectstore.Ref) objectstore.Value {
			list := []objectstore.Value{}
			for _, r := range refs {
				list = append(list, r)
			}
			return list
		}))
		set("map", rapid.Custom(func(t *rapid.T) objectstore.Value {
			return record(t, rapid.SliceOfN(anyValue(ids, 1), 0, 3).Draw(t, "values"))
		}))
		set("shape", rapid.Custom(func(t *rapid.T) objectstore.Value {
			return &objectstore.Record{Fields: []objectstore.Field{{Name: "a", Value: rapid.Float64().Draw(t, "a")}, {Name: "b", Value: reference(ids).Draw(t, "b")}}}
		}))
		set("any", anyValue(ids, 3))
		set("other", anyValue(ids, 2))
		g.Objects = append(g.Objects, e)
	}
	subscribe(t, g)
	return closed(g)
}

func subscribe(t *rapid.T, g *objectstore.Graph) {
	for _, e := range g.Objects {
		if e.Destroyed {
			continue
		}
		if e.Type == "shop/Vandal" { // as its constructor does
			e.Subscriptions = append(e.Subscriptions, objectstore.Subscription{Subscriber: e.ID, Handler: "m", Count: 1})
		}
		for _, to := range g.Objects {
			if !to.Destroyed && rapid.IntRange(0, 3).Draw(t, "subscribes") == 0 && to.ID != e.ID {
				e.Subscriptions = append(e.Subscriptions, objectstore.Subscription{Subscriber: to.ID, Handler: "m", Count: rapid.IntRange(1, 3).Draw(t, "count")})
			}
		}
	}
}

// closed leaves the tombstones out that nothing refers to, which no snapshot holds.
func closed(g *objectstore.Graph) *objectstore.Graph {
	in := map[string]bool{}
	var queue []*objectstore.Entry
	add := func(id string) {
		if id != "" && !in[id] {
			in[id] = true
			queue = append(queue, g.Lookup(id))
		}
	}
	for _, e := range g.Objects {
		if !e.Destroyed {
			add(e.ID)
		}
	}
	for len(queue) > 0 {
		e := queue[0]
		queue = queue[1:]
		add(e.Owner)
		for _, f := range e.Properties {
			objectstore.Refs(f.Value, func(r objectstore.Ref) { add(string(r)) })
		}
	}
	out := &objectstore.Graph{Root: g.Root}
	for _, e := range g.Objects {
		if in[e.ID] {
			out.Objects = append(out.Objects, e)
		}
	}
	return out
}

// gc 6.3, 6.4, 6.6, 6.7, 5.4
func TestLoadingAndSavingIsTheIdentity(t *testing.T) {
	e := newEnv(t, vandals)
	rapid.Check(t, func(t *rapid.T) {
		text, err := serialize.EncodeSnapshot(anyGraph(t))
		require.NoError(t, err)
		g, err := serialize.DecodeSnapshot(text)
		require.NoError(t, err)
		for range 2 {
			s := e.open(nil)
			require.NoError(t, s.Load(g, plainly))
			for _, o := range s.Objects() {
				require.Equal(t, o.Type() == "gone/Class", o.Broken() != "", o.Broken())
			}
			again, err := s.Snapshot()
			require.NoError(t, err)
			back, err := serialize.EncodeSnapshot(again)
			require.NoError(t, err)
			require.Equal(t, string(text), string(back))
			g = again
		}
		require.Equal(t, `["not mine"]`, e.run(`JSON.stringify(shared)`).String())
	})
}
