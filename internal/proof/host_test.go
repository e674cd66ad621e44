package proof

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dop251/goja"
	"github.com/stretchr/testify/require"

	"github.com/sextongc/sexton"
	"github.com/sextongc/sexton/objectstore"
	"github.com/sextongc/sexton/runtime"
)

// script is the package that all tests deploy. What its objects do is said by the host, so that one
// runtime serves any number of graphs: the root carries out steps while it is deployed; the others react
// to being told and to dying.
const script = `
import { Resource, Environment, GC } from "sexton";
import { find, next, react, tombstones, create, remove } from "proof/host";

export const perform = (op, a, b, handler) => {
  const x = find(a), y = find(b);
  if (x === undefined || y === undefined) return;
  switch (op) {
    case "refer": if (y instanceof Node) x.refs.push(y); break;
    case "release": x.refs = x.refs.filter((z) => z !== y); break;
    case "clear": x.refs = []; break;
    case "tie": (x.loose ??= new Map()).set(b, { y }); break;
    case "untie": x.loose?.delete(b); break;
    case "subscribe": GC.subscribeDestruction(x, y, handler || null); break;
    case "unsubscribe": GC.unsubscribeDestruction(x, y, handler || null); break;
    case "make": new Node({}, x, { id: handler }); break;
    case "create": if (x instanceof Node && !x.made) return build(x);
  }
};
const build = async (x) => {
  await create(null, { of: x });
  x.made = true;
};
const demolish = async (x) => {
  await remove(null, { of: x });
  return act("destroy", x);
};
// No method of what is destroyed runs again.
const disturb = () => {
  for (const t of tombstones()) {
    try { t.told(t); } catch (e) { if (e.name !== "ObjectDestroyedError") throw e; }
  }
};
const finish = ([, throws, op, a, b, handler]) => {
  if (op) perform(op, a, b, handler);
  if (throws) throw new Error("no");
};
const later = async (r) => {
  for (let i = 0; i < r[0]; i++) await null;
  finish(r);
};
const act = (kind, self, other) => {
  const r = react(kind, self.$id, other ? other.$id : "", GC.token(self));
  if (r) return r[0] > 0 ? later(r) : finish(r);
};

const refs = { type: ["Node"], usage: "inout", default: [] };
export class Node extends Resource {
  static properties = { refs, made: { type: "boolean", usage: "out", optional: true } };
  told(p) { return act("told", this, p); }
  toldToo(p) { return act("toldToo", this, p); }
  recover(effects) {
    react("recover", this.$id, "", GC.token(this));
    if (effects.some((e) => e.op === "proof/host.create")) this.made = true; // or it may be
  }
  destroy() { return this.made ? demolish(this) : act("destroy", this); }
}
export class Other extends Node {}
export class Root extends Environment {
  static properties = { refs };
  told(p) { return act("told", this, p); }
  toldToo(p) { return act("toldToo", this, p); }
  async deploy() {
    disturb();
    for (let s = next(); s; s = next()) {
      if (s[0] === "collect") { await GC.collect(); continue; }
      const effect = perform(...s);
      if (effect) await effect;
    }
  }
}
`

// host is a session with what its objects do.
type host struct {
	*sexton.Session
	steps  [][]any                                  // what the root's deploy() does
	react  func(kind, self, other string) *reaction // nil: nothing
	trace  func(format string, args ...any)         // hears of everything that happens
	number uint64                                   // the last incarnation

	kept    func() any                                        // instead of Session: that of an environment with a state
	outside func(op string, call *runtime.EffectCall)         // hears of effects
	token   func(id string, incarnation uint64, token string) // hears of tokens
}

// Store is the environment of the deployment that runs.
func (h *host) Store() *objectstore.Store {
	if h.kept != nil {
		return h.kept().(*sexton.Session).Store()
	}
	return h.Session.Store()
}

// reaction is what a handler or destructor does: after ticks turns of the event loop one action; then it
// throws, or does not.
type reaction struct {
	ticks  int
	throws bool
	op     []any // as for perform; nil: nothing
}

