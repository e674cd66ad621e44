package sexton_test

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sextongc/sexton"
	"github.com/sextongc/sexton/runtime"
)

const runClass = `import { GC, Resource } from "sexton";
class A extends Resource { async destroy() { console.log("destroy " + this.$id); } }
const make = (id, owner) => new A({}, owner, { id });
`

func TestRun(t *testing.T) {
	tests := []struct {
		name   string
		script sexton.Script
		want   []string // what it prints
		err    error
	}{
		{"what is left goes in order", sexton.Script{Source: `const a = make("a"); make("b", a); make("c", a);`},
			[]string{"destroy b", "destroy c", "destroy a"}, nil},
		{"what nothing refers to goes first", sexton.Script{Source: `const a = make("a"); make("b");`},
			[]string{"destroy b", "destroy a"}, nil},
		{"keep", sexton.Script{Source: `const a = make("a"); make("b");`, Keep: true}, nil, nil},
		{"collected by the script", sexton.Script{Source: `make("b"); console.log((await GC.collect()).destroyed);`},
			[]string{"destroy b", "1"}, nil},
		{"arguments, and the root object", sexton.Script{Source: `export default (env) => console.log(env.$id, env.applications.length, ...scriptArgs);`, Args: []string{"x"}},
			[]string{"run 0 x"}, nil},
		{"a class is no program", sexton.Script{Source: `export default class B extends Resource {}`}, nil, nil},
		{"timers", sexton.Script{Source: `setTimeout(() => { console.log("later"); make("t"); }, 1);`}, []string{"later", "destroy t"}, nil},
		{"stuck", sexton.Script{Source: `const a = make("a"); await new Promise(() => {});`}, []string{"destroy a"}, runtime.ErrDeadlock},
		{"incomplete", sexton.Script{Source: `A.prototype.destroy = () => { throw new Error("no"); }; const a = make("a");`}, nil, sexton.ErrIncomplete},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var printed []string
			tt.script.Source = runClass + tt.script.Source
			_, err := sexton.Run(context.Background(), context.Background(), &sexton.Options{
				Dir: t.TempDir(), Console: func(_, text string) { printed = append(printed, text) },
			}, &tt.script)
			require.ErrorIs(t, err, tt.err)
			require.Equal(t, tt.want, printed)
		})
	}
}

func TestRunFile(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "script.ts")
	require.NoError(t, os.WriteFile(file, []byte("const n: number = 1;\nthrow new RangeError(`${n}`);\n"), 0o644))
	_, err := sexton.Run(context.Background(), context.Background(), &sexton.Options{Dir: dir}, &sexton.Script{File: file})
	var script *runtime.ScriptError
	require.ErrorAs(t, err, &script)
	require.Equal(t, "RangeError", script.Name)
	require.Equal(t, "script.ts:2:7", script.Stack[0].String())
	require.NoFileExists(t, filepath.Join(dir, ".sexton"))
}

// kill stops a script also if ctx knows nothing of it, and then destroys nothing.
func TestRunKilled(t *testing.T) {
	for _, rest := range []string{"for (;;);", "await new Promise((resolve) => setTimeout(resolve, 1e8));"} {
		kill, stop := context.WithCancel(context.Background())
		var printed []string
		_, err := sexton.Run(context.Background(), kill, &sexton.Options{Dir: t.TempDir(), Console: func(_, text string) {
			printed = append(printed, text)
			stop()
		}}, &sexton.Script{Source: runClass + `const a = make("a"); console.log("made"); ` + rest})
		require.ErrorIs(t, err, sexton.ErrInterrupted, rest)
		require.Equal(t, []string{"made"}, printed, rest)
	}
}

// Confirm is asked with the plan before anything is changed, and its error ends the deployment.
func TestConfirm(t *testing.T) {
	dir := t.TempDir()
	var asked []*sexton.Plan
	refusal := os.ErrPermission
	e, err := sexton.Open(&sexton.Options{Dir: dir, Confirm: func(_ context.Context, p *sexton.Plan) error {
		asked = append(asked, p)
		return refusal
	}})
	require.NoError(t, err)
	ctx := context.Background()
	model := &sexton.Model{Data: []byte(`{"?": {"type": "Environment", "id": "root"}}`), File: "model.json"}
	_, err = e.Deploy(ctx, ctx, model)
	require.NoError(t, err, "an empty environment has nothing to lose")
	require.Empty(t, asked)

	before, err := e.Snapshot()
	require.NoError(t, err)
	_, err = e.Destroy(ctx, ctx)
	require.ErrorIs(t, err, refusal)
	require.Len(t, asked, 1)
	require.Equal(t, 1, asked[0].Total)
	require.Equal(t, "root", asked[0].Destroy[0].ID)
	after, err := e.Snapshot()
	require.NoError(t, err)
	require.Equal(t, string(before), string(after))

	refusal = nil
	report, err := e.Destroy(ctx, ctx)
	require.NoError(t, err)
	require.Len(t, report.Destroyed, 1)
}
