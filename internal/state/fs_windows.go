package state

import (
	"errors"
	"time"

	"golang.org/x/sys/windows"
)

// rename asks Windows to return only when the new name is on the disk. A reader that has the target open
// at this moment makes it fail, so it is tried for a while: a reader must not stop a writer.
func rename(from, to string) error {
	f, err := windows.UTF16PtrFromString(from)
	if err != nil {
		return err
	}
	t, err := windows.UTF16PtrFromString(to)
	if err != nil {
		return err
	}
	for wait := time.Millisecond; ; wait *= 2 {
		err = windows.MoveFileEx(f, t, windows.MOVEFILE_REPLACE_EXISTING|windows.MOVEFILE_WRITE_THROUGH)
		busy := errors.Is(err, windows.ERROR_SHARING_VIOLATION) || errors.Is(err, windows.ERROR_ACCESS_DENIED)
		if !busy || wait > time.Second {
			return err
		}
		time.Sleep(wait)
	}
}

// syncDir has nothing to do: directories cannot be flushed, and rename waits for the disk.
func syncDir(string) error { return nil }
