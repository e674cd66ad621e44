package state

import (
	"context"
	"fmt"
)

// batch is the groups that share one fsync.
type batch struct {
	groups [][]Record
	done   chan struct{}
	err    error // set before done is closed
}

func newBatch() *batch { return &batch{done: make(chan struct{})} }

// Append adds a group of records to the journal. When it returns nil they are durable, all of them; a crash
// before that leaves all or none. Groups of callers that wait at the same time share an fsync; a group
// that was appended before another one was begun comes before it. The records must not be changed
// until it returns.
//
// ctx is looked at before the group is queued only: what is on its way to the disk cannot be called back.
// Errors match ErrFailed, ErrClosed or ErrReadOnly, or tell what is wrong with a record; after an error
// that matches ErrFailed the group may or may not be found by the next Open.
func (d *Dir) Append(ctx context.Context, group ...Record) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if d.readOnly {
		return ErrReadOnly
	}
	for _, r := range group {
		if err := r.check(); err != nil {
			return err
		}
	}
	if len(group) == 0 {
		return nil
	}
	d.mu.Lock()
	if d.err != nil {
		defer d.mu.Unlock()
		return d.err
	}
	b := d.pending
	b.groups = append(b.groups, group)
	d.mu.Unlock()

	select {
	case <-b.done:
		return b.err
	case d.turn <- struct{}{}:
	}
	// Whoever has the turn writes for all that wait. If somebody did it for b meanwhile, this is the batch
	// after it; in either case b is done when flush returns.
	d.flush()
	<-d.turn
	return b.err
}

// flush writes the pending batch. The caller has the turn.
func (d *Dir) flush() {
	d.mu.Lock()
	b, err := d.pending, d.err
	d.pending = newBatch()
	d.mu.Unlock()
	if err == nil && len(b.groups) > 0 {
		err = d.write(b)
	}
	b.err = err
	close(b.done)
}

func (d *Dir) write(b *batch) error {
	durable := d.journal.size
	d.buf = d.buf[:0]
	for _, group := range b.groups {
		d.buf = d.journal.appendGroup(d.buf, group, durable)
	}
	if err := d.inPlace(); err != nil {
		return d.fail("append to journal", err)
	}
	if err := writeAt(d.journalFile, d.buf, durable); err != nil {
		return d.fail("append to journal", err)
	}
	if err := d.journalFile.Sync(); err != nil {
		return d.fail("sync journal", err)
	}
	if err := d.writeMark(); err != nil {
		return d.fail("write mark", err)
	}
	if cap(d.buf) > maxKeptBuffer {
		d.buf = nil
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.seq = d.journal.seq
	d.stats.Groups += uint64(len(b.groups))
	d.stats.Syncs++
	d.stats.JournalBytes = d.journal.size
	return nil
}

// inPlace makes sure that this Dir is still the one that writes here, and that others will find what it
// writes.
func (d *Dir) inPlace() error {
	if err := d.lock.Held(); err != nil {
		return fmt.Errorf("the lock is lost: %w: %w", ErrTaken, err)
	}
	if err := d.journalFile.inPlace(); err != nil {
		return fmt.Errorf("the journal is lost: %w: %w", ErrTaken, err)
	}
	return nil
}

// maxKeptBuffer is what a writer keeps between batches.
const maxKeptBuffer = 1 << 20

// fail ends all acknowledgement. What failed is never tried again on the same handle: after a failed
// fsync the kernel may count pages as clean that are not on the disk.
func (d *Dir) fail(doing string, err error) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.err = fmt.Errorf("%w: %s: %w", ErrFailed, doing, err)
	return d.err
}

// Seq is the number of the last durable record. It grows by every Append and Commit, and never repeats
// within an environment but for records that were not acknowledged.
func (d *Dir) Seq() uint64 {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.seq
}
