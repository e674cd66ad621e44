package serialize

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sextongc/sexton/objectstore"
)

func decode(t *testing.T, file, text string) *Model {
	t.Helper()
	m, err := DecodeModel([]byte(text), &ModelOptions{File: file, Classes: testClasses(), Stateful: true})
	require.NoError(t, err)
	return m
}

// js-api, "The model": the error names file, line, column and path.
func TestModelErrors(t *testing.T) {
	env := func(applications string) string {
		return `{ "?": { "type": "Environment", "id": "shop" }, "applications": [` + "\n" + applications + "\n] }"
	}
	sample := func(property string) string {
		return env(`{ "?": { "type": "Sample", "id": "s" }, ` + property + ` }`)
	}
	for name, c := range map[string]struct{ text, want string }{
		"list element":       {env(`{ "?": { "type": "Network", "id": "net-1" }, "cidr": "x", "subnets": [ {"?":{"id":"a"}}, {"?":{"id":"b"}}, "x" ] }`), `2:108: Network net-1: property subnets[2]: expected Subnet, got string "x": dangling reference`},
		"number for class":   {env(`{ "?": { "type": "Network", "id": "net-1" }, "cidr": "x", "subnets": [ 3 ] }`), `2:72: Network net-1: property subnets[0]: expected Subnet, got number 3`},
		"unknown type":       {env(`{ "?": { "type": "Netwrok", "id": "net" } }`), `2:18: Netwrok net: unknown type "Netwrok"; did you mean "Network"?`},
		"ambiguous type":     {env(`{ "?": { "type": "Twice", "id": "x" } }`), `2:18: Twice x: type Twice is ambiguous: a/Twice, b/Twice`},
		"unknown property":   {env(`{ "?": { "type": "Network", "id": "net" }, "cdir": "x" }`), `2:44: Network net: unknown property "cdir"; did you mean "cidr"?`},
		"header field":       {env(`{ "?": { "type": "Vm", "id": "v", "nmae": "x" } }`), `2:35: Vm v: unknown header field "nmae"; did you mean "name"?`},
		"no type":            {env(`{ "?": { "id": "v" } }`), `2:8: Environment shop: property applications[0]: the object needs a type in its header`},
		"no header":          {env(`{ "id": "v" }`), `2:1: Environment shop: property applications[0]: an object in a list needs an id or a name`},
		"no id in list":      {env(`{ "?": { "type": "Vm" } }`), `2:1: Environment shop: property applications[0]: an object in a list needs an id or a name`},
		"duplicate id":       {env(`{ "?": { "type": "Vm", "id": "v" } },` + "\n" + `{ "?": { "type": "Vm", "id": "v" } }`), `3:30: Vm v: duplicate id "v": the first one is at model.json:2:1`},
		"dangling":           {sample(`"any": [ { "x": { "$ref": "shap" } } ]`), `2:67: Sample s: property any[0].x: dangling reference "shap": no object has this id; did you mean "shop"?`},
		"dangling ref":       {sample(`"vm": { "$ref": "nix" }`), `2:57: Sample s: property vm: dangling reference "nix"`},
		"wrong class":        {sample(`"vm": "s"`), `2:47: Sample s: property vm: expected Vm, got Sample "s"`},
		"wrong inline class": {sample(`"vm": { "?": { "type": "Network" } }`), `2:64: Sample s: property vm: expected Vm, got Network`},
		"null for required":  {env(`{ "?": { "type": "Network", "id": "n" }, "cidr": null }`), `2:50: Network n: property cidr: expected string, got null`},
		"runtime":            {env(`{ "?": { "type": "Network", "id": "n" }, "client": 1 }`), `2:42: Network n: property client: usage is runtime`},
		"config":             {env(`{ "?": { "type": "Network", "id": "n" }, "provider": "x" }`), `2:42: Network n: property provider: usage is config`},
		"out":                {env(`{ "?": { "type": "Network", "id": "n" }, "netId": "x" }`), `2:42: Network n: property netId: usage is out: only scripts set it`},
		"string":             {sample(`"string": 3`), `2:51: Sample s: property string: expected string, got number 3`},
		"number":             {sample(`"number": "3"`), `expected number, got string "3"`},
		"integer":            {sample(`"integer": 0.5`), `expected integer, got number 0.5`},
		"large integer":      {sample(`"integer": 9007199254740993`), `expected integer, got number 9007199254740992`},
		"boolean":            {sample(`"boolean": 0`), `expected boolean, got number 0`},
		"bytes":              {sample(`"bytes": "!"`), `expected bytes in base64, got string "!"`},
		"date":               {sample(`"date": "yesterday"`), `expected date such as 2026-01-31 or 2026-01-31T12:00:00Z, got string "yesterday"`},
		"local time":         {sample(`"date": "2026-01-31T12:00:00"`), `expected date such as`},
		"secret":             {sample(`"secret": 1234`), `expected secret, got number`},
		"map":                {sample(`"labels": []`), `expected map of string, got list`},
		"map element":        {sample(`"labels": { "a b": 3 }`), `Sample s: property labels["a b"]: expected string, got number 3`},
		"map tag":            {sample(`"labels": { "$ref": "s" }`), `expected map of string, got $ref`},
		"list of lists":      {sample(`"rows": [ [ 1 ], [ 2, "x" ] ]`), `Sample s: property rows[1][1]: expected number, got string "x"`},
		"not a list":         {sample(`"rows": {}`), `expected list of list of number, got object`},
		"shape field":        {sample(`"endpoint": { "hots": "x" }`), `unknown field "hots"; did you mean "host"?`},
		"shape missing":      {sample(`"endpoint": { "port": 1 }`), `Sample s: property endpoint: the field "host" is missing`},
		"enum":               {sample(`"mode": "medium"`), `expected one of "slow", "fast", 3, got string "medium"`},
		"tag":                {sample(`"any": { "$dat": 1 }`), `unknown tag "$dat"; did you mean "$date"?`},
		"any without type":   {sample(`"any": { "?": { "id": "x" } }`), `the object needs a type in its header`},
		"owner elsewhere":    {sample(`"vm": { "?": { "type": "Vm", "id": "v", "owner": "shop" } }`), `Vm v: the object is written inside of "s", which owns it`},
		"root with owner":    {`{ "?": { "type": "Environment", "owner": "x" } }`, `the root has no owner`},
		"newer":              {`{ "sexton": 9, "objects": [] }`, `1:13: this document has version 9`},
		"unknown member":     {`{ "sexton": 1, "objcts": [] }`, `unknown member "objcts"; did you mean "objects"?`},
		"no objects":         {`{ "sexton": 1 }`, `1:1: the model has no objects`},
		"flat without id":    {`{ "objects": [ { "?": { "type": "Vm" } } ] }`, `1:23: a header needs an id here`},
		"flat no header":     {`{ "objects": [ 3 ] }`, `1:16: an object with a header "?" was expected, got number 3`},
		"flat root":          {`{ "root": "x", "objects": [ { "?": { "id": "a", "type": "Environment" } } ] }`, `1:11: the root "x" is no object of the model`},
		"two roots":          {`{ "objects": [ { "?": { "id": "a", "type": "Vm" } }, { "?": { "id": "b", "type": "Vm" } } ] }`, `two objects without an owner, "a" and "b": name the "root"`},
		"owner cycle":        {`{ "objects": [ { "?": { "id": "a", "type": "Vm", "owner": "b" } }, { "?": { "id": "b", "type": "Vm", "owner": "a" } } ] }`, `1:16: Vm a: the object owns itself`},
		"murano member":      {`{ "Objects": null, "Attribute": [] }`, `1:20: unknown member "Attribute"; did you mean "Attributes"?`},
		"murano objects":     {`{ "Objects": 3 }`, `Objects must be an object, a list of objects, or null`},
		"null":               {`null`, `1:1: a model is an object, got null`},
		"duplicate key":      {env(`{ "?": { "type": "Vm", "id": "v" }, "size": 1, "size": 2 }`), `2:48: duplicate key "size"`},
	} {
		t.Run(name, func(t *testing.T) {
			m, err := DecodeModel([]byte(c.text), &ModelOptions{File: "model.json", Classes: testClasses(), Stateful: true})
			if err == nil {
				_, err = Merge(nil, m)
			}
			var fault *Error
			require.ErrorAs(t, err, &fault)
			require.Positive(t, fault.Line)
			if c.want[0] >= '0' && c.want[0] <= '9' {
				require.True(t, strings.HasPrefix(err.Error(), "model.json:"+c.want), err.Error())
			}
			require.Contains(t, err.Error(), c.want)
		})
	}
}

