package sexton_test

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sextongc/sexton"
)

func TestFirstDeployment(t *testing.T) {
	e := newEnv(t, classes)
	r := e.must(apps(node("a", `"nodes": [`+node("b")+`]`)), "create a", "create b")
	require.Equal(t, []string{"root", "a", "b"}, ids(r.Created))
	require.Equal(t, "a", r.Created[2].Owner)
	require.Equal(t, "app/Node", r.Created[2].Type)
	require.Empty(t, r.Changed)
	require.Empty(t, r.Destroyed)
	require.Contains(t, e.snapshot(), `"made": "m-b"`)
}

// gc 6.6: over whole deployments too. A deployment that changes nothing leaves every byte as it was.
func TestNothingChanges(t *testing.T) {
	e := newEnv(t, classes)
	model := apps(node("a", `"nodes": [`+node("b")+`]`, `"zone": "x"`), node("c", `"after": ["a", "b"]`))
	e.must(model, "create a", "create b", "create c")
	file := filepath.Join(e.open().StateDir(), "snapshot.json")
	before, err := os.ReadFile(file)
	require.NoError(t, err)
	for range 3 {
		r := e.must(model)
		require.Equal(t, []string{"root", "a", "b", "c"}, ids(r.Kept))
		require.Empty(t, r.Created)
		require.Empty(t, r.Changed)
		after, err := os.ReadFile(file)
		require.NoError(t, err)
		require.Equal(t, string(before), string(after))
	}
	require.Equal(t, string(before), e.snapshot())

	// What was saved is a model, and the same one.
	r := e.must(string(before))
	require.Len(t, r.Kept, 4)
	require.Equal(t, string(before), e.snapshot())
}

func TestEmptyModel(t *testing.T) {
	e := newEnv(t, classes)
	for range 2 {
		r := e.must(empty)
		require.Empty(t, r.Destroyed)
		require.Contains(t, e.snapshot(), `"objects": []`)
	}
	e.must(apps(node("a"), node("b", `"after": ["a"]`)), "create a", "create b")
	r, err := e.open().Destroy(context.Background(), context.Background())
	require.NoError(t, err)
	require.Equal(t, []string{"a", "b", "root"}, ids(r.Destroyed))
	require.Equal(t, 1, r.Notified)
	require.Contains(t, e.snapshot(), `"objects": []`)
}

// gc 2.3
func TestIncomingGraph(t *testing.T) {
	for _, c := range []struct {
		name          string
		first, second string
		log           []string
		changed       []string
		destroyed     []string
		has, hasNot   []string // in the snapshot
	}{
		{
			name:  "in takes its default again, inout and out stay",
			first: apps(node("a", `"size": 7`, `"note": "n"`)), second: apps(node("a")),
			changed: []string{"a"}, has: []string{`"size": 1`, `"note": "n"`, `"made": "m-a"`}, hasNot: []string{`"size": 7`},
		},
		{
			name:  "inout is replaced",
			first: apps(node("a", `"note": "n"`)), second: apps(node("a", `"note": "m"`)),
			changed: []string{"a"}, has: []string{`"note": "m"`}, hasNot: []string{`"note": "n"`},
		},
		{
			name:  "a removed object goes with what it owns",
			first: apps(node("a", `"nodes": [`+node("b")+`]`), node("c")), second: apps(node("c")),
			log: []string{"destroy b", "destroy a"}, changed: []string{"root"}, destroyed: []string{"b", "a"},
			hasNot: []string{`"a"`, `"b"`},
		},
		{
			name:  "who stays is told",
			first: apps(node("a"), node("c", `"after": ["a"]`)), second: apps(node("c")),
			log: []string{"told c of a", "destroy a"}, changed: []string{"root", "c"}, destroyed: []string{"a"},
		},
		{
			name:  "an object moves to another owner",
			first: apps(node("a", `"nodes": [`+node("b")+`]`), node("c")), second: apps(node("a"), node("c", `"nodes": [`+node("b")+`]`)),
			changed: []string{"a", "b", "c"}, has: []string{`"id": "b", "type": "app/Node", "version": "1.0.0", "owner": "c"`},
		},
		{
			name:  "an object that moves survives its owner",
			first: apps(node("a", `"nodes": [`+node("b")+`]`), node("c")), second: apps(node("c", `"nodes": [`+node("b")+`]`)),
			log: []string{"destroy a"}, changed: []string{"root", "b", "c"}, destroyed: []string{"a"},
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			e := newEnv(t, classes)
			_, err := e.deploy(c.first)
			require.NoError(t, err)
			p, err := e.open().Plan(context.Background(), &sexton.Model{Data: []byte(c.second), File: "model.json"})
			require.NoError(t, err)
			var planned []string
			for _, step := range p.Destroy {
				planned = append(planned, step.ID)
			}
			require.Equal(t, c.destroyed, planned) // gc 7.3
			r := e.must(c.second, c.log...)
			require.Equal(t, c.changed, ids(r.Changed))
			require.Equal(t, c.destroyed, ids(r.Destroyed))
			require.Empty(t, r.Created)
			for _, text := range c.has {
				require.Contains(t, e.snapshot(), text)
			}
			for _, text := range c.hasNot {
				require.NotContains(t, e.snapshot(), text)
			}
		})
	}
}

