package sexton_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sextongc/sexton"
	"github.com/sextongc/sexton/internal/hook"
	"github.com/sextongc/sexton/internal/state"
	"github.com/sextongc/sexton/internal/state/simdisk"
)

// onDisk puts the state of an environment on a simulated disk.
func (e *env) onDisk(disk *simdisk.Disk) *sexton.Environment {
	e.t.Helper()
	hook.WithFS(&e.opts, disk)
	e.opts.State = "/state"
	return e.open()
}

// interrupt leaves effects of objects in the journal, as a deployment does that is stopped hard.
func interrupt(t *testing.T, disk *simdisk.Disk, e *sexton.Environment, objects ...string) {
	t.Helper()
	info, err := e.State()
	require.NoError(t, err)
	opts := &state.Options{}
	if disk != nil {
		opts.FS = disk
	}
	dir, err := state.Open(e.StateDir(), opts)
	require.NoError(t, err)
	for n, id := range objects {
		for _, o := range info.Objects {
			if o.ID == id {
				text := fmt.Sprintf(`{"n":%d,"object":%q,"incarnation":%d,"op":"process.exec","token":"t-%s","args":{}}`, n+1, id, o.Entry.Incarnation, id)
				require.NoError(t, dir.Append(context.Background(), state.Record{Kind: state.Intent, Payload: []byte(text)}))
			}
		}
	}
	require.NoError(t, dir.Close())
}

// summary lists the objects of a state, with what is interrupted.
func summary(t *testing.T, e *sexton.Environment) (list []string) {
	t.Helper()
	info, err := e.State()
	require.NoError(t, err)
	for _, o := range info.Objects {
		text := o.ID + " " + o.State
		for _, effect := range o.Effects {
			text += " " + effect.Token
		}
		list = append(list, text)
	}
	for _, effect := range info.Stray {
		list = append(list, "stray "+effect.Object)
	}
	return list
}

func head(t *testing.T, e *sexton.Environment) (h struct {
	Environment        string
	Incarnation, Epoch uint64
}) {
	t.Helper()
	data, err := e.Export()
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(data, &h))
	return h
}

func incarnations(t *testing.T, e *sexton.Environment) map[string]uint64 {
	t.Helper()
	info, err := e.State()
	require.NoError(t, err)
	out := map[string]uint64{}
	for _, o := range info.Objects {
		out[o.ID] = o.Entry.Incarnation
	}
	return out
}

// P1: what is forgotten is not destroyed, and the history tells of it. All that is of others stays.
func TestForget(t *testing.T) {
	e := newEnv(t, classes)
	model := apps(node("a"), node("b", `"after": ["a"]`), node("c", `"nodes": [`+node("d")+`]`))
	e.must(model, "create a", "create b", "create c", "create d")
	environment := e.open()
	interrupt(t, nil, environment, "a", "c", "d")
	before := incarnations(t, environment)

	_, err := environment.Forget(t.Context(), []string{"a"}, nil)
	require.ErrorIs(t, err, sexton.ErrInUse)
	require.ErrorContains(t, err, "b.after refers to a")
	_, err = environment.Forget(t.Context(), []string{"c"}, nil)
	require.ErrorIs(t, err, sexton.ErrInUse)
	require.ErrorContains(t, err, "d is owned by c")
	refused := errors.New("no")
	_, err = environment.Forget(t.Context(), []string{"a", "b"}, &sexton.ForgetOptions{Confirm: func(r *sexton.Removal) error {
		require.Equal(t, []string{"a", "b"}, ids(r.Forgotten))
		return refused
	}})
	require.ErrorIs(t, err, refused)
	require.Equal(t, []string{"root live", "a live t-a", "b live", "c live t-c", "d live t-d"}, summary(t, environment))

	r, err := environment.Forget(t.Context(), []string{"a", "c"}, &sexton.ForgetOptions{Force: true, Recursive: true, Reason: "gone"})
	require.NoError(t, err)
	require.Equal(t, []string{"a", "c", "d"}, ids(r.Forgotten))
	require.Equal(t, []sexton.Reference{
		{From: "root", Property: "applications", To: "a"}, {From: "root", Property: "applications", To: "c"}, {From: "b", Property: "after", To: "a"},
	}, r.Cut)
	require.Equal(t, []string{"b"}, r.Untold)
	require.Equal(t, []string{"root live", "b live"}, summary(t, environment))
	found, err := environment.Check()
	require.NoError(t, err)
	require.Empty(t, found)
	records, err := environment.History(1)
	require.NoError(t, err)
	require.Equal(t, "rm", records[0].Verb)
	require.Equal(t, "gone", records[0].Reason)
	require.Len(t, records[0].Forgotten, 3)

	e.must(model, "create a", "create c", "create d")
	after := incarnations(t, environment)
	require.Equal(t, before["b"], after["b"])
	for _, id := range []string{"a", "c", "d"} {
		require.Greater(t, after[id], before["d"], "the incarnation of %s", id)
	}

	interrupt(t, nil, environment, "c")
	_, err = environment.Forget(t.Context(), []string{"b"}, nil)
	require.NoError(t, err)
	require.Equal(t, []string{"root live", "a live", "c live t-c", "d live"}, summary(t, environment))
	_, err = environment.Forget(t.Context(), []string{"root"}, nil)
	require.ErrorIs(t, err, sexton.ErrInUse)
	_, err = environment.Forget(t.Context(), []string{"root"}, &sexton.ForgetOptions{Recursive: true})
	require.NoError(t, err)
	require.Empty(t, summary(t, environment))
	e.must(empty)
}

