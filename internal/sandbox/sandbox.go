// Package sandbox confines the process that scripts run in: what the operating system offers for that, from
// the outside (Prepare, Kill) and from the inside (Enter). It does not know what runs there.
//
//	              Linux                                      other Unix    Windows
//	Prepare       process group, ends with its parent        group         –
//	Enter         no new privileges, Landlock, seccomp,      limits        –
//	              limits of memory, CPU, files
package sandbox

import (
	"os/exec"
	"time"
)

// Limits of a confined process. Zero fields are not limited.
type Limits struct {
	Memory int64         // bytes, beyond what the process has when it enters
	CPU    time.Duration // of all its threads, rounded up to seconds
	Files  int           // open at once
}

// Prepare configures a command that is about to be started as a confined process: in a process group of its own,
// which Kill ends, and ending with its parent where the system can do that. The caller stays in its thread
// until the process has ended (runtime.LockOSThread), because Linux takes the end of the thread for that of
// the parent.
func Prepare(cmd *exec.Cmd) { prepare(cmd) }

// Kill ends a confined process and what is in its process group, at once.
func Kill(cmd *exec.Cmd) error { return kill(cmd) }

// Enter confines this process, for good: from now on it opens no file, connects to nothing, starts no
// program and gets no more than l. What the system does not offer is left out; an error says that something that
// it offers did not work.
func Enter(l *Limits) error { return enter(l) }
