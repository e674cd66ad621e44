package sexton_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/sextongc/sexton"
	"github.com/sextongc/sexton/runtime"
)

// A script that hears no interrupt is left behind: the deployment ends, the state is what it was, and the next deployment
// begins at once.
func TestAbandon(t *testing.T) {
	e := newEnv(t, `
-- package.json --
{"name": "app"}
-- index.ts --
import { Resource } from "sexton";
import { log } from "test/log";
export class Slow extends Resource {
	static properties = { power: { type: "number", default: 1 } };
	declare power: number;
	deploy() {
		9n ** BigInt(this.power);
		log("done", this.power);
	}
}
`)
	e.must(apps(object("Slow", "a")), "done 1")
	before, left := e.snapshot(), runtime.Abandoned()
	e.opts.Settings = sexton.Settings{DeployTimeout: 20 * time.Millisecond}
	began := time.Now()
	_, err := e.deploy(apps(object("Slow", "a", `"power": 40000000`)))
	require.ErrorIs(t, err, runtime.ErrAbandoned)
	require.ErrorIs(t, err, runtime.ErrTimeLimit)
	require.Equal(t, left+1, runtime.Abandoned())
	t.Logf("abandoned after %v", time.Since(began))
	e.opts.Settings = sexton.Settings{}
	e.must(apps(object("Slow", "a")), "done 1")
	require.Equal(t, before, e.snapshot())
}
