//go:build !linux

package sexton_test

import "time"

func nap(d time.Duration) error {
	time.Sleep(d)
	return nil
}