func TestYAMLErrors(t *testing.T) {
	head := "?:\n  type: Environment\n  id: shop\napplications:\n"
	deep := "a: &a [1,1,1,1,1,1,1,1,1,1]\n"
	for i := 'b'; i < 'k'; i++ {
		deep += string(i) + ": &" + string(i) + " [" + strings.Repeat("*"+string(i-1)+",", 10) + "]\n"
	}
	for name, c := range map[string]struct{ text, want string }{
		"empty":           {"", "1:1: the document is empty"},
		"syntax":          {"a: [1\nb: 2", ":1: "},
		"property":        {"'?':\n  type: Environment\n  id: shop\nnmae: x\n", `4:1: Environment shop: unknown property "nmae"; did you mean "name"?`},
		"value":           {"'?':\n  type: Environment\n  id: shop\nname: 1.0\n", `4:7: Environment shop: property name: expected string, got number 1`},
		"column":          {"'?': {type: Environment, id: é}\nname:   [é, é]\n", `2:9: Environment é: property name: expected string, got list`},
		"duplicate key":   {"a: 1\na: 2\n", `2:1: duplicate key "a"`},
		"key":             {"[a]: 1\n", `1:1: a key must be a text`},
		"two documents":   {"a: 1\n---\nb: 2\n", `more than one document`},
		"tag":             {"a: !!set {}\n", `1:4: unknown YAML tag !!set`},
		"own tag":         {"a: !Sub x\n", `1:4: unknown YAML tag !Sub`},
		"anchor":          {"a: &x [*x]\n", `the anchor "x" contains itself`},
		"unknown anchor":  {"a: *x\n", `unknown anchor 'x' referenced`},
		"laughs":          {deep, `the aliases of the document make it too large`},
		"question mark":   {head, ""},
		"merge":           {"a:\n  <<: 3\n", `a merge key takes a mapping`},
		"bad binary":      {"a: !!binary '!'\n", `!!binary must be base64`},
		"bad UTF-8":       {"a: \xff\n", "invalid"},
		"too deep":        {strings.Repeat("[", 10_100), `nested deeper than 10,000 levels`},
		"deep but closed": {strings.Repeat("[", 10_001) + strings.Repeat("]", 10_001), `nested deeper than 10,000 levels`},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := DecodeModel([]byte(c.text), &ModelOptions{File: "model.yaml", Classes: testClasses()})
			var fault *Error
			require.ErrorAs(t, err, &fault)
			require.Positive(t, fault.Line)
			require.Contains(t, err.Error(), c.want)
		})
	}
}

