package serialize

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"math"
	"math/big"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sextongc/sexton/objectstore"
)

func fields(pairs ...any) []objectstore.Field {
	var list []objectstore.Field
	for i := 0; i < len(pairs); i += 2 {
		list = append(list, objectstore.Field{Name: pairs[i].(string), Value: pairs[i+1]})
	}
	return list
}

func record(pairs ...any) *objectstore.Record { return &objectstore.Record{Fields: fields(pairs...)} }

func shopGraph() *objectstore.Graph {
	return &objectstore.Graph{Root: "shop", Objects: []*objectstore.Entry{
		{ID: "shop", Type: "Environment"},
		{
			ID: "net", Type: "shop/Network", Version: "1.0.0", Name: "main", Owner: "shop", Incarnation: 7, Protect: true,
			Subscriptions: []objectstore.Subscription{{Subscriber: "old", Handler: "onNetGone", Count: 2}, {Subscriber: "shop", Count: 1}},
			Properties:    fields("cidr", "10.0.0.0/24", "made", []objectstore.Value{objectstore.Ref("old")}),
		},
		{ID: "old", Type: "shop/Vm", Destroyed: true, Properties: fields("network", objectstore.Ref("net"))},
		{
			ID: "stuck", Type: "shop/Vm", Owner: "shop", Doomed: true, Notified: true,
			Completed: []string{"shop/Vm", "shop/Base"}, Failure: "out of order",
		},
		{ID: "due", Type: "shop/Vm", Doomed: true},
	}}
}

const shopText = `{ "sexton": 1, "root": "shop",
  "objects": [
    { "?": { "id": "shop", "type": "Environment" } },
    { "?": { "id": "net", "type": "shop/Network", "version": "1.0.0", "name": "main", "owner": "shop", "incarnation": 7, "protect": true, "dependencies": { "onDestruction": [ { "subscriber": "old", "handler": "onNetGone", "count": 2 }, { "subscriber": "shop" } ] } },
      "cidr": "10.0.0.0/24",
      "made": [ { "$ref": "old" } ] },
    { "?": { "id": "old", "type": "shop/Vm", "destroyed": true },
      "network": { "$ref": "net" } },
    { "?": { "id": "stuck", "type": "shop/Vm", "owner": "shop", "doomed": true, "completed": [ "shop/Vm", "shop/Base" ], "failure": "out of order" } },
    { "?": { "id": "due", "type": "shop/Vm", "doomed": true, "notified": false } } ]`

// sign makes a snapshot of the text before its digest.
func sign(body string) []byte {
	sum := sha256.Sum256([]byte(body + " }\n"))
	return fmt.Appendf(nil, "%s,\n  \"digest\": \"sha256:%x\" }\n", body, sum)
}

// gc 6.1, 6.6
func TestSnapshotLayout(t *testing.T) {
	text, err := EncodeSnapshot(shopGraph())
	require.NoError(t, err)
	require.Equal(t, string(sign(shopText)), string(text))
	back, err := DecodeSnapshot(text)
	require.NoError(t, err)
	require.Equal(t, shopGraph(), back)
}

func TestSnapshotOfNothing(t *testing.T) {
	text, err := EncodeSnapshot(&objectstore.Graph{})
	require.NoError(t, err)
	require.Equal(t, string(sign("{ \"sexton\": 1,\n  \"objects\": []")), string(text))
	back, err := DecodeSnapshot(text)
	require.NoError(t, err)
	require.Equal(t, &objectstore.Graph{}, back)
}

