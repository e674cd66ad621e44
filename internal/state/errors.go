package state

import (
	"errors"
	"fmt"
	"time"
)

// These errors can be returned by Open. Match them with errors.Is.
var (
	// ErrNoState is returned when the directory holds no state and none was to be created.
	ErrNoState = errors.New("no state")

	// ErrLocked is matched by *LockedError.
	ErrLocked = errors.New("state is locked")

	// ErrCorrupt is matched by *CorruptError.
	ErrCorrupt = errors.New("state is corrupt")

	// ErrNewerVersion is returned when a newer release wrote the state.
	ErrNewerVersion = errors.New("state was written by a newer version of sexton")
)

// These errors can be returned by Append and Commit.
var (
	// ErrFailed is returned from the first failed write or fsync on. Nothing is acknowledged any more:
	// close the directory and open it again to learn what is durable.
	ErrFailed = errors.New("state failed")

	// ErrTaken is returned, with ErrFailed, when the lock or the journal was removed or replaced meanwhile: another
	// writer may be there.
	ErrTaken = errors.New("somebody took it away")

	// ErrMoved is returned by Commit when records were appended after the snapshot was made.
	ErrMoved = errors.New("state moved on since the snapshot was made")

	// ErrReadOnly is returned when the directory was opened to be read only.
	ErrReadOnly = errors.New("state is open read-only")

	// ErrClosed is returned after Close.
	ErrClosed = errors.New("state is closed")
)

// Owner tells who holds the lock of a directory. Its fields are zero where they are not known.
type Owner struct {
	PID   int       `json:"pid"`
	Host  string    `json:"host"`
	Since time.Time `json:"since"`
}

// LockedError is returned by Open when another process, or another Dir of this one, writes to the directory.
type LockedError struct {
	Dir   string
	Owner Owner
}

func (e *LockedError) Error() string {
	if e.Owner.PID == 0 {
		return fmt.Sprintf("%s: locked by another process", e.Dir)
	}
	return fmt.Sprintf("%s: locked by pid %d on %s since %s",
		e.Dir, e.Owner.PID, e.Owner.Host, e.Owner.Since.Format(time.RFC3339))
}

// Is matches ErrLocked.
func (e *LockedError) Is(target error) bool { return target == ErrLocked }

// CorruptError says what is wrong with a file. Nothing was changed.
type CorruptError struct {
	File   string // name within the directory
	Offset int64  // in bytes, of what does not fit; -1 if it is the file as a whole
	Reason string
	Intact int // groups of the journal that can be read in front of the damage
}

func (e *CorruptError) Error() string {
	if e.Offset < 0 {
		return fmt.Sprintf("%s is corrupt: %s", e.File, e.Reason)
	}
	return fmt.Sprintf("%s is corrupt at byte %d: %s", e.File, e.Offset, e.Reason)
}

// Is matches ErrCorrupt.
func (e *CorruptError) Is(target error) bool { return target == ErrCorrupt }

func corrupt(file string, offset int64, format string, args ...any) *CorruptError {
	return &CorruptError{File: file, Offset: offset, Reason: fmt.Sprintf(format, args...)}
}