// gc 2.3: what scripts made and keep in `out` properties stays; gc 2.4: what they no longer keep goes.
func TestObjectsOfScripts(t *testing.T) {
	e := newEnv(t, classes, `
-- index.ts --
import { Resource } from "sexton";
import { log } from "test/log";
export class Part extends Resource { destroy() { log("destroy", this.$id); } }
export class Whole extends Resource {
	static properties = { parts: { type: ["Part"], usage: "out", optional: true }, want: { type: "integer", default: 0 }, rt: { usage: "runtime" } };
	declare parts?: Part[]; declare want: number; declare rt: any;
	deploy() {
		this.parts = (this.parts ?? []).slice(0, this.want);
		while (this.parts.length < this.want) this.parts.push(new Part({}, this, { id: this.$id + this.parts.length }));
		this.rt = new Part({}, this, { id: "forgotten" });
	}
}
`)
	whole := func(n string) string { return apps(object("Whole", "w", `"want": `+n)) }
	r := e.must(whole("3"), "destroy forgotten")
	require.Equal(t, []string{"root", "w", "w0", "w1", "w2"}, ids(r.Created))
	r = e.must(whole("3"), "destroy forgotten")
	require.Len(t, r.Kept, 5)
	e.must(whole("1"), "destroy w1", "destroy w2", "destroy forgotten")
	e.must(apps(), "destroy w0")
	require.NotContains(t, e.snapshot(), "Part")
}

// gc 2.3, 1.2: another class under the same id is another object, made when the old one is gone.
func TestReplacedClass(t *testing.T) {
	e := newEnv(t, classes)
	e.must(apps(node("a"), node("b", `"after": ["a"]`)), "create a", "create b")
	r := e.must(apps(object("Other", "a"), node("b", `"after": ["a"]`)), "told b of a", "destroy a", "create a")
	require.Equal(t, []string{"a"}, ids(r.Created))
	require.Equal(t, "app/Other", r.Created[0].Type)
	require.Equal(t, "app/Node", r.Destroyed[0].Type)
	require.Contains(t, e.snapshot(), `"incarnation": 4, "dependencies": { "onDestruction": [ { "subscriber": "b", "handler": "gone" } ] }`)

	// Where the old one cannot be destroyed, there is no new one.
	e.fails["a"] = true
	r, err := e.deploy(apps(node("a"), node("b"), node("c")))
	require.ErrorIs(t, err, sexton.ErrIncomplete)
	require.ErrorContains(t, err, "app/Other a: ")
	require.Equal(t, []string{"told b of a", "destroy a"}, e.log)
	require.Len(t, r.Failed, 1)
	require.Contains(t, e.snapshot(), `"id": "a", "type": "app/Other", "version": "1.0.0", "owner": "root", "incarnation": 4, "doomed": true`)
	e.fails["a"] = false
	r = e.must(apps(node("a"), node("b"), node("c")), "destroy a", "create a", "create c")
	require.Equal(t, []string{"a"}, ids(r.Destroyed))
	require.Contains(t, e.snapshot(), `"id": "a", "type": "app/Node", "version": "1.0.0", "owner": "root"`)

	// And back to what it was.
	e.fails["a"] = true
	_, err = e.deploy(apps(object("Other", "a"), node("b")))
	require.ErrorIs(t, err, sexton.ErrIncomplete)
	require.ElementsMatch(t, []string{"destroy a", "destroy c"}, e.log)
	e.fails["a"] = false
	e.must(apps(node("a"), node("b")), "destroy a", "create a")
}

