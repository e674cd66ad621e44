package state_test

import (
	"errors"
	"flag"
	"fmt"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sextongc/sexton/internal/state"
	"github.com/sextongc/sexton/internal/state/simdisk"
)

const simDir = "/env"

// A stride of 1 is exhaustive and takes twenty seconds.
var stride = flag.Int("stride", 16, "tear writes at every n-th byte in crash tests")

// content is all that a state says, as text: comparable and readable in a failure.
type content string

const nothing = content("no state")

func contentOf(d *state.Dir) (content, error) {
	history, err := d.History(-1)
	s := fmt.Sprintf("generation %d snapshot %q meta %q history %q", d.Generation(), d.Snapshot(), d.Meta(), history)
	for _, r := range d.Records() {
		s += fmt.Sprintf(" %s:%s", r.Kind, r.Payload)
	}
	return content(s), err
}

// read opens the state of a disk, without closing it: the process that did may crash in its turn.
func read(disk *simdisk.Disk, readOnly bool) (*state.Dir, content, error) {
	d, err := state.Open(simDir, &state.Options{FS: disk, ReadOnly: readOnly})
	if errors.Is(err, state.ErrNoState) {
		return nil, nothing, nil
	}
	if err != nil {
		return nil, "", err
	}
	c, err := contentOf(d)
	return d, c, err
}

// step is one thing that a deployment does to its state.
type step func(d *state.Dir) error

func appends(group ...state.Record) step {
	return func(d *state.Dir) error { return d.Append(ctx, group...) }
}

func commits(c state.Commit) step {
	return func(d *state.Dir) error {
		c.Seq = d.Seq()
		return d.Commit(&c)
	}
}

// workload has every kind of thing that can be cut off.
var workload = []step{
	appends(record(state.Plan, `{"plan":1}`)),
	commits(state.Commit{Snapshot: []byte("one"), Meta: []byte("m1"), History: []byte("h1")}),
	appends(record(state.Intent, "i"), record(state.Checkpoint, "with\nnewline")),
	appends(record(state.Outcome, "o")),
	commits(state.Commit{Snapshot: []byte("two"), Carry: []state.Record{record(state.Intent, "open")}}),
	commits(state.Commit{Snapshot: []byte("two"), History: []byte("h2")}),
	appends(record(state.Phase, "")),
	commits(state.Commit{Snapshot: []byte("three"), History: []byte("h3")}),
	commits(state.Commit{Snapshot: []byte("four")}),
	commits(state.Commit{Snapshot: []byte("five"), Meta: []byte("m5")}),
}

// run creates a state and does the workload. It returns the error that stopped it, how many steps were
// acknowledged (the creation is the first), and calls after for each.
func run(disk *simdisk.Disk, after func()) (done int, err error) {
	d, err := state.Open(simDir, &state.Options{FS: disk, Create: true})
	for _, s := range workload {
		if err != nil {
			break
		}
		done++
		after()
		err = s(d)
	}
	if d == nil {
		return done, err
	}
	if err == nil {
		done++
		after()
	}
	return done, errors.Join(err, d.Close())
}

// expected lists the contents after each step, beginning with none at all. The environment's id is not in it.
func expected(t *testing.T) []content {
	t.Helper()
	disk := simdisk.New()
	contents := []content{nothing}
	_, err := run(disk, func() {
		_, c, err := read(disk, true)
		require.NoError(t, err)
		contents = append(contents, c)
	})
	require.NoError(t, err)
	require.Len(t, contents, len(workload)+2)
	return contents
}

// P1, P6, P13: after a crash at any operation, in any variant, the state is the one that was acknowledged
// last or the one that was under way, also when the recovery crashes, and it can be worked with.
func TestCrashAtEveryOperation(t *testing.T) {
	want := expected(t)
	disk := simdisk.New()
	var acknowledged []int // length of the log at each acknowledgement
	_, err := run(disk, func() { acknowledged = append(acknowledged, len(disk.Log())) })
	require.NoError(t, err)

	opts := &simdisk.CrashOptions{Stride: *stride, Seed: 1}
	if testing.Short() {
		opts.Stride *= 16
	}
	images, recoveries := 0, 0
	for n := range len(disk.Log()) + 1 {
		done := 0
		for done < len(acknowledged) && acknowledged[done] <= n {
			done++
		}
		allowed := want[done:min(done+2, len(want))]
		i := 0
		for text, crashed := range disk.Crashes(n, opts) {
			images++
			_, c, err := read(crashed, true)
			require.NoError(t, err, text)
			require.Contains(t, allowed, c, text)

			d, got, err := read(crashed, false)
			require.NoError(t, err, text)
			require.Equal(t, c, got, "%s: reader and writer differ", text)
			if i++; i%50 == 1 {
				for again, twice := range crashed.Crashes(len(crashed.Log()), &simdisk.CrashOptions{Stride: 40, Random: 8}) {
					recoveries++
					_, got, err := read(twice, false)
					require.NoError(t, err, "%s then %s", text, again)
					require.Equal(t, c, got, "%s then %s", text, again)
				}
				for m := range crashed.Log() {
					for again, twice := range crashed.Crashes(m, &simdisk.CrashOptions{Stride: 40, Random: 8}) {
						recoveries++
						_, got, err := read(twice, false)
						require.NoError(t, err, "%s then %s", text, again)
						require.Equal(t, c, got, "%s then %s", text, again)
					}
				}
			}
			if d == nil {
				continue
			}
			records := len(d.Records())
			require.NoError(t, d.Append(ctx, record(state.Failed, "later")), text)
			require.NoError(t, d.Close(), text)
			d, _, err = read(crashed, false)
			require.NoError(t, err, text)
			require.Len(t, d.Records(), records+1, text)
			require.NoError(t, d.Close(), text)
		}
	}
	t.Logf("%d operations, %d disks, %d second crashes", len(disk.Log()), images, recoveries)
}

