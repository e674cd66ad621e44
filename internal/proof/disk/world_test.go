package disk

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/dop251/goja"
	"github.com/stretchr/testify/require"

	"github.com/sextongc/sexton"
	"github.com/sextongc/sexton/internal/hook"
	"github.com/sextongc/sexton/internal/state"
	"github.com/sextongc/sexton/internal/state/simdisk"
	"github.com/sextongc/sexton/runtime"
)

// classes is the package that is deployed. Each object makes one thing outside, of its size; some make
// parts, some drop what they made, some hold on to what goes.
const classes = `
import { Resource, GC } from "sexton";
import { log, fails, make, unmake } from "outside";
const nodes = { type: ["Node"], default: [] }, out = { type: ["Node"], usage: "out", default: [] };
export class Node extends Resource {
	static properties = {
		nodes, after: nodes, parts: out, held: out,
		size: { type: "integer", default: 0 },
		want: { type: "integer", default: 0 },
		holds: { type: "boolean", default: false },
		made: { type: "integer", usage: "out", default: -1 },
	};
	constructor(properties, owner, options) {
		super(properties, owner, options);
		for (const o of this.after) GC.subscribeDestruction(o, this, "gone");
	}
	gone(o) {
		log("told", o, GC.token(o), this.$id, GC.token(this));
		if (this.holds) this.held.push(o);
	}
	async deploy() {
		log("live", this, GC.token(this));
		if (this.made !== this.size) {
			await make({ size: this.size }, { of: this });
			this.made = this.size;
		}
		this.parts = this.parts.slice(0, this.want);
		while (this.parts.length < this.want) this.parts.push(new Node({}, this, { id: this.$id + "-" + this.parts.length }));
		if (this.want > 1) {
			let dropped = new Node({ after: this.parts }, this, { id: this.$id + "-dropped" });
			await dropped.deploy();
			dropped = null;
			await GC.collect();
		}
		await this.all([...this.nodes, ...this.parts]);
		if (fails("deploy", this.$id)) throw new Error(this.$id + " trips");
	}
	async all(objects) { for (const o of objects) await o.deploy(); }
	recover(effects) {
		for (const e of effects) {
			log("recover", this, e.token);
			if (e.op === "outside.make" && e.outcome?.result) this.made = e.args.size;
		}
	}
	async destroy() {
		log("destroy", this, GC.token(this));
		await unmake(null, { of: this });
		if (fails("destroy", this.$id)) throw new Error(this.$id + " resists");
	}
}
export class Other extends Node {}
export class Crowd extends Node {
	async all(objects) { await Promise.all(objects.map((o) => o.deploy())); }
}
export class Forgetful extends Node {
	recover() {} // makes everything once more
}
`

// line is an entry of the ledger.
type line struct {
	verb  string // make, unmake, live, destroy, recover, told (that the object goes)
	id    string
	token string
	at    int    // operations of the disk before it
	by    string // told: the token of whom; make: what
}

func (l line) String() string { return fmt.Sprintf("%s %s %.6s @%d", l.verb, l.id, l.token, l.at) }

// world is a package and the outside that its objects make things in.
type world struct {
	opts sexton.Options
	kept sexton.Options // with a session that stays loaded

	mu    sync.Mutex
	now   func() int // how many operations the disk has behind it
	lines []line
	fails []string // "destroy a"
}

func newWorld(t *testing.T, settings sexton.Settings) *world {
	t.Helper()
	dir := t.TempDir()
	for name, text := range map[string]string{"package.json": `{"name": "app", "version": "1.0.0", "main": "index.js"}`, "index.js": classes} {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600))
	}
	w := &world{}
	w.opts = sexton.Options{Dir: dir, State: stateDir, Settings: settings, Extensions: []*runtime.Extension{w.outside()}, Seed: 1}
	w.kept = w.opts
	w.kept.Clock = still()
	session := hook.KeepSession(&w.kept)
	t.Cleanup(func() {
		if s, ok := session().(*sexton.Session); ok && s != nil {
			require.NoError(t, s.Close())
		}
	})
	return w
}

