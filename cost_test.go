package sexton_test

import (
	"context"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/sextongc/sexton"
	"github.com/sextongc/sexton/internal/hook"
	"github.com/sextongc/sexton/internal/state"
	"github.com/sextongc/sexton/runtime"
	"github.com/sextongc/sexton/serialize"
)

// What durability costs. Every figure stands beside that of the disk or of the same work without a journal,
// measured in the same run: the ratio is what to look at.

// costClasses do nothing but what is measured.
const costClasses = `
-- package.json --
{"name": "app", "version": "1.0.0"}
-- index.ts --
import { Resource, GC } from "sexton";
import { create, remove } from "test/provider";
export class Node extends Resource {
	static properties = {
		after: { type: ["Node"], default: [] },
		made: { type: "string", usage: "out", optional: true },
	};
	declare after: Node[]; declare made?: string;
	constructor(properties: any, owner?: any, options?: any) {
		super(properties, owner, options);
		for (const o of this.after) GC.subscribeDestruction(o, this);
	}
}
export class Idle extends Node { async destroy() {} }
export class Awaiting extends Node { async destroy() { await null; } }
export class Provided extends Node { async destroy() { await remove(this.$id); } }
export class Fleet extends Resource {
	static properties = { nodes: { type: ["Node"] }, lanes: { type: "integer" } };
	declare nodes: Node[]; declare lanes: number;
	async deploy() {
		const nodes = this.nodes.values();
		const lane = async () => { for (const n of nodes) n.made = await create(n.$id, { of: n }); };
		await Promise.all(Array.from({ length: this.lanes }, lane));
	}
}
`

// provider creates in a millisecond and removes in no time.
var provider = &runtime.Extension{
	Name: "test/provider", Exports: []string{"create", "remove"},
	Effects: map[string]runtime.Effect{
		"create": func(_ context.Context, call *runtime.EffectCall) (any, error) {
			time.Sleep(time.Millisecond)
			return "made " + call.Object, nil
		},
		"remove": func(context.Context, *runtime.EffectCall) (any, error) { return nil, nil },
	},
}

// disks are what durability is measured on: the machine's, and one that syncs in the time that the promised
// figures are about.
var disks = map[string]time.Duration{"own": 0, "150µs": 150 * time.Microsecond}

func eachDisk(b *testing.B, name string, run func(b *testing.B, e *env, disk *costDisk)) {
	for _, label := range slices.Sorted(maps.Keys(disks)) {
		b.Run(name+"/disk="+label, func(b *testing.B) {
			disk := &costDisk{latency: disks[label]}
			e := newEnv(b, costClasses)
			e.opts.Extensions = append(e.opts.Extensions, provider)
			hook.WithFS(&e.opts, disk)
			run(b, e, disk)
		})
	}
}

// latency is what it takes to write a record at the end of a file and sync it: the unit of everything
// durable.
func (d *costDisk) measure(b *testing.B) time.Duration {
	b.Helper()
	f, err := d.OpenFile(filepath.Join(b.TempDir(), "sync"))
	require.NoError(b, err)
	defer func() { require.NoError(b, f.Close()) }()
	const times = 200
	record := make([]byte, 256)
	began := time.Now()
	for i := range int64(times) {
		_, err := f.WriteAt(record, i*int64(len(record)))
		require.NoError(b, err)
		require.NoError(b, f.Sync())
	}
	return time.Since(began) / times
}

// timed deploys, and returns how long that and its collection before deploy() took.
func (e *env) timed(b *testing.B, model string) (deploying, destroying time.Duration) {
	b.Helper()
	var from time.Time
	e.opts.Observe = func(event sexton.Event) {
		switch {
		case event.Kind != "phase":
		case event.Text == "collect what the model dropped":
			from = time.Now()
		case !from.IsZero() && destroying == 0:
			destroying = time.Since(from)
		}
	}
	began := time.Now()
	_, err := e.open().Deploy(context.Background(), context.Background(), &sexton.Model{Data: []byte(model), File: "model.json"})
	require.NoError(b, err)
	return time.Since(began), destroying
}