func TestValues(t *testing.T) {
	huge, _ := new(big.Int).SetString("-123456789012345678901234567890", 10)
	for text, v := range map[string]objectstore.Value{
		`null`:  nil,
		`true`:  true,
		`false`: false,
		`0`:     0.0,
		`-1`:    -1.0,
		`0.1`:   0.1,
		`1e-7`:  1e-7, `1.5e-10`: 1.5e-10, `0.000001`: 1e-6,
		`1e+21`: 1e21, `100000000000000000000`: 1e20, `9007199254740993000`: 9007199254740993000.0,
		`9007199254740991`: 9007199254740991.0, `9007199254740992`: 9007199254740992.0,
		`5e-324`: 5e-324, `1.7976931348623157e+308`: math.MaxFloat64,
		`"a\"\\\n\u0001<é😀"`:                               "a\"\\\n\x01<é😀",
		`{ "$number": "Infinity" }`:                        math.Inf(1),
		`{ "$number": "-Infinity" }`:                       math.Inf(-1),
		`{ "$ref": "x" }`:                                  objectstore.Ref("x"),
		`{ "$undefined": true }`:                           objectstore.Undefined{},
		`{ "$date": "2026-01-31T12:00:00.123Z" }`:          objectstore.Date(1769860800123),
		`{ "$date": "1969-12-31T23:59:59.999Z" }`:          objectstore.Date(-1),
		`{ "$date": "+275760-09-13T00:00:00.000Z" }`:       objectstore.Date(8.64e15),
		`{ "$date": "-271821-04-20T00:00:00.000Z" }`:       objectstore.Date(-8.64e15),
		`{ "$date": "0000-01-01T00:00:00.000Z" }`:          objectstore.Date(-62167219200000),
		`{ "$date": "-000001-12-31T23:59:59.999Z" }`:       objectstore.Date(-62167219200001),
		`{ "$bytes": "AP8=" }`:                             objectstore.Bytes{0, 255},
		`{ "$bytes": "" }`:                                 objectstore.Bytes{},
		`{ "$bigint": "-123456789012345678901234567890" }`: huge,
		`{ "$bigint": "0" }`:                               new(big.Int),
		`[]`:                                               []objectstore.Value{},
		`{}`:                                               &objectstore.Record{Fields: []objectstore.Field{}},
		`[ 1, [ 2 ], {} ]`:                                 []objectstore.Value{1.0, []objectstore.Value{2.0}, &objectstore.Record{Fields: []objectstore.Field{}}},
		`{ "b": 1, "$$a": 2, "$$ref": 3, "$?": 4, "": 5, "?x": 6 }`: record("b", 1.0, "$a", 2.0, "$ref", 3.0, "?", 4.0, "", 5.0, "?x", 6.0),
		`{ "$$$ref": "x" }`:                          record("$$ref", "x"),
		`{ "$map": [ [ "k", 1 ], [ {}, [] ] ] }`:     &objectstore.Map{Entries: []objectstore.MapEntry{{Key: "k", Value: 1.0}, {Key: &objectstore.Record{Fields: []objectstore.Field{}}, Value: []objectstore.Value{}}}},
		`{ "$set": [ 1, "1", { "$bigint": "1" } ] }`: &objectstore.Set{Items: []objectstore.Value{1.0, "1", big.NewInt(1)}},
	} {
		t.Run(text, func(t *testing.T) {
			e := &objectstore.Entry{ID: "a", Type: "T", Properties: fields("p", v)}
			b, err := EncodeEntry(e)
			require.NoError(t, err)
			require.Equal(t, `{ "?": { "id": "a", "type": "T" }, "p": `+text+` }`, string(b))
			back, err := DecodeEntry(b)
			require.NoError(t, err)
			require.Equal(t, e, back)
		})
	}
}

func TestValuesThatEqualDoesNotSee(t *testing.T) {
	for text, is := range map[string]func(v objectstore.Value) bool{
		`{ "$number": "NaN" }`: func(v objectstore.Value) bool { return math.IsNaN(v.(float64)) },
		`{ "$number": "-0" }`:  func(v objectstore.Value) bool { return v == 0.0 && math.Signbit(v.(float64)) },
		`{ "$date": null }`:    func(v objectstore.Value) bool { return math.IsNaN(float64(v.(objectstore.Date))) },
	} {
		entry := []byte(`{ "?": { "id": "a", "type": "T" }, "p": ` + text + ` }`)
		e, err := DecodeEntry(entry)
		require.NoError(t, err)
		require.True(t, is(e.Properties[0].Value), text)
		back, err := EncodeEntry(e)
		require.NoError(t, err)
		require.Equal(t, string(entry), string(back))
	}
}

