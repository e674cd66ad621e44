package sexton_test

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// hiding is a package whose Web keeps a Part where it cannot be saved, in one of several ways.
const hiding = `
-- package.json --
{"name": "app", "version": "1.0.0"}
-- index.ts --
import { Resource, GC } from "sexton";
import { log } from "test/log";
import * as mode from "test/mode";
class Box { #inside: any; constructor(inside: any) { this.#inside = inside; } }
export class Part extends Resource {
	destroy() { log("destroy", this.$id); }
}
export class Web extends Resource {
	static properties = {
		config: { type: "any", usage: "out", optional: true },
		part: { type: "Part", usage: "out", optional: true },
		other: { type: "Part", usage: "out", optional: true },
	};
	declare config: any; declare part: any; declare other: any;
	hide() {
		const part = this.part;
		this.part = undefined;
		if (mode.fails("plain")) this.config = { part, handlers: [1, 2, () => {}] };
		if (mode.fails("instance")) this.config = new Box(part);
		if (mode.fails("function")) this.config = () => part;
	}
	deploy() {
		this.part ??= new Part({}, this, { id: "part" });
		this.other = mode.fails("drop") ? undefined : this.other ?? new Part({}, this, { id: "other" });
		if (this.other) GC.subscribeDestruction(this.other, this, "gone");
		if (mode.fails("deploy")) this.hide();
	}
	gone() { if (mode.fails("handler")) this.hide(); }
}
-- hooks/post-deploy.ts --
import * as mode from "test/mode";
export default (root: any) => { if (mode.fails("hook")) root.applications[0].hide(); };
`

// P1, P2: a value that cannot be saved leads to an object. The deployment ends with an error that says which value of
// which object that is, and destroys nothing that the value leads to.
func TestWhatCannotBeSavedKeepsObjects(t *testing.T) {
	texts := map[string]string{
		"plain":    "Web web: property config.handlers[2]: a function cannot be saved",
		"instance": "Web web: property config: an instance of Box cannot be saved",
		"function": "Web web: property config: a function cannot be saved",
	}
	model := apps(object("Web", "web"))
	for how, text := range texts {
		for _, when := range []string{"deploy", "hook", "handler"} {
			e := newEnv(t, hiding)
			e.must(model)
			e.fails = map[string]bool{how: true, when: true, "drop": when == "handler"}
			_, err := e.deploy(model)
			require.ErrorContains(t, err, "save: "+text, when)
			require.NotContains(t, e.log, "destroy part", "%s, %s", how, when)
			require.Equal(t, map[string]any{"id": "part", "type": "app/Part", "version": "1.0.0", "owner": "web", "incarnation": 3.0},
				entryOf(t, e.snapshot(), "part")["?"], "%s, %s", how, when)

			// What moved to where it cannot be saved is still where it was.
			e.fails = nil
			_, err = e.deploy(model)
			require.NoError(t, err)
			require.NotContains(t, e.log, "destroy part", "%s, %s", how, when)
			require.Equal(t, map[string]any{"$ref": "part"}, entryOf(t, e.snapshot(), "web")["part"], "%s, %s", how, when)
		}
	}
}

// A property that cannot be saved keeps its last value, and with it what that leads to, in later deployments too.
func TestWhatCannotBeSavedKeepsItsLastValue(t *testing.T) {
	e := newEnv(t, hiding, `
-- hooks/post-deploy.ts --
import * as mode from "test/mode";
export default (root: any) => {
	const web = root.applications[0];
	if (mode.fails("save")) { web.config = { part: web.part }; web.part = undefined; }
	if (mode.fails("spoil")) web.config = { f() {} };
	if (mode.fails("restore")) { web.part = web.config.part; web.config = undefined; }
};
-- index.ts --
import { Resource } from "sexton";
import { log } from "test/log";
export class Part extends Resource { destroy() { log("destroy", this.$id); } }
export class Web extends Resource {
	static properties = { config: { type: "any", usage: "out", optional: true }, part: { type: "Part", usage: "out", optional: true } };
	declare part: any; declare config: any;
	deploy() { if (!this.config) this.part ??= new Part({}, this, { id: "part" }); }
}
`)
	model := apps(object("Web", "web"))
	e.fails["save"] = true
	e.must(model)
	e.fails = map[string]bool{"spoil": true}
	for range 2 {
		_, err := e.deploy(model)
		require.ErrorContains(t, err, "save: Web web: property config.f: a function cannot be saved")
		require.Empty(t, e.log)
		require.Contains(t, e.snapshot(), `"config": { "part": { "$ref": "part" } }`)
	}
	e.fails = map[string]bool{"restore": true}
	e.must(model)
	require.Contains(t, e.snapshot(), `"part": { "$ref": "part" }`)
	e.fails = nil
	e.must(apps(), "destroy part")
}