// P16, T4: an operation that fails, once or from then on, stops all acknowledgement, and what was
// acknowledged is found again.
func TestEveryOperationFails(t *testing.T) {
	want := expected(t)
	counting := simdisk.New()
	_, err := run(counting, func() {})
	require.NoError(t, err)
	for _, cause := range []error{syscall.ENOSPC, syscall.EIO} {
		for _, forever := range []bool{false, true} {
			for n := range counting.Calls() {
				text := fmt.Sprintf("%v at operation %d, forever %v", cause, n, forever)
				disk := simdisk.New()
				var failed simdisk.Op
				disk.Hook = func(i int, op simdisk.Op) error {
					if i == n || forever && i > n {
						if i == n {
							failed = op
						}
						return cause
					}
					return nil
				}
				done, err := run(disk, func() {})
				require.ErrorIs(t, err, cause, "%s: %v", text, failed)
				disk.Hook = nil
				allowed := want[done:min(done+2, len(want))]
				log := len(disk.Log())
				for crash, crashed := range disk.Crashes(log, &simdisk.CrashOptions{Stride: 64, Last: 6}) {
					_, c, err := read(crashed, false)
					require.NoError(t, err, "%s: %v, then %s", text, failed, crash)
					require.Contains(t, allowed, c, "%s: %v, then %s", text, failed, crash)
				}
				// Without a power failure the next process reads what may never have reached the disk. What it
				// found and built upon stays, whatever happens then.
				d, c, err := read(disk, false)
				require.NoError(t, err, "%s: %v", text, failed)
				require.Contains(t, allowed, c, "%s: %v", text, failed)
				if d == nil {
					continue
				}
				names, err := disk.ReadDir(simDir)
				require.NoError(t, err)
				require.NotContains(t, names, "journal.next")
				require.NotContains(t, names, "snapshot.next.json")
				settled := func(want content) {
					for crash, crashed := range disk.Crashes(len(disk.Log()), &simdisk.CrashOptions{Stride: 512, Last: 4, Random: 4}) {
						_, got, err := read(crashed, true)
						require.NoError(t, err, "%s: %v, reopened, then %s", text, failed, crash)
						require.Equal(t, want, got, "%s: %v, reopened, then %s", text, failed, crash)
					}
				}
				settled(c)
				require.NoError(t, d.Append(ctx, record(state.Failed, "later")))
				settled(c + " failed:later")
				require.NoError(t, commits(state.Commit{Snapshot: []byte("later"), History: []byte("later")})(d))
				_, c, err = read(disk, true)
				require.NoError(t, err)
				settled(c)
			}
		}
	}
}

// P16: nothing is acknowledged after a failure, although the disk works again.
func TestFailureIsFinal(t *testing.T) {
	for _, kind := range []simdisk.Kind{simdisk.Write, simdisk.Sync} {
		disk := simdisk.New()
		d, err := state.Open(simDir, &state.Options{FS: disk, Create: true})
		require.NoError(t, err)
		disk.Hook = func(_ int, op simdisk.Op) error {
			if op.Kind == kind {
				return syscall.EIO
			}
			return nil
		}
		err = d.Append(ctx, record(state.Plan, "p"))
		require.ErrorIs(t, err, state.ErrFailed)
		require.ErrorIs(t, err, syscall.EIO)
		disk.Hook = nil
		require.ErrorIs(t, d.Append(ctx, record(state.Plan, "p")), state.ErrFailed)
		require.ErrorIs(t, d.Commit(&state.Commit{Seq: d.Seq()}), state.ErrFailed)
		require.Zero(t, d.Stats().Groups)
		require.NoError(t, d.Close())
		_, err = state.Open(simDir, &state.Options{FS: disk})
		require.NoError(t, err)
	}
}
