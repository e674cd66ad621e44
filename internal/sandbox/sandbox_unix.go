//go:build unix

package sandbox

import (
	"fmt"
	"os/exec"
	"syscall"
	"time"
)

func kill(cmd *exec.Cmd) error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }

// setLimit sets a limit of this process, unless it is stricter already.
func setLimit(name string, resource int, n uint64) error {
	var now syscall.Rlimit
	if err := syscall.Getrlimit(resource, &now); err != nil {
		return fmt.Errorf("limit of %s: %w", name, err)
	}
	if n > uint64(now.Max) {
		return nil
	}
	if err := syscall.Setrlimit(resource, &syscall.Rlimit{Cur: n, Max: n}); err != nil {
		return fmt.Errorf("limit of %s to %d: %w", name, n, err)
	}
	return nil
}

func setLimits(l *Limits) error {
	if err := setLimit("core dumps", syscall.RLIMIT_CORE, 0); err != nil {
		return err
	}
	if err := setLimit("file size", syscall.RLIMIT_FSIZE, 0); err != nil {
		return err
	}
	if l.CPU > 0 {
		if err := setLimit("CPU time", syscall.RLIMIT_CPU, uint64((l.CPU+time.Second-1)/time.Second)); err != nil {
			return err
		}
	}
	if now, err := size(); l.Memory > 0 && err == nil && now > 0 {
		return setLimit("memory", syscall.RLIMIT_AS, uint64(now+l.Memory))
	}
	return nil
}

// setFiles is for the end: what confines a process opens files itself.
func setFiles(l *Limits) error {
	if l.Files == 0 {
		return nil
	}
	return setLimit("open files", syscall.RLIMIT_NOFILE, uint64(l.Files))
}
