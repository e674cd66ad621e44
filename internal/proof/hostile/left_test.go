package hostile

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"
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

// beyond says what there is more of than there was; empty: nothing.
func (l left) beyond(was left) string {
	// The runtime's own, made at its first need.
	own := func(f string) bool { return strings.Contains(f, "anon_inode:[event") }
	files := slices.DeleteFunc(slices.Clone(l.files), own)
	if len(files) > len(slices.DeleteFunc(slices.Clone(was.files), own)) || len(l.children) > len(was.children) || len(l.temporary) > len(was.temporary) {
		return fmt.Sprintf("there was: %v\nthere is: %v", was, l)
	}
	return ""
}

// requireNothingLeft compares what there is with what there was. What ends by itself in a moment is waited for.
func requireNothingLeft(t *testing.T, was left, temporary string) {
	for deadline := time.Now().Add(10 * time.Second); look(t, temporary).beyond(was) != "" && time.Now().Before(deadline); {
		time.Sleep(50 * time.Millisecond)
	}
	require.Empty(t, look(t, temporary).beyond(was))
}

// What looks for what is left finds it.
func TestLeft(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("there is no /proc")
	}
	temporary := t.TempDir()
	was := look(t, temporary)
	require.Empty(t, look(t, temporary).beyond(was))

	f, err := os.Open(os.DevNull)
	require.NoError(t, err)
	require.Contains(t, look(t, temporary).beyond(was), os.DevNull)
	require.NoError(t, f.Close())

	cmd := exec.Command("sleep", "1000")
	require.NoError(t, cmd.Start())
	require.Contains(t, look(t, temporary).beyond(was), "(sleep)")
	require.NoError(t, cmd.Process.Kill())
	require.Error(t, cmd.Wait())

	require.NoError(t, os.WriteFile(filepath.Join(temporary, "forgotten"), nil, 0o600))
	require.Contains(t, look(t, temporary).beyond(was), "forgotten")
	require.NoError(t, os.Remove(filepath.Join(temporary, "forgotten")))
	require.Empty(t, look(t, temporary).beyond(was))

	current, stop := goleak.IgnoreCurrent(), make(chan struct{})
	defer close(stop)
	go func() { <-stop }()
	require.ErrorContains(t, goleak.Find(current), "TestLeft")
}
