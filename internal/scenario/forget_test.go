package scenario_test

import (
	"os"
	"path/filepath"
	goruntime "runtime"
	"testing"

	"github.com/dop251/goja"
	"github.com/stretchr/testify/require"

	"github.com/sextongc/sexton"
	"github.com/sextongc/sexton/internal/scenario"
	"github.com/sextongc/sexton/runtime"
)

// gc 2.6: what a test finds out does not depend on when Go collects its own garbage.
func TestDestroyedAfterGoCollection(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"package.json": `{ "name": "app" }`,
		"index.js":     `import { Resource } from "sexton"; export class Item extends Resource {}`,
		"item.test.js": `
import { assert, test } from "sexton/test";
import { collectGo } from "test/go";
const model = (...applications) => ({ "?": { type: "Environment", id: "root" }, applications });
test("destroyed", async (t) => {
  await t.deploy(model({ "?": { type: "Item", id: "a" } }));
  await t.deploy(model());
  collectGo();
  await t.deploy(model());
  assert.destroyed("a");
  assert.throws(() => assert.destroyed("b"), /never was/);
});
test("not in this one", () => { assert.throws(() => assert.destroyed("a"), /never was/); });
`,
	} {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600))
	}
	collect := &runtime.Extension{Name: "test/go", Exports: []string{"collectGo"}, Open: func(rt *runtime.Runtime) (*runtime.Module, error) {
		return &runtime.Module{Exports: map[string]goja.Value{"collectGo": rt.Goja().ToValue(func() {
			goruntime.GC()
			goruntime.GC()
		})}}, nil
	}}
	var failed failures
	summary, err := scenario.Run(t.Context(), &scenario.Options{
		Options: sexton.Options{Dir: dir, Extensions: []*runtime.Extension{collect}},
		Files:   []string{"item.test.js"}, Reporters: []scenario.Reporter{&failed},
	})
	require.NoError(t, err)
	require.Empty(t, failed.texts)
	require.Equal(t, 2, summary.Pass)
}