// js-api, "The snapshot": reading is strict.
func TestSnapshotErrors(t *testing.T) {
	first := `    { "?": { "id": "a", "type": "T" }`
	snapshot := func(objects ...string) string {
		return "{ \"sexton\": 1, \"root\": \"a\",\n  \"objects\": [\n" + strings.Join(objects, ",\n") + " ]"
	}
	signed := func(objects ...string) string { return string(sign(snapshot(objects...))) }
	for name, c := range map[string]struct{ text, want string }{
		"empty":              {"", "1:1: the document is empty"},
		"cut":                {strings.TrimSuffix(snapshot(first), " ]"), "3:38: the document ends too early"},
		"not an object":      {"[1]", "1:1: a snapshot is an object"},
		"syntax":             {"{ \"sexton\": 1,\n }", "1:14: invalid character ','"},
		"more text":          {signed(first+" }") + "x", "5:1: "},
		"more white space":   {signed(first+" }") + " ", "5:1: more text after the end of the snapshot"},
		"newer":              {`{ "sexton": 2, "x": 1 }`, "1:13: this document has version 2 of the format, and this program knows version 1: use a newer sexton"},
		"no version":         {`{ "objects": [], "digest": "sha256:" }`, "1:39: the snapshot has no version (sexton)"},
		"no objects":         {`{ "sexton": 1 }`, "1:16: the snapshot has no objects"},
		"objects":            {`{ "sexton": 1, "objects": {} }`, "1:27: objects must be a list"},
		"no digest":          {snapshot(first+" }") + " }\n", "4:1: the snapshot has no digest"},
		"no such digest":     {snapshot(first+" }") + `, "digest": "md5:1" }`, `3:54: the digest must begin with "sha256:"`},
		"unknown member":     {`{ "sexton": 1, "rot": "a" }`, `1:16: unknown member "rot"; did you mean "root"?`},
		"root":               {`{ "sexton": 1, "root": 1 }`, "1:24: root must be the id of an object"},
		"no root":            {strings.Replace(signed(first+" }"), `"root": "a"`, `"root": "b"`, 1), `1:24: the root "b" is no object`},
		"changed":            {strings.Replace(signed(first+" }"), `"type": "T"`, `"type": "U"`, 1), "4:13: wrong digest: the snapshot was changed after it was written"},
		"white space":        {strings.Replace(signed(first+" }"), "    {", "   {", 1), "3:4: the digest does not hold: the text differs from what was written, here at the latest"},
		"signed white space": {string(sign(snapshot(" " + first + " }"))), "3:5: the digest does not hold"},
		"signed zero field":  {signed(strings.Replace(first, " }", `, "destroyed": false }`, 1) + " }"), "3:36: the digest does not hold"},
		"signed escape":      {signed(first + ",\n      \"p\": \"\\u0041\" }"), "4:13: the digest does not hold"},
		"signed number":      {signed(first + ",\n      \"p\": 1.0 }"), "4:13: the digest does not hold"},
		"signed key order":   {signed(first + `, "p": { "10": 1, "9": 2 } }`), "the digest does not hold"},
		"duplicate key":      {signed(first + `, "p": 1, "p": 2 }`), `3:48: duplicate key "p"`},
		"duplicate id":       {signed(first+" }", first+" }"), `4:20: T a: duplicate id "a": the first one is at snapshot.json:3:5`},
		"bad UTF-8":          {signed(first + ", \"p\": \"\xff\" }"), "3:46: invalid UTF-8"},
		"surrogate":          {signed(first + `, "p": "\ud800" }`), "3:46: invalid surrogate pair"},
		"dangling":           {signed(first+" }", `    { "?": { "id": "b", "type": "x/T" }, "p": [ 1, { "q": { "$ref": "c" } } ] }`), `4:69: T b: property p[1].q: dangling reference "c": no object has this id`},
		"forward, dangling":  {signed(first+`, "p": { "$ref": "b" }, "q": { "$ref": "z" } }`, `    { "?": { "id": "b", "type": "T" } }`), `3:77: T a: property q: dangling reference "z"`},
		"dangling owner":     {signed(`    { "?": { "id": "a", "type": "T", "owner": "é" } }`), `3:47: T a: dangling reference "é"`},
		"dangling sub":       {signed(`    { "?": { "id": "a", "type": "T", "dependencies": { "onDestruction": [ { "subscriber": "x" } ] } } }`), `3:91: T a: dangling reference "x"`},
		"owner cycle":        {signed(`    { "?": { "id": "a", "type": "T", "owner": "b" } }`, `    { "?": { "id": "b", "type": "T", "owner": "a" } }`), "3:5: T a: the object owns itself"},
		"header field":       {signed(`    { "?": { "id": "a", "type": "T", "onwer": "b" } }`), `3:38: T a: unknown header field "onwer"; did you mean "owner"?`},
		"empty id":           {signed(`    { "?": { "id": "", "type": "T" } }`), `3:20: T: header field "id" must be a text that is not empty`},
		"no id":              {signed(`    { "?": { "type": "T" } }`), `3:12: a header needs an id and a type`},
		"no header":          {signed(`    { "p": 1 }`), `3:5: the object has no header "?"`},
		"no object":          {signed(`    7`), `3:5: an object was expected`},
		"header":             {signed(`    { "?": 7 }`), `3:12: a header must be an object`},
		"flag":               {signed(`    { "?": { "id": "a", "type": "T", "destroyed": 1 } }`), `3:51: T a: header field "destroyed" must be true or false`},
		"count":              {signed(`    { "?": { "id": "a", "type": "T", "incarnation": 0.5 } }`), `3:53: T a: header field "incarnation" must be a whole number of at least 1`},
		"not doomed":         {signed(`    { "?": { "id": "a", "type": "T", "failure": "x" } }`), `3:38: T a: header field "failure": only of a doomed object`},
		"completed":          {signed(`    { "?": { "id": "a", "type": "T", "doomed": true, "completed": [ "x", "x" ] } }`), `3:74: T a: header field "completed" must be a list of different names`},
		"twice subscribed":   {signed(`    { "?": { "id": "a", "type": "T", "dependencies": { "onDestruction": [ { "subscriber": "a" }, { "subscriber": "a" } ] } } }`), `3:114: T a: duplicate subscription of "a": count them instead`},
		"subscription":       {signed(`    { "?": { "id": "a", "type": "T", "dependencies": { "onDestruction": [ { "subscribe": "a" } ] } } }`), `3:77: T a: unknown field "subscribe" of a subscription; did you mean "subscriber"?`},
		"inline":             {signed(first + `, "p": { "?": { "id": "b", "type": "T" } } }`), `3:45: T a: property p: an object inside of another`},
		"tag":                {signed(first + `, "p": { "$reff": "a" } }`), `3:47: T a: property p: unknown tag "$reff"; did you mean "$ref"?`},
		"tag and key":        {signed(first + `, "p": { "$ref": "a", "q": 1 } }`), `3:47: T a: property p: $ref must be the only key of its object`},
		"key and tag":        {signed(first + `, "p": { "q": 1, "$ref": "a" } }`), `3:55: T a: property p: $ref must be the only key of its object`},
		"date":               {signed(first + `, "p": { "$date": "2026-02-30T00:00:00.000Z" } }`), `3:56: T a: property p: $date must be a date`},
		"bytes":              {signed(first + `, "p": { "$bytes": "AP9=" } }`), `3:57: T a: property p: $bytes must be base64 with padding`},
		"bigint":             {signed(first + `, "p": { "$bigint": "0x1" } }`), `3:58: T a: property p: $bigint must be an integer`},
		"number":             {signed(first + `, "p": { "$number": "1" } }`), `3:58: T a: property p: $number must be "NaN"`},
		"undefined":          {signed(first + `, "p": { "$undefined": false } }`), `3:61: T a: property p: $undefined must be true`},
		"map":                {signed(first + `, "p": { "$map": [ [ 1 ] ] } }`), `3:57: T a: property p: $map must be a list of [key, value]`},
		"map key":            {signed(first + `, "p": { "$map": [ [ 1, 2 ], [ 1, 3 ] ] } }`), `3:69: T a: property p[1]: the Map has this key twice`},
		"set item":           {signed(first + `, "p": { "$set": [ { "$number": "NaN" }, { "$number": "NaN" } ] } }`), `3:79: T a: property p: the Set has this item twice`},
		"out of range":       {signed(first + `, "p": 1e999 }`), `3:45: number 1e999 is out of range`},
		"property name":      {signed(first + `, "$p": 1 }`), `3:40: T a: unknown tag "$p"`},
		"depth":              {signed(first + `, "p": ` + strings.Repeat("[", 10_000) + strings.Repeat("]", 10_000) + ` }`), "nested deeper than 10,000 levels"},
	} {
		t.Run(name, func(t *testing.T) {
			g, err := DecodeSnapshot([]byte(c.text))
			require.Nil(t, g)
			var fault *Error
			require.ErrorAs(t, err, &fault)
			require.Positive(t, fault.Line)
			require.Contains(t, err.Error(), c.want)
			if strings.Contains(c.want, ":") {
				require.True(t, strings.HasPrefix(err.Error(), "snapshot.json:"+c.want), err.Error())
			}
		})
	}
}