// stateDir is on the simulated disk.
const stateDir = "/state"

func (w *world) add(verb, id, token, by string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.lines = append(w.lines, line{verb: verb, id: id, token: token, by: by, at: w.now()})
}

func (w *world) outside() *runtime.Extension {
	effect := func(verb string) runtime.Effect {
		return func(_ context.Context, call *runtime.EffectCall) (any, error) {
			w.add(verb, call.Object, call.Token, string(call.Argument))
			return "done", nil
		}
	}
	return &runtime.Extension{
		Name: "outside", Exports: []string{"log", "fails", "make", "unmake"},
		Effects: map[string]runtime.Effect{"make": effect("make"), "unmake": effect("unmake")},
		Open: func(rt *runtime.Runtime) (*runtime.Module, error) {
			log := rt.Func("log", func(c goja.FunctionCall) goja.Value {
				id := c.Argument(1).(*goja.Object).Get("$id").String()
				w.add(c.Argument(0).String(), id, c.Argument(2).String(), c.Argument(4).String())
				return goja.Undefined()
			})
			fails := rt.Func("fails", func(c goja.FunctionCall) goja.Value {
				return rt.Goja().ToValue(slices.Contains(w.fails, c.Argument(0).String()+" "+c.Argument(1).String()))
			})
			return &runtime.Module{Exports: map[string]goja.Value{"log": log, "fails": fails}}, nil
		},
	}
}

// on is the environment with its state on a disk.
func on(t *testing.T, opts sexton.Options, disk state.FS) *sexton.Environment {
	t.Helper()
	hook.WithFS(&opts, disk)
	env, err := sexton.Open(&opts)
	require.NoError(t, err)
	return env
}

// deploy does a step on a disk, in a process of its own, and returns what the ledger got.
func (w *world) deploy(t *testing.T, disk *simdisk.Disk, s step) ([]line, *sexton.Report, error) {
	t.Helper()
	opts := w.opts
	opts.Clock = still()
	return w.deployIn(t, opts, disk, s)
}

// still is a clock that stands, so that the same deployment is the same bytes.
func still() runtime.Clock { return runtime.NewVirtualClock(time.Unix(1e9, 0)) }

// redeploy does the same without the failures of the step, in a session that is loaded already.
func (w *world) redeploy(t *testing.T, disk *simdisk.Disk, s step) ([]line, *sexton.Report, error) {
	t.Helper()
	s.fails = nil
	return w.deployIn(t, w.kept, disk, s)
}

func (w *world) deployIn(t *testing.T, opts sexton.Options, disk *simdisk.Disk, s step) ([]line, *sexton.Report, error) {
	t.Helper()
	env := on(t, opts, disk)
	w.now, w.lines, w.fails = disk.Operations, nil, s.fails
	ctx := context.Background()
	if s.destroys() {
		report, err := env.Destroy(ctx, ctx)
		return w.lines, report, err
	}
	report, err := env.Deploy(ctx, ctx, &sexton.Model{Data: []byte(s.json()), File: "model.json"})
	return w.lines, report, err
}

// standing returns what stands outside, by token.
func standing(ledger []line) map[string]string {
	things := map[string]string{}
	for _, l := range ledger {
		switch l.verb {
		case "make":
			things[l.token] = l.id
		case "unmake":
			delete(things, l.token)
		}
	}
	return things
}

// tokenOf is GC.token, written down a second time.
func tokenOf(key, id string, incarnation uint64) string {
	h := sha256.New()
	for _, part := range []string{key, id, strconv.FormatUint(incarnation, 10)} {
		fmt.Fprintf(h, "%d:%s,", len(part), part)
	}
	return base64.RawURLEncoding.EncodeToString(h.Sum(nil)[:18])
}

func texts(ledger []line) string {
	out := make([]string, len(ledger))
	for i, l := range ledger {
		out[i] = l.String()
	}
	return strings.Join(out, ", ")
}
