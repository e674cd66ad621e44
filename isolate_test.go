package sexton_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sextongc/sexton"
	"github.com/sextongc/sexton/runtime"
	"github.com/sextongc/sexton/serialize"
)

// TestMain makes the test binary a worker, too, and one that sends what no worker sends.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 {
		switch os.Args[1] {
		case "worker":
			if err := sexton.Worker(os.Stdin, os.Stdout, nil); err != nil {
				fmt.Fprintln(os.Stderr, err)
				os.Exit(1)
			}
			return
		case "noop-worker": // of BenchmarkIsolation
			noop := &runtime.Extension{Name: "test/noop", Exports: []string{"noop"}, Effects: map[string]runtime.Effect{
				"noop": func(context.Context, *runtime.EffectCall) (any, error) { return nil, nil },
			}}
			if err := sexton.Worker(os.Stdin, os.Stdout, []*runtime.Extension{noop}); err != nil {
				os.Exit(1)
			}
			return
		case "babble":
			fmt.Print("this is no frame")
			return
		case "silence":
			return
		case "linger":
			_ = sexton.Worker(os.Stdin, os.Stdout, nil)
			select {}
		}
	}
	os.Exit(m.Run())
}

// apart are classes that tell what happens to them through console, which works across processes.
const apart = `
-- package.json --
{"name": "app", "version": "1.0.0", "sexton": {"permissions": {"write": ["."]}}}
-- index.ts --
import { Resource, GC } from "sexton";
import { writeFile, rm } from "sexton/fs";
export class Item extends Resource {
	static properties = {
		after: { type: ["Item"], default: [] },
		does: { type: "string", default: "" },
		made: { type: "string", usage: "out", optional: true },
		heard: { type: ["string"], usage: "out", default: [] },
	};
	declare after: Item[]; declare does: string; declare made?: string; declare heard: string[];
	constructor(properties: any, owner?: any, options?: any) {
		super(properties, owner, options);
		for (const o of this.after) GC.subscribeDestruction(o, this, "gone");
	}
	gone(o: Item) { this.heard.push(o.$id); console.log("told", this.$id, o.$id); }
	async deploy() {
		if (!this.made) await writeFile(this.$id, GC.token(this));
		this.made = GC.token(this);
		switch (this.does) {
		case "throw": throw new TypeError("not like this", { cause: new Error("because") });
		case "spin": for (;;);
		case "allocate": return 1n << BigInt(2 ** 40) > 0n; // an operator, which nobody can guard
		case "hang": await new Promise(() => setTimeout(() => {}, 1e9));
		}
	}
	recover(effects: any[]) { console.warn("recover", this.$id, effects.map((e) => e.op + " " + (e.token === GC.token(this))).join()); }
	async destroy() {
		console.log("destroy", this.$id);
		if (this.does === "resist") throw new Error(this.$id + " resists");
		await rm(this.$id, { force: true });
	}
}
`

func newApart(t *testing.T, isolation sexton.Isolation) *env {
	e := newEnv(t, apart)
	self, err := os.Executable()
	require.NoError(t, err)
	e.opts.Extensions, e.opts.AllowPackage = nil, true
	e.opts.Isolation, e.opts.Worker = isolation, []string{self, "worker"}
	e.opts.Settings.Concurrency = 1 // what ends first is a matter of the disk
	e.opts.Observe = func(ev sexton.Event) {
		text := ev.Kind + " " + ev.Text
		for _, o := range []*sexton.Object{ev.Object, ev.Subscriber, ev.By} {
			if o != nil {
				text += " " + o.ID
			}
		}
		e.add(text + " " + ev.Handler + ev.Error)
	}
	return e
}

func item(id string, properties ...string) string { return object("Item", id, properties...) }

// secretsOf are the parts of a snapshot that are those of one environment.
var secretsOf = regexp.MustCompile(`"made": "[^"]*"|sha256:[0-9a-f]*`)

// The same deployments, in this process and in others: the same events in the same order, the same reports, the
// same snapshots.
func TestIsolatedDeploymentsAreTheSame(t *testing.T) {
	steps := []string{
		apps(item("a"), item("b", `"after": ["a"]`), item("c", `"after": ["b"], "does": "resist"`)),
		apps(item("b"), item("d", `"after": ["b"]`)),
		apps(item("d"), item("e", `"does": "throw"`)),
		apps(item("d"), item("e", `"does": 7`)),
		empty,
	}
	play := func(isolation sexton.Isolation) (log []string) {
		e := newApart(t, isolation)
		for _, model := range steps {
			r, err := e.deploy(model)
			log = append(log, e.log...)
			if err != nil {
				log = append(log, sexton.Detail(err))
			}
			if r != nil {
				r.Duration = 0
				log = append(log, fmt.Sprintf("%v %v %v %v %v %v %v %v", ids(r.Created), ids(r.Changed), ids(r.Kept), ids(r.Destroyed), r.Failed, r.Blocked, r.Notified, r.Warnings))
			}
			log = append(log, secretsOf.ReplaceAllString(e.snapshot(), "…"))
		}
		return log
	}
	want := play(sexton.IsolationNone)
	require.Greater(t, len(want), 50)
	require.Equal(t, want, play(sexton.IsolationProcess))
}

