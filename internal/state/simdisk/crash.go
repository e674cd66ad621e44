package simdisk

import (
	"crypto/sha256"
	"fmt"
	"iter"
	"math/rand/v2"
	"path/filepath"
	"slices"
)

// fate is what a crash does to an operation that was not synced. Of a write the bytes [from, to) arrive,
// and the file grows by all that lies in front of them.
type fate struct {
	arrives  bool
	from, to int
}

var lost = fate{}

func arrived(op *Op) fate { return fate{true, 0, len(op.Data)} }

func (f fate) String() string {
	if !f.arrives {
		return "nothing"
	}
	return fmt.Sprintf("[%d,%d)", f.from, f.to)
}

// CrashOptions limits the disks that Crashes produces; nil is all of them.
type CrashOptions struct {
	Stride int    // tears a write behind its first byte, where Stride divides the file, and at a random byte; 0: at every byte
	Last   int    // tears only so many of the operations that were not synced, the last ones; 0: all
	Seed   uint64 // of what is random
	Random int    // how many combinations are tried where all would be more than 64; 0 is 32
}

// Crashes produces disks as they may be found after a crash while operation n of the log was under way: those in front
// of it had returned, those behind it were not called. With n = len(Log()) nothing was under way.
// The text says how the disk came about. No two disks are equal.
func (d *Disk) Crashes(n int, opts *CrashOptions) iter.Seq2[string, *Disk] {
	if opts == nil {
		opts = &CrashOptions{}
	}
	return func(yield func(string, *Disk) bool) {
		log := d.Log()
		log = log[:min(n+1, len(log))]
		pending := unsynced(log, n)
		seen := map[[sha256.Size]byte]bool{}
		for text, fates := range choices(log, pending, opts) {
			c := d.crash(log, fates)
			if key := c.key(); !seen[key] {
				seen[key] = true
				if !yield(fmt.Sprintf("%d/%s", n, text), from(c, d.dirs)) {
					return
				}
			}
		}
	}
}

// unsynced lists the operations that no completed sync covers.
func unsynced(log []Op, n int) []int {
	var pending []int
	for i := range log {
		var sync func(s *Op) bool
		switch op := &log[i]; op.Kind {
		case Write, Truncate:
			sync = func(s *Op) bool { return s.Kind == Sync && s.inode == op.inode }
		case Create, Rename, Remove:
			sync = func(s *Op) bool { return s.Kind == SyncDir && s.Name == filepath.Dir(op.Name) }
		default:
			continue
		}
		covered := false
		for j := i + 1; j < min(n, len(log)) && !covered; j++ {
			if log[j].Kind == FailedSync && log[j].inode == log[i].inode && log[i].Kind == Write {
				break
			}
			covered = sync(&log[j])
		}
		if !covered {
			pending = append(pending, i)
		}
	}
	return pending
}

// choices produces fates by index in the log for the pending operations.
func choices(log []Op, pending []int, opts *CrashOptions) iter.Seq2[string, map[int]fate] {
	all := func(f func(i int) fate) map[int]fate {
		m := make(map[int]fate, len(pending))
		for _, i := range pending {
			m[i] = f(i)
		}
		return m
	}
	kept := func(i int) fate { return arrived(&log[i]) }
	gone := func(int) fate { return lost }
	return func(yield func(string, map[int]fate) bool) {
		if !yield("all arrived", all(kept)) || !yield("all lost", all(gone)) {
			return
		}
		rng := rand.New(rand.NewPCG(opts.Seed, uint64(len(log))))
		// Each torn, from either side, among others that arrived or are lost.
		for k, i := range slices.Backward(pending) {
			if opts.Last > 0 && k < len(pending)-opts.Last {
				break
			}
			for _, f := range tears(&log[i], opts.Stride, rng) {
				for _, others := range []func(int) fate{kept, gone} {
					m := all(others)
					m[i] = f
					if !yield(fmt.Sprintf("%v of %q", f, log[i].String()), m) {
						return
					}
				}
			}
		}
		// Every combination, or some.
		random := opts.Random
		if random == 0 {
			random = 32
		}
		count := random
		if len(pending) <= 6 {
			count = 1 << len(pending)
		}
		for k := range count {
			bits := uint64(k)
			if len(pending) > 6 {
				bits = rng.Uint64()
			}
			m := all(gone)
			for b, i := range pending {
				if b > 0 && b%64 == 0 {
					bits = rng.Uint64()
				}
				if bits>>(b%64)&1 == 1 {
					m[i] = kept(i)
				}
			}
			if !yield(fmt.Sprintf("combination %x", bits), m) {
				return
			}
		}
	}
}

func tears(op *Op, stride int, rng *rand.Rand) []fate {
	fates := []fate{lost, arrived(op)}
	if op.Kind == Write {
		at := 0
		if stride > 1 && len(op.Data) > 2 {
			at = 1 + rng.IntN(len(op.Data)-1)
		}
		for k := 1; k < len(op.Data); k++ {
			if k == 1 || k == at || stride < 2 || (op.Offset+int64(k))%int64(stride) == 0 {
				fates = append(fates, fate{true, 0, k}, fate{true, k, len(op.Data)})
			}
		}
		fates = append(fates, fate{true, len(op.Data), len(op.Data)}) // grown, not written
	}
	return fates
}

// crash applies the log with the fates of what was pending.
func (d *Disk) crash(log []Op, fates map[int]fate) content {
	d.mu.Lock()
	c := d.base.clone()
	c.next, c.own = d.now.next, map[int]bool{}
	d.mu.Unlock()
	for i := range log {
		op := log[i]
		f, pending := fates[i]
		switch {
		case !pending:
		case !f.arrives:
			continue
		case op.Kind == Write:
			// What does not arrive leaves what was there, or zeros where nothing was.
			old := make([]byte, len(op.Data))
			if data := c.files[op.inode]; op.Offset < int64(len(data)) {
				copy(old, data[op.Offset:])
			}
			copy(old[f.from:f.to], op.Data[f.from:f.to])
			op.Data = old[:f.to]
		}
		c.apply(&op)
	}
	c.own = nil
	return c
}

// key identifies the content that names lead to.
func (c content) key() (sum [sha256.Size]byte) {
	h := sha256.New()
	names := make([]string, 0, len(c.names))
	for name := range c.names {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		data := c.files[c.names[name]]
		fmt.Fprintf(h, "%q %d ", name, len(data))
		h.Write(data)
	}
	h.Sum(sum[:0])
	return sum
}
