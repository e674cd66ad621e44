package disk

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/sextongc/sexton/internal/state/simdisk"
)

// crashes counts what T3 did.
type crashes struct {
	operations atomic.Int64 // of disks, at each of which power failed
	images     atomic.Int64 // disks that were found, opened and compared
	recoveries atomic.Int64 // deployments on those that say something new
	twice      atomic.Int64 // of these, after a crash in a recovery
}

// P1 to P6, P9, P13; T3. Power fails at every operation of deployments that create, change, destroy, fail and
// resurrect; what was not synced arrived, is lost, or is torn. Whatever is found, deployments go on from
// there, and from crashes in the middle of that.
func TestT3CrashPoints(t *testing.T) {
	if *long > 0 {
		t.Parallel()
		return // TestT3Random does the same, and more
	}
	var c crashes
	began := time.Now()
	t.Run("workloads", func(t *testing.T) {
		for i, wl := range workloads() {
			t.Run(wl.name, func(t *testing.T) {
				t.Parallel()
				c.everywhere(t, &wl, *seed+uint64(i), 4)
			})
		}
	})
	c.figures(t, began)
}

// The same with workloads at random, for as long as asked.
func TestT3Random(t *testing.T) {
	if *long == 0 {
		t.Skip("with -for only")
	}
	t.Parallel()
	var c crashes
	began := time.Now()
	for s := *seed; goOn(t, began); s++ {
		rng := rand.New(rand.NewPCG(s, 3))
		wl := drawn(rng, int(s-*seed))
		t.Run(fmt.Sprintf("%d/%s", s, wl.name), func(t *testing.T) { c.everywhere(t, &wl, s, 1) })
	}
	c.figures(t, began)
}

func (c *crashes) figures(t *testing.T, began time.Time) {
	if t.Failed() {
		return
	}
	d := time.Since(began).Seconds()
	figures("T3: %d crash points, %d disks found and opened, %d different ones deployed on (%d of them after a second crash), 0 violations, %.0f s, %.0f disks/s, %.1f deployed/s, seed %d",
		c.operations.Load(), c.images.Load(), c.recoveries.Load(), c.twice.Load(), d, float64(c.images.Load())/d, float64(c.recoveries.Load())/d, *seed)
}

// everywhere does a workload and fails power at each of its operations. One of share recoveries is
// interrupted itself.
func (c *crashes) everywhere(t *testing.T, wl *workload, seed uint64, share int) {
	w := newWorld(t, wl.settings)
	disk := simdisk.New()
	var ledger []line
	var ends []int
	for i, s := range wl.steps {
		lines, report, err := w.deploy(t, disk, s)
		if s.fails == nil {
			require.NoError(t, err, "step %d", i+1)
			require.False(t, report.Incomplete())
		}
		ledger = append(ledger, lines...)
		ends = append(ends, len(disk.Log()))
	}
	rng := rand.New(rand.NewPCG(seed, 1))
	seen := map[string]bool{}
	operations := len(disk.Log())
	c.operations.Add(int64(operations + 1))
	for n := range operations + 1 {
		at := slices.IndexFunc(ends, func(end int) bool { return n < end })
		acknowledged := at
		if at < 0 {
			at, acknowledged = len(ends)-1, len(ends)
		}
		before := 0
		for before < len(ledger) && ledger[before].at <= n {
			before++
		}
		for text, found := range disk.Crashes(n, &simdisk.CrashOptions{Stride: 512, Last: 3, Seed: seed, Random: 4}) {
			s := &situation{workload: wl, step: at, disk: found, ledger: ledger[:before:before], history: acknowledged, text: text}
			if c.open(t, s, seen) {
				continue
			}
			f, again := w.verify(t, s)
			c.recoveries.Add(1)
			if rng.IntN(share) == 0 {
				c.again(t, w, s, f, again, rng)
			}
		}
	}
}

// open checks that readers and writers find the same on a disk, and reports whether that is known already.
func (c *crashes) open(t *testing.T, s *situation, seen map[string]bool) (known bool) {
	c.images.Add(1)
	_, want, err := read(s.disk, true)
	require.NoError(t, err, s.text)
	_, got, err := read(s.disk.Clone(), false)
	require.NoError(t, err, s.text)
	require.Equal(t, want, got, "%s: reader and writer differ", s.text)
	key := fmt.Sprint(s.step, len(s.ledger), want)
	known = seen[key]
	seen[key] = true
	return known
}

// again fails power at some operation of a recovery that found f and wrote these lines to the ledger: s.disk has its
// operations.
func (c *crashes) again(t *testing.T, w *world, s *situation, f *found, lines []line, rng *rand.Rand) {
	operations := len(s.disk.Log())
	if operations == 0 {
		return
	}
	n := rng.IntN(operations)
	before := 0
	for before < len(lines) && lines[before].at <= n {
		before++
	}
	pick := rng.IntN(8)
	for text, found := range s.disk.Crashes(n, &simdisk.CrashOptions{Stride: 512, Last: 2, Seed: rng.Uint64(), Random: 4}) {
		twice := *s
		twice.disk, twice.ledger = found, append(s.ledger[:len(s.ledger):len(s.ledger)], lines[:before]...)
		twice.history, twice.text = f.history, s.text+", then "+text
		if c.open(t, &twice, map[string]bool{}) || pick > 0 {
			pick--
			continue
		}
		w.verify(t, &twice)
		c.recoveries.Add(1)
		c.twice.Add(1)
		return
	}
}
