//go:build unix

package effect

import (
	"errors"
	"os"
	"os/exec"
	"syscall"

	"golang.org/x/sys/unix"
)

const separators = "/"

// Errors of Windows that have no name in the table of codes.
var (
	errDirNotEmpty  error = syscall.ENOTEMPTY
	errNotDirectory error = syscall.ENOTDIR
)

// inheritedVariables are what every program needs to work as the operator expects.
var inheritedVariables = []string{"PATH", "HOME", "USER", "LOGNAME", "TMPDIR", "TZ", "LANG", "LC_ALL", "LC_CTYPE"}

func foldVariable(name string) string { return name }

func checkProgram(string) error { return nil }

// rename moves a file from one open directory to another.
func rename(from, to *place) error {
	source, err := from.dir.Open(".")
	if err != nil {
		return err
	}
	defer source.Close()
	target, err := to.dir.Open(".")
	if err != nil {
		return err
	}
	defer target.Close()
	return unix.Renameat(int(source.Fd()), from.name, int(target.Fd()), to.name)
}

// signals are those that end a process, by the names that scripts use.
var signals = map[string]os.Signal{
	"":        syscall.SIGTERM,
	"SIGTERM": syscall.SIGTERM,
	"SIGINT":  syscall.SIGINT,
	"SIGHUP":  syscall.SIGHUP,
	"SIGQUIT": syscall.SIGQUIT,
	"SIGKILL": syscall.SIGKILL,
}

var otherSignals = map[syscall.Signal]string{
	syscall.SIGABRT: "SIGABRT", syscall.SIGALRM: "SIGALRM", syscall.SIGBUS: "SIGBUS", syscall.SIGFPE: "SIGFPE",
	syscall.SIGILL: "SIGILL", syscall.SIGPIPE: "SIGPIPE", syscall.SIGSEGV: "SIGSEGV", syscall.SIGSYS: "SIGSYS",
	syscall.SIGTRAP: "SIGTRAP", syscall.SIGUSR1: "SIGUSR1", syscall.SIGUSR2: "SIGUSR2", syscall.SIGXCPU: "SIGXCPU",
	syscall.SIGXFSZ: "SIGXFSZ",
}

// signalOf is the name of the signal that ended a process, empty if none did.
func signalOf(state *os.ProcessState) string {
	status, ok := state.Sys().(syscall.WaitStatus)
	if !ok || !status.Signaled() {
		return ""
	}
	for name, s := range signals {
		if name != "" && s == status.Signal() {
			return name
		}
	}
	if name, known := otherSignals[status.Signal()]; known {
		return name
	}
	return status.Signal().String()
}

// isolate gives the command a session, and so a process group, of its own: it can be killed with what
// it starts, it can outlive this process, a Ctrl-C at the terminal does not reach it (Sexton lets
// running effects finish), and a question that it asks at the terminal fails instead of waiting.
func isolate(cmd *exec.Cmd, _ bool) { cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true} }

func terminateGroup(p *os.Process) error { return signalGroup(p, syscall.SIGTERM) }
func killGroup(p *os.Process) error      { return signalGroup(p, syscall.SIGKILL) }

// signalGroup signals a process that leads its group, with the group.
func signalGroup(p *os.Process, signal syscall.Signal) error {
	err := syscall.Kill(-p.Pid, signal)
	if errors.Is(err, syscall.ESRCH) {
		return os.ErrProcessDone
	}
	return err
}

// killLed kills a process, and what it started if it leads its group.
func killLed(p *os.Process) {
	if group, err := syscall.Getpgid(p.Pid); err == nil && group == p.Pid {
		_ = killGroup(p)
	}
	_ = p.Kill()
}
