package sexton_test

import (
	"context"
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sextongc/sexton"
)

const loadedClasses = `
-- package.json --
{"name": "app"}
-- index.ts --
import { Resource, GC } from "sexton";
import { log } from "test/log";
export class Base extends Resource {
	static properties = { to: { type: "Base", optional: true }, made: { type: ["Base"], usage: "out", default: [] } };
	declare to?: Base; declare made: Base[]; helper: any;
	constructor(p: any, owner: any, options: any) {
		super(p, owner, options);
		log("constructor", this.$id, this.to?.$id ?? "-", this.to?.helper ? "neighbour is ready" : "");
		if (this.$type.endsWith("Maker")) {
			this.helper = new Base({}, this, { id: "helper" });
			new Base({}, this, { id: "spare" });
		}
	}
	destroy() { log("destroy", this.$id); }
}
export class Maker extends Base {
	async loaded() {
		await null;
		log("loaded", this.$id, this.to!.$id);
		this.made = [this.helper];
		this.helper = null;
	}
}
export class Plain extends Base {}
`

// gc 6.7, js-api: loaded() runs once after the whole graph; what constructors make is dropped unless
// loaded() keeps it. gc 6.6: plan and snapshot do not run it.
func TestLoaded(t *testing.T) {
	e := newEnv(t, loadedClasses)
	model := apps(object("Maker", "m", `"to": "p"`), object("Plain", "p"))
	constructors := []string{"constructor m p ", "constructor helper - ", "constructor spare - ", "constructor p - "}
	e.log = nil
	p, err := e.open().Plan(context.Background(), &sexton.Model{Data: []byte(model)})
	require.NoError(t, err)
	require.Equal(t, []string{"root", "m", "p"}, ids(p.Create))
	require.Equal(t, constructors, e.log)

	r := e.must(model, append(constructors, "loaded m p")...)
	require.Equal(t, []string{"root", "m", "helper", "p"}, sorted(ids(r.Created), "root", "m", "helper", "p"))
	require.NotContains(t, e.snapshot(), "spare")
	require.Contains(t, e.snapshot(), `"made": [ { "$ref": "helper" } ]`)
	e.log = nil
	e.snapshot()
	require.Empty(t, e.log)
}

// sorted returns list in the order of names, where it has the same members.
func sorted(list []string, names ...string) []string {
	in := map[string]bool{}
	for _, s := range list {
		in[s] = true
	}
	for _, n := range names {
		if !in[n] || len(in) != len(names) {
			return list
		}
	}
	return names
}

// P1: what loaded() has made when it fails is not forgotten.
func TestLoadedFails(t *testing.T) {
	e := newEnv(t, script(`
		loaded(): any {
			if (mode.fails("loaded")) {
				const t = this.make("a");
				t.to = t;
				if (mode.fails("reject")) Promise.reject(new Error("no")); else throw new Error("no");
			}
		}
		deploy() { log("deploy"); }`))
	for _, how := range []string{"throw", "reject"} {
		e.fails = map[string]bool{"loaded": true, how: true}
		_, err := e.deploy(app)
		require.ErrorContains(t, err, "loaded(): ")
		require.ErrorContains(t, err, "Error: no")
		require.Equal(t, []string{"create a"}, e.log)
		require.Contains(t, e.snapshot(), `"id": "a"`)
		e.fails = map[string]bool{}
		e.must(app, "destroy a", "deploy")
	}
}

// gc 6.7: constructors make no effects and no collections while the environment is loaded.
func TestConstructorsWhileLoading(t *testing.T) {
	for source, text := range map[string]string{
		`GC.collect()`:              "constructors cannot collect while the environment is loaded",
		`exec("true")`:              "constructors make no effects while the environment is loaded",
		`GC.plan()`:                 "constructors cannot plan while the environment is loaded",
		`(this as any).destroy?.()`: "only the collector runs it",
	} {
		e := newEnv(t, script(`constructor(p: any, o: any, x: any) { super(p, o, x); `+source+`; }`))
		_, err := e.deploy(app)
		if source == `exec("true")` { // it rejects
			require.ErrorContains(t, err, text)
			continue
		}
		require.NotErrorIs(t, err, sexton.ErrBroken, "it is new: there is nothing to restore")
		require.ErrorContains(t, err, text)
		require.ErrorContains(t, err, "load: App root: ")
	}
}

// entryOf returns an object as it stands in a snapshot, without its header.
func entryOf(t *testing.T, snapshot, id string) map[string]any {
	t.Helper()
	var s struct{ Objects []map[string]any }
	require.NoError(t, json.Unmarshal([]byte(snapshot), &s))
	for _, o := range s.Objects {
		if o["?"].(map[string]any)["id"] == id {
			return o
		}
	}
	return nil
}

