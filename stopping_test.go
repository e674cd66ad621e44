package sexton_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/sextongc/sexton"
	"github.com/sextongc/sexton/internal/hook"
	"github.com/sextongc/sexton/internal/state/simdisk"
)

// gc 5.8: after a cancellation deploy() finishes with the application that it is at, and goes on to none.
func TestCancelledBetweenApplications(t *testing.T) {
	e := newEnv(t, classes)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	e.hook = func(line string) {
		if line == "create a" {
			cancel()
		}
	}
	env, err := sexton.Open(&e.opts)
	require.NoError(t, err)
	_, err = env.Deploy(ctx, t.Context(), &sexton.Model{Data: []byte(`{"?":{"type":"Environment","id":"root"},
		"applications":[{"?":{"type":"Node","id":"a"}},{"?":{"type":"Node","id":"b"}}]}`), File: "model.json"})
	require.ErrorIs(t, err, sexton.ErrInterrupted)
	require.Equal(t, []string{"create a"}, e.log)
}

func TestNilModel(t *testing.T) {
	env, err := sexton.Open(&sexton.Options{Dir: t.TempDir()})
	require.NoError(t, err)
	_, err = env.Deploy(t.Context(), t.Context(), nil)
	require.ErrorContains(t, err, "the model is nil")
	_, err = env.Plan(t.Context(), nil)
	require.ErrorContains(t, err, "the model is nil")
}

// What is cancelled before it begins changes nothing, whichever context says so, and the error matches
// ErrInterrupted and the cause.
func TestCancelledBefore(t *testing.T) {
	cause := errors.New("the cluster moves")
	contexts := map[string]struct {
		done func() (context.Context, context.CancelFunc)
		is   error
		text string
	}{
		"cancelled": {func() (context.Context, context.CancelFunc) {
			ctx, cancel := context.WithCancel(context.Background())
			cancel()
			return ctx, cancel
		}, context.Canceled, "interrupted"},
		"late": {func() (context.Context, context.CancelFunc) {
			return context.WithDeadline(context.Background(), time.Unix(0, 0))
		}, context.DeadlineExceeded, "interrupted: context deadline exceeded"},
		"cause": {func() (context.Context, context.CancelFunc) {
			ctx, cancel := context.WithCancelCause(context.Background())
			cancel(cause)
			return ctx, func() { cancel(nil) }
		}, cause, "interrupted: the cluster moves"},
	}
	for name, c := range contexts {
		t.Run(name, func(t *testing.T) {
			e := newEnv(t, classes)
			done, cancel := c.done()
			defer cancel()
			live := context.Background()
			for range 2 { // without a state, and with one
				for _, pair := range [][2]context.Context{{done, live}, {live, done}, {done, done}} {
					before := e.snapshot()
					_, err := e.deployWith(pair[0], pair[1], apps(node("b")))
					require.ErrorIs(t, err, sexton.ErrInterrupted)
					require.ErrorIs(t, err, c.is)
					require.EqualError(t, err, c.text)
					require.Empty(t, e.log)
					require.Equal(t, before, e.snapshot())
					_, err = sexton.Run(pair[0], pair[1], &e.opts, &sexton.Script{Source: `console.log("ran")`})
					require.ErrorIs(t, err, sexton.ErrInterrupted)
					require.ErrorIs(t, err, c.is)
					require.NotContains(t, e.log, "ran")
				}
				_, err := e.open().Plan(done, &sexton.Model{Data: []byte(apps())})
				require.ErrorIs(t, err, sexton.ErrInterrupted)
				require.ErrorIs(t, err, c.is)
				e.must(apps(node("a")), map[bool][]string{true: {"create a"}}[e.snapshot() == emptySnapshot(t)]...)
			}
			require.Len(t, e.history(-1), 2)
		})
	}
}

func emptySnapshot(t *testing.T) string { return newEnv(t, classes).snapshot() }

// The error of a full disk is that of the state, wherever it was met: also by a script whose effect could not
// be recorded. What was deployed before stays.
func TestFullDisk(t *testing.T) {
	e := newEnv(t, crashClasses)
	disk := simdisk.New()
	_, err := e.deployOn(disk, context.Background(), stoppingSteps[0])
	require.NoError(t, err)
	before := e.snapshot()
	met := 0
	for room := int64(0); ; room += 97 {
		full := disk.Clone()
		full.Space = size(t, full) + room
		_, err := e.deployOn(full, context.Background(), stoppingSteps[1])
		if err == nil {
			break
		}
		met++
		require.ErrorIs(t, err, sexton.ErrStateFailed, "%d bytes", room)
		require.ErrorIs(t, err, syscall.ENOSPC)
	}
	require.Greater(t, met, 10)
	hook.WithFS(&e.opts, disk)
	require.Equal(t, before, e.snapshot())
}

