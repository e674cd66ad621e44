package state

import (
	"cmp"
	"errors"
	"hash"
	"path/filepath"
	"sync"

	"github.com/google/uuid"
)

// Options for Open; nil is the zero value.
type Options struct {
	FS       FS   // nil: the operating system's
	ReadOnly bool // takes no lock and changes nothing; what is read is one generation even while another process writes
	Create   bool // an environment is begun where there is no state
}

// Dir is an open state directory. All methods are safe for concurrent use.
type Dir struct {
	fs       FS
	path     string
	readOnly bool
	lock     FileLock // nil: read-only

	// turn is held, by having put a token into it, by whoever writes or closes. It guards what follows.
	turn         chan struct{}
	journal      journal
	journalFile  *wholeFile
	markFile     *wholeFile
	markSlot     int       // the one to write next
	historyChain hash.Hash // SHA-256 of the history
	historyLine  []byte    // its last line; empty if the last commit recorded nothing
	buf          []byte    // of the writer, used again

	// mu guards what follows; it is never held during I/O. Writing the first four needs turn as well.
	mu       sync.Mutex
	header   header
	snapshot []byte
	meta     []byte
	records  []Record
	tail     *Tail
	seq      uint64 // of the last durable record
	pending  *batch
	err      error // why nothing is acknowledged any more
	stats    Stats
}

// Stats counts what was done since Open, but for the sizes.
type Stats struct {
	Groups        uint64 // acknowledged by Append
	Syncs         uint64 // of the journal by Append; fewer than Groups where callers shared one
	Commits       uint64
	JournalBytes  int64 // size of the journal, to decide when it is worth a new snapshot
	SnapshotBytes int64
}

// Open reads and verifies the state in a directory and, unless it is read-only, takes its lock and finishes what a crash
// interrupted. It returns ErrNoState, *LockedError, *CorruptError, ErrNewerVersion, or an error of the file system;
// then nothing was changed but the lock file.
func Open(dir string, opts *Options) (*Dir, error) {
	if opts == nil {
		opts = &Options{}
	}
	d := &Dir{fs: cmp.Or(opts.FS, OS), path: dir, readOnly: opts.ReadOnly, turn: make(chan struct{}, 1), pending: newBatch()}
	if d.readOnly {
		img, err := loadStable(d.fs, dir)
		if err != nil {
			return nil, err
		}
		d.adopt(img)
		return d, nil
	}
	if opts.Create {
		if err := d.fs.MkdirAll(dir); err != nil {
			return nil, err
		}
	} else if present, err := exists(d.fs, dir); err != nil {
		return nil, err
	} else if !present {
		return nil, noJournal(d.fs, dir)
	}
	held, err := lock(d.fs, dir)
	if err != nil {
		return nil, err
	}
	d.lock = held
	if err := d.open(opts.Create); err != nil {
		return nil, errors.Join(err, d.release())
	}
	return d, nil
}

// open is Open under the lock.
func (d *Dir) open(create bool) error {
	img, err := load(d.fs, d.path)
	if create && errors.Is(err, ErrNoState) {
		if err := d.create(); err != nil {
			return err
		}
		img, err = load(d.fs, d.path)
	}
	if err != nil {
		return err
	}
	d.adopt(img)
	history := img.pendingHistory
	if img.marked() == 0 {
		// The commit may not have got to its end. What can be read of it may not be on the disk yet: the new
		// name of the journal, and the last line of the history.
		if err := d.fs.SyncDir(d.path); err != nil {
			return err
		}
		history = img.history != nil
	}
	if err := d.finish(history, img.pendingSnapshot); err != nil {
		return err
	}
	return d.resume(img)
}

// create begins an environment at generation 0, without a snapshot.
func (d *Dir) create() error {
	id, err := uuid.NewV7()
	if err != nil {
		return err
	}
	h := &header{Environment: id.String(), History: extent{Digest: digest(nil)}}
	data, _, err := newJournal(h, 0, nil, nil, nil)
	if err != nil {
		return err
	}
	return d.replaceJournal(data)
}

