package crash

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"sync"

	"github.com/sextongc/sexton/internal/state"
)

// A crashPoint is a place in the operations on the file system that a deployment's state asks for. Each mode counts
// those that it concerns, from 1 on.
type crashPoint struct {
	Mode string `json:"mode"`
	At   int    `json:"at"`
}

// Modes of crash points. What comes after an operation that is no sync is what comes before the next one, because
// nothing outside depends on it; syncs are followed by effects.
const (
	before    = "before"     // any operation
	after     = "after"      // any operation
	afterSync = "after sync" // or what is durable on return as well
	half      = "half of"    // a write
	part      = "part of"    // a write, up to a random byte
	torn      = "torn"       // half and part by turns
)

type kind int

const (
	plainly kind = iota
	durably
	writing
)

func (p *crashPoint) concerns(k kind) bool {
	switch p.Mode {
	case afterSync:
		return k == durably
	case half, part, torn:
		return k == writing
	}
	return true
}

// crashFS is the operating system's file system until the process kills itself at a point.
type crashFS struct {
	state.FS
	point   crashPoint
	crashed func(what string) // tells, while the process still can
	mu      sync.Mutex
	count   int // of what the point's mode concerns
}

// do carries an operation out, if it is not the one to end at. tear carries out a share of a write.
func (c *crashFS) do(what string, k kind, operation func() error, tear func(share float64)) error {
	c.mu.Lock()
	concerned := c.point.concerns(k)
	if concerned {
		c.count++
	}
	here := concerned && c.count == c.point.At
	c.mu.Unlock()
	if !here {
		return operation()
	}
	mode := c.point.Mode
	if mode == torn {
		mode = []string{half, part}[c.point.At%2]
	}
	switch mode {
	case after, afterSync:
		if err := operation(); err != nil {
			return err
		}
	case half:
		tear(0.5)
	case part:
		tear(rand.New(rand.NewPCG(uint64(c.point.At), 1)).Float64())
	}
	c.crashed(fmt.Sprintf("%s operation %d, %s", mode, c.point.At, what))
	kill()
	return nil
}

// kill ends this process as nobody can notice.
func kill() {
	p, err := os.FindProcess(os.Getpid())
	if err == nil {
		_ = p.Kill()
	}
	select {}
}

func (c *crashFS) MkdirAll(dir string) error {
	return c.do("mkdir", durably, func() error { return c.FS.MkdirAll(dir) }, nil)
}

func (c *crashFS) OpenFile(name string) (f state.File, err error) {
	err = c.do("open "+filepath.Base(name), plainly, func() (err error) {
		f, err = c.FS.OpenFile(name)
		return err
	}, nil)
	if err != nil {
		return nil, err
	}
	return &crashFile{f, c, filepath.Base(name)}, nil
}

func (c *crashFS) Rename(from, to string) error {
	return c.do("rename to "+filepath.Base(to), plainly, func() error { return c.FS.Rename(from, to) }, nil)
}

func (c *crashFS) Remove(name string) error {
	return c.do("remove "+filepath.Base(name), plainly, func() error { return c.FS.Remove(name) }, nil)
}

func (c *crashFS) SyncDir(dir string) error {
	return c.do("sync of the directory", durably, func() error { return c.FS.SyncDir(dir) }, nil)
}

func (c *crashFS) Lock(name string, info []byte) (lock state.FileLock, holder []byte, err error) {
	err = c.do("lock", plainly, func() (err error) {
		lock, holder, err = c.FS.Lock(name, info)
		return err
	}, nil)
	return lock, holder, err
}

type crashFile struct {
	state.File
	fs   *crashFS
	name string
}

func (f *crashFile) WriteAt(p []byte, offset int64) (n int, err error) {
	err = f.fs.do(fmt.Sprintf("write of %d bytes to %s", len(p), f.name), writing, func() (err error) {
		n, err = f.File.WriteAt(p, offset)
		return err
	}, func(share float64) { _, _ = f.File.WriteAt(p[:int(share*float64(len(p)))], offset) })
	return n, err
}

func (f *crashFile) Truncate(size int64) error {
	return f.fs.do("truncate "+f.name, plainly, func() error { return f.File.Truncate(size) }, nil)
}

func (f *crashFile) Sync() error { return f.fs.do("sync of "+f.name, durably, f.File.Sync, nil) }
