package scenario

import (
	"testing"

	"github.com/dop251/goja"
	"github.com/stretchr/testify/require"

	"github.com/sextongc/sexton/internal/vmheap"
)

// js-api "Tests in JavaScript": whatever a test has given to its context, a mock, an event or an error
// is unreachable for the check of leaks at its end.
func TestNothingIsKeptForTheCheckOfLeaks(t *testing.T) {
	h := newFakeHost(t)
	heap, err := vmheap.New(h.vm)
	require.NoError(t, err)
	var refs []*vmheap.Ref
	require.NoError(t, h.vm.Set("track", func(c goja.FunctionCall) goja.Value {
		refs = append(refs, heap.Track(c.Argument(0).(*goja.Object), c.Argument(1).String()))
		return c.Argument(0)
	}))
	var left [][]string
	h.onEnd = func() {
		found := map[*vmheap.Ref]bool{}
		for _, ref := range heap.Find(refs, nil) {
			found[ref] = true
		}
		alive := []string{}
		for _, ref := range refs {
			if !found[ref] {
				alive = append(alive, ref.Data.(string))
			}
			heap.Untrack(ref)
		}
		refs = nil
		left = append(left, alive)
	}
	h.load(t, "x.test.js", `
let kept;
const provider = { create(vm) { return vm; } };
test("everything", async (t) => {
  const make = (name) => track({ name }, name);
  kept = make("kept by the module");
  const local = make("local");
  t.field = make("field of t");
  const mock = t.mock.method(provider, "create", (vm) => vm);
  provider.create(make("argument of a mock"));
  const hook = make("captured by a hook");
  t.after(() => hook.name);
  trace(make("traced"));
  await sleep(1);
  const sub = make("captured by a subtest");
  await t.test("sub", async (t) => { t.after(() => sub.name); await sleep(1); });
  const wrong = make("in a failed assertion");
  await assert.rejects(async () => assert.deepEqual(wrong, {}));
  return make("result");
});
test("fails", async () => { const error = new Error("x"); error.vm = track({}, "in the error"); throw error; });
`)
	h.run(t, nil)
	require.Equal(t, [][]string{{"kept by the module"}, {}}, left)
}
