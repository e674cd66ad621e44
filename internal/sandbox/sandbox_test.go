//go:build linux

package sandbox

import (
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// TestMain makes the test binary a process that enters the sandbox and tries what it should not.
func TestMain(m *testing.M) {
	if what := os.Getenv("SANDBOX_TRY"); what != "" {
		os.Exit(try(what))
	}
	os.Exit(m.Run())
}

var attempts = map[string]func() error{
	"read":    func() error { _, err := os.ReadFile("/etc/passwd"); return err },
	"list":    func() error { _, err := os.ReadDir("/"); return err },
	"write":   func() error { return os.WriteFile(filepath.Join(os.TempDir(), "sandbox"), nil, 0o600) },
	"mkdir":   func() error { return os.Mkdir(filepath.Join(os.TempDir(), "sandbox"), 0o700) },
	"remove":  func() error { return os.Remove(os.Args[0]) },
	"exec":    func() error { return exec.Command("/bin/true").Run() },
	"listen":  func() error { _, err := net.Listen("tcp", "127.0.0.1:0"); return err },
	"connect": func() error { _, err := net.DialTimeout("tcp", os.Getenv("SANDBOX_ADDRESS"), time.Minute); return err },
	"unix":    func() error { _, err := net.Dial("unix", "/run/nothing"); return err },
	"kill":    func() error { return syscall.Kill(os.Getppid(), 0) },
	"memory": func() error {
		_, err := syscall.Mmap(-1, 0, 4<<30, syscall.PROT_READ, syscall.MAP_ANON|syscall.MAP_PRIVATE)
		return err
	},
	"less": func() error { // this is allowed
		data := make([]byte, 16<<20)
		for i := range data {
			data[i] = 1
		}
		return nil
	},
	"threads": func() error { // Go goes on working
		done := make(chan int)
		for i := range 20 {
			go func() { runtime.LockOSThread(); done <- i }()
		}
		for range 20 {
			<-done
		}
		return nil
	},
}

func try(what string) int {
	// Threads of a test binary that is linked with C have large stacks, and heaps of their own.
	if err := Enter(&Limits{Memory: 2 << 30, CPU: time.Second, Files: 64}); err != nil {
		fmt.Println(err)
		return 1
	}
	if what == "spin" {
		for n := 0; ; n++ {
			runtime.KeepAlive(n)
		}
	}
	refused := map[string]string{}
	for name, attempt := range attempts {
		if err := attempt(); err != nil {
			refused[name] = err.Error()
		}
	}
	_ = json.NewEncoder(os.Stdout).Encode(refused)
	return 0
}

func TestEnter(t *testing.T) {
	if runtime.GOARCH != "amd64" && runtime.GOARCH != "arm64" {
		t.Skip("seccomp is for some architectures only")
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer l.Close()
	self, err := os.Executable()
	require.NoError(t, err)
	cmd := exec.Command(self)
	cmd.Env = []string{"SANDBOX_TRY=everything", "SANDBOX_ADDRESS=" + l.Addr().String(), "TMPDIR=" + t.TempDir()}
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	Prepare(cmd)
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, "%s", out)
	var refused map[string]string
	require.NoError(t, json.Unmarshal(out, &refused), "%s", out)
	for name := range attempts {
		if name == "less" || name == "threads" {
			require.NotContains(t, refused, name)
		} else {
			require.Contains(t, refused, name)
		}
	}
}

// A process that computes for ever ends by itself.
func TestLimitOfCPU(t *testing.T) {
	if testing.Short() {
		t.Skip("it takes a second of computing")
	}
	self, err := os.Executable()
	require.NoError(t, err)
	cmd := exec.Command(self)
	cmd.Env = []string{"SANDBOX_TRY=spin"}
	err = cmd.Run()
	var exit *exec.ExitError
	require.True(t, errors.As(err, &exit), "%v", err)
	require.True(t, exit.Sys().(syscall.WaitStatus).Signaled())
}

func TestKill(t *testing.T) {
	cmd := exec.Command("sleep", "1000")
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	Prepare(cmd)
	require.NoError(t, cmd.Start())
	require.NoError(t, Kill(cmd))
	err := cmd.Wait()
	var exit *exec.ExitError
	require.ErrorAs(t, err, &exit)
	require.Equal(t, syscall.SIGKILL, exit.Sys().(syscall.WaitStatus).Signal())
}
