package objectstore_test

import (
	"testing"

	"github.com/dop251/goja"
	"github.com/stretchr/testify/require"

	"github.com/sextongc/sexton/objectstore"
)

const shop = `
	class Subnet extends Resource {
		static properties = { range: { type: "string", default: "10/8" } };
	}
	class Special extends Subnet {
		constructor(properties) { super(properties) } // passes on neither owner nor options
	}
	class Network extends Resource {
		static properties = {
			cidr: "string", subnets: { type: ["Subnet"], default: [] }, gateway: { type: "Subnet", optional: true },
			tags: { default: { a: [1] } }, size: { type: "integer", optional: true }, key: { type: "secret", optional: true },
			mode: { type: { enum: ["on", "off", 3] }, optional: true }, day: { type: "date", optional: true }, raw: { type: "bytes", optional: true },
			ports: { type: { map: "number" }, optional: true }, flag: { type: "boolean", optional: true },
			box: { type: { shape: { w: "number", unit: { type: "string", default: "cm" }, inner: { type: "Subnet", optional: true } } }, optional: true },
			zone: { usage: "const", optional: true }, region: { type: "string", usage: "config", default: "eu" },
			made: { type: "string", usage: "out" }, client: { usage: "runtime" },
		};
		constructor(properties, owner, options) { super(properties, owner, options) }
	}
	class Failing extends Subnet { constructor(p, o, x) { super(p, o, x); throw new RangeError("no") } }
`

func TestNew(t *testing.T) {
	e := newEnv(t, shop)
	for _, c := range []struct{ script, want string }{
		{`JSON.stringify(new Network({ cidr: "x" }))`, `{"cidr":"x","subnets":[],"tags":{"a":[1]},"region":"eu"}`},
		{`const a = new Network({ cidr: "x" }), b = new Network({ cidr: "x" }); a.tags.a.push(2); a.subnets !== b.subnets && JSON.stringify(b.tags)`, `{"a":[1]}`},
		{`const n = new Network({ cidr: "x" }, null, { id: "net", name: "N" }); [n.$id, n.$name, n.$type, n.$owner].join()`, "net,N,shop/Network,"},
		{`const n = new Network({ cidr: "x", subnets: [{ range: "r" }, {}] }); n.subnets.map((s) => [s.$type, s.range, s.$owner === n]).join()`, "shop/Subnet,r,true,shop/Subnet,10/8,true"},
		{`const n = new Network({ cidr: "x", gateway: { "?": { type: "Special", id: "sp", name: "S" } } }); [n.gateway instanceof Special, n.gateway.$id, n.gateway.$name, n.gateway.$owner === n].join()`, "true,sp,S,true"},
		{`const n = new Network({ cidr: "x", box: { w: 1, inner: {} } }); [n.box.unit, n.box.inner.$owner === n].join()`, "cm,true"},
		{`const given = [{}]; new Network({ cidr: "x", subnets: given }); JSON.stringify(given)`, "[{}]"},
		{`const s = new Subnet({}, new Network({ cidr: "x" })); [s.$find(Network) === s.$owner, s.$find("Network") === s.$owner, s.$find(Subnet), s.$owner.$find(Network)].join()`, "true,true,,"},
		{`Object.entries(Object.getOwnPropertyDescriptor(new Subnet({}), "range")).join()`, "value,10/8,writable,true,enumerable,true,configurable,false"},
		{`const f = () => {}; new Network({ cidr: "x", client: f }).client === f`, "true"},
		{`new Network({ cidr: "x", size: null }).size`, "null"},
		{`const s = new Subnet({}); s.extra = 1; Object.keys(s).join()`, "range,extra"},
	} {
		require.Equal(t, c.want, e.run(c.script).String(), c.script)
	}
}

