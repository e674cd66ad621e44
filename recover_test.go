package sexton_test

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/dop251/goja"
	"github.com/stretchr/testify/require"

	"github.com/sextongc/sexton"
	"github.com/sextongc/sexton/runtime"
)

// recoverable is a package whose Disk makes a file, and can be stopped at given points.
const recoverable = `
import { Resource, Environment } from "sexton";
import { writeFile, rm } from "sexton/fs";
import { point } from "test/points";
export class Disk extends Resource {
	static properties = { file: "string", made: { type: "string", usage: "out", optional: true } };
	declare file: string; declare made?: string;
	async deploy() {
		if (this.made) return;
		await writeFile(this.file, "x");
		point("written");
		this.made = this.file;
		await writeFile(this.file, "y");
		point("kept");
	}
	recover(effects: any[]) {
		for (const e of effects) point("recover " + e.op + " " + e.args.path + " " + JSON.stringify(e.outcome) + " " + (e.token.length > 10));
		if (effects.some((e) => e.outcome)) this.made = this.file;
	}
	async destroy() { point("destroy " + this.$id + " " + this.made); await rm(this.file, { force: true }); }
}
export class Maker extends Resource {
	async deploy() { await new Disk({ file: "local" }, this, { id: "local" }).deploy(); }
}
`

// points deploys a package and stops the deployment hard where a script passes the given point.
func points(t *testing.T, dir, model, stop string) (passed []string, err error) {
	t.Helper()
	kill, cancel := context.WithCancel(t.Context())
	defer cancel()
	module := &runtime.Extension{Name: "test/points", Exports: []string{"point"}, Open: func(rt *runtime.Runtime) (*runtime.Module, error) {
		point := rt.Func("point", func(c goja.FunctionCall) goja.Value {
			passed = append(passed, c.Argument(0).String())
			if c.Argument(0).String() == stop {
				cancel()
				for { // until the interrupt strikes
					if _, err := rt.Goja().RunString("0"); err != nil {
						panic(err)
					}
				}
			}
			return goja.Undefined()
		})
		return &runtime.Module{Exports: map[string]goja.Value{"point": point}}, nil
	}}
	env, err := sexton.Open(&sexton.Options{
		Dir: dir, Extensions: []*runtime.Extension{module}, Clock: runtime.NewVirtualClock(time.Unix(1e9, 0)), // checkpoints take no time
		Permissions: sexton.Permissions{Write: []string{"."}},
	})
	require.NoError(t, err)
	_, err = env.Deploy(t.Context(), kill, &sexton.Model{Data: []byte(model), File: "model.json"})
	return passed, err
}

func recoverablePackage(t *testing.T) string {
	dir := t.TempDir()
	for name, text := range map[string]string{"package.json": `{"name":"app","version":"1.0.0","main":"index.ts"}`, "index.ts": recoverable} {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644))
	}
	return dir
}

const diskModel = `{"?":{"type":"Environment","id":"root"},"applications":[{"?":{"type":"Disk","id":"disk"},"file":"a"}]}`

// An object that was stopped between an effect and the next checkpoint gets recover(effects), once.
func TestRecoverAfterAnEffect(t *testing.T) {
	dir := recoverablePackage(t)
	_, err := points(t, dir, diskModel, "written")
	require.ErrorIs(t, err, context.Canceled)
	require.FileExists(t, filepath.Join(dir, "a"))

	passed, err := points(t, dir, diskModel, "")
	require.NoError(t, err)
	require.Equal(t, []string{`recover fs.writeFile a {"result":null} true`}, passed)

	passed, err = points(t, dir, diskModel, "")
	require.NoError(t, err)
	require.Empty(t, passed, "it was recovered before")
}

// What a checkpoint covers is not recovered again: here the first effect is, the second is not.
func TestRecoverKnowsWhatIsSaved(t *testing.T) {
	dir := recoverablePackage(t)
	_, err := points(t, dir, diskModel, "kept")
	require.ErrorIs(t, err, context.Canceled)
	passed, err := points(t, dir, diskModel, "")
	require.NoError(t, err)
	require.Len(t, passed, 1)
	require.Contains(t, passed[0], "recover fs.writeFile")
}

