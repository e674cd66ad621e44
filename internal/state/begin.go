package state

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"

	"github.com/google/uuid"
)

// Origin is a state that a directory begins with, instead of nothing.
type Origin struct {
	Environment    string // empty: a new one
	Generation     uint64 // higher than all that the environment had
	Seq            uint64 // of the last record that the environment had
	Snapshot, Meta []byte
	History        []byte   // lines, as Salvaged has them
	Record         []byte   // one more, of what happens here
	Carry          []Record // as in Commit
}

// Lock takes the lock of a directory that is not open; it ends with unlock. fsys is as in Options. The error is
// as that of Open.
func Lock(dir string, fsys FS) (unlock func() error, err error) {
	fsys = cmp.Or(fsys, OS)
	held, err := lock(fsys, dir)
	if err != nil {
		return nil, err
	}
	return held.Unlock, nil
}

// Begin makes a state that of a directory, whatever was there: the caller has its lock, and knows. Until the
// instant of the commit it is as unreadable as it was. The next Open finishes what is left to do.
func Begin(dir string, fsys FS, o *Origin) error {
	fsys = cmp.Or(fsys, OS)
	h := header{Environment: o.Environment, Generation: o.Generation, Snapshot: digest(o.Snapshot), History: extent{int64(len(o.History)), digest(o.History)}}
	if h.Environment == "" {
		id, err := uuid.NewV7()
		if err != nil {
			return err
		}
		h.Environment = id.String()
	}
	data, _, err := newJournal(&h, o.Seq, o.Meta, o.Record, o.Carry)
	if err != nil {
		return err
	}
	d := &Dir{fs: fsys, path: dir}
	marks, err := readOptional(fsys, d.file(markFile))
	if err != nil {
		return err
	}
	if m, _ := readMark(marks); m != nil && m.environment != h.Environment {
		if err := fsys.Remove(d.file(markFile)); err != nil {
			return err
		}
	}
	if err := writeFile(fsys, d.file(historyFile), o.History); err != nil {
		return err
	}
	if err := writeFile(fsys, d.file(snapshotNext), o.Snapshot); err != nil {
		return err
	}
	return d.replaceJournal(data)
}

// Duplicate copies the files of a directory, but for its lock, into a new one, durably. fsys is as in Options.
func Duplicate(dir, to string, fsys FS) error {
	fsys = cmp.Or(fsys, OS)
	if there, err := fsys.ReadDir(to); !errors.Is(err, fs.ErrNotExist) && len(there) > 0 || err != nil && !errors.Is(err, fs.ErrNotExist) {
		return errors.Join(fmt.Errorf("%s: %w", to, fs.ErrExist), err)
	}
	if err := fsys.MkdirAll(to); err != nil {
		return err
	}
	names, err := fsys.ReadDir(dir)
	if err != nil {
		return err
	}
	for _, name := range names {
		if name == lockFile {
			continue
		}
		data, err := fsys.ReadFile(filepath.Join(dir, name))
		if err != nil {
			return err
		}
		if err := writeFile(fsys, filepath.Join(to, name), data); err != nil {
			return err
		}
	}
	return fsys.SyncDir(to)
}

// Create makes a directory that begins with a state. There must be none yet.
func Create(dir string, fsys FS, o *Origin) error {
	fsys = cmp.Or(fsys, OS)
	if err := fsys.MkdirAll(dir); err != nil {
		return err
	}
	held, err := lock(fsys, dir)
	if err != nil {
		return err
	}
	present, err := exists(fsys, dir)
	if err == nil && present {
		err = fmt.Errorf("%s: %w", dir, fs.ErrExist)
	}
	if err == nil {
		err = Begin(dir, fsys, o)
	}
	return errors.Join(err, held.Unlock())
}