func newHost(t testing.TB) *host {
	t.Helper()
	h := &host{trace: func(string, ...any) {}}
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "package.json"), []byte(`{"name": "proof"}`), 0o600))
	var err error
	h.Session, err = sexton.NewSession(&sexton.SessionOptions{
		Options: sexton.Options{Dir: dir, Extensions: []*runtime.Extension{h.module()}},
		Entries: []runtime.Entry{{Name: "proof", Path: "proof.js", Source: script}},
	})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, h.Close()) })
	require.NoError(t, h.Run(t.Context(), func(task *runtime.Task) error { return h.Load(t.Context(), task) }))
	return h
}

func (h *host) module() *runtime.Extension {
	exports := []string{"find", "next", "react", "tombstones", "create", "remove"}
	effect := func(op string) runtime.Effect {
		return func(_ context.Context, call *runtime.EffectCall) (any, error) {
			h.outside(op, call)
			return nil, nil
		}
	}
	effects := map[string]runtime.Effect{"create": effect("create"), "remove": effect("remove")}
	return &runtime.Extension{Name: "proof/host", Exports: exports, Effects: effects, Open: func(rt *runtime.Runtime) (*runtime.Module, error) {
		array := func(items []any) goja.Value { return rt.Goja().NewArray(items...) }
		functions := map[string]func(goja.FunctionCall) goja.Value{
			"find": func(c goja.FunctionCall) goja.Value {
				o := h.Store().Lookup(c.Argument(0).String())
				if o == nil || o.State() == objectstore.Destroyed {
					return goja.Undefined()
				}
				return o.Value()
			},
			"tombstones": func(goja.FunctionCall) goja.Value {
				var list []any
				if h.kept != nil {
					for _, o := range h.Store().Objects() {
						if o.State() == objectstore.Destroyed {
							list = append(list, o.Value())
						}
					}
				}
				return array(list)
			},
			"next": func(goja.FunctionCall) goja.Value {
				if len(h.steps) == 0 {
					return goja.Undefined()
				}
				s := h.steps[0]
				h.steps = h.steps[1:]
				if s[0] == "collect" {
					h.trace("collect")
				}
				return array(s)
			},
			"react": func(c goja.FunctionCall) goja.Value {
				kind, self, other := c.Argument(0).String(), c.Argument(1).String(), c.Argument(2).String()
				if h.token != nil {
					h.token(self, h.incarnation(self), c.Argument(3).String())
				}
				h.trace("%s", strings.TrimSpace(kind+" "+self+" "+other))
				if h.react == nil {
					return goja.Undefined()
				}
				r := h.react(kind, self, other)
				if r == nil {
					return goja.Undefined()
				}
				return array(append([]any{r.ticks, r.throws}, r.op...))
			},
		}
		exports := map[string]goja.Value{}
		for name, f := range functions {
			exports[name] = rt.Func(name, f)
		}
		return &runtime.Module{Exports: exports}, nil
	}}
}

// incarnation returns the number of the object that has an id now.
func (h *host) incarnation(id string) uint64 {
	if o := h.Store().Lookup(id); o != nil {
		return o.Incarnation
	}
	return 0
}

// observe traces what scripts do not see.
func (h *host) observe(e sexton.Event) {
	switch e.Kind {
	case "plan":
		h.trace("plan %d", e.Count)
	case "failed":
		if e.Subscriber != nil {
			h.trace("handler failed %s %s", e.Subscriber.ID, e.Object.ID)
			return
		}
		h.trace("failed %s", e.Object.ID)
	case "blocked":
		h.trace("blocked %s by %s", e.Object.ID, e.By.ID)
	case "destroy":
		h.trace("begin %s", e.Object.ID)
	case "destroyed", "spared":
		h.trace("%s %s", e.Kind, e.Object.ID)
	case "phase":
		h.trace("phase %s", e.Text)
	}
}

// deploy deploys a model onto what was.
func (h *host) deploy(model []byte, last *objectstore.Graph, settings sexton.Settings) (report *sexton.Report, g *objectstore.Graph, err error) {
	ctx := context.Background()
	runErr := h.Run(ctx, func(t *runtime.Task) error {
		report, g, err = h.Deploy(ctx, t, &sexton.Deployment{
			Model: model, File: "model", Last: last, Settings: settings, Key: "proof", Observe: h.observe,
			Incarnation: func() uint64 { h.number++; return h.number },
		})
		return nil
	})
	if errors.Is(err, sexton.ErrIncomplete) {
		err = nil // the report tells
	}
	if runErr != nil {
		err = fmt.Errorf("run: %w", runErr)
	}
	return report, g, err
}
