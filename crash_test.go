package sexton_test

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sextongc/sexton"
	"github.com/sextongc/sexton/internal/hook"
	"github.com/sextongc/sexton/internal/state"
	"github.com/sextongc/sexton/internal/state/simdisk"
)

// crashClasses tell the ledger of everything, with tokens: what an object is over crashes.
const crashClasses = `
-- package.json --
{"name": "app", "version": "1.0.0"}
-- index.ts --
import { Resource, GC } from "sexton";
import { log } from "test/log";
import * as mode from "test/mode";
export class Node extends Resource {
	static properties = {
		nodes: { type: ["Node"], default: [] },
		after: { type: ["Node"], default: [] },
		want: { type: "integer", default: 0 },
		parts: { type: ["Node"], usage: "out", default: [] },
		made: { type: "boolean", usage: "out", default: false },
		heard: { type: ["string"], usage: "out", default: [] },
	};
	declare nodes: Node[]; declare after: Node[]; declare want: number; declare parts: Node[]; declare made: boolean; declare heard: string[];
	constructor(properties: any, owner?: any, options?: any) {
		super(properties, owner, options);
		for (const o of this.after) GC.subscribeDestruction(o, this, "gone");
	}
	gone(o: Node) { log("told", o.$id, GC.token(o), this.$id); this.heard.push(o.$id); }
	async deploy() {
		log("live", this.$id, GC.token(this));
		if (!this.made) { this.made = true; log("create", this.$id, GC.token(this)); }
		this.parts = this.parts.slice(0, this.want);
		while (this.parts.length < this.want) this.parts.push(new Node({}, this, { id: this.$id + "-" + this.parts.length }));
		if (this.want > 1) {
			let dropped: any = new Node({ after: this.parts }, this, { id: "dropped" });
			dropped = null;
			await GC.collect();
		}
		for (const n of [...this.nodes, ...this.parts]) await n.deploy();
	}
	async destroy() {
		log("destroy", this.$id, GC.token(this));
		await null;
		if (mode.fails(this.$id)) throw new Error(this.$id + " resists");
	}
}
export class Other extends Node {}
`

// crashSteps are deployments one after another: create, change and remove, fail, try again.
var crashSteps = []struct {
	model string
	fails string
}{
	{apps(node("a"), node("b", `"after": ["a"]`), node("c", `"nodes": [`+node("d", `"after": ["a"]`)+`]`), node("w", `"want": 2`), node("x")), ""},
	{apps(node("b"), node("w", `"want": 1`), object("Other", "x"), node("y", `"after": ["b"]`)), ""},
	{apps(node("y"), node("w", `"want": 1`), object("Other", "x")), "b"},
	{apps(node("y"), node("b", `"after": ["y"]`), node("w", `"want": 1`), object("Other", "x")), ""},
}

// event is a line of the ledger, which is outside and survives crashes.
type event struct {
	text string
	at   int // operations of the disk before it
}

func texts(events []event) []string {
	var out []string
	for _, e := range events {
		out = append(out, e.text)
	}
	return out
}

// deployOn deploys on a disk and returns what the ledger got.
func (e *env) deployOn(disk *simdisk.Disk, kill context.Context, model string) (events []event, err error) {
	e.hook = func(line string) { events = append(events, event{line, len(disk.Log())}) }
	hook.WithFS(&e.opts, disk)
	e.opts.State = "/state"
	_, err = e.deployWith(context.Background(), kill, model)
	return events, err
}

// P1 to P6, P13: a deployment that ends at any operation of the disk is resumed by the next one. A
// disk is taken as it is after a crash there; what else can become of single operations is tried
// in package state.
func TestCrashOfDeployment(t *testing.T) {
	for name, share := range map[string]int{"each group has a checkpoint": 0, "no group has": 1 << 20} {
		t.Run(name, func(t *testing.T) {
			defer sexton.SetCheckpointShare(share)()
			crashEverywhere(t)
		})
	}
}

