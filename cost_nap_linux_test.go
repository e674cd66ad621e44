package sexton_test

import (
	"time"

	"golang.org/x/sys/unix"
)

// nap has the thread wait, as a sync does; Go's own sleep is coarser than a millisecond where nothing else runs.
func nap(d time.Duration) error {
	t := unix.NsecToTimespec(d.Nanoseconds())
	for {
		if err := unix.Nanosleep(&t, &t); err != unix.EINTR { // t is what is left
			return err
		}
	}
}