// gc 5.4: an object that cannot be restored is kept as it is. A model that contains it is not deployed;
// one that does not destroys what need not wait for it, and repairing the class resolves it.
func TestBrokenObjects(t *testing.T) {
	const first = `
-- package.json --
{"name": "app", "version": "1.0.0"}
-- index.ts --
import { Resource, GC } from "sexton";
import { log } from "test/log";
export class Thing extends Resource {
	static properties = { value: { type: "any", optional: true }, before: { type: ["Thing"], default: [] } };
	declare before: Thing[];
	constructor(p: any, o: any, x: any) { super(p, o, x); for (const b of this.before) GC.subscribeDestruction(b, this); }
	destroy() { log("destroy", this.$id); }
}
`
	const rest = `
export class Thing extends Resource {
	static properties = { value: { type: "any", optional: true }, before: { type: ["Thing"], default: [] } };
	destroy() { log("destroy", this.$id); }
}
`
	model := func(objects ...string) string { return apps(append(objects, object("Thing", "free"))...) }
	both := model(object("Sick", "s", `"before": ["b"]`, `"value": {"deep": [1, {"x": "y"}]}`), object("Thing", "b"), object("Thing", "z", `"before": ["s"]`))
	for _, c := range []struct{ name, index, text string }{
		{"the class is missing", `export {};`, "Sick"},
		{"the constructor throws", `export class Sick extends Thing { constructor(p: any, o: any, x: any) { super(p, o, x); throw new Error("ill"); } }`, "Error: ill"},
		{"a value no longer fits", `export class Sick extends Thing { static properties = { value: { type: "string", optional: true } }; }`, "value: expected string"},
		{"a property is gone", `export class Sick extends Resource { static properties = { before: { type: ["Thing"], default: [] } }; }`, "value: the class has no such property any more"},
	} {
		t.Run(c.name, func(t *testing.T) {
			e := newEnv(t, first)
			e.write("-- index.ts --\nimport { Resource } from \"sexton\";\nimport { log } from \"test/log\";\nimport * as x from \"./first.ts\";\nexport const Thing = x.Thing; export class Sick extends x.Thing {}\n-- first.ts --\n" + first[len("\n-- package.json --\n{\"name\": \"app\", \"version\": \"1.0.0\"}\n-- index.ts --\n"):])
			healthy := e.read("index.ts")
			e.must(both)
			before := e.snapshot()

			e.write("-- index.ts --\nimport { Resource } from \"sexton\";\nimport * as x from \"./first.ts\";\nconst Thing = x.Thing; export { Thing };\n" + c.index + "\n")
			_, err := e.deploy(model(object("Thing", "b"), object("Thing", "z")))
			require.ErrorIs(t, err, sexton.ErrIncomplete)
			require.Empty(t, e.log)
			broken := entryOf(t, e.snapshot(), "s")
			want := entryOf(t, before, "s")
			head := broken["?"].(map[string]any)
			require.Equal(t, true, head["doomed"])
			require.Contains(t, head["failure"], c.text)
			delete(broken, "?")
			delete(want, "?")
			require.Equal(t, want, broken)

			// What comes after it waits for it; what does not goes.
			r, err := e.deploy(apps())
			require.ErrorIs(t, err, sexton.ErrIncomplete)
			require.ElementsMatch(t, []string{"destroy free", "destroy b"}, e.log)
			require.Len(t, r.Failed, 1)
			require.Equal(t, "s", r.Failed[0].ID)
			require.Len(t, r.Blocked, 1)
			require.Equal(t, "z", r.Blocked[0].ID)
			require.Equal(t, "s", r.Blocked[0].By)

			e.write("-- index.ts --\n" + healthy)
			e.must(apps(), "destroy s", "destroy z")
			require.NotContains(t, e.snapshot(), "Sick")
		})
	}

	// In the model it refuses the deployment, and nothing has changed.
	e := newEnv(t, first, "-- index.ts --\nimport { Resource } from \"sexton\";\nimport { log } from \"test/log\";\nexport class Sick extends Resource {\n"+
		"constructor(p: any, o: any, x: any) { super(p, o, x); if (log(\"made\") || (globalThis as any).ill) throw 1; } }"+rest)
	e.must(apps(object("Sick", "s"), object("Thing", "a")), "made")
	before := e.snapshot()
	e.write("-- index.ts --\nimport { Resource } from \"sexton\";\nimport { log } from \"test/log\";\nexport class Sick extends Resource { constructor(p: any, o: any, x: any) { super(p, o, x); throw new TypeError(\"ill\"); } }" + rest)
	for _, m := range []string{apps(object("Sick", "s"), object("Thing", "a")), apps(object("Sick", "s"))} {
		_, err := e.deploy(m)
		require.ErrorIs(t, err, sexton.ErrBroken)
		require.ErrorContains(t, err, "load: Sick s: ")
		require.ErrorContains(t, err, "TypeError: ill")
		require.Empty(t, e.log)
		require.Equal(t, before, e.snapshot())
	}
}

