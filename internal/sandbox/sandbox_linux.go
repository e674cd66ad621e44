package sandbox

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"syscall"

	"github.com/elastic/go-seccomp-bpf"
	"github.com/elastic/go-seccomp-bpf/arch"
	"github.com/landlock-lsm/go-landlock/landlock"
)

func prepare(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
}

func enter(l *Limits) error {
	if err := setLimits(l); err != nil {
		return err
	}
	if err := landlock.V7.BestEffort().Restrict(); err != nil {
		return fmt.Errorf("landlock: %w", err)
	}
	if seccomp.Supported() {
		if err := seccomp.LoadFilter(filter); err != nil {
			return fmt.Errorf("seccomp: %w", err)
		}
	}
	return setFiles(l)
}

// filter is the second fence behind Landlock: system calls that no interpreter needs fail with EPERM. It is
// a list of what is refused, because Go's runtime may use others in its next release.
var filter = seccomp.Filter{NoNewPrivs: true, Flag: seccomp.FilterFlagTSync, Policy: seccomp.Policy{
	DefaultAction: seccomp.ActionAllow,
	Syscalls: []seccomp.SyscallGroup{{Action: seccomp.ActionErrno, Names: known(
		"execve", "execveat", "fork", "vfork", "ptrace", "process_vm_readv", "process_vm_writev", "kill", "pidfd_open", "pidfd_getfd", "pidfd_send_signal",
		"socket", "socketpair", "connect", "bind", "listen", "accept", "accept4", "sendto", "sendmsg", "sendmmsg",
		"open", "creat", "link", "linkat", "symlink", "symlinkat", "rename", "renameat", "renameat2", "unlink", "unlinkat", "mkdir", "mkdirat",
		"mknod", "mknodat", "truncate", "chmod", "fchmod", "fchmodat", "chown", "fchown", "lchown", "fchownat", "setxattr", "lsetxattr", "fsetxattr",
		"mount", "umount2", "pivot_root", "chroot", "unshare", "setns", "open_by_handle_at", "name_to_handle_at", "fsopen", "fsmount", "move_mount",
		"bpf", "perf_event_open", "userfaultfd", "io_uring_setup", "keyctl", "add_key", "request_key", "init_module", "finit_module", "delete_module",
		"kexec_load", "reboot", "swapon", "swapoff", "syslog", "acct", "quotactl", "setuid", "setgid", "setreuid", "setregid", "setresuid", "setresgid", "setgroups",
		"personality", "settimeofday", "clock_settime", "sethostname", "setdomainname", "iopl", "ioperm",
	)}},
}}

// known are those of the names that this architecture has.
func known(names ...string) []string {
	info, err := arch.GetInfo("")
	if err != nil {
		return nil // seccomp.LoadFilter says so
	}
	return slices.DeleteFunc(names, func(name string) bool {
		_, ok := info.SyscallNames[name]
		return !ok
	})
}

// statm is where Linux tells how large a process is, in pages.
const statm = "/proc/self/statm"

// size is the size of this process's address space in bytes.
func size() (int64, error) {
	data, err := os.ReadFile(statm)
	if err != nil {
		return 0, err
	}
	var pages int64
	if _, err := fmt.Sscan(string(data), &pages); err != nil {
		return 0, errors.Join(fmt.Errorf("%s: %q", statm, data), err)
	}
	return pages * int64(os.Getpagesize()), nil
}