func TestNewFails(t *testing.T) {
	e := newEnv(t, shop)
	for _, c := range []struct{ script, want string }{
		{`new Network({})`, `TypeError: Network #1: property cidr: expected string, got nothing; it is required`},
		{`new Network({ cidr: 5 })`, `property cidr: expected string, got number 5`},
		{`new Network({ cidr: "x", subnets: [new Subnet({}), {}, "x"] })`, `property subnets[2]: expected shop/Subnet, got string "x"`},
		{`new Network({ cidr: "x", subnets: [{ rang: 1 }] })`, `Subnet: unknown property rang; did you mean range?`},
		{`new Network({ cidr: "x", gateway: new Network({ cidr: "y" }, null, { id: "other" }) })`, `property gateway: expected shop/Subnet, got Network other`},
		{`new Network({ cidr: "x", gateway: { "?": { type: "Network" } } })`, `property gateway: expected shop/Subnet, got Network`},
		{`new Network({ cidr: "x", gateway: { "?": { type: "Nope" } } })`, `property gateway: unknown type Nope`},
		{`new Network({ cidr: "x", gateway: { "?": { kind: "Nope" } } })`, `unknown field "kind"`},
		{`new Network({ cidr: "x", size: 1.5 })`, `property size: expected integer, got number 1.5`},
		{`new Network({ cidr: "x", key: 1234 })`, `property key: expected secret, got number`},
		{`new Network({ cidr: "x", mode: [3] })`, `property mode: expected one of`},
		{`new Network({ cidr: "x", ports: { http: "80" } })`, `property ports.http: expected number, got string "80"`},
		{`new Network({ cidr: "x", box: { w: 1, h: 2 } })`, `property box.h: the shape has no such field`},
		{`new Network({ cidr: "x", tags: () => 1 })`, `property tags: a function cannot be saved`},
		{`new Network({ cidr: "x", tags: [new (class Foo {})()] })`, `property tags[0]: an instance of Foo cannot be saved`},
		{`new Network({ cidr: "x", tags: new (class M extends Map {})() })`, `property tags: an instance of M cannot be saved`},
		{`new Network({ cidr: "x", raw: new Uint8ClampedArray(2) })`, `property raw: expected bytes`},
		{`new Network({ cidr: "x", tags: "\ud800" })`, `property tags: the string has a lone surrogate`},
		{`new Network({ cidr: "x", tags: { "\ud800": 1 } })`, `has a lone surrogate`},
		{`new Network({ cidr: "x", tags: { get a() { throw new RangeError("mine") } } })`, `RangeError: mine`},
		{`const a = []; a[0] = a; new Network({ cidr: "x", tags: a })`, `data nests deeper than 1000 levels or contains itself`},
		{`let a = []; for (let i = 0; i < 40; i++) a = [a, a]; new Network({ cidr: "x", tags: a })`, `it has more than`},
		{`new Network({ cidr: "x", tags: Promise.resolve() })`, `property tags: an instance of Promise cannot be saved`},
		{`new Network({ cidr: "x", tags: new Proxy({}, { getPrototypeOf() { throw 1 } }) })`, `property tags: an object cannot be saved`},
		{`new Network({ cidr: "x", tags: new Array(4e9) })`, `a sparse array of length 4000000000 cannot be saved`},
		{`new Network({ cidr: "x" }, {})`, `the owner (second argument) must be a managed object, got an object`},
		{`new Network([])`, `the properties (first argument) must be an object, got an array`},
		{`new Network({ cidr: "x" }, null, { ids: "x" })`, `unknown option ids: id, name`},
		{`new Network({ cidr: "x" }, null, { id: "" })`, `option id is empty`},
		{`new Network({ cidr: "x" }, null, { id: 5 })`, `option id must be a string of valid Unicode, got number 5`},
		{`new Subnet({}, null, { id: "twice" }); new Subnet({}, null, { id: "twice" })`, `id "twice" is taken by Subnet twice`},
		{`new Subnet({}).$find(Object)`, `$find: expected a class that extends Resource`},
		{`new Subnet({}).destroy()`, `only the collector runs it; drop the object, then GC.collect()`},
		{`new Subnet({}).destroy = 1`, `TypeError`},
		{`new Subnet({}).$id = 1`, `TypeError`},
		{`new (class Local extends Resource {})()`, `class Local is not exported by the package's main module`},
	} {
		e.open(nil)
		require.Contains(t, e.fails(c.script), c.want, c.script)
	}
}

