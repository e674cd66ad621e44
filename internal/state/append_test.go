package state_test

import (
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sextongc/sexton/internal/state"
	"github.com/sextongc/sexton/internal/state/simdisk"
)

// Callers that wait while a sync is under way share the next one.
func TestConcurrentAppendsShareASync(t *testing.T) {
	disk := simdisk.New()
	d, err := state.Open(simDir, &state.Options{FS: disk, Create: true})
	require.NoError(t, err)
	syncing, release := make(chan struct{}), make(chan struct{})
	var syncs atomic.Int32
	disk.Hook = func(_ int, op simdisk.Op) error {
		if op.Kind == simdisk.Sync && syncs.Add(1) == 1 {
			close(syncing)
			<-release
		}
		return nil
	}
	const waiting = 50
	var queued, returned sync.WaitGroup
	returned.Go(func() { _ = d.Append(ctx, record(state.Intent, "first")) })
	<-syncing
	for i := range waiting {
		queued.Add(1)
		returned.Go(func() {
			queued.Done()
			if err := d.Append(ctx, record(state.Intent, "%d", i), record(state.Outcome, "%d", i)); err != nil {
				t.Error(err)
			}
		})
	}
	queued.Wait()
	require.Zero(t, d.Stats().Groups, "nothing is acknowledged before its sync")
	close(release)
	returned.Wait()

	stats := d.Stats()
	require.EqualValues(t, waiting+1, stats.Groups)
	require.EqualValues(t, syncs.Load(), stats.Syncs)
	require.Less(t, stats.Syncs, stats.Groups/2)
	require.NoError(t, d.Close())

	d, _, err = read(disk, true)
	require.NoError(t, err)
	records := d.Records()
	require.Len(t, records, 1+2*waiting)
	for i := 1; i < len(records); i += 2 {
		require.Equal(t, state.Intent, records[i].Kind)
		require.Equal(t, records[i].Payload, records[i+1].Payload, "groups are not mixed")
	}
}

// Appends, commits and readers at the same time: no append that was acknowledged is missing, whatever
// generation it got into. P6
func TestAppendsAndCommitsAndReaders(t *testing.T) {
	dir := t.TempDir()
	d := open(t, dir, &state.Options{Create: true})
	const writers, each, commits = 8, 20, 10
	var wg sync.WaitGroup
	for w := range writers {
		wg.Go(func() {
			for i := range each {
				if err := d.Append(ctx, record(state.Outcome, "%d.%d", w, i)); err != nil {
					t.Error(err)
				}
			}
		})
	}
	stop := make(chan struct{})
	var readers sync.WaitGroup
	readers.Go(func() {
		for generation := uint64(0); ; {
			r, err := state.Open(dir, &state.Options{ReadOnly: true})
			if err != nil {
				t.Error(err)
				return
			}
			if g := r.Generation(); g < generation || g > 0 && string(r.Snapshot()) != fmt.Sprint(g) {
				t.Errorf("generation %d has snapshot %q after generation %d", g, r.Snapshot(), generation)
			}
			generation = r.Generation()
			select {
			case <-stop:
				return
			default:
			}
		}
	})
	committed := 0
	for committed < commits {
		err := d.Commit(&state.Commit{Seq: d.Seq(), Snapshot: fmt.Append(nil, d.Generation()+1), History: []byte("h")})
		if err == nil {
			committed++
			continue
		}
		require.ErrorIs(t, err, state.ErrMoved)
	}
	wg.Wait()
	close(stop)
	readers.Wait()
	stats := d.Stats()
	require.EqualValues(t, writers*each, stats.Groups)
	require.EqualValues(t, commits, stats.Commits)
	require.NoError(t, d.Close())
	d = open(t, dir, nil)
	require.EqualValues(t, commits, d.Generation())
	require.NoError(t, d.Close())
}

// Close and appends at the same time: each is either durable or refused.
func TestCloseWhileAppending(t *testing.T) {
	disk := simdisk.New()
	d, err := state.Open(simDir, &state.Options{FS: disk, Create: true})
	require.NoError(t, err)
	var wg sync.WaitGroup
	var acknowledged atomic.Int32
	for range 20 {
		wg.Go(func() {
			for d.Append(ctx, record(state.Phase, "")) == nil {
				acknowledged.Add(1)
			}
		})
	}
	require.NoError(t, d.Append(ctx, record(state.Phase, "")))
	require.NoError(t, d.Close())
	wg.Wait()
	d, _, err = read(disk, true)
	require.NoError(t, err)
	require.Len(t, d.Records(), int(acknowledged.Load())+1)
}

// BenchmarkAppend compares with the bare fsync that each group would cost alone.
func BenchmarkAppend(b *testing.B) {
	payload := fmt.Appendf(nil, `{"object":"vm1","op":"process.exec","args":"%064d"}`, 0)
	b.Run("fsync", func(b *testing.B) {
		f, err := os.Create(filepath.Join(b.TempDir(), "f"))
		require.NoError(b, err)
		defer f.Close()
		for b.Loop() {
			_, err := f.Write(payload)
			require.NoError(b, err)
			require.NoError(b, f.Sync())
		}
	})
	for _, callers := range []int{1, 50} {
		b.Run(fmt.Sprintf("callers=%d", callers), func(b *testing.B) {
			d, err := state.Open(b.TempDir(), &state.Options{Create: true})
			require.NoError(b, err)
			var next atomic.Int64
			var wg sync.WaitGroup
			b.ResetTimer()
			for range callers {
				wg.Go(func() {
					for next.Add(1) <= int64(b.N) {
						if err := d.Append(ctx, state.Record{Kind: state.Intent, Payload: payload}); err != nil {
							b.Error(err)
						}
					}
				})
			}
			wg.Wait()
			b.StopTimer()
			stats := d.Stats()
			b.ReportMetric(float64(stats.Groups)/float64(stats.Syncs), "groups/sync")
			require.NoError(b, d.Close())
		})
	}
}

// BenchmarkOpen: P13 allows 2 µs per record.
func BenchmarkOpen(b *testing.B) {
	const records = 100_000
	disk := simdisk.New()
	d, err := state.Open(simDir, &state.Options{FS: disk, Create: true})
	require.NoError(b, err)
	group := make([]state.Record, 10)
	for i := range group {
		group[i] = record(state.Outcome, `{"object":"vm%064d"}`, i)
	}
	carry := make([]state.Record, 0, records)
	for range records / len(group) {
		carry = append(carry, group...)
	}
	require.NoError(b, d.Append(ctx, carry...))
	require.NoError(b, d.Close())
	for b.Loop() {
		d, err := state.Open(simDir, &state.Options{FS: disk, ReadOnly: true})
		require.NoError(b, err)
		require.Len(b, d.Records(), records)
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/records, "ns/record")
}
