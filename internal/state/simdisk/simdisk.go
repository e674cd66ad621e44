// Package simdisk is a disk in memory for crash tests. It implements state.FS, records every operation,
// lets a hook fail or hold any of them, can be full, and produces the disks that may be found after a
// crash at any point of what it recorded: what was not synced is there, not there, or torn.
//
// It is stricter than most file systems: un-synced operations survive in any combination, also those on
// names, and syncing a file does not sync its name. It does not model directories: they exist, durably, as soon as they are made.
package simdisk

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"syscall"

	"github.com/sextongc/sexton/internal/state"
)

// Kind is a kind of operation.
type Kind string

// The operations. The first seven change the disk, or what a crash leaves of it, and are recorded; all go
// through the hook.
const (
	Create   Kind = "create" // of an empty file
	Write    Kind = "write"
	Truncate Kind = "truncate"
	Rename   Kind = "rename"
	Remove   Kind = "remove"
	Sync     Kind = "sync"
	SyncDir  Kind = "syncdir"
	Read     Kind = "read" // of a file or a directory
	Mkdir    Kind = "mkdir"
	Open     Kind = "open" // of a file that exists, to write
	Close    Kind = "close"
	Lock     Kind = "lock"
	Unlock   Kind = "unlock"

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

// ErrShort, from a hook, has a Write write its first half and report that as success. Other operations
// take it for an error.
var ErrShort = errors.New("short write")

// Done wraps an error for an operation that takes place and nevertheless fails, as when an answer is lost.
type Done struct{ Err error }

func (d Done) Error() string { return d.Err.Error() }
func (d Done) Unwrap() error { return d.Err }

// Disk is a simulated disk. It is safe for concurrent use.
type Disk struct {
	// Hook is called before an operation, if it is set, with the number of operations that were called
	// before this one. It may block. An error is returned to the caller in place of the operation, with the
	// operation and the file as package os has them; a Write that fails has written the first half, and
	// Close and Unlock always take place. Set it while nobody uses the disk.
	Hook func(n int, op Op) error

	// Space is how many bytes all files may have together; 0: any number. A Write that goes beyond it
	// writes what there is room for, and fails with ENOSPC. Set it while nobody uses the disk.
	Space int64

	mu    sync.Mutex
	base  content // what was durable at the beginning
	now   content
	log   []Op
	calls int
	dirs  map[string]bool
	locks map[string][]byte
}

// content is names and what they stand for. Byte slices may be shared and are not changed in place, but for those of
// files that it owns.
type content struct {
	names map[string]int
	files map[int][]byte
	next  int
	own   map[int]bool // nil: none
}

func (c content) clone() content {
	return content{names: maps.Clone(c.names), files: maps.Clone(c.files), next: c.next}
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

// Operations returns the length of the log.
func (d *Disk) Operations() int {
	d.mu.Lock()
	defer d.mu.Unlock()
	return len(d.log)
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
	if op.Kind == Write && failed == nil {
		failed = d.fit(&op)
	}
	switch {
	case failed == nil || errors.As(failed, new(Done)):
	case op.Kind == Sync:
		op.Kind = FailedSync
	case op.Kind == Write && !errors.Is(failed, syscall.ENOSPC):
		op.Data = op.Data[:len(op.Data)/2]
	case op.Kind == Write || op.Kind == Close || op.Kind == Unlock:
	default:
		return op.failure(failed)
	}
	if err := do(&d.now, &op); err != nil {
		return op.failure(err)
	}
	if op.recorded() {
		d.log = append(d.log, op)
	}
	return op.failure(failed)
}

// recorded reports whether an operation changes the disk, or what a crash leaves of it.
func (op *Op) recorded() bool {
	switch op.Kind {
	case Create, Write, Truncate, Rename, Remove, Sync, SyncDir, FailedSync:
		return op.Kind != Write || len(op.Data) > 0
	}
	return false
}

// failure is an error as package os has it: with the operation and the file.
func (op *Op) failure(err error) error {
	switch {
	case err == nil || errors.Is(err, ErrShort):
		return err
	case op.Kind == Rename:
		return &os.LinkError{Op: "rename", Old: op.Name, New: op.To, Err: err}
	}
	verb := string(op.Kind)
	switch op.Kind {
	case Create:
		verb = "open"
	case SyncDir, FailedSync:
		verb = "sync"
	}
	return &fs.PathError{Op: verb, Path: op.Name, Err: err}
}

// fit cuts a write to the space that is left.
func (d *Disk) fit(op *Op) error {
	if d.Space == 0 {
		return nil
	}
	free := d.Space
	for _, inode := range d.now.names {
		if inode != op.inode {
			free -= int64(len(d.now.files[inode]))
		}
	}
	fits := max(free, int64(len(d.now.files[op.inode]))) - op.Offset
	if fits >= int64(len(op.Data)) {
		return nil
	}
	op.Data = op.Data[:max(0, fits)]
	return syscall.ENOSPC
}

// apply does an operation; those that change nothing are passed over.
func (c *content) apply(op *Op) {
	switch op.Kind {
	case Create:
		c.names[op.Name] = op.inode
	case Write:
		if len(op.Data) == 0 {
			return
		}
		data := c.files[op.inode]
		size := max(int64(len(data)), op.Offset+int64(len(op.Data)))
		if c.own == nil || !c.own[op.inode] {
			data = append(make([]byte, 0, 2*size), data...)
		}
		if more := int(size) - len(data); more > 0 {
			data = append(data, make([]byte, more)...)
		}
		copy(data[op.Offset:], op.Data)
		c.files[op.inode] = data
		if c.own != nil {
			c.own[op.inode] = true
		}
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
	return d.call(Op{Kind: Mkdir, Name: dir}, func(*content, *Op) error {
		d.dirs[dir] = true
		return nil
	})
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
	op := Op{Kind: Create, Name: name}
	if ok {
		op.Kind = Open
	}
	err := d.call(op, func(c *content, op *Op) error {
		if ok {
			return nil
		}
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
func (d *Disk) Lock(name string, info []byte) (lock state.FileLock, holder []byte, err error) {
	taken := false
	err = d.call(Op{Kind: Lock, Name: name}, func(*content, *Op) error {
		if holder, taken = d.locks[name]; !taken {
			d.locks[name] = info
		}
		return nil
	})
	if err != nil || taken {
		return nil, holder, err
	}
	return &diskLock{d, name}, nil, nil
}

// diskLock is a lock that nobody takes away.
type diskLock struct {
	disk *Disk
	name string
}

func (l *diskLock) Held() error { return nil }

func (l *diskLock) Unlock() error {
	return l.disk.call(Op{Kind: Unlock, Name: l.name}, func(*content, *Op) error {
		delete(l.disk.locks, l.name)
		return nil
	})
}

type file struct {
	disk  *Disk
	name  string
	inode int
}

func (f *file) do(op Op) (written int, err error) {
	op.Name, op.inode = f.name, f.inode
	err = f.disk.call(op, func(c *content, op *Op) error {
		c.apply(op)
		written = len(op.Data)
		return nil
	})
	return written, err
}

func (f *file) WriteAt(p []byte, offset int64) (int, error) {
	n, err := f.do(Op{Kind: Write, Offset: offset, Data: slices.Clone(p)})
	if errors.Is(err, ErrShort) {
		err = nil
	}
	return n, err
}

func (f *file) Truncate(size int64) error {
	_, err := f.do(Op{Kind: Truncate, Offset: size})
	return err
}

func (f *file) Sync() error {
	_, err := f.do(Op{Kind: Sync})
	return err
}

func (f *file) Close() error {
	_, err := f.do(Op{Kind: Close})
	return err
}