// gc 6.6: numbers as keys, too, stand as JavaScript has them, or loading would find another order.
func TestModelValues(t *testing.T) {
	for text, want := range map[string]objectstore.Value{
		`"any": { "a": [ null, { "$$x": 1 }, { "$date": "2026-01-31" } ] }`: record("a", []objectstore.Value{nil, record("$x", 1.0), objectstore.Date(1769817600000)}),
		`"any": { "$ref": "s" }`: objectstore.Ref("s"),
		`"any": "s"`:             "s",
		`"any": { "x": { "?": { "type": "Vm" } } }`:         record("x", objectstore.Ref("s.any.x")),
		`"any": [ { "?": { "type": "Vm", "name": "n" } } ]`: []objectstore.Value{objectstore.Ref("s.any.n")},
		`"number": 1e3`:                               1000.0,
		`"integer": 1.0`:                              1.0,
		`"string": null`:                              nil,
		`"bytes": "AP8="`:                             objectstore.Bytes{0, 255},
		`"bytes": { "$bytes": "AP8=" }`:               objectstore.Bytes{0, 255},
		`"date": 5`:                                   objectstore.Date(5),
		`"date": "1970-01-01T01:00+01:00"`:            objectstore.Date(0),
		`"date": { "$date": "1970-01-01T00:00:01Z" }`: objectstore.Date(1000),
		`"secret": "x"`:                               objectstore.Secret("x"),
		`"secret": { "$secret": "x" }`:                objectstore.Secret("x"),
		`"string": { "$secret": "x" }`:                objectstore.Secret("x"),
		`"vm": {}`:                                    objectstore.Ref("s.vm"),
		`"vm": { "?": { "name": "other" } }`:          objectstore.Ref("s.vm"),
		`"labels": { "$$a": "x", "$?": "y" }`:         record("$a", "x", "?", "y"),
		`"byZone": { "a": {}, "b": "s.byZone.a" }`:    record("a", objectstore.Ref("s.byZone.a"), "b", objectstore.Ref("s.byZone.a")),
		`"labels": { "x": "a", "443": "b", "80": "c", "01": "d" }`: record("80", "c", "443", "b", "x", "a", "01", "d"),
		`"any": [ { "10": 1, "9": 2 } ]`:                           []objectstore.Value{record("9", 2.0, "10", 1.0)},
		`"rows": [ [], [ 1 ] ]`:                                    []objectstore.Value{[]objectstore.Value{}, []objectstore.Value{1.0}},
		`"endpoint": { "vm": {}, "host": "x" }`:                    record("host", "x", "port", 80.0, "vm", objectstore.Ref("s.endpoint.vm")),
		`"mode": 3`:                                                3.0,
	} {
		t.Run(text, func(t *testing.T) {
			m := decode(t, "model.json", `{ "?": { "type": "Sample", "id": "s" }, `+text+` }`)
			require.Equal(t, want, m.Graph.Objects[0].Properties[0].Value)
		})
	}
}

