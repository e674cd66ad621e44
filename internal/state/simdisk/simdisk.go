// Package simdisk is a disk in memory for crash tests. It implements state.FS, records every operation,
// lets a hook fail or hold any of them, and produces the disks that may be found after a crash at any
// point of what it recorded: what was not synced is there, not there, or torn.
//
// It is stricter than most file systems: un-synced operations survive in any combination, also those on
// names, and syncing a file does not sync its name. It does not model directories: they exist, durably, as soon as they are made.
package simdisk

import (
	"fmt"
	"io/fs"
	"maps"
	"path/filepath"
	"slices"
	"sync"

	"github.com/sextongc/sexton/internal/state"
)

// Kind is a kind of operation.
type Kind string

// The operations. The first six change the disk and are recorded; all go through the hook.
const (
	Create   Kind = "create" // of an empty file
	Write    Kind = "write"
	Truncate Kind = "truncate"
	Rename   Kind = "rename"
	Remove   Kind = "remove"
	Sync     Kind = "sync"
	SyncDir  Kind = "syncdir"
	Read     Kind = "read" // of a file or a directory

	// FailedSync is recorded for a Sync that the hook failed. As on Linux, no later Sync makes durable what
	// had been written before it.
	FailedSync Kind = "failed sync"
)

// Op is one operation.
type Op struct {
	Kind   Kind
	Name   string // of the file or directory
	To     string // Rename
	Offset int64  // Write; Truncate: the new size
	Data   []byte // Write

	inode int
}

func (op Op) String() string {
	switch op.Kind {
	case Write:
		return fmt.Sprintf("write %s [%d,%d)", filepath.Base(op.Name), op.Offset, op.Offset+int64(len(op.Data)))
	case Rename:
		return fmt.Sprintf("rename %s %s", filepath.Base(op.Name), filepath.Base(op.To))
	}
	return fmt.Sprintf("%s %s", op.Kind, filepath.Base(op.Name))
}

// Disk is a simulated disk. It is safe for concurrent use.
type Disk struct {
	// Hook is called before an operation, if it is set, with the number of operations that were called
	// before this one. It may block. An error is returned to the caller in place of the operation; a Write
	// that fails has written the first half. Set it while nobody uses the disk.
	Hook func(n int, op Op) error

	mu    sync.Mutex
	base  content // what was durable at the beginning
	now   content
	log   []Op
	calls int
	dirs  map[string]bool
	locks map[string][]byte
}

// content is names and what they stand for. Byte slices are never changed in place.
type content struct {
	names map[string]int
	files map[int][]byte
	next  int
}

func (c content) clone() content {
	return content{maps.Clone(c.names), maps.Clone(c.files), c.next}
}

// New returns an empty disk.
func New() *Disk {
	return from(content{names: map[string]int{}, files: map[int][]byte{}}, map[string]bool{})
}

func from(c content, dirs map[string]bool) *Disk {
	return &Disk{base: c, now: c.clone(), dirs: maps.Clone(dirs), locks: map[string][]byte{}}
}

// Log returns what was done so far, without reads.
func (d *Disk) Log() []Op {
	d.mu.Lock()
	defer d.mu.Unlock()
	return slices.Clone(d.log)
}

// Calls returns how many operations were called, reads and failed ones included.
func (d *Disk) Calls() int {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.calls
}

// Clone returns a disk with the same content, all of it durable, without log, hook and locks.
func (d *Disk) Clone() *Disk {
	d.mu.Lock()
	defer d.mu.Unlock()
	return from(d.now.clone(), d.dirs)
}

// Put sets the content of a file, durably and unrecorded; nil removes it.
func (d *Disk) Put(name string, data []byte) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, c := range []*content{&d.base, &d.now} {
		if data == nil {
			delete(c.names, name)
			continue
		}
		c.next = max(d.base.next, d.now.next) + 1
		c.names[name] = c.next
		c.files[c.next] = slices.Clone(data)
	}
}

