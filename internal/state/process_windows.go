package state

import (
	"errors"

	"golang.org/x/sys/windows"
)

// alive reports whether a process of that pid runs.
func alive(pid int) bool {
	h, err := windows.OpenProcess(windows.PROCESS_QUERY_LIMITED_INFORMATION, false, uint32(pid))
	if err != nil {
		return errors.Is(err, windows.ERROR_ACCESS_DENIED)
	}
	defer windows.CloseHandle(h) //nolint:errcheck // it was only looked at
	const running = 259
	var code uint32
	return windows.GetExitCodeProcess(h, &code) == nil && code == running
}