// figures are those of b.N deployments.
type figures struct {
	deploying, destroying, syncing time.Duration
	syncs                          int64
}

// destroy deploys a model and then nothing of it.
func (f *figures) destroy(b *testing.B, e *env, disk *costDisk, objects []string) {
	e.timed(b, apps(objects...))
	f.syncing += disk.measure(b) / 2
	before := disk.syncs.Load()
	deploying, destroying := e.timed(b, apps())
	f.deploying += deploying
	f.destroying += destroying
	f.syncs += disk.syncs.Load() - before
	f.syncing += disk.measure(b) / 2
}

func (f *figures) report(b *testing.B, destroyed int) {
	b.ReportMetric(float64(destroyed*b.N)/f.destroying.Seconds(), "destroys/s")
	b.ReportMetric(float64(f.deploying.Milliseconds())/float64(b.N), "ms/deployment")
	b.ReportMetric(float64(f.syncs)/float64(b.N), "syncs/deployment")
	b.ReportMetric(float64(f.syncing.Microseconds())/float64(b.N), "µs/sync")
	b.ReportMetric(0, "ns/op") // with all that is set up
}

// BenchmarkDestroy destroys 100,000 objects that are not ordered; fewer with -short.
func BenchmarkDestroy(b *testing.B) {
	n := 100_000
	if testing.Short() {
		n = 5000
	}
	for _, class := range []string{"Idle", "Awaiting", "Provided"} {
		for _, concurrency := range []int{10, 1000} {
			eachDisk(b, fmt.Sprintf("%s/concurrency=%d", class, concurrency), func(b *testing.B, e *env, disk *costDisk) {
				e.opts.Settings.Concurrency = concurrency
				objects := make([]string, n)
				for i := range objects {
					objects[i] = object(class, fmt.Sprintf("o%d", i))
				}
				var f figures
				for b.Loop() {
					f.destroy(b, e, disk, objects)
				}
				f.report(b, n)
			})
		}
	}
}

// BenchmarkChain destroys 1,000 objects each of which has to be durably gone before the next begins.
func BenchmarkChain(b *testing.B) {
	const n = 1000
	for _, class := range []string{"Idle", "Awaiting", "Provided"} {
		eachDisk(b, class, func(b *testing.B, e *env, disk *costDisk) {
			objects := []string{object(class, "o0")}
			for i := 1; i < n; i++ {
				objects = append(objects, object(class, fmt.Sprintf("o%d", i), fmt.Sprintf(`"after": ["o%d"]`, i-1)))
			}
			var f figures
			for b.Loop() {
				f.destroy(b, e, disk, objects)
			}
			f.report(b, n)
		})
	}
}

// BenchmarkEffects has 1,000 objects with an effect of a millisecond each, in so many lanes. x-bare is
// its time in units of that of the same deployment without journal.
func BenchmarkEffects(b *testing.B) {
	const n = 1000
	for _, lanes := range []int{1, 10, 50} {
		eachDisk(b, fmt.Sprintf("lanes=%d", lanes), func(b *testing.B, e *env, disk *costDisk) {
			nodes := make([]string, n)
			for i := range nodes {
				nodes[i] = node(fmt.Sprint("o", i))
			}
			model := apps(object("Fleet", "fleet", fmt.Sprintf(`"lanes": %d`, lanes), `"nodes": [`+strings.Join(nodes, ", ")+`]`))
			var durable, bare, syncing time.Duration
			var syncs int64
			for b.Loop() {
				bare += e.bare(b, disk, model)
				before := disk.syncs.Load()
				e.opts.State = filepath.Join(b.TempDir(), "state")
				deploying, _ := e.timed(b, model)
				durable += deploying
				syncs += disk.syncs.Load() - before
				syncing += disk.measure(b)
			}
			b.ReportMetric(float64(durable)/float64(bare), "x-bare")
			b.ReportMetric(float64(durable.Milliseconds())/float64(b.N), "ms/deployment")
			b.ReportMetric(float64(n*b.N)/float64(syncs), "effects/sync")
			b.ReportMetric(float64(syncing.Microseconds())/float64(b.N), "µs/sync")
			b.ReportMetric(0, "ns/op")
		})
	}
}