// What callers match errors with is there on this side, too.
func TestErrorsOfIsolatedScripts(t *testing.T) {
	e := newApart(t, sexton.IsolationProcess)
	_, err := e.deploy(apps(item("a", `"does": "throw"`)))
	var script *runtime.ScriptError
	require.ErrorAs(t, err, &script)
	require.Equal(t, "TypeError", script.Name)
	require.Contains(t, script.Detail(), "caused by Error: because")
	require.Equal(t, "index.ts", script.Stack[0].File)
	var phase *sexton.PhaseError
	require.ErrorAs(t, err, &phase)
	require.Equal(t, "deploy", phase.Phase)

	var document *serialize.Error
	_, err = e.deploy(apps(item("a", `"does": 7`)))
	require.ErrorAs(t, err, &document)
	require.Equal(t, "model.json", document.File)

	_, err = e.deploy(apps(item("r", `"does": "resist"`)))
	require.NoError(t, err)
	_, err = e.deploy(empty)
	require.ErrorIs(t, err, sexton.ErrIncomplete)

	e.write("-- index.ts --\nimport './nowhere';")
	_, err = e.deploy(empty)
	var build *runtime.BuildError
	require.ErrorAs(t, err, &build)
	require.Equal(t, 1, build.Line)
}

func TestConfirmationOfIsolatedDeployments(t *testing.T) {
	e := newApart(t, sexton.IsolationProcess)
	_, err := e.deploy(apps(item("a"), item("b")))
	require.NoError(t, err)
	refused := errors.New("not now")
	var asked *sexton.Plan
	e.opts.Confirm = func(_ context.Context, p *sexton.Plan) error { asked = p; return refused }
	_, err = e.deploy(apps(item("a")))
	require.ErrorIs(t, err, refused)
	require.Equal(t, "b", asked.Destroy[0].ID)
	e.opts.Confirm = func(context.Context, *sexton.Plan) error { return nil }
	r, err := e.deploy(apps(item("a")))
	require.NoError(t, err)
	require.Equal(t, []string{"b"}, ids(r.Destroyed))
}

var raceDetector bool // see race_test.go

// A worker that dies, of whatever, leaves what it did on record; the next deployment goes on.
func TestWorkerThatDies(t *testing.T) {
	if raceDetector {
		t.Skip("a process with the race detector that runs out of memory dies of that, and says something else")
	}
	e := newApart(t, sexton.IsolationProcess)
	_, err := e.deploy(apps(item("a"), item("b", `"does": "allocate"`)))
	var died *sexton.WorkerError
	require.ErrorAs(t, err, &died)
	require.Contains(t, died.Reason, "out of memory")
	require.ErrorIs(t, err, &sexton.LimitError{Limit: "memory"})
	require.FileExists(t, filepath.Join(e.dir, "b"))
	r, err := e.deploy(apps(item("a")))
	require.NoError(t, err)
	require.Contains(t, ids(r.Destroyed), "b")
	require.NoFileExists(t, filepath.Join(e.dir, "b"))
	records, err := e.open().History(-1)
	require.NoError(t, err)
	require.Len(t, records, 2)
}

// Cancelling and killing cross, with their causes. One that does not listen is killed.
func TestStoppingIsolatedDeployments(t *testing.T) {
	why := errors.New("the building is on fire")
	for _, does := range []string{"hang", "spin"} {
		e := newApart(t, sexton.IsolationProcess)
		kill, cancel := context.WithCancelCause(t.Context())
		e.hook = func(line string) {
			if line == "phase deploy " {
				cancel(why)
			}
		}
		_, err := e.deployWith(t.Context(), kill, apps(item("a", `"does": "`+does+`"`)))
		require.ErrorIs(t, err, sexton.ErrInterrupted)
		require.ErrorIs(t, err, why)
		e.hook = nil
		_, err = e.deploy(empty)
		require.NoError(t, err)
	}
	e := newApart(t, sexton.IsolationProcess)
	_, err := e.deploy(apps(item("a"), item("b"), item("c")))
	require.NoError(t, err)
	ctx, cancel := context.WithCancelCause(t.Context())
	e.hook = func(line string) {
		if strings.HasPrefix(line, "phase collect") {
			cancel(why)
		}
	}
	r, err := e.deployWith(ctx, t.Context(), empty)
	require.ErrorIs(t, err, sexton.ErrInterrupted)
	require.ErrorIs(t, err, why)
	require.True(t, r.Interrupted)
	e.hook = nil
	_, err = e.deploy(empty)
	require.NoError(t, err)
}

// A worker that has answered and does not end is killed, and has done its work all the same.
func TestLingeringWorker(t *testing.T) {
	if testing.Short() {
		t.Skip("it lingers for a second")
	}
	e := newApart(t, sexton.IsolationProcess)
	e.opts.Worker[1] = "linger"
	_, err := e.deploy(apps(item("a")))
	require.NoError(t, err)
}

// What is no worker is an error, and changes nothing.
func TestWrongWorkers(t *testing.T) {
	for command, problem := range map[string]string{
		"babble":       "no frame",
		"silence":      "ended",
		"-test.run=^$": "",
	} {
		e := newApart(t, sexton.IsolationProcess)
		e.opts.Worker[1] = command
		_, err := e.deploy(apps(item("a")))
		require.Error(t, err, command)
		require.ErrorContains(t, err, problem, command)
		require.Contains(t, e.snapshot(), `"objects": []`)
	}
	e := newApart(t, sexton.IsolationProcess)
	e.opts.Worker = []string{filepath.Join(e.dir, "nowhere")}
	_, err := e.deploy(apps(item("a")))
	require.ErrorContains(t, err, "start a worker")
}
