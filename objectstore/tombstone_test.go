package objectstore_test

import (
	"testing"

	"github.com/dop251/goja"
	"github.com/stretchr/testify/require"

	"github.com/sextongc/sexton/objectstore"
)

const mortal = `
	class Base extends Resource {
		log = []; #p = 1;
		destroy() { this.log.push("base") }
	}
	class Mortal extends Base {
		static properties = { list: { default: [] }, f: { usage: "runtime" } };
		constructor(p, o, x) { super(p, o, x); this.own = () => 1; Object.defineProperty(this, "acc", { get: () => 1, configurable: true }); this[Symbol.iterator] = () => 1 }
		method() { return 1 }
		get computed() { return 1 }
		set computed(v) { this.list.push(v) }
		destroy() { this.log.push("mortal"); super.destroy(); super.destroy() }
	}
`

// gc 5.2
func TestTombstone(t *testing.T) {
	e := newEnv(t, mortal)
	o := e.object(`globalThis.m = new Mortal({ list: [1], f: () => 1 }, null, { id: "m1", name: "M" })`)
	e.s.Doom(o)
	require.NoError(t, e.s.Bury(o))
	for _, c := range []struct{ script, want string }{
		{`[m.$id, m.$name, m.$type, m.$owner, m.list, m.nothing].join()`, "m1,M,shop/Mortal,,1,"},
		{`[m instanceof Mortal, m instanceof Resource, m.constructor === Mortal].join()`, "true,true,true"},
		{`m.list.push(2); m.list.join()`, "1,2"},
		{`Object.keys(m).join()`, "list,f,log,own"},
		{`Object.isFrozen(m)`, "true"},
	} {
		require.Equal(t, c.want, e.run(c.script).String(), c.script)
	}
	for _, script := range []string{
		`m.method()`, `m.method`, `m.computed`, `m.computed = 1`, `m.own()`, `m.f()`, `m.acc`, `m.destroy()`, `m.added = 1`, `[...m]`,
	} {
		require.Regexp(t, `^ObjectDestroyedError: Mortal m1 is destroyed: .* cannot be used any more$`, e.fails(script), script)
	}
	require.Contains(t, e.fails(`m.list = []`), "TypeError")
	require.Contains(t, e.fails(`delete m.list`), "TypeError")
	require.Contains(t, e.fails(`new Mortal({}, m)`), "the owner Mortal m1 is destroyed")
	require.Equal(t, "true", e.run(`let x; try { m.method() } catch (e) { x = e } x instanceof ObjectDestroyedError && x instanceof Error`).String())
}

// gc 5.2, whatever user code did to Object.prototype.
func TestTombstoneWithPollutedPrototype(t *testing.T) {
	e := newEnv(t, mortal)
	o := e.object(`Object.prototype.get = () => 5; globalThis.m = new Mortal({}, null, { id: "m1" })`)
	require.NoError(t, e.s.Bury(o))
	require.Equal(t, "", e.run(`m.list.join()`).String())
	require.Contains(t, e.fails(`m.own()`), "ObjectDestroyedError")
}

// gc 5.1
func TestDestroyRunsEachClassOnce(t *testing.T) {
	e := newEnv(t, mortal)
	inside := false
	e.g.GuardDestroy(func(*objectstore.Object) bool { return inside })
	o := e.object(`globalThis.m = new Mortal({})`)
	require.Contains(t, e.fails(`m.destroy()`), "only the collector runs it")
	call := func(destroy, object *goja.Object) (goja.Value, error) {
		f, _ := goja.AssertFunction(destroy)
		return f(object)
	}
	require.NoError(t, e.g.BeginDestroy(o, call))
	inside = true
	for c := o.Class; c != nil; c = c.Base {
		_, err := e.g.Destroy(o, c)
		require.NoError(t, err)
	}
	e.g.EndDestroy(o)
	require.Equal(t, "mortal,base", e.run(`m.log.join()`).String())
	require.Contains(t, e.fails(`m.destroy()`), "only the collector runs it")

	// A retry skips what completed.
	o.Complete(o.Class)
	require.NoError(t, e.g.BeginDestroy(o, call))
	for c := o.Class; c != nil; c = c.Base {
		_, err := e.g.Destroy(o, c)
		require.NoError(t, err)
	}
	require.Equal(t, "mortal,base,base", e.run(`m.log.join()`).String())
	require.Equal(t, []string{"shop/Mortal"}, o.CompletedNames())

	e.run(`Object.defineProperty(m, "destroy", { value: 1 })`)
	require.ErrorContains(t, e.g.BeginDestroy(o, call), "TypeError: Mortal #1 has an own property named destroy")
}

