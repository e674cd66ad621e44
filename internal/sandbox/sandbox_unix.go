//go:build unix

package sandbox

import (
	"os/exec"
	"syscall"
)

func kill(cmd *exec.Cmd) error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
