package objectstore_test

import (
	"errors"
	"testing"

	"github.com/dop251/goja"
	"github.com/stretchr/testify/require"

	"github.com/sextongc/sexton/objectstore"
)

const loading = `
	globalThis.order = [];
	class Box extends Resource {
		static properties = { items: { default: ["default"] }, to: { type: "Box", optional: true }, req: { type: "string", optional: true }, k: { usage: "const", optional: true } };
		constructor(p, o, x) {
			super(p, o, x);
			order.push(this.$id);
			this.toldOf = this.to && this.to.$id;
			this.alias = this.items;
			this.inner = this.items && this.items[0];
		}
		m() { return "live" }
	}
	class Grower extends Box {
		constructor(p, o, x) { super(p, o, x); this.items.push("more"); this.inner.push("more"); this.req = "set"; this.to = undefined; this.made = new Box({}, this) }
	}
	class Subscriber extends Box {
		constructor(p, o, x) {
			super(p, o, x);
			subscribe(this.to, this, "m"); subscribe(this.to, this, "m"); subscribe(this.to, this, "other");
			try { this.seen = this.to.m() } catch (e) { this.seen = e.name }
		}
	}
	class Throws extends Box { constructor(p, o, x) { super(p, o, x); throw new RangeError("no") } }
	class Redefines extends Box { constructor(p, o, x) { super(p, o, x); Object.defineProperty(this, "req", { value: 1, configurable: true }) } }
	class Other extends Box { constructor(p, o, x) { super(p, o, x); return new Box({}) } }
`

func entry(id, class string, fields ...objectstore.Field) *objectstore.Entry {
	return &objectstore.Entry{ID: id, Type: "shop/" + class, Version: "1.0.0", Properties: fields}
}

func field(name string, v objectstore.Value) objectstore.Field {
	return objectstore.Field{Name: name, Value: v}
}

func graph(entries ...*objectstore.Entry) *objectstore.Graph {
	return &objectstore.Graph{Root: entries[0].ID, Objects: entries}
}

// gc 6.5, 6.7: constructors run in creation order, owners first; all objects exist by then.
func TestConstructorsRunOwnersFirst(t *testing.T) {
	e := newEnv(t, loading)
	a, b, c, d := entry("a", "Box", field("to", objectstore.Ref("d"))), entry("b", "Box"), entry("c", "Box"), entry("d", "Box")
	b.Owner, c.Owner, d.Owner = "c", "a", "a"
	b.Name = "named"
	e.load(graph(a, b, c, d))
	require.Equal(t, "a,c,b,d", e.run(`order.join()`).String())
	require.Equal(t, "d,named,true,true", e.run(`[a.toldOf, b.$name, b.$owner === c, a.to === d].join()`).String())
	require.Equal(t, e.s.Lookup("a"), e.s.Root())
	require.True(t, e.s.Lookup("d").After(e.s.Lookup("b")))
}

// gc 6.7: what is stored wins, and the containers stay the same ones.
func TestStoredValuesAreBackInTheirContainers(t *testing.T) {
	e := newEnv(t, loading)
	a := entry("a", "Grower", field("items", []objectstore.Value{[]objectstore.Value{"x"}, "y"}), field("to", objectstore.Ref("a")))
	g := graph(a)
	e.load(g)
	require.Equal(t, `[["x"],"y"]`, e.run(`JSON.stringify(a.items)`).String())
	require.Equal(t, "true,true,true,", e.run(`[a.items === a.alias, a.items[0] === a.inner, a.to === a, a.req].join()`).String())
	require.Equal(t, g, e.snapshot()) // without what the constructor made
	require.Len(t, e.s.Objects(), 2)
	e.run(`a.made = undefined`)
	e.s.DropProvisional()
	require.Len(t, e.s.Objects(), 1)
}

// gc 6.7: what constructors make is dropped, unless it is reachable after loaded().
func TestProvisionalObjects(t *testing.T) {
	e := newEnv(t, loading)
	e.load(graph(entry("a", "Grower", field("items", []objectstore.Value{[]objectstore.Value{}}))))
	e.run(`a.to = a.made`)
	e.s.DropProvisional()
	require.Len(t, e.s.Objects(), 2)
	require.Len(t, e.snapshot().Objects, 2)
}

