package effect

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"
	"sync"
	"syscall"
)

// bootID changes with every start of the system: start times count from it.
var bootID = sync.OnceValues(func() (string, error) {
	id, err := os.ReadFile("/proc/sys/kernel/random/boot_id")
	return strings.TrimSpace(string(id)), err
})

// startTime is when a process started, in ticks of the clock since the system did, and whether it
// still runs: a zombie does not. The error is os.ErrProcessDone if there is no such process.
func startTime(pid int) (started string, running bool, err error) {
	boot, err := bootID()
	if err != nil {
		return "", false, err
	}
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ESRCH) {
		return "", false, os.ErrProcessDone
	}
	if err != nil {
		return "", false, err
	}
	// pid (name) state …: the name may itself have blanks and parentheses. See proc_pid_stat(5).
	fields := bytes.Fields(stat[bytes.LastIndexByte(stat, ')')+1:])
	const stateField, startField = 0, 19 // 3 and 22 in the manual
	if len(fields) <= startField {
		return "", false, fmt.Errorf("/proc/%d/stat: unexpected format", pid)
	}
	state := fields[stateField][0]
	return boot + "/" + string(fields[startField]), state != 'Z' && state != 'X', nil
}
