package hostile

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// left is what a process has that it can forget to give back. Where /proc is none it is what can be seen.
type left struct {
	files     []string // that are open, by number
	children  []string // processes
	temporary []string // files
}

func look(t *testing.T, temporary string) left {
	var l left
	if entries, err := os.ReadDir("/proc/self/fd"); err == nil {
		for _, e := range entries {
			target, err := os.Readlink("/proc/self/fd/" + e.Name())
			if err == nil && !strings.HasPrefix(target, "/proc/") { // the directory that is read
				l.files = append(l.files, e.Name()+" "+target)
			}
		}
	}
	stats, err := filepath.Glob("/proc/[0-9]*/stat")
	require.NoError(t, err)
	self := strconv.Itoa(os.Getpid())
	for _, file := range stats {
		data, err := os.ReadFile(file)
		if err != nil {
			continue // it has ended
		}
		_, rest, _ := strings.Cut(string(data), ") ")
		if fields := strings.Fields(rest); len(fields) > 1 && fields[1] == self {
			l.children = append(l.children, string(data))
		}
	}
	found, err := os.ReadDir(temporary)
	require.NoError(t, err)
	for _, e := range found {
		l.temporary = append(l.temporary, e.Name())
	}
	return l
}

// requireNothingLeft compares what there is with what there was. What ends by itself in a moment is waited for.
func requireNothingLeft(t *testing.T, was left, temporary string) {
	more := func() string {
		is := look(t, temporary)
		// The runtime's own, made at its first need.
		is.files = slices.DeleteFunc(is.files, func(f string) bool { return strings.Contains(f, "anon_inode:[event") })
		was.files = slices.DeleteFunc(was.files, func(f string) bool { return strings.Contains(f, "anon_inode:[event") })
		if len(is.files) > len(was.files) || len(is.children) > len(was.children) || len(is.temporary) > len(was.temporary) {
			return fmt.Sprintf("there was: %v\nthere is: %v", was, is)
		}
		return ""
	}
	require.Eventually(t, func() bool { return more() == "" }, 10*time.Second, 50*time.Millisecond, "%s", more)
}