// size is how many bytes the files of a state have.
func size(t *testing.T, disk *simdisk.Disk) (n int64) {
	names, err := disk.ReadDir("/state")
	require.NoError(t, err)
	for _, name := range names {
		data, err := disk.ReadFile("/state/" + name)
		require.NoError(t, err)
		n += int64(len(data))
	}
	return n
}

// stoppingSteps are two deployments whose second one destroys with notifications, replaces, creates and
// drops what a script made.
var stoppingSteps = []string{
	apps(node("a"), node("b", `"after": ["a"]`), node("c", `"nodes": [`+node("d", `"after": ["a"]`)+`]`), node("w", `"want": 2`), node("x")),
	apps(node("b"), node("w", `"want": 1`), object("Other", "x"), node("y", `"after": ["b"]`)),
}

// gc 5.8: cancelled at any event of a deployment, it lets what runs finish and saves; the next one goes on, and
// no destroy() has run twice.
func TestCancelEverywhere(t *testing.T) {
	for at := 1; ; at++ {
		e := newEnv(t, crashClasses)
		disk := simdisk.New()
		events, err := e.deployOn(disk, context.Background(), stoppingSteps[0])
		require.NoError(t, err)
		ledger := texts(events)

		ctx, cancel := context.WithCancelCause(context.Background())
		count := 0
		e.opts.Observe = func(sexton.Event) {
			if count++; count == at {
				cancel(sexton.ErrInterrupted)
			}
		}
		e.hook = func(line string) { ledger = append(ledger, line) }
		report, err := e.deployWith(ctx, context.Background(), stoppingSteps[1])
		cancel(nil)
		if count < at {
			require.NoError(t, err)
			break
		}
		text := fmt.Sprintf("cancelled at event %d: %v", at, err)
		if err != nil {
			require.ErrorIs(t, err, sexton.ErrInterrupted, text)
			require.True(t, report.Interrupted, text)
		}
		e.opts.Observe = nil
		_, err = e.deployWith(context.Background(), context.Background(), stoppingSteps[1])
		require.NoError(t, err, text)
		_, err = e.deployWith(context.Background(), context.Background(), empty)
		require.NoError(t, err, text)
		done := map[string]int{}
		for _, line := range ledger {
			done[line]++
		}
		for line, n := range done {
			require.True(t, n == 1 || line[:4] == "live", "%s: %q %d times\n%q", text, line, n, ledger)
		}
		require.Empty(t, stateOf(t, disk, text).present, text)
		e.requireHistory(t, text)
	}
}

// requireHistory checks that each destruction stands in the history once, with how long it took, and each
// deployment has a number of its own.
func (e *env) requireHistory(t *testing.T, text string) []sexton.HistoryRecord {
	records := e.history(-1)
	destroyed := map[string]int{}
	created := map[string]int{}
	numbers := map[uint64]bool{}
	for _, h := range records {
		require.NotEqual(t, sexton.Unfinished, h.Outcome, text)
		require.False(t, numbers[h.Number], text)
		numbers[h.Number] = true
		for _, o := range h.Destroyed {
			destroyed[o.ID]++
			require.NotEmpty(t, o.Type, text)
			require.NotEmpty(t, o.Attempts, text)
			require.Positive(t, slices.Min(o.Attempts), text)
		}
		for _, o := range h.Created {
			created[o.ID]++
		}
	}
	for id, n := range created {
		require.GreaterOrEqual(t, destroyed[id], 1, "%s: %s", text, id)
		require.LessOrEqual(t, n, 2, "%s: %s", text, id)
	}
	for id, n := range destroyed {
		want := 1
		if id == "x" || id == "dropped" { // replaced, made again
			want = 2
		}
		require.LessOrEqual(t, n, want, "%s: %s\n%v", text, id, records)
	}
	return records
}