// gc 5.4: neither what could not be made nor what was made inline for it is there.
func TestWhatCouldNotBeMadeIsDropped(t *testing.T) {
	e := newEnv(t, shop)
	for _, script := range []string{
		`new Network({ cidr: "x", subnets: [{}, 5] })`,
		`new Network({ cidr: "x", subnets: [{}, { "?": { type: "Failing" } }] })`,
	} {
		e.fails(script)
		require.Empty(t, e.s.Objects(), script)
	}
	e.fails(`globalThis.n = new Network({ cidr: "x" }, null, { id: "n" }); new Network({ cidr: "x" }, n, { id: "n" })`)
	require.Len(t, e.s.Objects(), 1)
}

func TestObjectsOfAnEarlierStore(t *testing.T) {
	e := newEnv(t, shop)
	e.run(`globalThis.old = new Network({ cidr: "x" }, null, { id: "old" })`)
	e.open(nil)
	require.Equal(t, "old,x", e.run(`[old.$id, old.cidr].join()`).String())
	require.Contains(t, e.fails(`new Subnet({}, old)`), "the owner Network old belongs to an earlier deployment")
	require.Contains(t, e.fails(`new Network({ cidr: "x", tags: [old] })`), "property tags[0]: Network old belongs to an earlier deployment")
	e.s.Close()
	require.Contains(t, e.fails(`new Subnet({})`), "no environment is loaded")
}

// js-api "A class": a class field of a declared property's name is an error that says what to do.
func TestDeclarations(t *testing.T) {
	advice := "name is declared in static properties, and a class field of that name would replace it: declare a default there, or write `declare name: T`"
	for _, c := range []struct{ class, want string }{
		{`static properties = { name: "string" }; name = "x"`, "class shop/A: " + advice},
		{`static properties = { name: "string" }; "name"`, advice},
		{`destroy = async () => {}`, "destroy must be a method, not a class field"},
		{`get destroy() { return 1 }`, "destroy is no method"},
		{`get $id() { return 1 }`, "method $id: names that begin with $ are reserved"},
		{`$id = 1`, "class field $id: the name is reserved"},
		{`static properties = { $id: "string" }`, "property $id: the name is reserved"},
		{`static properties = { constructor: "string" }`, "property constructor: the name is reserved"},
		{`static properties = { a: "strin" }`, "property a: unknown type strin; a type is"},
		{`static properties = { a: { type: "string", dflt: 1 } }`, `unknown key "dflt"`},
		{`static properties = { a: { type: "string", usage: "inn" } }`, `unknown usage string "inn"`},
		{`static properties = { a: { type: "string", default: 5 } }`, "property default: expected string, got number 5"},
		{`static properties = { a: { type: { enum: [[1]] } } }`, "an enum lists strings, numbers and booleans, not an array"},
		{`static properties = { a: { type: ["string", "number"] } }`, "a list type is an array with one type, got 2"},
		{`static properties = { a: { type: () => 5 } }`, "a function as a type must return a class"},
		{`static get properties() { throw new RangeError("mine") }`, "mine"},
		{`static properties = 5`, "static properties is no object"},
	} {
		e := tryEnv(t)
		err := e.register("class A extends Resource { " + c.class + " }")
		require.ErrorContains(t, err, c.want, c.class)
	}
	e := tryEnv(t)
	require.NoError(t, e.register(`
		class A extends Resource { static properties = { a: { type: () => B, optional: true }, n: { type: "string", default: null, optional: true }, u: { type: "string", default: undefined, optional: true } }; #n = 1; static n = 2; other = 3 }
		class B extends A { static properties = { b: "number" } }`))
	require.Equal(t, `{"a":null,"n":null,"b":1,"other":3}`, e.run(`JSON.stringify(new B({ a: null, b: 1 }))`).String()) // and Infinity fields come last
	require.ErrorContains(t, e.register(`class C extends A { static properties = { other: "number" } }`), "class shop/A: other is declared")
	require.ErrorContains(t, tryEnv(t).register(`class E extends Environment { destroy() {} }`), "a subclass of Environment cannot define destroy()")
}