// An object that only a local variable holds is in the state before its first effect starts. So the next
// deployment finds it, unreachable, and destroys what it made.
func TestNothingMadeIsForgotten(t *testing.T) {
	dir := recoverablePackage(t)
	model := `{"?":{"type":"Environment","id":"root"},"applications":[{"?":{"type":"Maker","id":"maker"}}]}`
	_, err := points(t, dir, model, "written")
	require.ErrorIs(t, err, context.Canceled)
	require.FileExists(t, filepath.Join(dir, "local"))

	passed, err := points(t, dir, `{"?":{"type":"Environment","id":"root"}}`, "")
	require.NoError(t, err)
	require.Equal(t, "destroy local local", passed[len(passed)-1])
	require.True(t, strings.HasPrefix(passed[0], "recover fs.writeFile local"), passed)
	require.NoFileExists(t, filepath.Join(dir, "local"))
}

// Effects of host modules that a Go program adds are recorded like the library's own.
func TestEffectsOfExtensions(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{"package.json": `{"name":"app","version":"1.0.0","main":"index.ts"}`, "index.ts": `
import { Resource, GC } from "sexton";
import { create } from "acme/cloud";
export class Machine extends Resource {
	static properties = { size: "number", made: { type: "string", usage: "out", optional: true } };
	declare size: number; declare made?: string;
	async deploy() {
		if (this.made?.startsWith("[")) return;
		try {
			this.made = (await create({ size: this.size, token: GC.token(this) }, { of: this })).id;
		} catch (e: any) { this.made = [e.name, e.code, e.message, e.limit, e instanceof Error].join(" "); }
	}
	recover(effects: any[]) { this.made = JSON.stringify(effects.map((e) => [e.op, e.args.size, e.token === GC.token(this), e.outcome])); }
	destroy() {}
}`} {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644))
	}
	var calls []*runtime.EffectCall
	kill, cancel := context.WithCancel(t.Context())
	cloud := &runtime.Extension{Name: "acme/cloud", Exports: []string{"create"}, Effects: map[string]runtime.Effect{
		"create": func(_ context.Context, call *runtime.EffectCall) (any, error) {
			calls = append(calls, call)
			var argument struct{ Size int }
			if err := json.Unmarshal(call.Argument, &argument); err != nil {
				return nil, err
			}
			switch argument.Size {
			case 0:
				return nil, &runtime.EffectError{Name: "QuotaError", Code: "QUOTA", Message: "too many", Detail: json.RawMessage(`{"limit":3}`)}
			case 1:
				return nil, errors.New("no size")
			case 3:
				cancel()
			}
			return map[string]string{"id": "vm-1"}, nil
		},
	}}
	env, err := sexton.Open(&sexton.Options{Dir: dir, Extensions: []*runtime.Extension{cloud}})
	require.NoError(t, err)
	deploy := func(kill context.Context, size string) (made string, err error) {
		model := `{"?":{"type":"Environment","id":"root"},"applications":[{"?":{"type":"Machine","id":"m"},"size":` + size + `}]}`
		_, err = env.Deploy(t.Context(), kill, &sexton.Model{Data: []byte(model), File: "model.json"})
		data, snapshotErr := env.Snapshot()
		require.NoError(t, snapshotErr)
		var parsed struct {
			Objects []struct{ Made string }
		}
		require.NoError(t, json.Unmarshal(data, &parsed))
		for _, o := range parsed.Objects {
			made += o.Made
		}
		return made, err
	}
	for _, c := range []struct{ size, made string }{
		{"0", "QuotaError QUOTA too many 3 true"}, {"1", "Error  no size  true"}, {"2", "vm-1"},
	} {
		made, err := deploy(t.Context(), c.size)
		require.NoError(t, err)
		require.Equal(t, c.made, made)
	}
	require.Len(t, calls, 3)
	require.Equal(t, "m", calls[2].Object)
	require.JSONEq(t, `{"size":2,"token":"`+calls[2].Token+`"}`, string(calls[2].Argument))

	_, err = deploy(kill, "3")
	require.ErrorIs(t, err, context.Canceled)
	require.Len(t, calls, 4)
	require.Equal(t, calls[2].Token, calls[3].Token, "one object, one token")
	require.Greater(t, calls[3].Epoch, calls[2].Epoch)
	made, err := deploy(t.Context(), "2")
	require.NoError(t, err)
	require.Equal(t, `[["acme/cloud.create",3,true,{"result":{"id":"vm-1"}}]]`, made)
}