// References leave every kind of value; what cannot do without one is refused, and so is what nobody can know.
func TestForgetReferences(t *testing.T) {
	e := newEnv(t, classes, `
-- index.ts --
import { Resource } from "sexton";
export class Node extends Resource {}
export class Holder extends Resource {
	static properties = {
		one: { type: "Node", optional: true }, list: { type: ["Node"], default: [] }, named: { type: { map: "Node" }, default: {} },
		any: { type: "any", usage: "out", optional: true },
	};
	declare one: any; declare any: any;
	deploy() { const n = this.one; this.any ??= { list: [[n]], map: new Map<any, any>([[n, 1], [1, n], [2, 3]]), set: new Set([n, 1]), n, x: 1 }; }
}
export class Needs extends Resource { static properties = { one: "Node" }; }
`)
	e.must(apps(object("Node", "n"), object("Holder", "h", `"one": "n", "list": ["n"], "named": {"n": "n"}`)))
	environment := e.open()
	_, err := environment.Forget(t.Context(), []string{"n"}, &sexton.ForgetOptions{Force: true})
	require.NoError(t, err)
	snapshot := e.snapshot()
	require.NotContains(t, snapshot, `{ "$ref": "n" }`)
	require.Contains(t, snapshot, `"one": null`)
	require.Contains(t, snapshot, `"list": []`)
	require.Contains(t, snapshot, `"named": {}`)
	require.Contains(t, snapshot, `"any": { "list": [ [] ], "map": { "$map": [ [ 2, 3 ] ] }, "set": { "$set": [ 1 ] }, "x": 1 }`)
	e.must(apps(object("Holder", "h")))

	e.must(apps(object("Node", "n"), object("Needs", "needs", `"one": "n"`), object("Node", "m")))
	_, err = environment.Forget(t.Context(), []string{"n"}, &sexton.ForgetOptions{Force: true})
	require.ErrorIs(t, err, sexton.ErrInUse)
	require.ErrorContains(t, err, "Needs needs could not be loaded without the reference: property one")
	e.write("-- index.ts --\nthis is no script")
	_, err = environment.Forget(t.Context(), []string{"n"}, &sexton.ForgetOptions{Force: true})
	require.ErrorContains(t, err, "whether needs can do without a reference is for its class to say")
	for _, id := range []string{"m", "needs", "n"} { // no class has to be asked
		_, err = environment.Forget(t.Context(), []string{id}, nil)
		require.NoError(t, err)
	}
	require.Equal(t, []string{"root live"}, summary(t, environment))
}

// crashes runs an operation on a disk, and wants to find, after a crash at any operation of the disk, what was
// before it or what is after it.
func crashes(t *testing.T, e *env, disk *simdisk.Disk, operation func()) {
	t.Helper()
	describe := func(d *simdisk.Disk) string {
		environment := e.onDisk(d)
		return strings.Join(summary(t, environment), ", ")
	}
	start, before := len(disk.Log()), describe(disk)
	e.onDisk(disk)
	operation()
	after := describe(disk)
	require.NotEqual(t, before, after)
	seen := map[string]int{}
	for n := start; n <= len(disk.Log()); n++ {
		for text, crashed := range disk.Crashes(n, &simdisk.CrashOptions{Stride: 64, Random: 5}) {
			found := describe(crashed)
			seen[found]++
			require.Contains(t, []string{before, after}, found, text)
			if n == len(disk.Log()) {
				require.Equal(t, after, found, text)
			}
			problems, err := e.onDisk(crashed).Check()
			require.NoError(t, err, text)
			for _, f := range problems {
				require.True(t, f.Harmless, "%s: %s", text, f.Problem)
			}
			if seen[found] == 1 {
				_, err = e.deploy(empty) // it goes on
				require.NoError(t, err, text)
			}
		}
	}
	require.Len(t, seen, 2)
	t.Logf("%d operations of the disk, %v", len(disk.Log())-start, seen)
}