// gc 3.5: document order, but owners before what they own; js-api: nested objects are owned.
func TestModelOrder(t *testing.T) {
	order := func(m *Model) (list []string) {
		for _, e := range m.Graph.Objects {
			list = append(list, e.ID+"<"+e.Owner)
		}
		return list
	}
	nested := decode(t, "model.json", `{ "?": { "type": "Environment", "id": "e" }, "applications": [
		{ "?": { "type": "Network", "id": "n" }, "subnets": [ { "?": { "name": "a" } }, { "?": { "id": "b" } } ], "gateway": { "speed": 1 }, "cidr": "" },
		{ "?": { "type": "shop/Vm", "id": "v" }, "network": "n" } ] }`)
	require.Equal(t, []string{"e<", "n<e", "n.subnets.a<n", "b<n", "n.gateway<n", "v<e"}, order(nested))
	require.Equal(t, "e", nested.Graph.Root)
	require.Equal(t, "shop/Network", nested.Graph.Objects[1].Type)
	require.Equal(t, fields("cidr", "", "subnets", []objectstore.Value{objectstore.Ref("n.subnets.a"), objectstore.Ref("b")}, "gateway", objectstore.Ref("n.gateway")),
		nested.Graph.Objects[1].Properties)
	require.Equal(t, "model.json:2:3", nested.Position("n", ""))
	require.Equal(t, "model.json:2:55", nested.Position("n", "subnets"))
	require.Equal(t, "model.json:2:3", nested.Position("n", "region"))
	require.Empty(t, nested.Position("nobody", ""))

	flat := decode(t, "model.json", `{ "sexton": 1, "root": "e", "objects": [
		{ "?": { "type": "Vm", "id": "v", "owner": "n" } }, { "?": { "type": "Network", "id": "n", "owner": "e" }, "netId": "x" },
		{ "?": { "type": "Environment", "id": "e", "dependencies": { "onDestruction": [ { "subscriber": "v", "handler": null } ] } } } ] }`)
	require.Equal(t, []string{"e<", "n<e", "v<n"}, order(flat))
	require.Equal(t, []objectstore.Subscription{{Subscriber: "v", Count: 1}}, flat.Graph.Objects[0].Subscriptions)
}

