//go:build unix

package sandbox

import (
	"fmt"
	"os/exec"
	"syscall"
	"time"
)

func kill(cmd *exec.Cmd) error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }

func setLimits(l *Limits) error {
	set := func(name string, resource int, n uint64) error {
		var now syscall.Rlimit
		if err := syscall.Getrlimit(resource, &now); err != nil {
			return fmt.Errorf("limit of %s: %w", name, err)
		}
		if n > uint64(now.Max) {
			return nil // it is stricter already
		}
		if err := syscall.Setrlimit(resource, &syscall.Rlimit{Cur: n, Max: n}); err != nil {
			return fmt.Errorf("limit of %s to %d: %w", name, n, err)
		}
		return nil
	}
	if err := set("core dumps", syscall.RLIMIT_CORE, 0); err != nil {
		return err
	}
	if err := set("file size", syscall.RLIMIT_FSIZE, 0); err != nil {
		return err
	}
	if l.CPU > 0 {
		if err := set("CPU time", syscall.RLIMIT_CPU, uint64((l.CPU+time.Second-1)/time.Second)); err != nil {
			return err
		}
	}
	if l.Files > 0 {
		if err := set("open files", syscall.RLIMIT_NOFILE, uint64(l.Files)); err != nil {
			return err
		}
	}
	if now, err := size(); l.Memory > 0 && err == nil && now > 0 {
		return set("memory", syscall.RLIMIT_AS, uint64(now+l.Memory))
	}
	return nil
}
