package proof

import (
	"context"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/sextongc/sexton"
	"github.com/sextongc/sexton/serialize"
)

const idle = `
import { Resource, Environment } from "sexton";
const refs = { type: ["Node"], usage: "inout", default: [] };
export class Node extends Resource {
  static properties = { refs };
  told() {}
  destroy() {}
}
export class Root extends Environment {
  static properties = { refs };
  told() {}
  async deploy() {}
}
`

// TestLargeState does the same with a state directory: everything that happens is in a journal
// before something else depends on it.
//
// gc 3.6, 6.1
func TestLargeState(t *testing.T) {
	n := 5000
	if testing.Short() || raceDetector {
		n = 500
	}
	for _, l := range larges {
		switch l.name {
		case "chain of owners", "chain of dependencies with handlers", "ring of references", "star of subscribers with handlers":
		default:
			continue
		}
		t.Run(l.name, func(t *testing.T) {
			dir := t.TempDir()
			require.NoError(t, os.WriteFile(filepath.Join(dir, "package.json"), []byte(`{"name": "proof", "main": "proof.js"}`), 0o600))
			require.NoError(t, os.WriteFile(filepath.Join(dir, "proof.js"), []byte(idle), 0o600))
			env, err := sexton.Open(&sexton.Options{Dir: dir})
			require.NoError(t, err)
			model, err := serialize.EncodeSnapshot(l.graph(n))
			require.NoError(t, err)
			ctx := context.Background()
			began := time.Now()
			r, err := env.Deploy(ctx, ctx, &sexton.Model{Data: model, File: "model.json"})
			require.NoError(t, err)
			require.Len(t, r.Created, n+1)
			t.Logf("deploy %6.2f s", time.Since(began).Seconds())
			began = time.Now()
			r, err = env.Destroy(ctx, ctx)
			require.NoError(t, err)
			require.Len(t, r.Destroyed, n+1)
			require.Equal(t, l.handlers(n), r.Notified)
			t.Logf("destroy %6.2f s", time.Since(began).Seconds())
		})
	}
}