// Stopped hard once and twice in a row, at any event: each of the deployments is in the history, with what
// was recorded.
func TestHistoryOfStopped(t *testing.T) {
	for at := 1; ; at++ {
		e := newEnv(t, crashClasses)
		disk := simdisk.New()
		_, err := e.deployOn(disk, context.Background(), stoppingSteps[0])
		require.NoError(t, err)
		stop := func() (stopped bool) {
			kill, cancel := context.WithCancelCause(context.Background())
			defer cancel(nil)
			count := 0
			e.opts.Observe = func(sexton.Event) {
				if count++; count == at {
					cancel(errors.New("enough"))
				}
			}
			_, err := e.deployWith(context.Background(), kill, stoppingSteps[1])
			e.opts.Observe = nil
			if err != nil {
				require.ErrorIs(t, err, sexton.ErrInterrupted)
				require.ErrorContains(t, err, "interrupted: enough")
			}
			return count >= at && err != nil
		}
		stops := 0
		for range 2 {
			if stop() {
				stops++
			}
		}
		if stops == 0 {
			require.Greater(t, at, 20)
			break
		}
		text := fmt.Sprintf("stopped at event %d", at)
		open := e.history(-1)
		_, err = e.deployWith(context.Background(), context.Background(), stoppingSteps[1])
		require.NoError(t, err, text)
		_, err = e.deployWith(context.Background(), context.Background(), empty)
		require.NoError(t, err, text)
		records := e.requireHistory(t, text)
		begun := len(records) - 3 // stopped after they had changed something
		require.LessOrEqual(t, begun, 2, text)
		require.Len(t, open, len(records)-2, text)
		for i, h := range records {
			if i < 2 || i == len(records)-1 {
				require.Equal(t, sexton.Done, h.Outcome, text)
			} else if h.Outcome != sexton.Done { // it may have got to its end
				require.Equal(t, sexton.Stopped, h.Outcome, text)
				require.Equal(t, "interrupted: enough", h.Error, text)
				require.NotEmpty(t, h.Phase, text)
				require.Equal(t, open[i-2], h, text)
			}
		}
	}
}

// The same after crashes, of which the process cannot say anything: at every operation of the disk.
func TestHistoryOfCrashed(t *testing.T) {
	e := newEnv(t, crashClasses)
	disk := simdisk.New()
	var ends []int
	for _, model := range stoppingSteps {
		_, err := e.deployOn(disk, context.Background(), model)
		require.NoError(t, err)
		ends = append(ends, len(disk.Log()))
	}
	outcomes := map[sexton.Outcome]int{}
	for n := ends[0] + 1; n < ends[1]; n++ {
		for text, crashed := range disk.Crashes(n, &simdisk.CrashOptions{Stride: 1 << 20}) {
			hook.WithFS(&e.opts, crashed)
			open := e.history(1)[0]
			_, err := e.deployWith(context.Background(), context.Background(), stoppingSteps[1])
			require.NoError(t, err, text)
			_, err = e.deployWith(context.Background(), context.Background(), empty)
			require.NoError(t, err, text)
			records := e.requireHistory(t, text)
			outcomes[open.Outcome]++
			if open.Outcome == sexton.Unfinished {
				require.Len(t, records, 4, text)
				require.Equal(t, sexton.Stopped, records[2].Outcome, text)
				open.Outcome = sexton.Stopped
				require.Equal(t, open, records[2], text)
			}
			break // of what can become of one operation, package state tries the rest
		}
	}
	require.Greater(t, outcomes[sexton.Unfinished], 20)
	require.Positive(t, outcomes[sexton.Done]) // before the second one begins, and after it has ended
	require.Len(t, outcomes, 2)
}

// A deployment that is stopped can be looked at before the next one: what it notified and destroyed, and where it was.
func TestHistoryOfUnfinished(t *testing.T) {
	e := newEnv(t, classes)
	e.must(apps(node("a"), node("b", `"after": ["a"]`), node("c")), "create a", "create b", "create c")
	kill, cancel := context.WithCancel(context.Background())
	defer cancel()
	e.opts.Observe = func(ev sexton.Event) {
		if ev.Kind == "destroy" && ev.Object.ID == "b" {
			cancel()
		}
	}
	_, err := e.deployWith(context.Background(), kill, empty)
	require.ErrorIs(t, err, context.Canceled)
	h := e.history(1)[0]
	require.Equal(t, sexton.Stopped, h.Outcome)
	require.Equal(t, "collect what the model dropped", h.Phase)
	require.Equal(t, uint64(2), h.Number)
	require.Equal(t, 1, h.Notified)
	require.Equal(t, []string{"a", "c"}, historyIDs(h.Destroyed))
	require.Equal(t, "interrupted", h.Error)
	require.Positive(t, h.Duration)
	require.Len(t, e.history(-1), 2)
	require.Empty(t, e.history(0))
}