func TestModelsThatDestroyEverything(t *testing.T) {
	for file, text := range map[string]string{
		"a.json": `{ "Objects": null }`, "b.json": `{ "Objects": {}, "ObjectsCopy": { "?": 1 }, "Attributes": [] }`,
		"c.json": `{ "sexton": 1, "objects": [] }`, "d.yaml": "Objects:\n", "e.yml": "Objects: ~",
		"f.json": "\xef\xbb\xbf{ \"Objects\": null }",
	} {
		g := decode(t, file, text).Graph
		require.Empty(t, g.Objects, file)
		require.Empty(t, g.Root, file)
	}
}

func TestMuranoLayout(t *testing.T) {
	m := decode(t, "model.json", `{ "Objects": { "?": { "type": "Environment", "id": "e", "package": "p", "_actions": {} }, "applications": [
		{ "?": { "type": "Vm", "id": "v", "name": "web", "destroyed": true,
		         "dependencies": { "onDestruction": [ { "subscriber": "e", "handler": "gone" } ] } } } ] },
		"ObjectsCopy": { "anything": 1 }, "Attributes": [ [ "a", 1 ] ] }`)
	require.Equal(t, &objectstore.Graph{Root: "e", Objects: []*objectstore.Entry{
		{ID: "e", Type: "Environment", Properties: fields("applications", []objectstore.Value{objectstore.Ref("v")})},
		{ID: "v", Type: "shop/Vm", Version: "1.0.0", Name: "web", Owner: "e", Destroyed: true,
			Subscriptions: []objectstore.Subscription{{Subscriber: "e", Handler: "gone", Count: 1}}},
	}}, m.Graph)
}

// js-api: a snapshot is a valid model, also without its digest.
func TestSnapshotIsAModel(t *testing.T) {
	g := shopGraph()
	g.Objects[3].Completed = []string{"shop/Vm"}
	for _, e := range g.Objects[1:] {
		e.Version, e.Owner = "1.0.0", "shop"
	}
	text, err := EncodeSnapshot(g)
	require.NoError(t, err)
	body, _, _ := strings.Cut(string(text), ",\n  \"digest\"")
	for _, text := range []string{string(text), body + " }", strings.Join(strings.Fields(body), " ") + "}"} {
		require.Equal(t, g, decode(t, "snapshot.json", text).Graph)
	}
}

func TestYAMLAndJSONAreTheSameModel(t *testing.T) {
	yaml := decode(t, "model.yaml", `"?": {type: Environment, id: shop}
applications:
  - "?": {type: Network, id: net}
    cidr: &cidr 10.0.0.0/24
    subnets:
      - {"?": {id: a}, range: *cidr}
  - "?": {type: Sample, id: s}
    any: {<<: {a: 1, b: 2}, b: 0x10, big: 1_000, no: "no", date: 2026-01-31, bin: !!binary AP8=, inf: -.inf}
    date: 2026-01-31
    boolean: true
`)
	json := decode(t, "model.json", `{ "?": {"type": "Environment", "id": "shop"}, "applications": [
		{ "?": {"type": "Network", "id": "net"}, "cidr": "10.0.0.0/24", "subnets": [ {"?": {"id": "a"}, "range": "10.0.0.0/24"} ] },
		{ "?": {"type": "Sample", "id": "s"}, "boolean": true, "date": "2026-01-31",
		  "any": { "b": 16, "big": 1000, "no": "no", "date": "2026-01-31", "bin": {"$bytes": "AP8="}, "inf": {"$number": "-Infinity"}, "a": 1 } } ] }`)
	require.Equal(t, json.Graph, yaml.Graph)
	require.Equal(t, "model.yaml:4:11", yaml.Position("net", "cidr"))
}