// gc 2.3, 3.1, 3.5: what has to go before an object does so too where that one makes way for another class.
func TestReplacedClassGoesInOrder(t *testing.T) {
	e := newEnv(t, classes)
	e.must(apps(node("a", `"nodes": [`+node("b", `"nodes": [`+node("c")+`]`)+`]`, `"after": ["x"]`), node("x"), node("y")),
		"create a", "create b", "create c", "create x", "create y")
	model := apps(object("Other", "a", `"nodes": [`+node("b")+`]`), node("y"))
	p, err := e.open().Plan(context.Background(), &sexton.Model{Data: []byte(model), File: "model.json"})
	require.NoError(t, err)
	r := e.must(model, "told a of x", "destroy c", "destroy x", "destroy a", "create a")
	require.Equal(t, []string{"a"}, ids(r.Created))
	require.Equal(t, []string{"root", "b"}, ids(r.Changed))
	require.Equal(t, []string{"y"}, ids(r.Kept))

	// gc 7.3: it was planned so.
	require.Equal(t, r.Created, p.Create)
	require.Equal(t, ids(r.Changed), ids(p.Change))
	require.Equal(t, r.Kept, p.Keep)
	var planned []string
	for _, step := range p.Destroy {
		planned = append(planned, step.ID+": "+step.Why)
	}
	require.Equal(t, []string{"c: the model no longer has it", "x: the model no longer has it", "a: the model gives it another class"}, planned)

	// One that stays holds up what comes after it.
	e.fails["b"] = true
	_, err = e.deploy(apps(node("a"), node("y")))
	require.ErrorIs(t, err, sexton.ErrIncomplete)
	require.Equal(t, []string{"destroy b"}, e.log)
	e.fails["b"] = false
	e.must(apps(node("a"), node("y")), "destroy b", "destroy a", "create a")
}

// gc 2.3, 5.5: what makes way is not spared because of what referred to it before.
func TestReplacedClassIsNotSpared(t *testing.T) {
	e := newEnv(t, classes)
	e.opts.Settings.Resurrection = "spare"
	e.must(apps(node("a", `"nodes": [`+node("b")+`]`)), "create a", "create b")
	e.must(apps(object("Other", "a")), "destroy b", "destroy a", "create a")
}

// js-api: loaded() runs after every load, so that destroy() can rely on it.
func TestReplacedClassIsLoaded(t *testing.T) {
	e := newEnv(t, `
-- package.json --
{"name": "app", "version": "1.0.0"}
-- index.ts --
import { Resource } from "sexton";
import { log } from "test/log";
export class Node extends Resource {
	#client: any;
	loaded() { this.#client = { close: (id: string) => log("close", id) }; }
	destroy() { this.#client?.close(this.$id); }
}
export class Other extends Node {}
`)
	e.must(apps(node("a")))
	e.must(apps(object("Other", "a")), "close a")
}

