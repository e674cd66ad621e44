package cli

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// session is a command line whose outside is under the test's control.
type session struct {
	State
	out, err watched
	signals  chan os.Signal
	ticks    chan time.Time
	released int
}

// watched is a stream. It calls seen, if set, with every text that is written.
type watched struct {
	mu   sync.Mutex
	text bytes.Buffer
	seen func(text string)
}

func (w *watched) Write(p []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.text.Write(p)
	if w.seen != nil {
		w.seen(string(p))
	}
	return len(p), nil
}

func (w *watched) String() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.text.String()
}

// newSession prepares a directory with files, and a command line in it.
func newSession(t *testing.T, terminal bool, files map[string]string) *session {
	t.Helper()
	s := &session{signals: make(chan os.Signal, 2), ticks: make(chan time.Time)}
	dir := t.TempDir()
	for name, text := range files {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644))
	}
	now := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	s.State = State{
		Dir: dir, Stdin: strings.NewReader(""), Stdout: &s.out, Stderr: &s.err, Width: 60,
		StdinTerminal: terminal, StdoutTerminal: terminal,
		LookupEnv: func(name string) (string, bool) { return "", name == "NO_COLOR" },
		Now:       func() time.Time { now = now.Add(time.Second); return now },
		Tick:      func(time.Duration) (<-chan time.Time, func()) { return s.ticks, func() {} },
		Signals:   s.signals, Release: func() { s.released++ },
	}
	return s
}

func (s *session) run(args ...string) int {
	s.out.text.Reset()
	s.err.text.Reset()
	s.Args = args
	return Main(&s.State)
}

var shop = map[string]string{
	"package.json": `{"name": "shop"}`,
	"index.js": `
		import { Resource } from "sexton";
		export class Item extends Resource {
			static properties = { items: { type: ["Item"], default: [] } };
			destroy() { if (this.$id === "bad") throw new Error("no"); }
		}`,
	"model.json": `{"?": {"type": "Environment", "id": "shop"}, "applications": [
		{"?": {"type": "Item", "id": "a"}, "items": [{"?": {"id": "a1"}}, {"?": {"id": "a2"}}]}, {"?": {"type": "Item", "id": "b"}}]}`,
	"other.json": `{"?": {"type": "Environment", "id": "shop"}, "applications": [
		{"?": {"type": "Item", "id": "a"}, "items": [{"?": {"id": "a1"}}, {"?": {"id": "bad"}}]}, {"?": {"type": "Item", "id": "b"}}]}`,
}

// erased removes what a terminal would have removed.
func erased(text string) string {
	lines := strings.SplitAfter(text, "\n")
	var shown []string
	up := regexp.MustCompile(`^\x1b\[(\d+)A\x1b\[J`)
	for _, line := range lines {
		if m := up.FindStringSubmatch(line); m != nil {
			n := int(m[1][0] - '0')
			shown = shown[:max(0, len(shown)-n)]
			line = line[len(m[0]):]
		}
		if line != "" {
			shown = append(shown, line)
		}
	}
	return strings.Join(shown, "")
}

func TestTerminalTree(t *testing.T) {
	s := newSession(t, true, shop)
	require.Equal(t, exitDone, s.run("deploy"))
	require.Equal(t, "+ Environment shop\n  + Item a\n    + Item a1\n    + Item a2\n  + Item b\ndefault: 5 created\n", erased(s.out.String()))

	require.Equal(t, exitDone, s.run("deploy", "other.json"))
	require.Equal(t, "= Environment shop\n  = Item b\n  ~ Item a\n    = Item a1\n    + Item bad\n    - Item a2\ndefault: 1 created, 1 changed, 3 kept, 1 destroyed\n", erased(s.out.String()))
	require.Contains(t, s.out.String(), "  - Item a2 (1.0s)\n") // while it ran

	require.Equal(t, exitIncomplete, s.run("destroy", "--yes"))
	require.Equal(t, "! Environment shop  waits for bad\n"+
		"  ! Item a  waits for bad\n    ! Item bad  destroy of Item: Error: no\n    - Item a1\n  - Item b\n"+
		"default: 2 destroyed, 1 failed, 2 blocked\n", erased(s.out.String()))
	require.Contains(t, s.err.String(), "error: Item bad: destroy of Item: Error: no\n  --> index.js:5:")
}

func TestTerminalColour(t *testing.T) {
	s := newSession(t, true, shop)
	s.LookupEnv = func(string) (string, bool) { return "", false }
	require.Equal(t, exitDone, s.run("deploy"))
	require.Contains(t, s.out.String(), "\x1b[32m+\x1b[0m Item a\n")
	require.Equal(t, exitDone, s.run("plan", "--json"))
	require.NotContains(t, s.out.String(), "\x1b")
}

func TestConfirm(t *testing.T) {
	s := newSession(t, true, shop)
	require.Equal(t, exitDone, s.run("deploy"))
	for _, answer := range []string{"n\n", "\n", "", "yes, but\n"} {
		s.Stdin = strings.NewReader(answer)
		require.Equal(t, exitFailed, s.run("destroy"), answer)
		require.Contains(t, s.err.String(), "5 of 5 objects would be destroyed:\n  Item a1, Item a2, Item b, Item a, Environment shop\nGo on? [y/N] ")
		require.Contains(t, s.err.String(), "error: not confirmed; nothing was changed\n")
	}
	s.Stdin = strings.NewReader("Yes\n")
	require.Equal(t, exitDone, s.run("destroy"))
	require.Contains(t, s.out.String(), "default: 5 destroyed\n")
}

