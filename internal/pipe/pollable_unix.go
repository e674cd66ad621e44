//go:build unix

package pipe

import (
	"os"
	"syscall"
)

// Pollable returns a pipe that this process got as a file such that waiting for it takes no thread: a goroutine that
// waits is woken sooner. What is no pipe it returns as it is. Afterwards, only what it returns may be used.
func Pollable(f *os.File) *os.File {
	info, err := f.Stat()
	if err != nil || info.Mode()&os.ModeNamedPipe == 0 {
		return f
	}
	fd := f.Fd()
	if syscall.SetNonblock(int(fd), true) != nil {
		return f
	}
	return os.NewFile(fd, f.Name())
}