// gc 1.2, 5.6: an object whose destruction was begun and failed is not the one that the model asks for
// under its id.
func TestDoomedObjectComesBack(t *testing.T) {
	for _, root := range []bool{false, true} {
		e := newEnv(t, classes)
		model := apps(node("a"), node("b", `"after": ["a"]`))
		e.must(model, "create a", "create b")
		e.fails["a"] = true
		less := apps(node("b"))
		want := []string{"told b of a", "destroy a"}
		if root {
			less = empty
		}
		r, err := e.deploy(less)
		require.ErrorIs(t, err, sexton.ErrIncomplete)
		require.Equal(t, "a", r.Failed[0].ID)
		require.Equal(t, want, e.log[:2])
		require.Contains(t, e.snapshot(), `"failure": "destroy of Node: Error: a resists"`)

		// Not notified again; everything else goes on.
		if !root {
			r, err := e.deploy(apps(node("a"), node("b", `"size": 8`), node("c")))
			require.ErrorIs(t, err, sexton.ErrIncomplete)
			require.NotContains(t, e.log, "told b of a")
			require.NotContains(t, e.log, "create a")
			require.Contains(t, e.log, "create c")
			require.Len(t, r.Failed, 1)
		}
		e.fails["a"] = false
		want = []string{"destroy a", "destroy c", "create a"}
		if root {
			want = []string{"destroy a", "destroy b", "create a", "create b"}
		}
		r = e.must(model, want...)
		require.Contains(t, ids(r.Created), "a")
		require.Contains(t, ids(r.Destroyed), "a")
		require.NotContains(t, e.snapshot(), "destroyed")
		require.NotContains(t, e.snapshot(), "doomed")
	}
}

// A root that cannot be destroyed stands in the way of a new one of its id.
func TestDoomedRootStays(t *testing.T) {
	e := newEnv(t, classes)
	e.must(apps(node("a")), "create a")
	e.fails["a"] = true
	for range 2 {
		_, err := e.deploy(empty)
		require.ErrorIs(t, err, sexton.ErrIncomplete)
		r, err := e.deploy(apps(node("a")))
		require.ErrorIs(t, err, sexton.ErrIncomplete)
		require.ErrorContains(t, err, "Environment root: ")
		require.Equal(t, "a", r.Failed[0].ID)
		require.Equal(t, []string{"destroy a"}, e.log)
	}
	e.fails["a"] = false
	e.must(apps(node("a")), "destroy a", "create a")

	// Another root: the old environment goes, the new one comes.
	r := e.must(`{"?": {"type": "Environment", "id": "second"}, "applications": [`+node("x")+`]}`, "destroy a", "create x")
	require.Equal(t, []string{"a", "root"}, ids(r.Destroyed))
	require.Contains(t, e.snapshot(), `"root": "second"`)
}

// gc 2.3, 5.5, 6.3: a tombstone in a model stays one, its properties are those of the model.
func TestTombstoneInModel(t *testing.T) {
	e := newEnv(t, classes)
	e.must(apps(node("b")), "create b")
	e.must(apps(node("b", `"after": [{"?": {"type": "Node", "id": "a", "destroyed": true}, "size": 5}]`)))
	for _, size := range []string{"6", "7"} {
		e.must(apps(node("b", `"after": [`+node("a", `"size": `+size)+`]`)))
		require.Contains(t, e.snapshot(), `"incarnation": 3, "destroyed": true }`)
		require.Contains(t, e.snapshot(), `"size": `+size)
	}
	r := e.must(apps(node("b")))
	require.Empty(t, r.Destroyed)
	require.NotContains(t, e.snapshot(), `"a"`)
}

func TestLocked(t *testing.T) {
	e := newEnv(t, classes)
	var inner error
	e.hook = func(line string) {
		if line == "create a" {
			_, inner = e.open().Deploy(context.Background(), context.Background(), &sexton.Model{Data: []byte(apps())})
			require.Contains(t, e.snapshot(), `"id": "a"`) // reading is possible
		}
	}
	e.must(apps(node("a")), "create a")
	require.ErrorIs(t, inner, sexton.ErrLocked)
	require.ErrorContains(t, inner, "locked by pid")
}

