package sexton_test

import (
	"context"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/sextongc/sexton"
	"github.com/sextongc/sexton/runtime"
)

// script is an index.ts with a root class App, whose members are given, and a class Thing.
func script(members string) string {
	return `
-- package.json --
{"name": "app"}
-- index.ts --
import { Resource, Environment, GC } from "sexton";
import { exec } from "sexton/process";
import { writeFile } from "sexton/fs";
import { log } from "test/log";
import * as mode from "test/mode";
export class Thing extends Resource {
	static properties = { n: { type: "number", optional: true }, to: { type: "Thing", usage: "out", optional: true } };
	declare n?: number; declare to?: Thing;
	told(o: Thing) { log("told", this.$id, "of", o.$id); }
	destroy() { log("destroy", this.$id); if (mode.fails(this.$id)) throw new Error(this.$id + " resists"); }
}
export class App extends Environment {
	static properties = { things: { type: ["Thing"], usage: "out", default: [] }, size: { type: "number", default: 1 } };
	declare things: Thing[]; declare size: number;
	make(id: string) { const t = new Thing({}, this, { id }); log("create", id); return t; }
` + members + `
}
`
}

const app = `{"?": {"type": "App", "id": "root"}}`

const hooks = `
-- hooks/pre-deploy.ts --
import { GC } from "sexton";
import { log } from "test/log";
import { App } from "../index.ts";
export default async function (env: any) {
	log("pre", env.$id, env instanceof App);
	let t = env.make("pre"); t = null;
	log("collected", (await GC.collect()).destroyed);
}
-- hooks/post-deploy.js --
import { log } from "test/log";
export default (env) => { log("post", env.things.length); env.things.push(env.make("post")); };
`

// Hooks run before and after deploy(), with the classes of the package, and may collect.
func TestHooks(t *testing.T) {
	e := newEnv(t, script(`deploy() { log("deploy"); this.things.push(this.make("a")); this.make("b"); }`), hooks)
	e.must(app, "pre root true", "create pre", "destroy pre", "collected 1", "deploy", "create a", "create b",
		"post 1", "create post", "destroy b")
	require.Contains(t, e.snapshot(), `"things": [ { "$ref": "a" }, { "$ref": "post" } ]`)
}

func TestHookFails(t *testing.T) {
	for _, c := range []struct{ name, hook, text string }{
		{"throws", `export default () => { throw new Error("no") }`, "Error: no"},
		{"rejects", `export default async () => { await null; throw new Error("no") }`, "Error: no"},
		{"no default export", `export const x = 1`, "it has no default export that is a function"},
		{"default is no function", `export default 7`, "it has no default export that is a function"},
		{"unhandled", `export default () => { Promise.reject(new Error("no")) ; return new Promise((r) => setTimeout(r, 1)) }`, "unhandled rejection: Error: no"},
		{"waits for ever", `export default () => new Promise(() => {})`, runtime.ErrDeadlock.Error()},
	} {
		for _, when := range []string{"pre", "post"} {
			t.Run(c.name+" "+when, func(t *testing.T) {
				e := newEnv(t, script(`deploy() { log("deploy"); this.make("a"); }`), "-- hooks/"+when+"-deploy.ts --\n"+c.hook+"\n")
				r, err := e.deploy(app)
				require.ErrorContains(t, err, when+"-deploy hook: "+c.text)
				var phase *sexton.PhaseError
				require.ErrorAs(t, err, &phase)
				require.Equal(t, when+"-deploy hook", phase.Phase)
				require.Equal(t, when == "post", len(e.log) > 0)
				require.Empty(t, r.Destroyed) // a failed deployment destroys nothing more
				e.write("-- hooks/" + when + "-deploy.ts --\nexport default () => {};\n")
				_, err = e.deploy(app)
				require.NoError(t, err)
				require.NotContains(t, e.snapshot(), "Thing")
			})
		}
	}
}