// gc 4.2, 6.4
func TestSubscriptionsAreMerged(t *testing.T) {
	e := newEnv(t, loading)
	for _, stored := range []int{0, 1, 2, 5} {
		a, b := entry("a", "Box"), entry("b", "Subscriber", field("to", objectstore.Ref("a")))
		if stored > 0 {
			a.Subscriptions = []objectstore.Subscription{{Subscriber: "b", Handler: "first", Count: 1}, {Subscriber: "b", Handler: "m", Count: stored}}
		}
		g := graph(a, b)
		for range 3 {
			e.load(g)
			g = e.snapshot()
		}
		want := []objectstore.Subscription{{Subscriber: "b", Handler: "first", Count: 1}, {Subscriber: "b", Handler: "m", Count: max(stored, 2)}, {Subscriber: "b", Handler: "other", Count: 1}}
		if stored == 0 {
			want = want[1:]
		}
		require.Equal(t, want, g.Objects[0].Subscriptions)
	}
}

// gc 6.3: a destroyed object is so while constructors run; what they subscribe to it is ignored.
func TestDestroyedStaysDestroyed(t *testing.T) {
	e := newEnv(t, loading)
	dead, sub := entry("dead", "Throws", field("items", []objectstore.Value{1.0})), entry("b", "Subscriber", field("to", objectstore.Ref("dead")))
	dead.Destroyed = true
	live := entry("live", "Box")
	live.Subscriptions = []objectstore.Subscription{{Subscriber: "dead", Count: 1}} // gc 6.2
	e.load(graph(sub, dead, live))
	require.Equal(t, "b,live", e.run(`order.join()`).String())
	require.Equal(t, "ObjectDestroyedError", e.run(`b.seen`).String())
	require.Contains(t, e.fails(`dead.m()`), "ObjectDestroyedError: Throws dead is destroyed")
	require.Equal(t, "1", e.run(`dead.items.join()`).String())
	g := e.snapshot()
	require.True(t, g.Objects[1].Destroyed)
	require.Empty(t, g.Objects[1].Subscriptions)
	require.Empty(t, g.Objects[2].Subscriptions)
	require.Equal(t, objectstore.Destroyed, e.s.Lookup("dead").State())
}

// gc 5.4: what cannot be loaded is kept as it is, with all that it refers to.
func TestBrokenIsKept(t *testing.T) {
	e := newEnv(t, loading)
	for _, c := range []struct {
		entry *objectstore.Entry
		want  string
	}{
		{&objectstore.Entry{ID: "x", Type: "gone/Class", Version: "0.1"}, "unknown type gone/Class"},
		{entry("x", "Throws"), "RangeError: no"},
		{entry("x", "Other"), "the constructor returned another object"},
		{entry("x", "Redefines"), "declare a default there, or write `declare req: T`"},
		{entry("x", "Box", field("req", 5.0)), "property req: expected string, got number 5"},
		{entry("x", "Box", field("nope", 5.0)), "property nope: the class has no such property any more"},
		{entry("x", "Box", field("to", nil), field("req", nil), field("items", nil), field("k", nil), field("to", "s")), "no such"},
	} {
		c.entry.Owner = "root"
		if c.want == "no such" {
			continue
		}
		c.entry.Properties = append(c.entry.Properties, field("items", []objectstore.Value{objectstore.Ref("dead"), "kept"}))
		root, dead := entry("root", "Box", field("to", objectstore.Ref("x"))), entry("dead", "Box")
		if c.entry.Type == "shop/Other" {
			root.Properties = nil
		}
		dead.Destroyed = true
		g := graph(root, c.entry, dead)
		e.load(g)
		e.run(`dead = undefined`)
		require.Contains(t, e.s.Lookup("x").Broken(), c.want)
		require.Empty(t, e.s.Lookup("root").Broken(), "it spreads to what refers to it: %s", c.want)
		e.s.Unreachable(e.s.Objects())
		again := e.snapshot()
		require.Equal(t, c.entry, again.Objects[1])
		require.Len(t, again.Objects, 3, c.want)
	}
}

