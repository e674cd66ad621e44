package disk

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/sextongc/sexton"
	"github.com/sextongc/sexton/internal/state"
	"github.com/sextongc/sexton/internal/state/simdisk"
)

// damages counts what T7 did.
type damages struct {
	changes  atomic.Int64
	refused  atomic.Int64 // with an error that names the file
	repaired atomic.Int64 // opened, to exactly what was there
}

// specimen is a state that is damaged, and what it says while it is whole.
type specimen struct {
	name     string
	disk     *simdisk.Disk
	env      *sexton.Environment // with its state on files
	files    *exchangeable
	want     content
	snapshot []byte
	others   []*simdisk.Disk // of the same environment earlier, and of another one
}

// exchangeable is a file system that can be replaced by another one.
type exchangeable struct{ state.FS }

// specimens are the state after deployments that ended, and after one that was killed.
func specimens(t *testing.T, objects int) []*specimen {
	t.Helper()
	w := newWorld(t, sexton.Settings{})
	disk := simdisk.New()
	var first, second []object
	for i := range objects {
		o := n(fmt.Sprintf("n%d", i))
		if i > 0 {
			o.after = []string{fmt.Sprintf("n%d", i-1)}
		}
		first = append(first, o)
		if i%2 == 0 {
			o.size, o.after = 1, nil
			second = append(second, o)
		}
	}
	other, others := simdisk.New(), []*simdisk.Disk{}
	for _, s := range []step{model(first...), model(second...), model(first...)} {
		others = append(others, disk.Clone())
		for _, d := range []*simdisk.Disk{disk, other} {
			_, _, err := w.deploy(t, d, s)
			require.NoError(t, err)
		}
	}
	others = append(others[1:], other)
	ended := disk.Clone()
	at := disk.Operations()
	_, _, err := w.deploy(t, disk, model(second...))
	require.NoError(t, err)
	// As after kill -9 in the middle: all that was written can be read.
	killed := ended
	log := disk.Log()
	for n := at + (len(log)-at)*2/3; ; n++ {
		if op := log[n]; op.Kind == simdisk.Write && strings.HasSuffix(op.Name, "mark") {
			for _, killed = range disk.Crashes(n, &simdisk.CrashOptions{Stride: 1 << 20, Last: 1, Random: 1}) {
				break // the first one has it all
			}
			break
		}
	}
	var all []*specimen
	for name, disk := range map[string]*simdisk.Disk{"ended": ended, "killed": killed} {
		s := &specimen{name: name, disk: disk, files: &exchangeable{disk}, others: others}
		_, s.want, err = read(disk, true)
		require.NoError(t, err)
		s.env = on(t, w.opts, s.files)
		s.snapshot, err = s.env.Snapshot()
		require.NoError(t, err)
		found, err := s.env.Check()
		require.NoError(t, err)
		require.Empty(t, found)
		all = append(all, s)
	}
	slices.SortFunc(all, func(a, b *specimen) int { return strings.Compare(a.name, b.name) })
	return all
}

// names lists the files of a disk.
func names(t *testing.T, disk *simdisk.Disk) []string {
	t.Helper()
	names, err := disk.ReadDir(stateDir)
	require.NoError(t, err)
	return names
}

func fileOf(t *testing.T, disk *simdisk.Disk, name string) []byte {
	t.Helper()
	data, err := disk.ReadFile(filepath.Join(stateDir, name))
	require.NoError(t, err)
	return data
}

// with is a copy of the disk with another content of one file; nil removes it.
func with(disk *simdisk.Disk, name string, data []byte) *simdisk.Disk {
	c := disk.Clone()
	c.Put(filepath.Join(stateDir, name), data)
	return c
}

// flip changes one bit.
func flip(data []byte, bit int) []byte {
	flipped := bytes.Clone(data)
	flipped[bit/8] ^= 1 << (bit % 8)
	return flipped
}