func TestCrashOfForget(t *testing.T) {
	e := newEnv(t, classes)
	disk := simdisk.New()
	environment := e.onDisk(disk)
	e.must(apps(node("a"), node("b"), node("c", `"nodes": [`+node("d")+`]`)), "create a", "create b", "create c", "create d")
	interrupt(t, disk, environment, "a", "b")
	crashes(t, e, disk, func() {
		_, err := environment.Forget(context.Background(), []string{"a", "c"}, &sexton.ForgetOptions{Recursive: true})
		require.NoError(t, err)
	})
}

func TestCrashOfImport(t *testing.T) {
	e := newEnv(t, classes)
	other := simdisk.New()
	environment := e.onDisk(other)
	e.must(apps(node("a"), node("x")), "create a", "create x")
	interrupt(t, other, environment, "x")
	data, err := environment.Export()
	require.NoError(t, err)

	disk := simdisk.New()
	environment = e.onDisk(disk)
	e.must(apps(node("a"), node("b")), "create a", "create b")
	interrupt(t, disk, environment, "b")
	crashes(t, e, disk, func() {
		i, err := environment.Import(data, &sexton.ImportOptions{Replace: true})
		require.NoError(t, err)
		require.Equal(t, []string{"root", "a", "b"}, ids(i.Forgotten)) // those of another environment are others
		require.Equal(t, []string{"root live", "a live", "x live t-x"}, summary(t, environment))
	})
}

// An export goes on exactly as it was: states, tokens, effects. Numbers of incarnations never meet, whoever goes
// on with it, and never go back.
func TestImportOfExport(t *testing.T) {
	e := newEnv(t, classes)
	e.fails["bad"] = true
	e.must(apps(node("a"), node("bad")), "create a", "create bad")
	_, err := e.deploy(apps(node("a")))
	require.ErrorIs(t, err, sexton.ErrIncomplete)
	first := e.open()
	interrupt(t, nil, first, "a")
	data, err := first.Export()
	require.NoError(t, err)
	want := summary(t, first)
	require.Equal(t, []string{"root live", "a live t-a", "bad failed"}, want)

	_, err = first.Import(data, nil)
	require.ErrorIs(t, err, sexton.ErrNotEmpty)
	given := []uint64{head(t, first).Incarnation}
	numbers := map[uint64]bool{}
	for _, name := range []string{"second", "third"} {
		e.opts.Name = name
		environment := e.open()
		i, err := environment.Import(data, &sexton.ImportOptions{File: "export", Reason: "moved"})
		require.NoError(t, err)
		require.True(t, i.Exact)
		require.Equal(t, 1, i.Interrupted)
		require.Equal(t, want, summary(t, environment))
		require.Equal(t, incarnations(t, first), incarnations(t, environment))
		require.Equal(t, head(t, first).Environment, head(t, environment).Environment, "tokens are the same")
		require.Greater(t, head(t, environment).Epoch, head(t, first).Epoch)
		given = append(given, head(t, environment).Incarnation)
		again, err := environment.Export()
		require.NoError(t, err)
		_, err = environment.Import(again, &sexton.ImportOptions{Replace: true, Confirm: func(i *sexton.Imported) error {
			require.Empty(t, i.Forgotten, "they are the same objects")
			return nil
		}})
		require.NoError(t, err)
		require.Equal(t, want, summary(t, environment), "an effect that both have is one")

		e.fails["bad"] = false
		_, err = e.deploy(apps(node("a"), node("new")))
		require.NoError(t, err)
		require.Contains(t, e.log, "destroy bad")
		require.Equal(t, head(t, first).Environment, head(t, environment).Environment, "and stay so")
		require.Greater(t, head(t, environment).Epoch, head(t, first).Epoch+2)
		numbers[incarnations(t, environment)["new"]] = true
	}
	require.Len(t, numbers, 2)
	for n := range numbers {
		require.Greater(t, n, given[0]+1<<32)
	}
	require.True(t, slices.IsSorted(given[:2]))

	// An older export comes back: what was made since is forgotten, and its numbers stay used.
	environment := e.open()
	last := head(t, environment).Incarnation
	i, err := environment.Import(data, &sexton.ImportOptions{Replace: true})
	require.NoError(t, err)
	require.Equal(t, []string{"new"}, ids(i.Forgotten))
	require.Greater(t, head(t, environment).Incarnation, last)
}

