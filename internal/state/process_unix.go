//go:build !windows

package state

import (
	"errors"
	"syscall"
)

// alive reports whether a process of that pid runs.
func alive(pid int) bool {
	err := syscall.Kill(pid, 0)
	return err == nil || errors.Is(err, syscall.EPERM)
}
