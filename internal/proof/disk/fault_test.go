package disk

import (
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/sextongc/sexton/internal/state"
	"github.com/sextongc/sexton/internal/state/simdisk"
)

// faults are what an operation fails with. All but the last have not happened then, or in part.
var faults = []error{syscall.EIO, syscall.ENOSPC, syscall.EROFS, syscall.EINTR, simdisk.ErrShort, simdisk.Done{Err: syscall.EIO}}

// troubles counts what T4 did.
type troubles struct {
	calls      atomic.Int64 // of disks, each of which failed
	recoveries atomic.Int64 // deployments on what that left, where it says something new
	mu         sync.Mutex
	texts      map[string]string // errors, and what they were of
}

// P6, P16; T4. Any call of the disk fails, once or for ever, in any way: the deployment says so, nothing is done from
// then on that is not recorded, and the next deployment, with the disk in order again, goes on from what
// was acknowledged; also if power fails in between.
func TestT4Faults(t *testing.T) {
	if *long > 0 {
		t.Parallel()
		return // TestT4Random does the same, and more
	}
	var c troubles
	began := time.Now()
	t.Run("workloads", func(t *testing.T) {
		for i, wl := range workloads() {
			t.Run(wl.name, func(t *testing.T) {
				t.Parallel()
				c.everywhere(t, &wl, *seed+uint64(i))
			})
		}
	})
	c.figures(t, began)
}

// The same with workloads at random, for as long as asked.
func TestT4Random(t *testing.T) {
	if *long == 0 {
		t.Skip("with -for only")
	}
	t.Parallel()
	var c troubles
	began := time.Now()
	for s := *seed; goOn(t, began); s++ {
		rng := rand.New(rand.NewPCG(s, 4))
		wl := drawn(rng, int(s-*seed))
		t.Run(fmt.Sprintf("%d/%s", s, wl.name), func(t *testing.T) { c.everywhere(t, &wl, s) })
	}
	c.figures(t, began)
}

func (c *troubles) figures(t *testing.T, began time.Time) {
	if t.Failed() {
		return
	}
	d := time.Since(began).Seconds()
	figures("T4: %d calls failed, %d different states deployed on afterwards, %d different errors, 0 violations, %.0f s, %.1f faults/s, seed %d",
		c.calls.Load(), c.recoveries.Load(), len(c.texts), d, float64(c.calls.Load())/d, *seed)
	for _, text := range slices.Sorted(func(yield func(string) bool) {
		for text, of := range c.texts {
			if !yield(of + ": " + text) {
				return
			}
		}
	}) {
		t.Log(text)
	}
}

// everywhere fails each call of each step of a workload.
func (c *troubles) everywhere(t *testing.T, wl *workload, seed uint64) {
	if !wl.concurrent {
		wl.settings.Concurrency = 1 // so that what begins after a failure has begun because of it
	}
	w := newWorld(t, wl.settings)
	rng := rand.New(rand.NewPCG(seed, 2))
	disk := simdisk.New()
	if wl.name != "change" { // there calls fail while the environment gets its id, and each state is another
		dir, err := state.Open(stateDir, &state.Options{FS: disk, Create: true})
		require.NoError(t, err)
		require.NoError(t, dir.Close())
	}
	var ledger []line
	for i, s := range wl.steps {
		seen := map[string]bool{}
		for _, forever := range []bool{false, true} {
			stride := 1
			switch {
			case *long > 0:
			case forever:
				stride = 9
			case testing.Short():
				stride = 5
			}
			for at := 0; ; at += stride {
				f := &fault{at: at, forever: forever, err: faults[rng.IntN(len(faults))]}
				before := &situation{workload: wl, step: i, disk: disk.Clone(), ledger: ledger, history: i}
				if !c.fail(t, w, before, f, seen, rng) {
					break
				}
			}
		}
		lines, _, _ := w.deploy(t, disk, s)
		ledger = append(ledger, lines...)
	}
}

// fault fails a call, or all from it on.
type fault struct {
	at      int
	forever bool
	err     error

	op       simdisk.Op // that failed first
	reached  bool
	lines    int  // in the ledger by then
	appended bool // the journal was written to afterwards
}

func (f *fault) String() string {
	often := "once"
	if f.forever {
		often = "for ever"
	}
	return fmt.Sprintf("call %d (%v) fails %s with %v", f.at, f.op, often, f.err)
}