// P8, T7. Whatever becomes of a file of the state, what is opened says exactly what it said, or is refused with an
// error that names the file, and is not written to.
func TestT7Corruption(t *testing.T) {
	if *long > 0 {
		t.Parallel()
	}
	var c damages
	began := time.Now()
	objects := 4
	if *long > 0 {
		objects = 24
	}
	all := specimens(t, objects)
	size := 0
	for _, s := range all {
		for _, name := range names(t, s.disk) {
			size += len(fileOf(t, s.disk, name))
		}
	}
	t.Run("every", func(t *testing.T) {
		for _, s := range all {
			t.Run(s.name, func(t *testing.T) {
				for _, name := range names(t, s.disk) {
					t.Run(name, func(t *testing.T) {
						t.Parallel()
						c.everywhere(t, s, name)
					})
				}
			})
		}
	})
	for _, s := range all {
		c.mixed(t, s)
		c.whole(t, s)
	}
	for round := *seed; goOn(t, began); round++ {
		rng := rand.New(rand.NewPCG(round, 7))
		for range 1000 {
			s := all[rng.IntN(len(all))]
			text, disk := mutate(t, s, rng)
			c.check(t, s, fmt.Sprintf("round %d, %s", round, text), disk)
		}
	}
	if !t.Failed() {
		d := time.Since(began).Seconds()
		figures("T7: %d changes of %d bytes, %d refused by name, %d without effect, 0 accepted, %.0f s, %.0f changes/s, seed %d",
			c.changes.Load(), size, c.refused.Load(), c.repaired.Load(), d, float64(c.changes.Load())/d, *seed)
	}
}

// everywhere changes every bit of a file, cuts it at every byte, and removes it.
func (c *damages) everywhere(t *testing.T, s *specimen, name string) {
	data := fileOf(t, s.disk, name)
	every := 1
	if g := strings.TrimPrefix(name, "snapshot."); g[0] <= '9' && *long == 0 {
		every = 9 // only Check reads those of earlier generations
	}
	for bit := 0; bit < 8*len(data); bit += every {
		c.check(t, s, fmt.Sprintf("%s bit %d", name, bit), with(s.disk, name, flip(data, bit)))
	}
	for size := range data {
		c.check(t, s, fmt.Sprintf("%s cut at %d", name, size), with(s.disk, name, data[:size:size]))
	}
	c.check(t, s, name+" removed", with(s.disk, name, nil))
	c.check(t, s, name+" doubled", with(s.disk, name, append(bytes.Clone(data), data...)))
	c.check(t, s, name+" with zeros behind it", with(s.disk, name, append(bytes.Clone(data), make([]byte, 512)...)))
}

// mixed puts blocks in other places, and files of other times and environments in the place of each.
func (c *damages) mixed(t *testing.T, s *specimen) {
	const block = 512
	for _, name := range names(t, s.disk) {
		data := fileOf(t, s.disk, name)
		for i := 0; i+block <= len(data); i += block {
			for _, from := range names(t, s.disk) {
				source := fileOf(t, s.disk, from)
				for j := 0; j+block <= len(source); j += block {
					swapped := bytes.Clone(data)
					copy(swapped[i:], source[j:j+block])
					changed := with(s.disk, name, swapped)
					if from == name { // both are in the place of the other
						copy(swapped[j:], data[i:i+block])
						changed = with(s.disk, name, swapped)
					}
					c.check(t, s, fmt.Sprintf("block %d of %s is block %d of %s", i/block, name, j/block, from), changed)
				}
			}
		}
		for k, other := range s.others {
			if slices.Contains(names(t, other), name) {
				c.check(t, s, fmt.Sprintf("%s is that of other %d", name, k), with(s.disk, name, fileOf(t, other, name)))
			}
		}
	}
	for k, other := range s.others {
		for _, kept := range []string{"mark", "history"} { // all but this one are of another time or environment
			changed := other.Clone()
			changed.Put(filepath.Join(stateDir, kept), fileOf(t, s.disk, kept))
			_, _, err := read(changed, true)
			require.Error(t, err, "%s: all but %s are of other %d", s.name, kept, k)
			c.named(t, s, "all but "+kept, err)
		}
	}
}

