//go:build unix && !linux

package effect

import (
	"errors"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
)

// startTime is when a process started, to the second, as ps knows it, and whether it still runs: a
// zombie does not. The error is os.ErrProcessDone if there is no such process.
func startTime(pid int) (started string, running bool, err error) {
	if err := syscall.Kill(pid, 0); errors.Is(err, syscall.ESRCH) {
		return "", false, os.ErrProcessDone
	}
	ps := exec.Command("/bin/ps", "-o", "stat=,lstart=", "-p", strconv.Itoa(pid))
	ps.Env = []string{"LC_ALL=C", "TZ=UTC"} // the same text whoever asks
	out, err := ps.Output()
	state, started, _ := strings.Cut(strings.TrimSpace(string(out)), " ")
	var exit *exec.ExitError
	switch {
	case state == "" && (err == nil || errors.As(err, &exit)): // it ended a moment ago
		return "", false, os.ErrProcessDone
	case err != nil:
		return "", false, err
	}
	return strings.Join(strings.Fields(started), " "), !strings.HasPrefix(state, "Z"), nil
}
