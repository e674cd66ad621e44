// Package sandbox confines the process that scripts run in: what the operating system offers for that, from
// the outside (Prepare) and from the inside (Enter). It does not know what runs there.
package sandbox

import "os/exec"

// Prepare configures a command that is about to be started as a confined process: in a process group of its own,
// which Kill ends, and ending with its parent where the system can do that.
func Prepare(cmd *exec.Cmd) { prepare(cmd) }

// Kill ends a confined process and what is in its process group, at once.
func Kill(cmd *exec.Cmd) error { return kill(cmd) }
