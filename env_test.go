package sexton_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dop251/goja"
	"github.com/rogpeppe/go-internal/txtar"
	"github.com/stretchr/testify/require"

	"github.com/sextongc/sexton"
	"github.com/sextongc/sexton/runtime"
)

// classes are what most tests deploy: a Node logs what happens to it.
const classes = `
-- package.json --
{"name": "app", "version": "1.0.0"}
-- index.ts --
import { Resource, GC } from "sexton";
import { log } from "test/log";
import * as mode from "test/mode";

export class Node extends Resource {
	static properties = {
		nodes: { type: ["Node"], default: [] },     // owned, or not
		after: { type: ["Node"], default: [] },     // told before these go
		size: { type: "number", default: 1 },
		zone: { type: "string", usage: "const", optional: true },
		made: { type: "string", usage: "out", optional: true },
		kept: { type: ["Node"], usage: "out", optional: true },
		note: { type: "string", usage: "inout", optional: true },
		rt: { usage: "runtime" },
	};
	declare nodes: Node[]; declare after: Node[]; declare size: number; declare made?: string; declare kept?: Node[]; declare note?: string; declare rt: any;
	constructor(properties: any, owner?: any, options?: any) {
		super(properties, owner, options);
		for (const o of this.after) GC.subscribeDestruction(o, this, "gone");
	}
	gone(o: Node) { log("told", this.$id, "of", o.$id); }
	async deploy() {
		if (!this.made) { this.made = "m-" + this.$id; log("create", this.$id); }
		for (const n of this.nodes) await n.deploy();
	}
	destroy() {
		log("destroy", this.$id);
		if (mode.fails(this.$id)) throw new Error(this.$id + " resists");
	}
}
export class Other extends Node {}
`

// env is an environment in a temporary directory.
type env struct {
	t     testing.TB
	dir   string
	opts  sexton.Options
	log   []string // what scripts logged
	fails map[string]bool
	// hook is called with each line that scripts log.
	hook func(line string)
}

// newEnv writes the files of an archive, with those of later ones in the place of earlier ones.
func newEnv(t testing.TB, archives ...string) *env {
	t.Helper()
	e := &env{t: t, dir: t.TempDir(), fails: map[string]bool{}}
	for _, archive := range archives {
		e.write(archive)
	}
	e.opts = sexton.Options{Dir: e.dir, Extensions: e.extensions(), Console: func(_, text string) { e.add(text) }}
	return e
}

func (e *env) add(line string) {
	e.log = append(e.log, line)
	if e.hook != nil {
		e.hook(line)
	}
}

func (e *env) write(archive string) {
	e.t.Helper()
	for _, f := range txtar.Parse([]byte(archive)).Files {
		name := filepath.Join(e.dir, filepath.FromSlash(f.Name))
		require.NoError(e.t, os.MkdirAll(filepath.Dir(name), 0o755))
		require.NoError(e.t, os.WriteFile(name, f.Data, 0o644))
	}
}

func (e *env) read(name string) string {
	e.t.Helper()
	data, err := os.ReadFile(filepath.Join(e.dir, name))
	require.NoError(e.t, err)
	return string(data)
}

func (e *env) extensions() []*runtime.Extension {
	return []*runtime.Extension{
		{Name: "test/log", Exports: []string{"log"}, Open: func(rt *runtime.Runtime) (*runtime.Module, error) {
			log := rt.Func("log", func(call goja.FunctionCall) goja.Value {
				words := make([]string, len(call.Arguments))
				for i, a := range call.Arguments {
					words[i] = a.String()
				}
				e.add(strings.Join(words, " "))
				return goja.Undefined()
			})
			return &runtime.Module{Exports: map[string]goja.Value{"log": log}}, nil
		}},
		{Name: "test/mode", Exports: []string{"fails"}, Open: func(rt *runtime.Runtime) (*runtime.Module, error) {
			fails := rt.Func("fails", func(call goja.FunctionCall) goja.Value {
				return rt.Goja().ToValue(e.fails[call.Argument(0).String()])
			})
			return &runtime.Module{Exports: map[string]goja.Value{"fails": fails}}, nil
		}},
	}
}

func (e *env) open() *sexton.Environment {
	e.t.Helper()
	opts := e.opts
	environment, err := sexton.Open(&opts)
	require.NoError(e.t, err)
	return environment
}

// deploy deploys a model and forgets what was logged before.
func (e *env) deploy(model string) (*sexton.Report, error) {
	e.t.Helper()
	ctx := context.Background()
	return e.deployWith(ctx, ctx, model)
}

func (e *env) deployWith(ctx, kill context.Context, model string) (*sexton.Report, error) {
	e.t.Helper()
	e.log = nil
	return e.open().Deploy(ctx, kill, &sexton.Model{Data: []byte(model), File: "model.json"})
}

// must deploys a model and wants exactly these lines to be logged.
func (e *env) must(model string, log ...string) *sexton.Report {
	e.t.Helper()
	r, err := e.deploy(model)
	require.NoError(e.t, err)
	require.Equal(e.t, log, append([]string(nil), e.log...))
	return r
}

func (e *env) snapshot() string {
	e.t.Helper()
	data, err := e.open().Snapshot()
	require.NoError(e.t, err)
	return string(data)
}

// empty is a model that destroys everything.
const empty = `{"Objects": null}`

// apps is a model with these applications under the root "root".
func apps(objects ...string) string {
	return fmt.Sprintf(`{"?": {"type": "Environment", "id": "root"}, "applications": [%s]}`, strings.Join(objects, ", "))
}

// node is a Node of a model.
func node(id string, properties ...string) string { return object("Node", id, properties...) }

func object(class, id string, properties ...string) string {
	head := fmt.Sprintf(`{"?": {"type": %q, "id": %q}`, class, id)
	return strings.Join(append([]string{head}, properties...), ", ") + "}"
}

func ids(objects []sexton.Object) []string {
	var out []string
	for _, o := range objects {
		out = append(out, o.ID)
	}
	return out
}