// whole does with a few damaged states what there is to do with an environment: nothing gets past the damage, Check
// names it, and the snapshots of the generations before stay.
func (c *damages) whole(t *testing.T, s *specimen) {
	ctx := t.Context()
	for _, name := range names(t, s.disk) {
		data := fileOf(t, s.disk, name)
		for _, damaged := range [][]byte{flip(data, 4*len(data)), flip(data, 8*len(data)-5), data[:len(data)/2], nil} {
			changed := with(s.disk, name, damaged)
			s.files.FS = changed
			snapshot, err := s.env.Snapshot()
			if err == nil {
				require.Equal(t, s.snapshot, snapshot, name)
				continue
			}
			found, checkErr := s.env.Check()
			require.NoError(t, checkErr, name)
			require.NotEmpty(t, found, name)
			require.False(t, found[0].Harmless, name)
			require.Equal(t, name, found[0].File)
			_, stateErr := s.env.State()
			_, planErr := s.env.Plan(ctx, &sexton.Model{Data: []byte(model(n("a")).json())})
			_, deployErr := s.env.Deploy(ctx, ctx, &sexton.Model{Data: []byte(model(n("a")).json())})
			_, destroyErr := s.env.Destroy(ctx, ctx)
			for _, err := range []error{err, stateErr, planErr, deployErr, destroyErr} {
				require.ErrorIs(t, err, sexton.ErrCorrupt, name)
				require.ErrorContains(t, err, stateDir+": "+name+" is corrupt", name)
			}
			require.Empty(t, changed.Log(), "a damaged state is written to")
		}
	}
	s.files.FS = s.disk
	kept := 0
	for _, name := range names(t, s.disk) {
		if strings.HasPrefix(name, "snapshot.") && name != "snapshot.json" {
			kept++
			found := state.Check(stateDir, with(s.disk, name, flip(fileOf(t, s.disk, name), 9)))
			require.Len(t, found, 1)
			require.Equal(t, name, found[0].File)
			require.False(t, found[0].Harmless)
		}
	}
	require.Equal(t, 2, kept, "snapshots of generations before")
}

// mutate changes one file at random, in up to three ways.
func mutate(t *testing.T, s *specimen, rng *rand.Rand) (text string, changed *simdisk.Disk) {
	t.Helper()
	all := names(t, s.disk)
	name := all[rng.IntN(len(all))]
	data := bytes.Clone(fileOf(t, s.disk, name))
	var ways []string
	for range 1 + rng.IntN(3) {
		if len(data) < 2 {
			break
		}
		from := rng.IntN(len(data))
		to := min(len(data), from+1+rng.IntN(1<<rng.IntN(11)))
		at := rng.IntN(len(data))
		way := []string{"flip", "zeros", "noise", "cut", "drop", "repeat", "copy", "digit", "line"}[rng.IntN(9)]
		switch way {
		case "flip":
			data = flip(data, 8*from+rng.IntN(8))
		case "zeros":
			clear(data[from:to])
		case "noise":
			for i := from; i < to; i++ {
				data[i] = byte(rng.Uint32())
			}
		case "cut":
			data = data[:from]
		case "drop":
			data = slices.Delete(data, from, to)
		case "repeat":
			data = slices.Insert(data, at, bytes.Clone(data[from:to])...)
		case "copy":
			copy(data[at:], bytes.Clone(data[from:to]))
		case "digit":
			data[from] = "0123456789abcdef\" \n"[rng.IntN(19)]
		case "line":
			lines := bytes.SplitAfter(data, []byte("\n"))
			i, j := rng.IntN(len(lines)), rng.IntN(len(lines))
			lines[i], lines[j] = lines[j], lines[i]
			data = bytes.Join(lines, nil)
		}
		ways = append(ways, fmt.Sprintf("%s [%d,%d) %d", way, from, to, at))
	}
	return name + ": " + strings.Join(ways, ", "), with(s.disk, name, data)
}

// check opens a changed state in every way.
func (c *damages) check(t *testing.T, s *specimen, text string, changed *simdisk.Disk) {
	t.Helper()
	c.changes.Add(1)
	_, got, err := read(changed, true)
	if err == nil {
		c.repaired.Add(1)
		require.Equal(t, s.want, got, "%s: %s is accepted", s.name, text)
		_, got, err = read(changed.Clone(), false)
		require.NoError(t, err, "%s: %s: a writer refuses", s.name, text)
		require.Equal(t, s.want, got, "%s: %s: a writer reads something else", s.name, text)
		return
	}
	c.refused.Add(1)
	c.named(t, s, text, err)
	_, _, err = read(changed, false)
	c.named(t, s, text, err)
	for _, op := range changed.Log() {
		require.Fail(t, "a damaged state is written to", "%s: %s: %v", s.name, text, op)
	}
}

// named checks that an error is about a file.
func (c *damages) named(t *testing.T, s *specimen, text string, err error) {
	t.Helper()
	var damage *state.CorruptError
	switch {
	case errors.As(err, &damage):
		require.NotEmpty(t, damage.File, "%s: %s", s.name, text)
		require.NotEmpty(t, damage.Reason, "%s: %s", s.name, text)
	default:
		require.ErrorIs(t, err, state.ErrNewerVersion, "%s: %s", s.name, text)
	}
}
