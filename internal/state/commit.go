package state

import (
	"errors"
	"fmt"
	"slices"
)

// Commit is the beginning of a generation.
type Commit struct {
	// Seq is what Dir.Seq returned before the snapshot was made. Records that came since would be lost, so
	// Commit refuses with ErrMoved and changes nothing: make the snapshot again.
	Seq uint64

	Snapshot []byte
	Meta     []byte   // nil: stays what it was
	History  []byte   // a record for the history; nil: none, as when a journal that has grown long is merely replaced
	Carry    []Record // records that the snapshot does not cover, such as intents without outcome; Open finds them again
}

// Commit makes a snapshot the state and begins an empty journal. When it returns nil the new generation is
// durable; a crash at any instant leaves the old one, whole with its journal, or the new one. The previous
// three different snapshots stay beside it. Appends wait meanwhile and go into the new generation.
//
// Errors match ErrMoved, ErrFailed, ErrClosed or ErrReadOnly, or tell what is wrong with a carried record.
// After ErrFailed the next Open finds the old or the new generation.
func (d *Dir) Commit(c *Commit) error {
	if d.readOnly {
		return ErrReadOnly
	}
	for _, r := range c.Carry {
		if err := r.check(); err != nil {
			return err
		}
	}
	if len(c.Meta) > maxLine/2 || len(c.History) > maxLine/2 {
		return fmt.Errorf("meta of %d and history record of %d bytes: want at most %d", len(c.Meta), len(c.History), maxLine/2)
	}
	d.turn <- struct{}{}
	defer func() { <-d.turn }()
	d.mu.Lock()
	err, seq := d.err, d.seq
	d.mu.Unlock()
	if err != nil {
		return err
	}
	if c.Seq != seq {
		return fmt.Errorf("%w: it is of record %d, the last is %d", ErrMoved, c.Seq, seq)
	}
	if err := d.commit(c); err != nil {
		return d.fail(fmt.Sprintf("commit generation %d", d.header.Generation+1), err)
	}
	return nil
}

func (d *Dir) commit(c *Commit) error {
	if err := d.inPlace(); err != nil {
		return err
	}
	old := &d.header
	h := header{
		Environment: old.Environment,
		Generation:  old.Generation + 1,
		Snapshot:    digest(c.Snapshot),
		Previous:    d.journal.digest(),
		History:     extent{Size: old.History.Size + int64(len(d.historyLine)), Digest: digestOf(d.historyChain.Sum(nil))},
		Kept:        old.Kept,
	}
	changed := h.Snapshot != old.Snapshot
	if changed && old.Snapshot != "" {
		h.Kept = append([]kept{{old.Generation, old.Snapshot}}, old.Kept...)
		h.Kept = h.Kept[:min(len(h.Kept), keepSnapshots)]
	}
	meta := c.Meta
	if meta == nil {
		meta = d.meta
	}
	data, j, err := newJournal(&h, d.journal.seq, meta, c.History, c.Carry)
	if err != nil {
		return err
	}
	if changed {
		if err := writeFile(d.fs, d.file(snapshotNext), c.Snapshot); err != nil {
			return err
		}
	}
	// An open file can be in the way of a rename on Windows. A Dir that fails here is not written to again.
	if err := d.closeJournal(); err != nil {
		return err
	}
	if err := d.replaceJournal(data); err != nil {
		return err
	}
	// From here on it is done; the rest tidies up and would be done by Open.
	d.begin(c, &h, j, meta)
	if err := d.finish(c.History != nil, changed); err != nil {
		return err
	}
	if d.journalFile, err = openFile(d.fs, d.file(journalFile)); err != nil {
		return err
	}
	return d.writeMark()
}

func (d *Dir) closeJournal() error {
	f := d.journalFile
	d.journalFile = nil
	return f.Close()
}

// replaceJournal is the commit: what the new journal names must lie in the directory, synced. The first
// SyncDir makes the names durable that the rename relies on, the second one the rename itself.
func (d *Dir) replaceJournal(data []byte) error {
	if err := writeFile(d.fs, d.file(journalNext), data); err != nil {
		return err
	}
	if err := d.fs.SyncDir(d.path); err != nil {
		return err
	}
	if err := d.fs.Rename(d.file(journalNext), d.file(journalFile)); err != nil {
		return err
	}
	return d.fs.SyncDir(d.path)
}

// begin takes over a generation that has become durable.
func (d *Dir) begin(c *Commit, h *header, j journal, meta []byte) {
	s := scanned{header: *h, history: c.History}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.journal, d.header, d.seq = j, *h, j.seq
	d.historyLine = s.historyLine()
	d.historyChain.Write(d.historyLine)
	d.snapshot, d.meta = slices.Clone(c.Snapshot), slices.Clone(meta)
	d.records, d.tail = nil, nil
	d.stats.Commits++
	d.stats.JournalBytes, d.stats.SnapshotBytes = j.size, int64(len(d.snapshot))
}

// finish does what a commit has left to do after the rename of the journal. It can be repeated.
func (d *Dir) finish(history, snapshot bool) error {
	names, err := d.fs.ReadDir(d.path)
	if err != nil {
		return err
	}
	if history {
		if err := d.finishHistory(); err != nil {
			return err
		}
	}
	if snapshot {
		if k := d.header.Kept; len(k) > 0 && slices.Contains(names, snapshotFile) {
			if err := d.fs.Rename(d.file(snapshotFile), d.file(keptFile(k[0].Generation))); err != nil {
				return err
			}
		}
		if err := d.fs.Rename(d.file(snapshotNext), d.file(snapshotFile)); err != nil {
			return err
		}
	}
	if history || snapshot {
		if err := d.fs.SyncDir(d.path); err != nil {
			return err
		}
	}
	for _, name := range names {
		if d.useless(name, snapshot) {
			if err := d.fs.Remove(d.file(name)); err != nil {
				return err
			}
		}
	}
	return nil
}

// finishHistory writes the last line of the history.
func (d *Dir) finishHistory() error {
	f, err := openFile(d.fs, d.file(historyFile))
	if err != nil {
		return err
	}
	err = writeAt(f, d.historyLine, d.header.History.Size) // there is never more in its place
	if err == nil {
		err = f.Sync()
	}
	return errors.Join(err, f.Close())
}

// useless tells what a commit that was not completed, and snapshots of long ago, have left.
func (d *Dir) useless(name string, moved bool) bool {
	if name == journalNext || name == snapshotNext && !moved {
		return true
	}
	g, ok := keptGeneration(name)
	return ok && g < d.header.Generation && !slices.ContainsFunc(d.header.Kept, func(k kept) bool { return k.Generation == g })
}