func crashEverywhere(t *testing.T) {
	e := newEnv(t, crashClasses)
	disk := simdisk.New()
	var ledger []event
	ends := []int{0}
	for _, step := range crashSteps {
		e.fails = map[string]bool{step.fails: true}
		events, err := e.deployOn(disk, context.Background(), step.model)
		if step.fails == "" {
			require.NoError(t, err)
		} else {
			require.ErrorIs(t, err, sexton.ErrIncomplete)
		}
		ledger = append(ledger, events...)
		ends = append(ends, len(disk.Log()))
	}
	seen := map[string]bool{}
	resumed := 0
	for n := range len(disk.Log()) + 1 {
		step := max(0, slices.IndexFunc(ends, func(end int) bool { return n < end })-1)
		if n == len(disk.Log()) {
			step = len(crashSteps) - 1
		}
		before := 0
		for before < len(ledger) && ledger[before].at <= n {
			before++
		}
		variants := 0
		for text, crashed := range disk.Crashes(n, &simdisk.CrashOptions{Stride: 1 << 20, Random: 2}) {
			if variants++; variants > 6 {
				break
			}
			text = fmt.Sprintf("step %d, %s", step+1, text)
			s := stateOf(t, crashed, text)
			key := fmt.Sprint(before, step, s.content)
			if seen[key] {
				continue
			}
			seen[key] = true
			resumed++
			e.resume(t, text, crashed, s, texts(ledger[:before]), crashSteps[step].model)
		}
	}
	t.Logf("%d operations, %d different crashes", len(disk.Log()), resumed)
}

// The same, where the process is killed by its context at any line of the ledger.
func TestKillOfDeployment(t *testing.T) {
	for i := range crashSteps {
		for at := 0; ; at++ {
			e := newEnv(t, crashClasses)
			disk := simdisk.New()
			var ledger []string
			for _, step := range crashSteps[:i] {
				e.fails = map[string]bool{step.fails: true}
				events, err := e.deployOn(disk, context.Background(), step.model)
				require.True(t, err == nil || errors.Is(err, sexton.ErrIncomplete))
				ledger = append(ledger, texts(events)...)
			}
			ctx, kill := context.WithCancel(context.Background())
			count := 0
			e.opts.Observe = func(sexton.Event) {
				if count++; count == at {
					kill()
				}
			}
			e.fails = map[string]bool{crashSteps[i].fails: true}
			events, err := e.deployOn(disk, ctx, crashSteps[i].model)
			kill()
			e.opts.Observe = nil
			if count < at {
				break // it came to its end
			}
			text := fmt.Sprintf("step %d, killed at event %d: %v", i+1, at, err)
			e.resume(t, text, disk, stateOf(t, disk, text), append(ledger, texts(events)...), crashSteps[i].model)
		}
	}
}

// crashedState is what a deployment finds after a crash.
type crashedState struct {
	content string
	present map[string]bool // tokens of what is not destroyed
	told    map[string]bool // tokens of what is doomed and notified, and "token subscriber" of who has been told
	live    map[string]bool // tokens of what is not doomed
	ended   []string        // ids of what the journal says is destroyed
}

func stateOf(t *testing.T, disk *simdisk.Disk, text string) *crashedState {
	t.Helper()
	s := &crashedState{present: map[string]bool{}, told: map[string]bool{}, live: map[string]bool{}}
	dir, err := state.Open("/state", &state.Options{FS: disk, ReadOnly: true})
	if errors.Is(err, state.ErrNoState) {
		return s
	}
	require.NoError(t, err, text)
	key := dir.Environment()
	s.content = fmt.Sprint(dir.Generation(), dir.Records())
	for _, r := range dir.Records() {
		var settled struct{ ID, State string }
		if r.Kind == state.Destroyed {
			require.NoError(t, json.Unmarshal(r.Payload, &settled))
			if settled.State == "destroyed" {
				s.ended = append(s.ended, settled.ID)
			}
		}
	}
	require.NoError(t, dir.Close())

	opts := sexton.Options{Dir: t.TempDir(), State: "/state"}
	hook.WithFS(&opts, disk)
	environment, err := sexton.Open(&opts)
	require.NoError(t, err)
	snapshot, err := environment.Snapshot()
	require.NoError(t, err, text)
	var parsed struct {
		Objects []struct {
			Header struct {
				ID                string
				Incarnation       uint64
				Doomed, Destroyed bool
				Notified          *bool
				Dependencies      struct {
					OnDestruction []struct {
						Subscriber string
						Told       bool
					}
				}
			} `json:"?"`
		}
	}
	require.NoError(t, json.Unmarshal(snapshot, &parsed))
	for _, o := range parsed.Objects {
		h := o.Header
		if h.Destroyed {
			continue
		}
		token := tokenOf(key, h.ID, h.Incarnation)
		s.present[token] = true
		s.told[token] = h.Doomed && h.Notified == nil
		s.live[token] = !h.Doomed
		for _, sub := range h.Dependencies.OnDestruction {
			s.told[token+" "+sub.Subscriber] = sub.Told
		}
	}
	return s
}