// A class in error stays one, at each `new` too.
func TestClassInErrorIsNeverUsable(t *testing.T) {
	e := tryEnv(t)
	e.open(&objectstore.Options{Anonymous: true, Package: "pkg"})
	for range 2 {
		require.Contains(t, e.fails(`globalThis.Bad ??= class Bad extends Resource { static properties = { a: "nope" } }; new Bad({})`), "unknown type nope")
	}
	require.Equal(t, "pkg/Good", e.run(`new (class Good extends Resource {})().$type`).String())
}

// gc 5.4: what a constructor made before it threw had an initialised life of its own.
func TestAbandon(t *testing.T) {
	e := newEnv(t, shop)
	for range 2 {
		v := e.run(`globalThis.made = new Network({ cidr: "x", gateway: {} }, null, { id: "it" }); new Subnet({}, made, { id: "child" }); made`)
		e.g.Abandon(v.(*goja.Object))
		require.Len(t, e.s.Objects(), 1, "the inline gateway goes with it")
		child := e.s.Lookup("child")
		require.Nil(t, child.Owner())
		require.Nil(t, e.s.Lookup("it"))
		require.Contains(t, e.fails(`new Subnet({}, made)`), "the owner (second argument) must be a managed object")
		require.Len(t, e.snapshot().Objects, 1)
		require.NoError(t, e.s.Bury(child))
	}
}

// Resource.with declares as static properties do.
func TestWith(t *testing.T) {
	e := newEnv(t, `
		class Disk extends Resource.with({ size: "integer", kind: { type: { enum: ["ssd", "hdd"] }, default: "ssd" } }) {
			static made = 0;
			constructor(properties, owner, options) { super(properties, owner, options); Disk.made++ }
			get bytes() { return this.size * 2 ** 30 }
		}
		class Raid extends Disk.with({ parts: { type: [Disk], default: [] } }) {}
	`)
	for _, c := range []struct{ script, want string }{
		{`JSON.stringify(new Disk({ size: 1 }))`, `{"size":1,"kind":"ssd"}`},
		{`const r = new Raid({ size: 2, parts: [{ size: 1, kind: "hdd" }] }); [r.$type, r.bytes, r.parts[0].$owner === r, r instanceof Disk, Raid.made, Raid.name].join()`, "shop/Raid,2147483648,true,true,3,Raid"},
		{`Object.keys(Raid.properties).join() + Object.keys(Disk.properties).join()`, "partssize,kind"},
	} {
		require.Equal(t, c.want, e.run(c.script).String(), c.script)
	}
	for _, c := range []struct{ script, want string }{
		{`new Raid({})`, "Raid #"},
		{`new Raid({ siz: 1 })`, "Raid: unknown property siz; did you mean size?"},
		{`Resource.with()`, "Resource.with: the properties (first argument) must be an object, got undefined"},
		{`Disk.with("size")`, "Disk.with: the properties (first argument) must be an object, got string"},
		{`const w = Resource.with; w({})`, "call it as a method of a class"},
	} {
		require.Contains(t, e.fails(c.script), c.want, c.script)
	}
	for class, want := range map[string]string{
		`class A extends Resource.with({ a: "strin" }) {}`:                                                        "class shop/A: property a: unknown type strin",
		`class A extends Resource.with({ $a: "string" }) {}`:                                                      "class shop/A: property $a: the name is reserved",
		`class A extends Resource.with({ a: "string" }) { a = "x" }`:                                              "class shop/A: a is declared in static properties",
		`class A extends Resource.with({ a: "string" }) { static b = 1; static properties = { b: "string" }; b }`: "class shop/A: b is declared",
	} {
		err := tryEnv(t).register(class)
		require.ErrorContains(t, err, want)
		var declared *objectstore.DeclarationError
		require.ErrorAs(t, err, &declared)
		require.Contains(t, declared.Source, "class A", "it is located in the author's class")
	}
}