// A snapshot does not say whose it is: tokens are new.
func TestImportOfSnapshot(t *testing.T) {
	e := newEnv(t, classes)
	e.must(apps(node("a")), "create a")
	first := e.open()
	data, err := first.Snapshot()
	require.NoError(t, err)
	before := incarnations(t, first)
	i, err := first.Import(data, &sexton.ImportOptions{Replace: true})
	require.NoError(t, err)
	require.False(t, i.Exact)
	require.Equal(t, []string{"root", "a"}, ids(i.Forgotten))
	for id, n := range incarnations(t, first) {
		require.Greater(t, n, before[id]+1<<32)
		require.LessOrEqual(t, n, head(t, first).Incarnation)
	}
	e.must(apps(node("a")))
	e.must(empty, "destroy a")
}

func TestImportRefuses(t *testing.T) {
	e := newEnv(t, classes)
	e.must(apps(node("a")), "create a")
	data, err := e.open().Export()
	require.NoError(t, err)
	e.opts.Name = "other"
	environment := e.open()
	for i := range data {
		changed := append([]byte{}, data...)
		changed[i] ^= 1
		_, err := environment.Import(changed, nil)
		require.Error(t, err, "byte %d", i)
	}
	for _, text := range []string{"", "{}", "[]", `{"export":2}`, `{"export":1}`, string(data[:len(data)/2]), string(data) + " "} {
		_, err := environment.Import([]byte(text), nil)
		require.ErrorIs(t, err, sexton.ErrExport, text)
	}
	require.NoDirExists(t, environment.StateDir())
}

func TestCompare(t *testing.T) {
	e := newEnv(t, classes)
	e.must(apps(node("a"), node("b")), "create a", "create b")
	before, err := e.open().Snapshot()
	require.NoError(t, err)
	e.must(apps(node("b", `"nodes": ["c"], "after": ["c"]`), node("c"), object("Other", "a")), "destroy a", "create c", "create a")
	after, err := e.open().Snapshot()
	require.NoError(t, err)
	d, err := sexton.Compare(before, after)
	require.NoError(t, err)
	require.Equal(t, []string{"c"}, ids(d.Added))
	require.Empty(t, d.Removed)
	changed := map[string][]string{}
	for _, c := range d.Changed {
		for _, f := range c.Fields {
			changed[c.ID] = append(changed[c.ID], fmt.Sprintf("%s %s %s", f.Name, f.Old, f.New))
		}
		require.Equal(t, c.ID == "a", c.Replaced)
	}
	require.Equal(t, []string{`type "app/Node" "app/Other"`, "incarnation 2 5"}, changed["a"])
	require.Equal(t, []string{`nodes [] [ { "$ref": "c" } ]`, `after [] [ { "$ref": "c" } ]`}, changed["b"])

	kept, err := e.open().SnapshotOf(1)
	require.NoError(t, err)
	require.Equal(t, before, kept)
	_, err = e.open().SnapshotOf(9)
	require.ErrorIs(t, err, sexton.ErrNoGeneration)
	require.ErrorContains(t, err, "there are @1")
}

// A deployment that was stopped is in the history although an operator came before the next one, and what it left
// can be forgotten with its effects.
func TestForgetAfterStop(t *testing.T) {
	dir := recoverablePackage(t)
	_, err := points(t, dir, diskModel, "written")
	require.Error(t, err)
	environment, err := sexton.Open(&sexton.Options{Dir: dir})
	require.NoError(t, err)
	require.Len(t, summary(t, environment), 2)
	info, err := environment.State()
	require.NoError(t, err)
	require.NotEmpty(t, info.Objects[1].Effects)
	_, err = environment.Forget(t.Context(), []string{"disk"}, nil)
	require.NoError(t, err)
	require.Equal(t, []string{"root live"}, summary(t, environment))
	records, err := environment.History(-1)
	require.NoError(t, err)
	require.Len(t, records, 2)
	require.Equal(t, "rm", records[0].Verb)
	require.Equal(t, sexton.Stopped, records[1].Outcome)
	passed, err := points(t, dir, diskModel, "")
	require.NoError(t, err)
	require.Equal(t, []string{"written", "kept"}, passed, "nothing is recovered")
}
