package sexton_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sextongc/sexton"
	"github.com/sextongc/sexton/internal/state/simdisk"
)

// rescuer keeps what it is told of.
const rescuer = `
-- package.json --
{"name": "app", "version": "1.0.0"}
-- index.ts --
import { Resource, GC } from "sexton";
import { log } from "test/log";
export class Node extends Resource {
	static properties = { after: { type: ["Node"], default: [] }, kept: { type: ["Node"], usage: "out", default: [] } };
	declare after: Node[]; declare kept: Node[];
	constructor(properties: any, owner?: any, options?: any) {
		super(properties, owner, options);
		for (const o of this.after) GC.subscribeDestruction(o, this, "gone");
	}
	gone(o: Node) { log("told", this.$id, GC.token(o)); this.kept.push(o); }
	destroy() { log("destroy", this.$id, GC.token(this)); }
}
`

// gc 5.5, P2: what a handler has made reachable is spared, wherever the power fails after it was told.
func TestSpareAfterCrash(t *testing.T) {
	e := newEnv(t, rescuer)
	e.opts.Settings = sexton.Settings{Resurrection: "spare"}
	disk := simdisk.New()
	_, err := e.deployOn(disk, context.Background(), apps(node("x"), node("k", `"after": ["x"]`)))
	require.NoError(t, err)
	begin := len(disk.Log())
	second := apps(node("k", `"after": []`))
	_, err = e.deployOn(disk, context.Background(), second)
	require.NoError(t, err)
	for n := begin; n <= len(disk.Log()); n++ {
		for text, crashed := range disk.Crashes(n, &simdisk.CrashOptions{Stride: 1 << 20}) {
			events, err := e.deployOn(crashed, context.Background(), second)
			require.NoError(t, err, text)
			text = fmt.Sprintf("%s\nthen %q", text, texts(events))
			for _, line := range texts(events) {
				require.NotContains(t, line, "destroy", text)
			}
			require.Contains(t, e.snapshot(), `{ "id": "x", "type": "app/Node"`, text)
			require.NotContains(t, e.snapshot(), `"destroyed"`, text)
			break // the others are tried elsewhere
		}
	}
}

// gc 5.5, P2: what began to go without asking is not spared by a later deployment that asks.
func TestSpareNotWhatBegan(t *testing.T) {
	models := []string{ // x is to be replaced, while k goes on to refer to it; handlers run, or none does
		apps(node("x"), node("k", `"kept": ["x"]`)),
		apps(node("x"), node("y"), node("k", `"after": ["y"]`, `"kept": ["x"]`)),
	}
	for _, first := range models {
		e := newEnv(t, strings.ReplaceAll(rescuer, `usage: "out"`, `usage: "inout"`)+"export class Other extends Node {}\n")
		disk := simdisk.New()
		_, err := e.deployOn(disk, context.Background(), first)
		require.NoError(t, err)
		kill, done := context.WithCancel(context.Background())
		defer done()
		e.opts.Observe = func(event sexton.Event) {
			if event.Kind == "destroy" && event.Object.ID == "x" {
				done()
			}
		}
		_, err = e.deployOn(disk, kill, apps(object("Other", "x"), node("k")))
		require.ErrorIs(t, err, sexton.ErrInterrupted)
		require.Contains(t, e.snapshot(), `"doomed": true`)
		e.opts.Observe = nil
		e.opts.Settings = sexton.Settings{Resurrection: "spare"}
		events, err := e.deployOn(disk, context.Background(), apps(node("k")))
		require.NoError(t, err)
		require.Contains(t, strings.Join(texts(events), "\n"), "destroy x")
		require.Contains(t, e.snapshot(), `"destroyed": true`)
	}
}