// on arms a disk; lines is how long the ledger is.
func (f *fault) on(disk *simdisk.Disk, lines func() int) {
	disk.Hook = func(n int, op simdisk.Op) error {
		if f.reached && filepath.Base(op.Name) == "journal" && (op.Kind == simdisk.Write || op.Kind == simdisk.Sync) {
			f.appended = true
		}
		switch {
		case n == f.at:
			f.op, f.reached, f.lines = op, true, lines()
		case n < f.at || !f.forever:
			return nil
		}
		return f.errorOf(op)
	}
}

// errorOf is what an operation fails with.
func (f *fault) errorOf(op simdisk.Op) error {
	if f.err == simdisk.ErrShort && op.Kind != simdisk.Write || op.Kind == simdisk.Read && errors.As(f.err, new(simdisk.Done)) {
		return syscall.EIO
	}
	return f.err
}

// cause is what the error of a deployment is expected to match.
func (f *fault) cause() error {
	err := f.errorOf(f.op)
	if done, ok := err.(simdisk.Done); ok {
		return done.Err
	}
	if err == simdisk.ErrShort {
		return io.ErrShortWrite
	}
	return err
}

// fail does a step with a fault and goes on from what that left. It returns false if the step has fewer calls.
func (c *troubles) fail(t *testing.T, w *world, s *situation, f *fault, seen map[string]bool, rng *rand.Rand) bool {
	disk := s.disk
	f.on(disk, func() int {
		w.mu.Lock()
		defer w.mu.Unlock()
		return len(w.lines)
	})
	lines, _, err := w.deploy(t, disk, s.workload.steps[s.step])
	if !f.reached {
		return false
	}
	c.calls.Add(1)
	disk.Hook = nil
	s.text = f.String()
	s.ledger = append(s.ledger[:len(s.ledger):len(s.ledger)], lines...)
	c.clear(t, f, err, s)
	require.False(t, f.appended, "P16: the journal was written to after a failure: %s", s.text)
	c.stopped(t, w, s, lines[f.lines:])

	// Without power failing, the next process may read what never got to the disk.
	for text, found := range disk.Crashes(disk.Operations(), &simdisk.CrashOptions{Stride: 512, Last: 2, Seed: rng.Uint64(), Random: 2}) {
		c.recover(t, w, s, found, text, seen)
	}
	c.recover(t, w, s, disk, "no crash", seen)
	return true
}

// clear checks that an error says what failed.
func (c *troubles) clear(t *testing.T, f *fault, err error, s *situation) {
	t.Helper()
	require.Error(t, err, s.text)
	require.ErrorIs(t, err, f.cause(), s.text)
	require.ErrorContains(t, err, filepath.Base(f.op.Name), s.text)
	if f.err == syscall.EIO && !f.forever {
		c.mu.Lock()
		defer c.mu.Unlock()
		if c.texts == nil {
			c.texts = map[string]string{}
		}
		c.texts[err.Error()] = f.op.String()
	}
}

// stopped checks what was done after a failure: no effect, and no destroy() that is not in a plan.
func (c *troubles) stopped(t *testing.T, w *world, s *situation, lines []line) {
	t.Helper()
	if s.workload.concurrent || len(lines) == 0 {
		return // effects may have been recorded in time
	}
	info, err := on(t, w.opts, s.disk).State()
	require.NoError(t, err, s.text)
	planned := map[string]bool{}
	for _, o := range info.Objects {
		planned[o.ID] = o.Entry.Doomed
	}
	for _, l := range lines {
		switch l.verb {
		case "live", "recover": // scripts go on to their next effect
		case "destroy", "told":
			require.True(t, planned[l.id], "P16: %v is not recorded: %s\nledger: %s", l, s.text, texts(s.ledger))
		default:
			require.Fail(t, "P16", "%v after the failure: %s\nledger: %s", l, s.text, texts(s.ledger))
		}
	}
}

// recover goes on from a disk if it is unlike those before it.
func (c *troubles) recover(t *testing.T, w *world, s *situation, disk *simdisk.Disk, text string, seen map[string]bool) {
	_, found, err := read(disk, true)
	require.NoError(t, err, "%s, %s", s.text, text)
	key := fmt.Sprint(len(s.ledger), found)
	if seen[key] {
		return
	}
	seen[key] = true
	c.recoveries.Add(1)
	after := *s
	after.disk, after.text = disk, s.text+", "+text
	w.verify(t, &after)
}