func tokenOf(key, id string, incarnation uint64) string {
	h := sha256.New()
	for _, part := range []string{key, id, strconv.FormatUint(incarnation, 10)} {
		fmt.Fprintf(h, "%d:%s,", len(part), part)
	}
	return base64.RawURLEncoding.EncodeToString(h.Sum(nil)[:18])
}

// resume deploys the model that was being deployed, then destroys everything, and checks the promises
// over the whole ledger.
func (e *env) resume(t *testing.T, text string, disk *simdisk.Disk, found *crashedState, ledger []string, model string) {
	t.Helper()
	e.fails = map[string]bool{}
	events, err := e.deployOn(disk, context.Background(), model)
	again := texts(events)
	text = fmt.Sprintf("%s\nledger %q\nthen %q", text, ledger, again)
	require.NoError(t, err, text)

	for _, id := range found.ended { // P5
		for _, line := range ledger {
			if strings.HasPrefix(line, "destroy "+id+" ") {
				require.NotContains(t, again, line, "%s is recorded as destroyed\n%s", id, text)
			}
		}
	}
	live := map[string]bool{} // what the environment holds now, by token
	for _, line := range again {
		if word := strings.Fields(line); word[0] == "live" {
			live[word[2]] = true
		}
	}
	for _, line := range again {
		word := strings.Fields(line)
		token := word[2]
		switch word[0] {
		case "destroy":
			require.False(t, live[token], "%s is destroyed and held\n%s", word[1], text) // P2
			require.True(t, found.present[token] || !slices.Contains(ledger, line), "%s is recorded as destroyed\n%s", word[1], text)
			if strings.Contains(model, `"id": "`+word[1]+`"`) && !strings.Contains(model, `"Other", "id": "x"`) {
				require.False(t, found.live[token], "the model holds %s\n%s", word[1], text)
			}
		case "told":
			require.False(t, found.told[token], "all were told of %s\n%s", word[1], text) // P4
			require.False(t, found.told[token+" "+word[3]], "%s was told of %s\n%s", word[3], word[1], text)
		}
	}
	events, err = e.deployOn(disk, context.Background(), empty)
	require.NoError(t, err, text)
	all := slices.Concat(ledger, again, texts(events))
	text += fmt.Sprintf("\nat last %q", texts(events))
	destroyed := map[string]int{} // the last time, by token
	for i, line := range all {
		if word := strings.Fields(line); word[0] == "destroy" {
			destroyed[word[2]] = i
		}
	}
	first := map[string]bool{}
	for i, line := range all {
		word := strings.Fields(line)
		switch end, ok := destroyed[word[2]]; word[0] {
		case "create": // P1, and no number is given twice
			require.True(t, ok, "%s is forgotten\n%s", word[1], text)
			require.False(t, first[word[2]], "%s is made after it was destroyed\n%s", word[1], text)
		case "destroy":
			first[word[2]] = true
		case "told": // P4
			require.True(t, ok && i < end, "%s was told of and not destroyed\n%s", word[1], text)
			require.False(t, first[word[2]], "%s is notified after its destroy() began\n%s", word[1], text)
		}
	}
	require.Len(t, stateOf(t, disk, text).present, 0)
}