// gc 3.1 over 2.3: what constructors and loaded() made for an object that the model drops goes before it, also
// where the deployment that dropped it failed at it; what something that stays leads to is left alone (gc 2.7).
func TestMadeWhileLoadingGoesBeforeItsOwner(t *testing.T) {
	e := newEnv(t, `
-- package.json --
{"name": "app", "version": "1.0.0"}
-- index.ts --
import { Resource, GC } from "sexton";
import { log } from "test/log";
import * as mode from "test/mode";
const kept: any[] = [];
export class Part extends Resource {
	child?: Part;
	get label() { return this.$name ?? this.$id; }
	gone(o: Part) { log("told", this.label, "of", o.label); }
	destroy() {
		log("destroy", this.label);
		if (mode.fails(this.label)) throw new Error(this.label + " resists");
	}
}
export class Whole extends Part {
	constructor(p: any, o: any, x: any) {
		super(p, o, x);
		this.child = new Part({}, this, { name: "child of " + this.$id });
		new Part({}, this, { name: "nobody's" });
	}
	loaded() {
		this.child!.child = new Part({}, this.child, { name: "grandchild of " + this.$id });
		const other = this.child!.child!.child = new Part({}, null, { name: "neighbour of " + this.$id });
		GC.subscribeDestruction(other, this, "gone");
		kept.push(new Part({}, null, { name: "kept of " + this.$id }));
		if (mode.fails("to let go")) kept.push(this);
	}
}
`)
	dies := []string{"told w of neighbour of w", "destroy grandchild of w", "destroy neighbour of w", "destroy child of w", "destroy w"}
	const forgotten = "destroy kept of w" // it is in no property: gc 2.4
	_, err := e.deploy(apps(object("Whole", "w")))
	require.NoError(t, err)
	require.NotContains(t, e.log, "destroy w")
	e.must(apps(), append(dies, forgotten)...)
	require.NotContains(t, e.snapshot(), "Part")

	_, err = e.deploy(apps(object("Whole", "w")))
	require.NoError(t, err)
	e.fails["w"] = true
	_, err = e.deploy(apps())
	require.ErrorIs(t, err, sexton.ErrIncomplete)
	e.fails["w"] = false
	e.must(apps(), append(dies, forgotten)...)
	require.NotContains(t, e.snapshot(), "Part")

	// Dropped is dropped, whatever leads to it, and so is what it owns.
	_, err = e.deploy(apps(object("Whole", "w")))
	require.NoError(t, err)
	e.fails["to let go"] = true
	e.must(apps(), "destroy grandchild of w", "destroy child of w", "destroy w", "destroy neighbour of w", forgotten)
	e.fails["to let go"] = false

	// Nothing is dropped: what nobody keeps goes after deploy(), as everything else.
	_, err = e.deploy(apps(object("Whole", "w")))
	require.NoError(t, err)
	e.must(apps(object("Whole", "w")), "told w of neighbour of w", "destroy grandchild of w", "destroy neighbour of w", forgotten, "destroy child of w")
}

// gc 6.7: what a constructor made and loaded() kept is an object like others from then on. A class that no longer makes
// it has it still, and when it lets go of it, destroy() runs.
func TestKeptChildIsNoLongerMade(t *testing.T) {
	source := func(constructor, loaded string) string {
		return `
-- package.json --
{"name": "app", "version": "1.0.0"}
-- index.ts --
import { Resource } from "sexton";
import { log } from "test/log";
export class Part extends Resource { destroy() { log("destroy", this.$name); } }
export class Maker extends Resource {
	static properties = { made: { type: ["Part"], usage: "out", default: [] } };
	declare made: Part[]; helper: any;
	constructor(p: any, o: any, x: any) { super(p, o, x); ` + constructor + ` }
	loaded() { ` + loaded + ` }
}
`
	}
	model := apps(object("Maker", "m"))
	make := `this.helper = new Part({}, this, { name: "first" }); new Part({}, this, { name: "dropped" });`
	e := newEnv(t, source(make, `if (!this.made.length) this.made = [this.helper]; this.helper = null;`))
	e.must(model)
	e.must(model) // the constructor makes another one, which loaded() does not keep
	before := e.snapshot()
	e.write(source("", ""))
	e.must(model)
	require.Equal(t, before, e.snapshot())
	e.write(source("", "this.made = [];"))
	e.must(model, "destroy first")
	require.NotContains(t, e.snapshot(), "Part")
}