// P1: what a deployment that fails has created is in the state, and destroyed by the next one.
func TestDeployFailsHalfway(t *testing.T) {
	for _, c := range []struct{ name, ending, text string }{
		{"throws", `throw new Error("halfway")`, "deploy: App root: Error: halfway"},
		{"rejects", `return Promise.reject(new Error("halfway"))`, "deploy: App root: Error: halfway"},
		{"unhandled rejection", `Promise.reject(new Error("halfway")); return new Promise((r) => setTimeout(r, 1))`, "deploy: unhandled rejection: Error: halfway"},
		{"waits for what nothing settles", `return new Promise(() => {})`, "deploy: App root: " + runtime.ErrDeadlock.Error()},
		{"loops", `for (;;);`, "time limit exceeded"},
		{"takes too long", `return new Promise((r) => setTimeout(r, 1e8))`, "time limit exceeded"},
	} {
		t.Run(c.name, func(t *testing.T) {
			e := newEnv(t, script(`deploy(): any {
				this.things.push(this.make("held"));
				let local = this.make("local");
				GC.subscribeDestruction(local, this.things[0], "told");
				if (mode.fails("deploy")) { `+c.ending+` }
			}`))
			e.fails["deploy"] = true
			if c.text == "time limit exceeded" {
				e.opts.Settings.DeployTimeout = 20 * time.Millisecond
			}
			r, err := e.deploy(app)
			if c.text == "time limit exceeded" {
				require.ErrorIs(t, err, runtime.ErrTimeLimit)
			} else {
				require.ErrorContains(t, err, c.text)
			}
			require.Equal(t, []string{"create held", "create local"}, e.log)
			require.Equal(t, []string{"root", "held", "local"}, ids(r.Created))
			require.Contains(t, e.snapshot(), `"id": "local"`)
			e.write(script(`deploy() { log("deploy"); }`))
			r = e.must(app, "told held of local", "destroy local", "deploy")
			require.Equal(t, []string{"local"}, ids(r.Destroyed))
			e.must(empty, "destroy held")
		})
	}
}

// A collection inside of deploy() whose destroy() waits for what nothing settles fails at once as well.
func TestDestroyWaitsForEver(t *testing.T) {
	e := newEnv(t)
	e.write(script(`async deploy() {
		let s: any = new Stuck({}, this, { id: "s" }); s = null;
		const r = await GC.collect();
		log(r.failed[0].error);
	}`) + `
export class Stuck extends Resource { destroy() { return new Promise(() => {}); } }
`)
	r, err := e.deploy(app)
	require.ErrorIs(t, err, sexton.ErrIncomplete)
	require.Equal(t, []string{"destroy of Stuck: " + runtime.ErrDeadlock.Error()}, e.log)
	require.Equal(t, "s", r.Failed[0].ID)
	require.Contains(t, e.snapshot(), `"id": "s", "type": "app/Stuck", "owner": "root", "incarnation": 2, "doomed": true, "failure": `)
}

// js-api: deploy() ends when its promise settles. Timers are cancelled, effects are awaited before gc 2.4.
func TestWhatDeployLeaves(t *testing.T) {
	e := newEnv(t, script(`deploy() {
		setTimeout(() => log("never"), 0);
		setInterval(() => log("never"), 1);
		const t = this.make("waits");
		writeFile("out.txt", "x").then(() => { log("written"); this.things = [t]; });
		this.make("b");
	}`))
	e.opts.Permissions = sexton.Permissions{Write: []string{e.dir}}
	var events []string
	e.opts.Observe = func(ev sexton.Event) {
		if ev.Kind == "warning" {
			events = append(events, ev.Text)
		}
	}
	r := e.must(app, "create waits", "create b", "written", "destroy b")
	require.Equal(t, []string{"deploy() ended with 2 timers set; they are cancelled"}, r.Warnings)
	require.Equal(t, r.Warnings, events)
	require.Contains(t, e.snapshot(), `"waits"`)
}

// P10: nor does it wait for ever for effects.
func TestDeployLeavesLongEffect(t *testing.T) {
	if _, err := exec.LookPath("sleep"); err != nil {
		t.Skip("no sleep")
	}
	e := newEnv(t, script(`deploy() { exec("sleep", ["1000"]); this.make("a"); }`))
	e.opts.Permissions = sexton.Permissions{Run: []string{"sleep"}}
	e.opts.Settings.DeployTimeout = 20 * time.Millisecond
	_, err := e.deploy(app)
	require.ErrorIs(t, err, runtime.ErrTimeLimit)
	require.ErrorContains(t, err, "deploy() ended: effects that the script did not await")
	require.Contains(t, e.snapshot(), `"id": "a"`)
}