func TestGraphsThatCannotBeSaved(t *testing.T) {
	deep := objectstore.Value([]objectstore.Value{})
	for range 10_000 {
		deep = []objectstore.Value{deep}
	}
	one := func(v objectstore.Value) []*objectstore.Entry {
		return []*objectstore.Entry{{ID: "a", Type: "x/T", Properties: fields("p", []objectstore.Value{v})}}
	}
	for want, objects := range map[string][]*objectstore.Entry{
		"T a: duplicate id":                                      {{ID: "a", Type: "T"}, {ID: "a", Type: "T"}},
		`T a: the owner "b" does not exist`:                      {{ID: "a", Type: "T", Owner: "b"}},
		"T a: the object owns itself through its owners":         {{ID: "a", Type: "T", Owner: "a"}},
		`T a: the subscriber "b" does not exist`:                 {{ID: "a", Type: "T", Subscriptions: []objectstore.Subscription{{Subscriber: "b", Count: 1}}}},
		`T a: a subscription of "a" is counted 0 times`:          {{ID: "a", Type: "T", Subscriptions: []objectstore.Subscription{{Subscriber: "a"}}}},
		`T: an object needs an id and a type`:                    {{Type: "T"}},
		`object a: an object needs an id and a type`:             {{ID: "a"}},
		`T a: duplicate key "p"`:                                 {{ID: "a", Type: "T", Properties: fields("p", 1.0, "p", 2.0)}},
		`T a: property p[0]: dangling reference "b"`:             one(objectstore.Ref("b")),
		`T a: property p[0]: the text "\xff" is not valid UTF-8`: one("\xff"),
		`T a: property p[0]: duplicate key "k"`:                  one(record("k", 1.0, "k", 2.0)),
		`T a: property p[0]: int cannot be saved`:                one(1),
		`T a: property p[0]: no Date holds 0.5`:                  one(objectstore.Date(0.5)),
		`a BigInt of more than 100,000 digits cannot be saved`:   one(new(big.Int).Lsh(big.NewInt(1), 400_000)),
		`nested deeper than 10,000 levels`:                       one(deep),
	} {
		_, err := EncodeSnapshot(&objectstore.Graph{Objects: objects})
		require.ErrorContains(t, err, want)
		var fault *Error
		require.ErrorAs(t, err, &fault)
		require.Zero(t, fault.Line)
	}
	_, err := EncodeSnapshot(&objectstore.Graph{Root: "x"})
	require.EqualError(t, err, `the root "x" is no object`)
}

