package state

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/gofrs/flock"
)

// lockInfoAt leaves the first byte of the lock file alone: on Windows the locked byte cannot be read.
const lockInfoAt = 1

// lockInfoSize is fixed, so that a shorter text leaves nothing of a longer one.
const lockInfoSize = 511

// Lock relies on flock alone: the lock ends with the process that holds it, so that what an earlier one
// left in the file never stands in the way.
func (osFS) Lock(name string, info []byte) (held FileLock, holder []byte, err error) {
	l := flock.New(name)
	ok, err := l.TryLock()
	if err != nil {
		return nil, nil, err
	}
	if !ok {
		data, _ := readFrom(name, lockInfoAt) // the lock is what counts; who has it is a courtesy
		return nil, data, nil
	}
	if err := writeLockInfo(name, info); err != nil {
		return nil, nil, errors.Join(err, l.Close())
	}
	return &osLock{l, name}, nil, nil
}

// osLock is the lock of a file, whatever its name means by now.
type osLock struct {
	*flock.Flock
	name string
}

func (l *osLock) Held() error { return samePlace(l.Stat, l.name) }

func (l *osLock) Unlock() error { return l.Close() }

func readFrom(name string, offset int64) ([]byte, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	buf := make([]byte, lockInfoSize)
	n, err := f.ReadAt(buf, offset)
	return buf[:n], err
}

func writeLockInfo(name string, info []byte) error {
	f, err := os.OpenFile(name, os.O_RDWR, 0)
	if err != nil {
		return err
	}
	text := bytes.Repeat([]byte{' '}, lockInfoSize)
	copy(text[:lockInfoSize-1], info)
	text[lockInfoSize-1] = '\n'
	_, err = f.WriteAt(text, lockInfoAt)
	return errors.Join(err, f.Close())
}

// lock takes the lock of a directory or returns a *LockedError.
func lock(fsys FS, dir string) (FileLock, error) {
	host, err := os.Hostname()
	if err != nil {
		host = "unknown host"
	}
	if len(host) > 255 {
		host = host[:255]
	}
	info, err := json.Marshal(Owner{PID: os.Getpid(), Host: host, Since: time.Now().UTC().Truncate(time.Second)})
	if err != nil {
		return nil, err
	}
	held, holder, err := fsys.Lock(filepath.Join(dir, lockFile), info)
	if err == nil && held == nil {
		locked := &LockedError{Dir: dir}
		if json.Unmarshal(bytes.Trim(holder, " \n\x00"), &locked.Owner) != nil {
			locked.Owner = Owner{} // half-written: the lock was taken a moment ago
		}
		return nil, locked
	}
	return held, err
}

// Holder is who holds the lock of a directory, or held it last.
type Holder struct {
	Owner
	Held  bool // somebody holds it
	Here  bool // that is, or was, a process of this machine
	Alive bool // a process of that pid runs here
}

// Inspect says who holds the lock of the state in a directory on the operating system's file system. Where nobody
// does, forget is asked whether the trace of the last one is to be removed. The error matches ErrNoState if
// there is no lock file.
func Inspect(dir string, forget func(h *Holder) bool) (*Holder, error) {
	name := filepath.Join(dir, lockFile)
	data, err := readFrom(name, lockInfoAt)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%s: %w", dir, ErrNoState)
	} else if err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	h := &Holder{}
	if json.Unmarshal(bytes.Trim(data, " \n\x00"), &h.Owner) != nil {
		h.Owner = Owner{}
	}
	host, err := os.Hostname()
	h.Here = err == nil && h.Host == host
	h.Alive = h.Here && h.PID > 0 && alive(h.PID)
	l := flock.New(name)
	free, err := l.TryLock()
	if err != nil {
		return nil, err
	}
	if !free {
		h.Held = true
		return h, l.Close()
	}
	if h.PID > 0 && forget(h) {
		err = writeLockInfo(name, nil)
	}
	return h, errors.Join(err, l.Close())
}