func TestLoadFails(t *testing.T) {
	e := newEnv(t, loading)
	require.ErrorContains(t, e.open(nil).Load(graph(entry("a", "Box"), entry("a", "Box")), plainly), `id "a" stands twice`)

	// An interrupt is no fault of the object that was in its way.
	s := e.open(nil)
	err := s.Load(graph(entry("a", "Box"), entry("b", "Box")), func(_ *objectstore.Object, construct func() error) error {
		err := construct()
		e.vm.Interrupt("stop")
		return err
	})
	require.Error(t, err)
	var interrupted *goja.InterruptedError
	require.True(t, errors.As(err, &interrupted))
	e.vm.ClearInterrupt()
}

func TestSaving(t *testing.T) {
	e := newEnv(t, loading)
	e.load(graph(entry("a", "Box", field("items", []objectstore.Value{objectstore.Ref("b")}), field("k", 1.0)), entry("b", "Box")))
	saved := func() []objectstore.Field {
		g, err := e.s.Snapshot()
		require.Error(t, err)
		return g.Objects[0].Properties
	}
	// const is enforced at checkpoints, and the last good value stays.
	for _, change := range []string{"2", "null", "undefined"} {
		e.run(`a.k = ` + change)
		_, err := e.s.Snapshot()
		require.ErrorContains(t, err, "Box a: property k: it is const and was changed")
		require.Equal(t, field("k", 1.0), saved()[1])
	}
	e.run(`a.k = 1; a.items = () => 1`)
	require.Equal(t, []objectstore.Value{objectstore.Ref("b")}, saved()[0].Value)
	e.run(`a.items = [{ get x() { throw new RangeError("mine") } }]`)
	_, err := e.s.Snapshot()
	require.ErrorContains(t, err, "RangeError: mine")

	// The last good value is no good if it refers to what is gone.
	require.NoError(t, e.s.Bury(e.s.Lookup("b")))
	require.Equal(t, []objectstore.Field{field("k", 1.0)}, saved())
	require.Equal(t, []objectstore.Field{field("k", 1.0)}, saved(), "an error every time")
}

// gc 2.4: what counts is what is saved; data may be cyclic without harm. What cannot be saved may lead to
// anything, so then all that is reachable is kept.
func TestPersistable(t *testing.T) {
	e := newEnv(t, loading)
	e.load(graph(entry("a", "Box"), entry("b", "Box"), entry("c", "Box"), entry("d", "Box"), entry("e", "Box"), entry("f", "Box")))
	kept := func() (ids string) {
		for _, o := range e.s.Objects() {
			if e.s.Persistable()[o] {
				ids += o.ID
			}
		}
		return ids
	}
	e.run(`
		const x = { b, date: new Date(), bytes: new Uint8Array(1), big: 1n, none: null }; x.x = x; x.y = [x, new Map([["k", new Set([c])]])];
		a.items = x; a.undeclared = d;`)
	require.Equal(t, "abc", kept())
	require.Empty(t, e.s.Unreachable([]*objectstore.Object{e.s.Lookup("d")}))

	e.run(`c.items = new (class Foo { #e = e })(); globalThis.e = globalThis.f = null;`)
	require.Equal(t, "abcde", kept())
	e.run(`c.items = { get x() { throw 1 } }`)
	require.Equal(t, "abcd", kept())
	e.run(`c.items = {}`)
	require.Equal(t, "abc", kept())
}

// gc 1.4: an owner lives through what it owns, and scripts cannot change that.
func TestOwnersAreReferredTo(t *testing.T) {
	e := newEnv(t, loading)
	root := e.object(`globalThis.root = new Box({ items: [] }, null, { id: "root" })`)
	e.s.SetRoot(root)
	e.run(`root.items = [new Box({}, new Box({}, null, { id: "owner" }), { id: "child" })]; root.alias = root.inner = undefined; new Box({}, root, { id: "owned" }); null`)
	dead := e.s.Unreachable(e.s.Objects())
	require.Len(t, dead, 1)
	require.Equal(t, "owned", dead[0].ID)
	require.True(t, e.s.Persistable()[e.s.Lookup("owner")])
}