// The id of a tombstone is free unless a snapshot would hold both.
func TestIdOfTombstone(t *testing.T) {
	e := newEnv(t, mortal)
	root := e.object(`globalThis.root = new Mortal({}, null, { id: "root" })`)
	e.s.SetRoot(root)
	o := e.object(`globalThis.m = new Mortal({}, null, { id: "m" }); root.list = [[m]]; m`)
	require.NoError(t, e.s.Bury(o))
	require.Contains(t, e.fails(`new Mortal({}, null, { id: "m" })`), `id "m" is taken by Mortal m`)
	require.Len(t, e.snapshot().Objects, 2)
	e.run(`root.list = []`)
	again := e.object(`new Mortal({}, null, { id: "m" })`)
	require.Same(t, again, e.s.Lookup("m"))
}

// A frozen object keeps its prototype, whatever one does: that is told, not passed over.
func TestFrozenObjectCannotBecomeTombstone(t *testing.T) {
	e := newEnv(t, mortal)
	o := e.object(`Object.freeze(new Mortal({}))`)
	require.ErrorContains(t, e.s.Bury(o), "its methods stay usable")
	require.Equal(t, objectstore.Destroyed, o.State())
}

// gc 1.2, P1, P9: an id that a destroyed object gave up means the new one. A reference to the old one is no
// reference to that: it is not saved, and the new one is.
func TestReferenceToAnObjectThatLostItsID(t *testing.T) {
	e := newEnv(t, mortal+`
		class Keeper extends Resource { static properties = { kept: { type: ["Mortal"], usage: "out", default: [] } } }`)
	keeper := e.object(`globalThis.k = new Keeper({}, null, { id: "k" })`)
	e.s.SetRoot(keeper)
	old := e.object(`globalThis.m = new Mortal({}, null, { id: "m" })`)
	e.run(`k.kept = [m]`)
	_, err := e.s.Snapshot()
	require.NoError(t, err)
	require.NoError(t, e.s.Bury(old))
	require.Contains(t, e.fails(`new Mortal({}, null, { id: "m" })`), `id "m" is taken by Mortal m, which is destroyed`)

	e.run(`k.kept = []; globalThis.other = new Mortal({}, null, { id: "other" })`)
	again := e.object(`globalThis.again = new Mortal({}, null, { id: "m" })`)
	e.run(`k.kept = [m]`)
	g, err := e.s.Snapshot()
	require.ErrorContains(t, err, "Keeper k: property kept[0]: Mortal m is destroyed, and its id means another object by now")
	entry := g.Lookup("m")
	require.NotNil(t, entry)
	require.False(t, entry.Destroyed, "the new one is saved")
	require.False(t, e.s.Persistable()[again])
	kept, has := g.Lookup("k").Property("kept")
	require.False(t, has, "what was saved last named the old one: %v", kept)

	e.run(`k.kept = [again]`)
	g, err = e.s.Snapshot()
	require.NoError(t, err)
	kept, _ = g.Lookup("k").Property("kept")
	require.Equal(t, []objectstore.Value{objectstore.Ref("m")}, kept)
}

// A destroyed object that nothing saved referred to, and whose id nobody took, is itself again when something does.
func TestTombstoneGetsItsIDBack(t *testing.T) {
	e := newEnv(t, mortal+`
		class Keeper extends Resource { static properties = { kept: { type: ["Mortal"], usage: "out", default: [] } } }`)
	e.s.SetRoot(e.object(`globalThis.k = new Keeper({}, null, { id: "k" })`))
	for _, id := range []string{"a", "b"} {
		require.NoError(t, e.s.Bury(e.object(`globalThis.`+id+` = new Mortal({}, null, { id: "`+id+`" })`)))
	}
	e.run(`globalThis.again = new Mortal({}, null, { id: "a" }); k.kept = [b]`) // takes the id of b away, too
	g, err := e.s.Snapshot()
	require.NoError(t, err)
	require.True(t, g.Lookup("b").Destroyed)
	require.False(t, g.Lookup("a").Destroyed)
}