// call runs the hook, then do under the lock; op is recorded if do changed the disk.
func (d *Disk) call(op Op, do func(c *content, op *Op) error) error {
	d.mu.Lock()
	hook, n := d.Hook, d.calls
	d.calls++
	d.mu.Unlock()
	var failed error
	if hook != nil {
		failed = hook(n, op)
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	switch {
	case failed == nil:
	case op.Kind == Sync:
		op.Kind = FailedSync
	case op.Kind == Write && len(op.Data) > 1:
		op.Data = op.Data[:len(op.Data)/2]
	default:
		return failed
	}
	if err := do(&d.now, &op); err != nil {
		return err
	}
	if op.Kind != Read {
		d.log = append(d.log, op)
	}
	return failed
}

// apply does a recorded operation.
func (c *content) apply(op *Op) {
	switch op.Kind {
	case Create:
		c.names[op.Name] = op.inode
	case Write:
		data := c.files[op.inode]
		size := max(int64(len(data)), op.Offset+int64(len(op.Data)))
		grown := make([]byte, size)
		copy(grown, data)
		copy(grown[op.Offset:], op.Data)
		c.files[op.inode] = grown
	case Truncate:
		data := make([]byte, op.Offset)
		copy(data, c.files[op.inode])
		c.files[op.inode] = data
	case Rename:
		delete(c.names, op.Name)
		c.names[op.To] = op.inode
	case Remove:
		delete(c.names, op.Name)
	}
}

// MkdirAll implements state.FS.
func (d *Disk) MkdirAll(dir string) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.dirs[dir] = true
	return nil
}

// ReadDir implements state.FS.
func (d *Disk) ReadDir(dir string) (names []string, err error) {
	err = d.call(Op{Kind: Read, Name: dir}, func(c *content, _ *Op) error {
		if !d.dirs[dir] {
			return fs.ErrNotExist
		}
		for name := range c.names {
			if filepath.Dir(name) == dir {
				names = append(names, filepath.Base(name))
			}
		}
		return nil
	})
	slices.Sort(names)
	return names, err
}

// ReadFile implements state.FS.
func (d *Disk) ReadFile(name string) (data []byte, err error) {
	err = d.call(Op{Kind: Read, Name: name}, func(c *content, _ *Op) error {
		inode, ok := c.names[name]
		if !ok {
			return fs.ErrNotExist
		}
		data = append([]byte{}, c.files[inode]...)
		return nil
	})
	return data, err
}

// OpenFile implements state.FS.
func (d *Disk) OpenFile(name string) (state.File, error) {
	d.mu.Lock()
	inode, ok := d.now.names[name]
	d.mu.Unlock()
	if ok {
		return &file{d, name, inode}, nil
	}
	err := d.call(Op{Kind: Create, Name: name}, func(c *content, op *Op) error {
		c.next++
		inode, op.inode = c.next, c.next
		c.apply(op)
		return nil
	})
	if err != nil {
		return nil, err
	}
	return &file{d, name, inode}, nil
}

// Rename implements state.FS.
func (d *Disk) Rename(from, to string) error {
	return d.call(Op{Kind: Rename, Name: from, To: to}, named)
}

// Remove implements state.FS.
func (d *Disk) Remove(name string) error { return d.call(Op{Kind: Remove, Name: name}, named) }

func named(c *content, op *Op) error {
	inode, ok := c.names[op.Name]
	if !ok {
		return fs.ErrNotExist
	}
	op.inode = inode
	c.apply(op)
	return nil
}

// SyncDir implements state.FS.
func (d *Disk) SyncDir(dir string) error {
	return d.call(Op{Kind: SyncDir, Name: dir}, func(*content, *Op) error { return nil })
}

// Lock implements state.FS.
func (d *Disk) Lock(name string, info []byte) (unlock func() error, holder []byte, err error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if holder, ok := d.locks[name]; ok {
		return nil, holder, nil
	}
	d.locks[name] = info
	return func() error {
		d.mu.Lock()
		defer d.mu.Unlock()
		delete(d.locks, name)
		return nil
	}, nil, nil
}

type file struct {
	disk  *Disk
	name  string
	inode int
}

func (f *file) do(op Op) error {
	op.Name, op.inode = f.name, f.inode
	return f.disk.call(op, func(c *content, op *Op) error {
		c.apply(op)
		return nil
	})
}

func (f *file) WriteAt(p []byte, offset int64) (int, error) {
	if err := f.do(Op{Kind: Write, Offset: offset, Data: slices.Clone(p)}); err != nil {
		return len(p) / 2, err
	}
	return len(p), nil
}

func (f *file) Truncate(size int64) error { return f.do(Op{Kind: Truncate, Offset: size}) }
func (f *file) Sync() error               { return f.do(Op{Kind: Sync}) }
func (f *file) Close() error              { return nil }
