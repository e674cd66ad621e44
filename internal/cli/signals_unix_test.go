//go:build unix

package cli

import (
	"bufio"
	"errors"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
)

// waiting destroys by a program that tells its process id and waits until somebody writes to the pipe "go".
var waiting = map[string]string{
	"package.json": `{"name": "app", "sexton": {"permissions": {"run": ["sh"]}}}`,
	"index.js": `
		import { Resource } from "sexton";
		import { exec } from "sexton/process";
		export class Slow extends Resource {
			static properties = { inner: { type: "Slow", optional: true } };
			async destroy() {
				await exec("sh", ["-c", "echo $$ >pid.new; mv pid.new pid; echo >begun; read line <go; echo " + this.$id + " >>ended"]);
			}
		}`,
	"model.json": `{"?": {"type": "Environment", "id": "root"}, "applications": [
		{"?": {"type": "Slow", "id": "outer"}, "inner": {"?": {"type": "Slow", "id": "inner"}}}]}`,
}

// process is a sexton of its own.
type process struct {
	t   *testing.T
	dir string
	cmd *exec.Cmd
	err *bufio.Reader
}

// startWaiting deploys, and starts a destruction in a process group of its own; it returns when the program of
// the first destroy() runs.
func startWaiting(t *testing.T, args ...string) *process {
	t.Helper()
	p := &process{t: t, dir: t.TempDir()}
	for name, text := range waiting {
		require.NoError(t, os.WriteFile(filepath.Join(p.dir, name), []byte(text), 0o644))
	}
	for _, pipe := range []string{"go", "begun"} {
		require.NoError(t, syscall.Mkfifo(filepath.Join(p.dir, pipe), 0o600))
	}
	require.Equal(t, exitDone, p.run("deploy", "--allow-package"))
	p.cmd = exec.Command("sexton", append([]string{"destroy", "--allow-package", "--yes"}, args...)...)
	p.cmd.Dir = p.dir
	p.cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	stderr, err := p.cmd.StderrPipe()
	require.NoError(t, err)
	p.err = bufio.NewReader(stderr)
	require.NoError(t, p.cmd.Start())
	t.Cleanup(func() { _ = p.cmd.Process.Kill() })
	_, err = os.ReadFile(filepath.Join(p.dir, "begun"))
	require.NoError(t, err)
	return p
}

func (p *process) run(args ...string) int {
	p.t.Helper()
	cmd := exec.Command("sexton", args...)
	cmd.Dir = p.dir
	out, err := cmd.CombinedOutput()
	var exit *exec.ExitError
	if !errors.As(err, &exit) {
		require.NoError(p.t, err, "%s", out)
	}
	return cmd.ProcessState.ExitCode()
}

// signal sends a signal to the process alone, or, as a terminal does, to its group.
func (p *process) signal(s syscall.Signal, group bool) {
	p.t.Helper()
	to := p.cmd.Process.Pid
	if group {
		to = -to
	}
	require.NoError(p.t, syscall.Kill(to, s))
}

// told waits for a line on standard error.
func (p *process) told(text string) {
	p.t.Helper()
	for {
		line, err := p.err.ReadString('\n')
		require.NoError(p.t, err, "no line with %q", text)
		if strings.Contains(line, text) {
			return
		}
	}
}

// exit waits for the end and returns the exit code.
func (p *process) exit() int {
	p.t.Helper()
	_, err := io.Copy(io.Discard, p.err)
	require.NoError(p.t, err)
	_ = p.cmd.Wait()
	return p.cmd.ProcessState.ExitCode()
}

// letGo lets the program that waits go on.
func (p *process) letGo() {
	p.t.Helper()
	require.NoError(p.t, os.WriteFile(filepath.Join(p.dir, "go"), []byte("\n"), 0))
}

func (p *process) ended() string {
	data, _ := os.ReadFile(filepath.Join(p.dir, "ended"))
	return string(data)
}

// resume destroys the rest, without waiting.
func (p *process) resume() {
	p.t.Helper()
	for _, pipe := range []string{"go", "begun"} {
		require.NoError(p.t, os.Remove(filepath.Join(p.dir, pipe)))
		require.NoError(p.t, os.WriteFile(filepath.Join(p.dir, pipe), []byte("\n"), 0o600))
	}
	require.Equal(p.t, exitDone, p.run("destroy", "--allow-package", "--yes"))
}

// The first signal, of the process or of its group as from a terminal, lets the program of the running
// destroy() end, and no other start.
func TestSignal(t *testing.T) {
	for name, c := range map[string]struct {
		signal syscall.Signal
		group  bool
	}{
		"SIGTERM": {syscall.SIGTERM, false}, "SIGHUP": {syscall.SIGHUP, false}, "Ctrl-C": {syscall.SIGINT, true},
	} {
		t.Run(name, func(t *testing.T) {
			if signal.Ignored(c.signal) {
				t.Skip("the signal is ignored here, as under nohup")
			}
			p := startWaiting(t)
			p.signal(c.signal, c.group)
			p.told("interrupted: what runs is finished")
			p.letGo()
			require.Equal(t, exitInterrupted, p.exit())
			require.Equal(t, "inner\n", p.ended())
			p.resume()
			require.Equal(t, "inner\nouter\n", p.ended())
		})
	}
}

// The second one, of whichever kind, stops at once, with the program. The next deployment runs the same
// destroy() again.
func TestSecondSignal(t *testing.T) {
	for name, c := range map[string]struct {
		first, second syscall.Signal
		group         bool
	}{
		"SIGTERM": {syscall.SIGTERM, syscall.SIGTERM, false},
		"mixed":   {syscall.SIGTERM, syscall.SIGINT, false},
		"Ctrl-C":  {syscall.SIGINT, syscall.SIGINT, true},
	} {
		t.Run(name, func(t *testing.T) {
			if signal.Ignored(c.first) || signal.Ignored(c.second) {
				t.Skip("the signal is ignored here, as in the background of a shell")
			}
			p := startWaiting(t)
			text, err := os.ReadFile(filepath.Join(p.dir, "pid"))
			require.NoError(t, err)
			pid, err := strconv.Atoi(strings.TrimSpace(string(text)))
			require.NoError(t, err)
			p.signal(c.first, c.group)
			p.told("interrupted: what runs is finished")
			require.NoError(t, syscall.Kill(pid, 0))
			p.signal(c.second, c.group)
			p.told("interrupted again")
			require.Equal(t, exitInterrupted, p.exit())
			require.ErrorIs(t, syscall.Kill(pid, 0), syscall.ESRCH)
			require.Empty(t, p.ended())
			p.resume()
			require.Equal(t, "inner\nouter\n", p.ended())
		})
	}
}

// nohup lets a deployment outlive its terminal.
func TestIgnoredHangup(t *testing.T) {
	p := &process{t: t, dir: t.TempDir()}
	cmd := exec.Command("nohup", "sexton", "run", "--allow-run=sh", "-e",
		`import { exec } from "sexton/process"; await exec("sh", ["-c", "kill -HUP $PPID"]); console.log("still here")`)
	cmd.Dir = p.dir
	out, err := cmd.CombinedOutput()
	if errors.Is(err, exec.ErrNotFound) {
		t.Skip("no nohup")
	}
	require.NoError(t, err, "%s", out)
	require.Contains(t, string(out), "still here")
}