// adopt takes over what was read.
func (d *Dir) adopt(img *image) {
	d.journal, d.header, d.seq = img.journal, img.scanned.header, img.seq
	d.snapshot, d.meta, d.records, d.tail = img.snapshot, img.meta, img.records, img.tail
	d.historyChain, d.historyLine = img.historyChain, img.scanned.historyLine()
	d.markSlot = (img.markSlot + 1) % markSlots
	d.stats.JournalBytes, d.stats.SnapshotBytes = d.journal.size, int64(len(d.snapshot))
}

// resume makes the journal ready to be appended to: without its tail, and durable as far as it was read. What
// no mark certifies may never have reached the disk although it can be read, and a page whose
// write-back failed counts as clean: it is written again, byte for byte, before anybody relies on it.
func (d *Dir) resume(img *image) error {
	f, err := openFile(d.fs, d.file(journalFile))
	if err != nil {
		return err
	}
	d.journalFile = f
	if d.markFile, err = openFile(d.fs, d.file(markFile)); err != nil {
		return err
	}
	certain := max(img.marked(), img.begin)
	if certain == d.journal.size && img.tail == nil {
		return d.writeMark()
	}
	if unsure := img.journalData[certain:d.journal.size]; len(unsure) > 0 {
		if err := writeAt(f, unsure, certain); err != nil {
			return err
		}
	}
	if err := f.Truncate(d.journal.size); err != nil {
		return err
	}
	if err := f.Sync(); err != nil {
		return err
	}
	return d.writeMark()
}

// writeMark certifies the journal up to its end, which must be durable.
func (d *Dir) writeMark() error {
	m := mark{environment: d.header.Environment, generation: d.header.Generation, size: d.journal.size, digest: d.journal.digest()}
	if err := writeAt(d.markFile, m.encode(), int64(d.markSlot)*markSlotSize); err != nil {
		return err
	}
	d.markSlot = (d.markSlot + 1) % markSlots
	return nil
}

// Close waits for appends that were begun, releases the lock, and reports errors of that. Nothing is lost
// without it.
func (d *Dir) Close() error {
	d.turn <- struct{}{}
	defer func() { <-d.turn }()
	d.mu.Lock()
	failed := d.err
	d.mu.Unlock()
	if errors.Is(failed, ErrClosed) {
		return nil
	}
	var err error
	if failed == nil && !d.readOnly {
		d.flush()
		err = d.markFile.Sync()
	}
	d.mu.Lock()
	d.err = ErrClosed
	d.mu.Unlock()
	return errors.Join(err, d.release())
}

// release closes what is open.
func (d *Dir) release() error {
	var errs []error
	for _, f := range []*wholeFile{d.journalFile, d.markFile} {
		if f != nil {
			errs = append(errs, f.Close())
		}
	}
	if d.lock != nil {
		errs = append(errs, d.lock.Unlock())
	}
	return errors.Join(errs...)
}

func (d *Dir) file(name string) string { return filepath.Join(d.path, name) }

// Environment is the id that the environment was given when it was created.
func (d *Dir) Environment() string {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.header.Environment
}

// Generation counts the commits of the environment.
func (d *Dir) Generation() uint64 {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.header.Generation
}

// Snapshot is what the last commit stored, nil if there was none. It must not be changed.
func (d *Dir) Snapshot() []byte {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.snapshot
}

// Meta is what the last commit stored beside the snapshot, nil if there was none. It must not be changed.
func (d *Dir) Meta() []byte {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.meta
}

// Records are those that Open found behind the snapshot: what an interrupted deployment left. Those
// that are appended later are not among them, and Commit clears them. They must not be changed.
func (d *Dir) Records() []Record {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.records
}

// Tail is what Open cut off as the remains of a crash, nil if there was nothing. A read-only Dir may also see
// an append that is under way.
func (d *Dir) Tail() *Tail {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.tail
}

// Stats returns the counters and sizes of this moment.
func (d *Dir) Stats() Stats {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.stats
}
