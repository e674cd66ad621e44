package sexton_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sextongc/sexton"
	"github.com/sextongc/sexton/runtime"
)

// What exceeds a limit ends a deployment with an error that names it; the state stays what it was, and the next
// deployment works.
func TestLimits(t *testing.T) {
	e := newEnv(t, `
-- package.json --
{"name": "app"}
-- index.ts --
import { Resource, GC } from "sexton";
class Part extends Resource { of = null; }
export { Part };
export class Maker extends Resource {
	static properties = {
		what: { type: "string", default: "" }, parts: { type: ["Maker"], usage: "out", default: [] }, text: { type: "string", usage: "out", default: "" },
	};
	deploy() {
		this.parts = [];
		this.text = "";
		switch (this.what) {
			case "objects": for (;;) new Part({}, this);
			case "edges": this.parts = Array.from({ length: 100 }, () => this); return;
			case "memory": for (const kept = [];;) kept.push({ n: kept.length });
			case "snapshot": this.text = "x".repeat(50000); return;
		}
	}
}
`)
	e.must(apps(object("Maker", "a")))
	before := e.snapshot()
	for _, c := range []struct {
		what   string
		limits sexton.Limits
		model  string
		place  string
	}{
		{"objects", sexton.Limits{Objects: 10}, "", "index.ts"},
		{"edges", sexton.Limits{Edges: 20}, "", ""},
		{"memory", sexton.Limits{Memory: 64 << 20}, "", "index.ts"},
		{"snapshotSize", sexton.Limits{SnapshotSize: 20_000}, "snapshot", ""},
		{"modelSize", sexton.Limits{ModelSize: 10}, "", ""},
		{"nesting", sexton.Limits{Nesting: 3}, "", ""},
	} {
		what := c.model
		if what == "" {
			what = c.what
		}
		e.opts.Settings.Limits = c.limits
		_, err := e.deploy(apps(object("Maker", "a", `"what": "`+what+`"`)))
		var limit *sexton.LimitError
		require.ErrorAs(t, err, &limit, c.what)
		require.Equal(t, c.what, limit.Limit)
		require.NotEmpty(t, limit.Value)
		require.Equal(t, c.place, limit.At.File, c.what)
		require.ErrorIs(t, err, &runtime.LimitError{Limit: c.what})
		e.opts.Settings.Limits = sexton.Limits{}
		e.must(apps(object("Maker", "a")))
		require.Equal(t, before, e.snapshot(), c.what)
	}
}
