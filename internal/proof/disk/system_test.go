//go:build linux

package disk

import (
	"bytes"
	"cmp"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/sextongc/sexton"
	"github.com/sextongc/sexton/internal/cli"
)

// mount mounts something for the time of a test, or skips it: that takes root, and not every root may.
func mount(t *testing.T, source, dir, kind string, flags uintptr, data string) {
	t.Helper()
	require.NoError(t, os.MkdirAll(dir, 0o700))
	if err := syscall.Mount(source, dir, kind, flags, data); err != nil {
		t.Skipf("mount %s on %s: %v", cmp.Or(kind, source), dir, err)
	}
	t.Cleanup(func() { require.NoError(t, syscall.Unmount(dir, 0)) })
}

// project is a package without an outside, and models for it.
func project(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range map[string]string{
		"package.json": `{"name": "app", "version": "1.0.0", "main": "index.js"}`,
		"index.js": `import { Resource } from "sexton";
export class Node extends Resource {
	static properties = { text: { type: "string", default: "" } };
	async deploy() { console.log("deploy " + this.$id); }
	destroy() { console.log("destroy " + this.$id); }
}`,
		"small.json": `{"?": {"type": "Environment", "id": "root"}, "applications": [{"?": {"type": "Node", "id": "a"}}]}`,
		"large.json": `{"?": {"type": "Environment", "id": "root"}, "applications": [{"?": {"type": "Node", "id": "b"}, "text": "` +
			strings.Repeat("x", 70_000) + `"}]}`,
	} {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600))
	}
	return dir
}

// sextonIn runs a command line.
func sextonIn(t *testing.T, dir string, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	var out, err bytes.Buffer
	code = cli.Main(&cli.State{
		Args: append(args, "--isolation=none"), LookupEnv: func(string) (string, bool) { return "", false }, Dir: dir, // this program is no worker
		Stdin: strings.NewReader(""), Stdout: &out, Stderr: &err, Width: 80, Now: time.Now, Release: func() {},
		Tick: func(time.Duration) (<-chan time.Time, func()) { return nil, func() {} },
	})
	return code, out.String(), err.String()
}

// T4. A file system of 64 KiB is full in the middle of a deployment.
func TestT4FullFileSystem(t *testing.T) {
	dir := project(t)
	state := filepath.Join(dir, "state")
	mount(t, "none", state, "tmpfs", 0, "size=64k")
	code, _, stderr := sextonIn(t, dir, "deploy", "small.json", "--state", "state")
	require.Zero(t, code, stderr)
	_, before, _ := sextonIn(t, dir, "snapshot", "--state", "state")

	code, stdout, stderr := sextonIn(t, dir, "deploy", "large.json", "--state", "state", "--yes")
	require.Equal(t, 1, code, stderr)
	require.Contains(t, stderr, "no space left on device")
	require.Contains(t, stderr, "write "+state)
	require.Contains(t, stderr, "what was recorded before is safe")
	require.NotContains(t, stdout+stderr, "destroy a", "nothing starts that could not be recorded")
	require.NotContains(t, stdout+stderr, "deploy b")
	code, stdout, stderr = sextonIn(t, dir, "state", "check", "--state", "state")
	require.Zero(t, code, stdout+stderr)
	code, after, _ := sextonIn(t, dir, "snapshot", "--state", "state")
	require.Zero(t, code)
	require.Equal(t, before, after)

	// With room again it goes on.
	require.NoError(t, syscall.Mount("none", state, "tmpfs", syscall.MS_REMOUNT, "size=1m"))
	code, stdout, stderr = sextonIn(t, dir, "deploy", "large.json", "--state", "state", "--yes")
	require.Zero(t, code, stderr)
	require.Contains(t, stdout, "destroyed Node a")
	code, _, stderr = sextonIn(t, dir, "destroy", "--state", "state", "--yes")
	require.Zero(t, code, stderr)
}

// T4. On a read-only file system everything can be looked at, and deployments name what they cannot write.
func TestT4ReadOnlyFileSystem(t *testing.T) {
	dir := project(t)
	code, _, stderr := sextonIn(t, dir, "deploy", "small.json", "--state", "state")
	require.Zero(t, code, stderr)
	state := filepath.Join(dir, "state")
	mount(t, state, state, "", syscall.MS_BIND, "")
	require.NoError(t, syscall.Mount("", state, "", syscall.MS_BIND|syscall.MS_REMOUNT|syscall.MS_RDONLY, ""))
	for _, args := range [][]string{
		{"snapshot"}, {"state", "list"}, {"state", "check"}, {"history"}, {"plan", "large.json"},
	} {
		code, stdout, stderr := sextonIn(t, dir, append(args, "--state", "state")...)
		require.Zero(t, code, "%v: %s", args, stderr)
		require.NotEmpty(t, stdout, args)
	}
	for _, args := range [][]string{{"deploy", "large.json"}, {"destroy"}} {
		code, stdout, stderr := sextonIn(t, dir, append(args, "--state", "state", "--yes")...)
		require.Equal(t, 1, code, "%v: %s", args, stderr)
		require.Contains(t, stderr, state)
		require.Contains(t, stderr, "read-only file system")
		require.NotContains(t, stdout+stderr, "destroy a")
	}
}

// T4. A directory that cannot be written to by who runs: the environment cannot be begun.
func TestT4NoPermission(t *testing.T) {
	if os.Geteuid() == 0 {
		t.Skip("root may write everywhere")
	}
	dir := project(t)
	parent := filepath.Join(dir, "parent")
	require.NoError(t, os.Mkdir(parent, 0o500))
	env, err := sexton.Open(&sexton.Options{Dir: dir, State: filepath.Join(parent, "state")})
	require.NoError(t, err)
	model, err := sexton.ReadModel(filepath.Join(dir, "small.json"))
	require.NoError(t, err)
	_, err = env.Deploy(t.Context(), t.Context(), model)
	require.ErrorIs(t, err, os.ErrPermission)
	require.ErrorContains(t, err, parent)
}
