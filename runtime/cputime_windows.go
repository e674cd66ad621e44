package runtime

import (
	"syscall"
	"time"
)

// cpuTime is the CPU time that this process has used.
func cpuTime() time.Duration {
	var created, exited, kernel, user syscall.Filetime
	self, err := syscall.GetCurrentProcess()
	if err != nil || syscall.GetProcessTimes(self, &created, &exited, &kernel, &user) != nil {
		return 0
	}
	ticks := func(t syscall.Filetime) int64 { return int64(t.HighDateTime)<<32 | int64(t.LowDateTime) } // of 100 ns
	return time.Duration((ticks(kernel) + ticks(user)) * 100)
}
