package state

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// FS is all that this package asks of a file system, so that tests can fault and cut off every
// operation. Names are slash or native paths as given to Open, joined with a file's name. Errors for
// missing files match fs.ErrNotExist. Implementations are safe for concurrent use.
type FS interface {
	MkdirAll(dir string) error // durable on return
	ReadDir(dir string) (names []string, err error)
	ReadFile(name string) ([]byte, error)
	OpenFile(name string) (File, error) // to write; an empty file is created if there is none
	Rename(from, to string) error       // replaces to
	Remove(name string) error
	SyncDir(dir string) error // makes created, renamed and removed names durable

	// Lock takes the exclusive lock of a file without waiting and leaves info inside. If somebody else
	// has it, the lock is nil and holder is what they left, as far as it can be read.
	Lock(name string, info []byte) (lock FileLock, holder []byte, err error)
}

// FileLock is a lock that is held.
type FileLock interface {
	Held() error // an error if the file was removed or replaced, so that somebody else can hold its lock, too
	Unlock() error
}

// File is a file that is being written. What was written is durable after Sync.
type File interface {
	WriteAt(p []byte, offset int64) (int, error)
	Truncate(size int64) error
	Sync() error
	Close() error
}

// OS is the operating system's file system, for tests to count and cut off what is asked of it.
var OS FS = osFS{}

// osFS is the operating system's.
type osFS struct{}

func (osFS) MkdirAll(dir string) error {
	var created []string
	for p := filepath.Clean(dir); ; p = filepath.Dir(p) {
		if _, err := os.Stat(p); !errors.Is(err, fs.ErrNotExist) || p == filepath.Dir(p) {
			break
		}
		created = append(created, p)
	}
	// Readable by the owner only: properties of objects may be secrets.
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	for _, p := range created {
		if err := syncDir(filepath.Dir(p)); err != nil {
			return err
		}
	}
	return nil
}

func (osFS) ReadDir(dir string) ([]string, error) {
	entries, err := os.ReadDir(dir)
	names := make([]string, len(entries))
	for i, e := range entries {
		names[i] = e.Name()
	}
	return names, err
}

func (osFS) ReadFile(name string) ([]byte, error) { return os.ReadFile(name) }

func (osFS) OpenFile(name string) (File, error) {
	f, err := os.OpenFile(name, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, err // not a File that holds a nil *os.File
	}
	return f, nil
}

func (osFS) Rename(from, to string) error { return rename(from, to) }
func (osFS) Remove(name string) error     { return os.Remove(name) }
func (osFS) SyncDir(dir string) error     { return syncDir(dir) }

// WriteFile makes a file with this content, durably: the old one, or none, is there until the new one is
// whole.
func WriteFile(fsys FS, name string, data []byte) error {
	next := name + ".next"
	if err := writeFile(fsys, next, data); err != nil {
		return err
	}
	if err := fsys.Rename(next, name); err != nil {
		return err
	}
	return fsys.SyncDir(filepath.Dir(name))
}

// writeFile replaces the content of a file and makes it durable, but not yet its name.
func writeFile(fsys FS, name string, data []byte) error {
	f, err := openFile(fsys, name)
	if err != nil {
		return err
	}
	err = f.Truncate(0)
	if err == nil {
		err = writeAt(f, data, 0)
	}
	if err == nil {
		err = f.Sync()
	}
	return errors.Join(err, f.Close())
}

// openFile opens a file to write, whole.
func openFile(fsys FS, name string) (*wholeFile, error) {
	f, err := fsys.OpenFile(name)
	if err != nil {
		return nil, err
	}
	return &wholeFile{f, name}, nil
}

// wholeFile is a File for which a write that is too short is an error, with the file's name like others.
type wholeFile struct {
	File
	name string
}

// inPlace returns an error if the file's name means another file by now, or none. Only the operating system's
// files can be taken away.
func (f *wholeFile) inPlace() error {
	if system, ok := f.File.(*os.File); ok {
		return samePlace(system.Stat, f.name)
	}
	return nil
}

func samePlace(stat func() (fs.FileInfo, error), name string) error {
	mine, err := stat()
	if err != nil {
		return err
	}
	there, err := os.Stat(name)
	if err != nil {
		return err
	}
	if !os.SameFile(mine, there) {
		return &fs.PathError{Op: "stat", Path: name, Err: errors.New("it is another file by now")}
	}
	return nil
}

func (f *wholeFile) WriteAt(p []byte, offset int64) (int, error) {
	n, err := f.File.WriteAt(p, offset)
	if err == nil && n < len(p) {
		err = &fs.PathError{Op: "write", Path: f.name, Err: fmt.Errorf("%w: %d of %d bytes", io.ErrShortWrite, n, len(p))}
	}
	return n, err
}

func writeAt(f File, data []byte, offset int64) error {
	_, err := f.WriteAt(data, offset)
	return err
}

// readOptional returns nil for a file that does not exist.
func readOptional(fsys FS, name string) ([]byte, error) {
	data, err := fsys.ReadFile(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	return data, err
}
