package effect

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
)

const separators = `\/`

// Errors of Windows that have no name in the table of codes.
var (
	errDirNotEmpty  error = syscall.ERROR_DIR_NOT_EMPTY
	errNotDirectory error = syscall.Errno(267) // ERROR_DIRECTORY
	// What OpenProcess says of an id that no process has: ERROR_INVALID_PARAMETER.
	errInvalidParameter error = syscall.Errno(87)
)

// inheritedVariables are what every program needs to work as the operator expects, in upper case.
var inheritedVariables = []string{
	"PATH", "PATHEXT", "SYSTEMROOT", "SYSTEMDRIVE", "WINDIR", "COMSPEC", "TEMP", "TMP", "USERNAME", "USERPROFILE",
	"APPDATA", "LOCALAPPDATA", "PROGRAMDATA", "PROGRAMFILES", "PROCESSOR_ARCHITECTURE", "NUMBER_OF_PROCESSORS",
}

func foldVariable(name string) string { return strings.ToUpper(name) }

// checkProgram refuses batch files: the system hands them to its shell, which reads their arguments
// by rules of its own.
func checkProgram(file string) error {
	switch strings.ToLower(filepath.Ext(file)) {
	case ".bat", ".cmd":
		return &Error{Name: "Error", Code: "EINVAL", Message: fmt.Sprintf("spawn '%s': a batch file needs a shell; run cmd.exe with it", clean(filepath.Base(file)))}
	}
	return nil
}

// rename moves a file. The system has no such call for open directories: here the paths count once more.
func rename(from, to *place) error { return os.Rename(from.path, to.path) }

// signals are those that end a process, by the names that scripts use. Here all of them kill.
var signals = map[string]os.Signal{
	"": os.Kill, "SIGTERM": os.Kill, "SIGINT": os.Kill, "SIGHUP": os.Kill, "SIGQUIT": os.Kill, "SIGKILL": os.Kill,
}

func signalOf(*os.ProcessState) string { return "" }

const (
	detachedProcess       = 0x00000008
	createNewProcessGroup = 0x00000200
)

// isolate keeps a Ctrl-C at the console from the command, because Sexton lets running effects finish.
// A detached one has no console: it outlives this process.
func isolate(cmd *exec.Cmd, detached bool) {
	flags := uint32(createNewProcessGroup)
	if detached {
		flags |= detachedProcess
	}
	cmd.SysProcAttr = &syscall.SysProcAttr{CreationFlags: flags}
}

func terminateGroup(p *os.Process) error { return killGroup(p) }

// killGroup kills a process with what it started. There are no process groups to kill: taskkill
// walks the tree of those that still run.
func killGroup(p *os.Process) error {
	taskkill := filepath.Join(os.Getenv("SystemRoot"), "System32", "taskkill.exe")
	_ = exec.Command(taskkill, "/T", "/F", "/PID", strconv.Itoa(p.Pid)).Run()
	return p.Kill()
}

func killLed(p *os.Process) { _ = killGroup(p) }

// startTime is the creation time of a process, in units of 100 ns, and whether it still runs: it keeps
// its id for as long as somebody has a handle. The error is os.ErrProcessDone if there is no such process.
func startTime(pid int) (started string, running bool, err error) {
	const queryLimitedInformation = 0x1000
	handle, err := syscall.OpenProcess(queryLimitedInformation|syscall.SYNCHRONIZE, false, uint32(pid))
	if errors.Is(err, errInvalidParameter) {
		return "", false, os.ErrProcessDone
	}
	if err != nil {
		return "", false, err
	}
	defer syscall.CloseHandle(handle)
	var creation, exit, kernel, user syscall.Filetime
	if err := syscall.GetProcessTimes(handle, &creation, &exit, &kernel, &user); err != nil {
		return "", false, err
	}
	event, err := syscall.WaitForSingleObject(handle, 0)
	if err != nil {
		return "", false, err
	}
	return strconv.FormatInt(creation.Nanoseconds()/100, 10), event != syscall.WAIT_OBJECT_0, nil
}