// bare deploys without a journal, and saves what comes of it in a state directory.
func (e *env) bare(b *testing.B, disk *costDisk, model string) time.Duration {
	b.Helper()
	ctx := context.Background()
	began := time.Now()
	dir, err := state.Open(filepath.Join(b.TempDir(), "state"), &state.Options{FS: disk, Create: true})
	require.NoError(b, err)
	s, err := sexton.NewSession(&sexton.SessionOptions{Options: e.opts})
	require.NoError(b, err)
	incarnation := uint64(0)
	require.NoError(b, s.Run(ctx, func(t *runtime.Task) error {
		if err := s.Load(ctx, t); err != nil {
			return err
		}
		_, graph, err := s.Deploy(ctx, t, &sexton.Deployment{
			Model: []byte(model), Stateful: true, Incarnation: func() uint64 { incarnation++; return incarnation },
		})
		if err != nil {
			return err
		}
		snapshot, err := serialize.EncodeSnapshot(graph)
		if err != nil {
			return err
		}
		return dir.Commit(&state.Commit{Seq: dir.Seq(), Snapshot: snapshot})
	}))
	require.NoError(b, s.Close())
	require.NoError(b, dir.Close())
	return time.Since(began)
}

// BenchmarkReplay opens a state whose deployment was stopped after a million records. P13 allows a second and
// 2 µs for each.
func BenchmarkReplay(b *testing.B) {
	const objects, effects = 10_000, 480_000
	path := b.TempDir()
	dir, err := state.Open(path, &state.Options{Create: true})
	require.NoError(b, err)
	records := 0
	write := func(group ...state.Record) {
		records += len(group)
		require.NoError(b, dir.Append(context.Background(), group...))
	}
	line := func(kind state.Kind, format string, args ...any) state.Record {
		return state.Record{Kind: kind, Payload: fmt.Appendf(nil, format, args...)}
	}
	var entries, doomed []string
	for i := range objects {
		entries = append(entries, fmt.Sprintf(`{ "?": { "id": "o%d", "type": "app/Node", "incarnation": %d }, "after": [] }`, i, i+1))
		doomed = append(doomed, fmt.Sprintf(`"o%d"`, i))
	}
	write(line(state.Checkpoint, `{"phase":"begin","root":"o0","changed":[%s]}`, strings.Join(entries, ",")))
	for n := 1; n <= effects; n += 100 {
		var group []state.Record
		for k := n; k < n+100; k++ {
			o := k % objects
			group = append(group, line(state.Intent, `{"n":%d,"object":"o%d","incarnation":%d,"op":"test/provider.create","token":"%024d","args":"o%d"}`, k, o, o+1, o, o),
				line(state.Outcome, `{"n":%d,"result":"made o%d"}`, k, o))
		}
		write(group...)
	}
	write(line(state.Plan, `{"doomed":[%s]}`, strings.Join(doomed, ",")))
	for o := 0; o < objects; o += 100 {
		var group []state.Record
		for k := o; k < o+100; k++ {
			group = append(group, line(state.Notified, `{"id":"o%d","subscriber":"o0","handler":"gone"}`, k),
				line(state.Notified, `{"id":"o%d","subscriber":"o1","handler":"gone","all":true}`, k),
				line(state.Destroyed, `{"id":"o%d","state":"doomed","failure":"Error: no"}`, k),
				line(state.Destroyed, `{"id":"o%d","state":"destroyed"}`, k))
		}
		write(group...)
	}
	require.NoError(b, dir.Close())
	for b.Loop() {
		dir, err := state.Open(path, &state.Options{ReadOnly: true})
		require.NoError(b, err)
		require.NoError(b, sexton.Replay(dir))
		require.NoError(b, dir.Close())
	}
	b.ReportMetric(float64(records), "records")
	b.ReportMetric(b.Elapsed().Seconds()*1e6/float64(b.N)/float64(records), "µs/record")
}