func TestConfirmInterrupted(t *testing.T) {
	s := newSession(t, true, shop)
	require.Equal(t, exitDone, s.run("deploy"))
	stdin, never := io.Pipe()
	defer func() { require.NoError(t, never.Close()) }()
	s.Stdin = stdin
	s.err.seen = func(text string) {
		if strings.Contains(text, "Go on?") {
			s.signals <- os.Interrupt
		}
	}
	require.Equal(t, exitInterrupted, s.run("destroy"))
	require.Equal(t, exitDone, s.run("plan"))
	require.Contains(t, s.out.String(), "nothing to do")
}

// slow waits in destroy() until a file is there.
var slow = map[string]string{
	"package.json": `{"name": "slow", "sexton": {"permissions": {"read": ["release"]}}}`,
	"index.js": `
		import { Resource } from "sexton";
		import { stat } from "sexton/fs";
		export class Slow extends Resource {
			static properties = { inner: { type: "Slow", optional: true } };
			async destroy() {
				while (!(await stat("release").then(() => true, () => false))) await new Promise((resolve) => setTimeout(resolve, 1));
			}
		}`,
	"model.json": `{"?": {"type": "Environment", "id": "root"}, "applications": [
		{"?": {"type": "Slow", "id": "outer"}, "inner": {"?": {"type": "Slow", "id": "inner"}}}]}`,
}

// gc 5.8: what runs is finished, nothing new is started, and the next deployment goes on.
func TestInterrupt(t *testing.T) {
	s := newSession(t, false, slow)
	require.Equal(t, exitDone, s.run("deploy", "--allow-package"))
	s.out.seen = func(text string) {
		if strings.Contains(text, "destroy   Slow inner") {
			s.signals <- syscall.SIGTERM
		}
	}
	s.err.seen = func(text string) {
		if strings.Contains(text, "interrupted: what runs is finished") {
			require.NoError(t, os.WriteFile(filepath.Join(s.Dir, "release"), nil, 0o644))
		}
	}
	require.Equal(t, exitInterrupted, s.run("destroy", "--allow-package", "--yes", "-v"))
	require.Contains(t, s.out.String(), "- destroyed Slow inner\n")
	require.NotContains(t, s.out.String(), "destroy   Slow outer")
	require.Regexp(t, `\ndefault: interrupted; 1 destroyed( in .*)?\n$`, s.out.String())
	require.Contains(t, s.err.String(), "error: interrupted\n  help: the next deployment goes on with what is left\n")

	s.out.seen, s.err.seen = nil, nil
	require.Equal(t, exitDone, s.run("destroy", "--allow-package", "--yes"))
	require.Equal(t, "- destroyed Slow outer\n- destroyed Environment root\ndefault: 2 destroyed\n", s.out.String())
}

func TestInterruptTwice(t *testing.T) {
	s := newSession(t, false, slow)
	require.Equal(t, exitDone, s.run("deploy", "--allow-package"))
	s.out.seen = func(text string) {
		if strings.Contains(text, "destroy   Slow inner") {
			s.signals <- os.Interrupt
			s.signals <- os.Interrupt
		}
	}
	require.Equal(t, exitInterrupted, s.run("destroy", "--allow-package", "--yes", "-v"))
	require.NotContains(t, s.out.String(), "destroyed Slow inner")
	require.Equal(t, 1, s.released)

	s.out.seen = nil
	require.NoError(t, os.WriteFile(filepath.Join(s.Dir, "release"), nil, 0o644))
	require.Equal(t, exitDone, s.run("destroy", "--allow-package", "--yes"))
	require.Contains(t, s.out.String(), "default: 3 destroyed\n")
}

func TestHeartbeat(t *testing.T) {
	s := newSession(t, false, slow)
	require.Equal(t, exitDone, s.run("deploy", "--allow-package"))
	s.out.seen = func(text string) {
		switch {
		case strings.Contains(text, "destroy   Slow inner"):
			go func() { s.ticks <- time.Time{} }()
		case strings.HasPrefix(text, "… destroying Slow inner ("):
			require.NoError(t, os.WriteFile(filepath.Join(s.Dir, "release"), nil, 0o644))
		}
	}
	require.Equal(t, exitDone, s.run("destroy", "--allow-package", "--yes", "-v"))
	require.Contains(t, s.out.String(), "… destroying Slow inner (1.0s); 0 done\n")
}

func TestInterruptRun(t *testing.T) {
	s := newSession(t, false, nil)
	s.out.seen = func(text string) {
		if strings.Contains(text, "running") {
			s.signals <- os.Interrupt
		}
	}
	code := `import { Resource } from "sexton";
		class A extends Resource { destroy() { console.log("destroyed") } }
		const a = new A({});
		console.log("running");
		`
	for name, rest := range map[string]string{
		"timer": `setInterval(() => {}, 1000)`, "loop": `while (true);`, "await": `await new Promise((r) => setTimeout(r, 1e6))`,
	} {
		t.Run(name, func(t *testing.T) {
			require.Equal(t, exitInterrupted, s.run("run", "-e", code+rest))
			require.Equal(t, "running\ndestroyed\n", s.out.String())
			require.Contains(t, s.err.String(), "error: interrupted\n")
		})
	}
}