// gc 5.8: what is cancelled saves what it did, and the next deployment finishes it.
func TestInterrupted(t *testing.T) {
	e := newEnv(t, classes)
	e.must(apps(node("a"), node("b", `"after": ["a"]`), node("c", `"after": ["b"]`)), "create a", "create b", "create c")
	ctx, cancel := context.WithCancel(context.Background())
	e.hook = func(line string) {
		if line == "destroy b" {
			cancel()
		}
	}
	r, err := e.deployWith(ctx, context.Background(), apps(node("d")))
	require.ErrorIs(t, err, sexton.ErrInterrupted)
	require.True(t, r.Interrupted)
	require.Equal(t, []string{"told c of b", "told b of a", "destroy a", "destroy b"}, e.log)
	require.Contains(t, e.snapshot(), `"id": "c", "type": "app/Node", "version": "1.0.0", "owner": "root", "incarnation": 4, "doomed": true }`)
	e.hook = nil
	e.must(apps(node("d")), "destroy c", "create d")
	require.NotContains(t, e.snapshot(), `"doomed"`)
}

// gc 5.8: a deployment that is cancelled while a script runs lets that finish, starts nothing after it, and says so.
func TestInterruptedScript(t *testing.T) {
	for _, at := range []string{"pre", "deploy", "post"} {
		t.Run(at, func(t *testing.T) {
			e := newEnv(t, script(`
				async deploy() {
					log("deploy");
					await undefined;
					if (this.things.length === 0) { log("make"); this.things.push(this.make("a")); }
					this.things = mode.fails("drop") ? [] : this.things;
				}
			`), `
-- hooks/pre-deploy.js --
import { log } from "test/log";
export default () => log("pre");
-- hooks/post-deploy.js --
import { log } from "test/log";
export default () => log("post");
`)
			e.must(app, "pre", "deploy", "make", "create a", "post")
			e.fails["drop"] = true
			ctx, cancel := context.WithCancel(context.Background())
			e.hook = func(line string) {
				if line == at {
					cancel()
				}
			}
			r, err := e.deployWith(ctx, context.Background(), app)
			require.ErrorIs(t, err, sexton.ErrInterrupted)
			require.True(t, r.Interrupted)
			require.Equal(t, at, e.log[len(e.log)-1])
			require.Contains(t, e.snapshot(), `"id": "a"`, "the next deployment finds it")
			e.hook = nil
			r, err = e.deploy(app)
			require.NoError(t, err)
			require.Contains(t, e.log, "destroy a")
			require.Contains(t, ids(r.Destroyed), "a")
		})
	}
}

// A kill saves nothing; the journal has what was done, whatever was running.
func TestKilled(t *testing.T) {
	e := newEnv(t, script(`
		async deploy() {
			this.things.push(this.make("a"), this.make("b"));
			GC.subscribeDestruction(this.things[0], this.things[1], "told");
			log("waiting");
			if (mode.fails("loop")) for (;;);
			if (mode.fails("wait")) await new Promise((r) => setTimeout(r, 1e8));
			if (mode.fails("collect")) { this.things.shift(); await GC.collect(); }
		}
	`))
	for _, c := range []struct {
		at, how string
		next    []string // of the deployment that destroys everything
	}{
		{"waiting", "loop", nil},
		{"waiting", "wait", nil},
		{"destroy a", "collect", []string{"destroy a", "destroy b"}},
	} {
		ctx, kill := context.WithCancel(context.Background())
		e.hook = func(line string) {
			if line == c.at {
				kill()
			}
		}
		e.fails = map[string]bool{c.how: true}
		_, err := e.deployWith(context.Background(), ctx, app)
		require.ErrorIs(t, err, context.Canceled, c.how)
		require.ErrorIs(t, err, sexton.ErrInterrupted, c.how)
		require.Equal(t, c.how == "collect", strings.Contains(e.snapshot(), `"a"`), c.how)
		e.hook, e.fails = nil, map[string]bool{}
		e.must(empty, c.next...)
	}
}
