package sexton_test

import (
	"time"

	"golang.org/x/sys/unix"
)

// nap has the thread wait, as a sync does, without using the processor; Go's own sleep is coarser than a millisecond where
// nothing else runs.
func nap(d time.Duration) error {
	if err := unix.Prctl(unix.PR_SET_TIMERSLACK, 1, 0, 0, 0); err != nil {
		return err
	}
	t := unix.NsecToTimespec(d.Nanoseconds())
	for {
		if err := unix.Nanosleep(&t, &t); err != unix.EINTR { // t is what is left
			return err
		}
	}
}
