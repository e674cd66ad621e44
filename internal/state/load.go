package state

import (
	"errors"
	"fmt"
	"hash"
	"io/fs"
	"path/filepath"
	"strconv"
	"strings"
)

// The files of a directory.
const (
	snapshotFile = "snapshot.json"
	snapshotNext = "snapshot.next.json"
	journalFile  = "journal"
	journalNext  = "journal.next"
	historyFile  = "history"
	markFile     = "mark"
	lockFile     = "lock"
)

// keepSnapshots is how many earlier snapshots stay.
const keepSnapshots = 3

// keptFile names the snapshot that was current until the end of a generation.
func keptFile(generation uint64) string { return fmt.Sprintf("snapshot.%d.json", generation) }

// keptGeneration is the inverse of keptFile.
func keptGeneration(name string) (uint64, bool) {
	n, err := strconv.ParseUint(strings.TrimSuffix(strings.TrimPrefix(name, "snapshot."), ".json"), 10, 64)
	return n, err == nil && keptFile(n) == name
}

// image is a directory as it was read: verified, nothing changed.
type image struct {
	*scanned
	journalData  []byte
	snapshot     []byte
	historyChain hash.Hash // SHA-256 of the history, its last line included
	markSlot     int

	// What the last commit has not finished.
	pendingHistory  bool // the last line of the history has to be written
	pendingSnapshot bool // the snapshot still lies in snapshot.next.json
}

// load reads and verifies a directory. The order matters to a reader that holds no lock: a mark and a
// history that were read before the journal are never ahead of it.
func load(fsys FS, dir string) (*image, error) {
	var data [3][]byte
	for i, name := range []string{markFile, historyFile, journalFile} {
		var err error
		if data[i], err = readOptional(fsys, filepath.Join(dir, name)); err != nil {
			return nil, err
		}
	}
	if data[2] == nil {
		return nil, noJournal(fsys, dir)
	}
	img := &image{journalData: data[2]}
	m, slot := readMark(data[0])
	img.markSlot = slot
	var err error
	if img.scanned, err = scanJournal(data[2], m); err != nil {
		return nil, err
	}
	if img.historyChain, img.pendingHistory, err = img.checkHistory(data[1]); err != nil {
		return nil, err
	}
	return img, img.loadSnapshot(fsys, dir)
}

// loadSnapshot finds the snapshot that the journal continues.
func (img *image) loadSnapshot(fsys FS, dir string) error {
	want := img.header.Snapshot
	current, err := readOptional(fsys, filepath.Join(dir, snapshotFile))
	if err != nil {
		return err
	}
	if want == "" {
		if current != nil {
			return corrupt(snapshotFile, -1, "the journal of generation %d knows of no snapshot", img.header.Generation)
		}
		return nil
	}
	if current != nil && digest(current) == want {
		img.snapshot = current
		return nil
	}
	next, err := readOptional(fsys, filepath.Join(dir, snapshotNext))
	if err != nil {
		return err
	}
	if next != nil && digest(next) == want {
		img.snapshot, img.pendingSnapshot = next, true
		return nil
	}
	if current == nil {
		return corrupt(snapshotFile, -1, "it is missing; the journal continues %s", want)
	}
	return corrupt(snapshotFile, -1, "its digest is %s; the journal continues %s", digest(current), want)
}

// noJournal tells an empty directory from one that lost its journal.
func noJournal(fsys FS, dir string) error {
	present, err := exists(fsys, dir)
	if err != nil {
		return err
	}
	if present {
		return corrupt(journalFile, -1, "it is missing")
	}
	return fmt.Errorf("%s: %w", dir, ErrNoState)
}

// exists reports whether a directory holds state, damaged or not. A creation that did not get as far as
// its journal leaves none.
func exists(fsys FS, dir string) (bool, error) {
	names, err := fsys.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	for _, name := range names {
		_, isKept := keptGeneration(name)
		if isKept || name == snapshotFile || name == journalFile || name == historyFile || name == markFile {
			return true, nil
		}
	}
	return false, err
}

// loadStable reads a directory that somebody may be writing to. A commit between two reads looks like
// damage; damage that is real is there again while the generation stays the same.
func loadStable(fsys FS, dir string) (*image, error) {
	const attempts = 10
	last, known := uint64(0), false
	for i := 1; ; i++ {
		img, err := load(fsys, dir)
		if !errors.Is(err, ErrCorrupt) || i == attempts {
			return img, err
		}
		data, readErr := readOptional(fsys, filepath.Join(dir, journalFile))
		s, _ := scanJournal(data, nil)
		if readErr != nil || s == nil || known && s.header.Generation == last {
			return img, err
		}
		last, known = s.header.Generation, true
	}
}