// A new object that refers to what is replaced sees the new one, and its constructor counts then only.
func TestNewObjectBesideReplaced(t *testing.T) {
	e := newEnv(t, classes)
	e.must(apps(node("a"), node("f", `"after": ["a"]`)), "create a", "create f")
	e.must(apps(object("Other", "f"), node("g", `"after": ["f"]`), node("h", `"after": ["g"]`)),
		"told f of a", "destroy a", "destroy f", "create f", "create g", "create h")
	require.Contains(t, e.snapshot(), `"after": [ { "$ref": "f" } ]`)
}

const holders = classes + `
export class Keeper extends Node { static properties = { keeps: { type: ["Node"], usage: "inout", default: [] } }; declare keeps: Node[]; }
export class Holder extends Keeper { gone(o: Node) { log("told", this.$id, "of", o.$id); this.keeps = [o]; } }
export class Releaser extends Keeper { gone(o: Node) { log("told", this.$id, "of", o.$id); this.keeps = this.keeps.filter((x) => x !== o); } }
`

// gc 1.2, P9: what refers to an object that was destroyed does not refer to the one that the model makes under its
// id: of another class, that one cannot be made.
func TestReferenceToReplacedObject(t *testing.T) {
	e := newEnv(t, holders)
	e.must(apps(node("a"), object("Keeper", "b", `"keeps": ["a"]`)), "create a", "create b")
	for range 2 {
		_, err := e.deploy(apps(object("Other", "a"), object("Keeper", "b")))
		require.ErrorContains(t, err, "replace: app/Node a: a new object of that id cannot be made while app/Keeper b refers to the destroyed one: "+
			"give the new object another id, or let the reference go first, in a handler, in loaded(), or by a deployment without a")
		require.NotContains(t, e.log, "create a")
		require.Equal(t, true, entryOf(t, e.snapshot(), "a")["?"].(map[string]any)["destroyed"])
		require.Contains(t, e.snapshot(), `"keeps": [ { "$ref": "a" } ]`)
	}
	e.must(apps(object("Keeper", "b")))
	r := e.must(apps(object("Other", "a"), object("Keeper", "b", `"keeps": ["a"]`)), "create a") // the model says which one it means
	require.Equal(t, []string{"a"}, ids(r.Created))
	require.NotContains(t, e.snapshot(), "destroyed")

	e = newEnv(t, holders)
	e.must(apps(node("a"), object("Releaser", "b", `"after": ["a"]`, `"keeps": ["a"]`)), "create a", "create b")
	e.must(apps(object("Other", "a"), object("Releaser", "b", `"after": ["a"]`)), "told b of a", "destroy a", "create a")
	require.Contains(t, e.snapshot(), `"keeps": []`)
}

// gc 6.3, 1.2: an object that failed to die, was kept by a handler, and dies when the model has it again: it is a
// tombstone then, like one that died at once, and a warning says that no new one is made.
func TestReferenceToDoomedObject(t *testing.T) {
	e := newEnv(t, holders)
	both := apps(object("Holder", "b", `"after": [`+node("a")+`]`))
	e.must(both, "create b")
	e.fails["a"] = true
	_, err := e.deploy(apps(object("Holder", "b")))
	require.ErrorIs(t, err, sexton.ErrIncomplete)
	e.fails["a"] = false
	for i, log := range [][]string{{"destroy a"}, nil} {
		r := e.must(both, log...)
		require.Equal(t, []string{"app/Node a of the model was destroyed, is still referred to, and so stays destroyed; give a new object another id"}, r.Warnings, i)
		require.Contains(t, e.snapshot(), `"keeps": [ { "$ref": "a" } ]`)
	}
	e.must(apps(object("Holder", "b", `"keeps": []`)))
	r := e.must(both)
	require.Empty(t, r.Warnings)
	require.Equal(t, []string{"a"}, ids(r.Created))
}