func TestListIndexesWhereNoStateIsKept(t *testing.T) {
	m, err := DecodeModel([]byte(`{ "?": { "type": "Network" }, "subnets": [ {}, { "?": { "name": "b" } } ] }`), &ModelOptions{Classes: testClasses()})
	require.NoError(t, err)
	require.Equal(t, "root.subnets.0", m.Graph.Objects[1].ID)
	require.Equal(t, "root.subnets.b", m.Graph.Objects[2].ID)
}

func TestModelWithoutClasses(t *testing.T) {
	m, err := DecodeModel([]byte(`{ "Objects": null }`), nil)
	require.NoError(t, err)
	require.Empty(t, m.Graph.Objects)
	_, err = DecodeModel([]byte(`{ "?": { "type": "Vm" } }`), nil)
	require.EqualError(t, err, `model:1:18: unknown type "Vm"`)
}

func TestCheckProperty(t *testing.T) {
	classes := testClasses()
	sample, err := classes.Lookup("Sample")
	require.NoError(t, err)
	resolve := func(r objectstore.Ref) (*objectstore.Class, bool) {
		switch r {
		case "v":
			c, _ := classes.Lookup("Vm")
			return c, true
		case "s":
			return sample, true
		case "lost":
			return nil, true
		}
		return nil, false
	}
	for _, c := range []struct {
		property string
		value    objectstore.Value
		want     string
	}{
		{"vm", objectstore.Ref("v"), ""},
		{"vm", objectstore.Ref("lost"), ""},
		{"vm", nil, ""},
		{"vm", objectstore.Ref("s"), `property vm: expected Vm, got Sample "s"`},
		{"vm", objectstore.Ref("x"), `property vm: dangling reference "x": no object has this id`},
		{"vm", "v", `property vm: expected Vm, got string "v"`},
		{"any", record("a", []objectstore.Value{objectstore.Ref("x")}), `property any.a[0]: dangling reference "x": no object has this id`},
		{"any", &objectstore.Map{Entries: []objectstore.MapEntry{{Key: objectstore.Ref("x")}}}, `property any[0]: dangling reference "x": no object has this id`},
		{"any", &objectstore.Set{Items: []objectstore.Value{objectstore.Ref("x")}}, `property any[0]: dangling reference "x": no object has this id`},
		{"any", &objectstore.Set{}, ""},
		{"rows", []objectstore.Value{[]objectstore.Value{objectstore.Undefined{}}}, "property rows[0][0]: expected number, got undefined"},
		{"rows", &objectstore.Map{}, "property rows: expected list of list of number, got Map"},
		{"labels", record("k", objectstore.Bytes{}), "property labels.k: expected string, got bytes"},
		{"labels", []objectstore.Value{}, "property labels: expected map of string, got list"},
		{"endpoint", record("host", "x", "port", 1.0), ""},
		{"endpoint", record("host", "x", "vm", nil), "property endpoint: the field \"port\" is missing"},
		{"endpoint", record("hots", "x"), `property endpoint.hots: the shape has no such field; did you mean "host"?`},
		{"endpoint", true, "property endpoint: expected an object, got boolean true"},
		{"secret", 12.0, "property secret: expected secret, got number"},
		{"date", objectstore.Date(0), ""},
		{"bytes", &objectstore.Set{}, "property bytes: expected bytes, got Set"},
	} {
		err := CheckProperty(sample.Property(c.property), c.value, resolve)
		if c.want == "" {
			require.NoError(t, err)
		} else {
			require.EqualError(t, err, c.want)
		}
	}
}

func TestDidYouMean(t *testing.T) {
	names := []string{"cidr", "subnets", "gateway"}
	for name, want := range map[string]string{
		"cdir": "cidr", "CIDR": "cidr", "subnet": "subnets", "gatway": "gateway", "x": "", "completely": "", "": "",
	} {
		if want != "" {
			want = `; did you mean "` + want + `"?`
		}
		require.Equal(t, want, DidYouMean(name, names), name)
	}
}