// What nests as deep as possible is written and read; one level more is neither.
func TestDepthIsTheSameBothWays(t *testing.T) {
	nested := func(levels int) objectstore.Value {
		v := objectstore.Value(objectstore.Ref("a")) // a level itself
		for range levels - 1 {
			v = []objectstore.Value{v}
		}
		return v
	}
	graph := func(levels int) *objectstore.Graph {
		return &objectstore.Graph{Objects: []*objectstore.Entry{{ID: "a", Type: "T", Properties: fields("p", nested(levels))}}}
	}
	text, err := EncodeSnapshot(graph(maxDepth - 3))
	require.NoError(t, err)
	back, err := DecodeSnapshot(text)
	require.NoError(t, err)
	again, err := EncodeSnapshot(back)
	require.NoError(t, err)
	require.True(t, bytes.Equal(text, again))
	_, err = EncodeSnapshot(graph(maxDepth - 2))
	require.ErrorContains(t, err, "nested deeper than 10,000 levels")
}

func TestDecodeEntryLeavesReferencesOpen(t *testing.T) {
	e := shopGraph().Objects[1]
	text, err := EncodeEntry(e)
	require.NoError(t, err)
	require.NotContains(t, string(text), "\n")
	back, err := DecodeEntry(text)
	require.NoError(t, err)
	require.Equal(t, e, back)
	_, err = DecodeEntry(append(text, "{}"...))
	require.ErrorContains(t, err, "entry:1:")
}
