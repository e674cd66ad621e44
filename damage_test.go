package sexton_test

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sextongc/sexton"
	"github.com/sextongc/sexton/internal/hook"
	"github.com/sextongc/sexton/internal/state"
	"github.com/sextongc/sexton/internal/state/simdisk"
)

// damaged returns a small environment on a disk: two deployments, the second one stopped while it destroyed.
func damaged(t *testing.T) (*env, *simdisk.Disk, []string) {
	e := newEnv(t, classes)
	disk := simdisk.New()
	environment := e.onDisk(disk)
	e.must(apps(node("a"), node("b"), node("gone")), "create a", "create b", "create gone")
	e.must(apps(node("a"), node("b", `"after": ["a"]`), node("c")), "destroy gone", "create c")
	kill, stop := context.WithCancel(context.Background())
	defer stop()
	e.hook = func(line string) {
		if line == "destroy b" {
			stop()
		}
	}
	_, err := e.deployWith(context.Background(), kill, apps(node("a"), node("d"), node("new")))
	require.Error(t, err)
	e.hook = nil
	interrupt(t, disk, environment, "a", "c")
	found, err := environment.Check()
	require.NoError(t, err)
	require.Empty(t, found)
	return e, disk, summary(t, environment)
}

// files are those of the state on a disk.
func files(t *testing.T, disk *simdisk.Disk) map[string][]byte {
	names, err := disk.ReadDir("/state")
	require.NoError(t, err)
	out := map[string][]byte{}
	for _, name := range names {
		if name == "lock" {
			continue
		}
		if out[name], err = disk.ReadFile("/state/" + name); err != nil {
			require.ErrorIs(t, err, fs.ErrNotExist)
			delete(out, name)
		}
	}
	return out
}

// P8: of every damage to one place of the files, what is recovered is whole, tells of all objects, and never gives
// out a number twice. What is intact of the state is left as it was.
func TestRecoverFromDamage(t *testing.T) {
	e, disk, want := damaged(t)
	key := head(t, e.onDisk(disk))
	objects := incarnations(t, e.onDisk(disk))
	recovered, exact := 0, 0
	try := func(text string, changed *simdisk.Disk, at string) {
		environment := e.onDisk(changed)
		before := files(t, changed)
		info, readable, readErr := environment.Readable()
		r, err := environment.Recover(&sexton.RecoverOptions{Out: "/out"})
		require.NoError(t, err, text)
		if r.Intact {
			return
		}
		recovered++
		require.Equal(t, before, files(t, changed), "%s: the damaged files are left alone", text)
		require.NotEmpty(t, r.Problems, text)
		require.False(t, r.NewTokens, text)
		opts := e.opts
		opts.State = "/out"
		out, err := sexton.Open(&opts)
		require.NoError(t, err)
		require.NoError(t, readErr, text)
		require.Equal(t, r.Objects, readable.Objects, text)
		require.Equal(t, r.Lost, readable.Lost, text)
		snapshot, err := info.Snapshot()
		require.NoError(t, err)
		written, err := out.Snapshot()
		require.NoError(t, err)
		require.Equal(t, string(written), string(snapshot), text)
		h := head(t, out)
		require.Equal(t, key.Environment, h.Environment, text)
		require.Greater(t, h.Incarnation, key.Incarnation+1<<32-1024, text)
		known := map[string]bool{}
		for _, o := range append(r.Objects, r.Lost...) {
			known[o.ID] = true
		}
		for id := range objects {
			if !known[id] { // of what is altered itself, nobody can tell
				require.Contains(t, at, `"id":`, "%s: %s is forgotten", text, id)
			}
		}
		if fmt.Sprint(summary(t, out)) == fmt.Sprint(want) {
			exact++
		}
	}
	stride, least := 7, 500
	if testing.Short() {
		stride, least = 61, 100
	}
	for name, data := range files(t, disk) {
		for i := 0; i < len(data); i += stride {
			changed := disk.Clone()
			flipped := append([]byte{}, data...)
			flipped[i] ^= 1 << (i % 8)
			changed.Put("/state/"+name, flipped)
			try(fmt.Sprintf("%s, byte %d", name, i), changed, string(data[max(0, i-60):min(len(data), i+60)]))
		}
		for i := 0; i < len(data); i += 97 {
			changed := disk.Clone()
			changed.Put("/state/"+name, data[:i:i])
			try(fmt.Sprintf("%s, cut at %d", name, i), changed, `"id":`)
		}
		changed := disk.Clone()
		changed.Put("/state/"+name, nil)
		try(name+" missing", changed, `"id":`)
	}
	require.Greater(t, recovered, least)
	t.Logf("%d damaged states recovered, %d of them as they were", recovered, exact)
}

// A crash at any operation of the disk leaves what was damaged, or what is recovered.
func TestCrashOfRecover(t *testing.T) {
	e, whole, _ := damaged(t)
	disk := simdisk.New()
	require.NoError(t, disk.MkdirAll("/state"))
	for name, data := range files(t, whole) {
		disk.Put("/state/"+name, data)
	}
	data := files(t, disk)["snapshot.json"]
	disk.Put("/state/snapshot.json", data[:len(data)/2:len(data)/2])
	start := len(disk.Log())
	r, err := e.onDisk(disk).Recover(&sexton.RecoverOptions{Replace: true})
	require.NoError(t, err)
	require.Equal(t, "/state.damaged-1", r.Damaged)
	require.True(t, r.Stale)
	require.Equal(t, []string{"c"}, ids(r.Lost))
	copied, err := disk.ReadFile("/state.damaged-1/snapshot.json")
	require.NoError(t, err)
	require.Equal(t, data[:len(data)/2], copied)
	want := summary(t, e.onDisk(disk))
	refused, done := 0, 0
	for n := start; n <= len(disk.Log()); n++ {
		for text, crashed := range disk.Crashes(n, &simdisk.CrashOptions{Stride: 1 << 20, Random: 3}) {
			environment := e.onDisk(crashed)
			if _, err := environment.State(); err != nil {
				require.ErrorIs(t, err, sexton.ErrCorrupt, text)
				refused++
				again, err := environment.Recover(&sexton.RecoverOptions{Replace: true})
				require.NoError(t, err, text)
				require.Equal(t, ids(r.Objects), ids(again.Objects), text)
			} else {
				done++
			}
			require.Equal(t, want, summary(t, environment), text)
		}
	}
	require.Positive(t, refused)
	require.Positive(t, done)
	_, err = e.deploy(empty)
	require.NoError(t, err)
}

func TestRecoverRefuses(t *testing.T) {
	e := newEnv(t, classes)
	_, err := e.open().Recover(nil)
	require.ErrorIs(t, err, sexton.ErrNoState)
	e.must(apps(node("a")), "create a")
	r, err := e.open().Recover(nil)
	require.NoError(t, err)
	require.True(t, r.Intact)

	dir := e.open().StateDir()
	require.NoError(t, os.Remove(filepath.Join(dir, "journal")))
	r, err = e.open().Recover(nil)
	require.NoError(t, err)
	require.Equal(t, dir+".recovered", r.Dir)
	_, err = e.open().Recover(nil)
	require.ErrorIs(t, err, fs.ErrExist)

	unlock, err := state.Lock(dir, nil)
	require.NoError(t, err)
	_, err = e.open().Recover(&sexton.RecoverOptions{Replace: true})
	require.ErrorIs(t, err, sexton.ErrLocked)
	h, err := e.open().Lock(func(*sexton.LockHolder) bool { t.Fatal("it is held"); return false })
	require.NoError(t, err)
	require.True(t, h.Held && h.Here && h.Alive)
	require.Equal(t, os.Getpid(), h.PID)
	require.NoError(t, unlock())
	h, err = e.open().Lock(func(*sexton.LockHolder) bool { return true })
	require.NoError(t, err)
	require.False(t, h.Held)
	require.Equal(t, os.Getpid(), h.PID)
	h, err = e.open().Lock(func(*sexton.LockHolder) bool { return true })
	require.NoError(t, err)
	require.Zero(t, h.PID)

	require.NoError(t, os.RemoveAll(dir))
	require.NoError(t, os.Mkdir(dir, 0o700))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "journal"), []byte(strings.Repeat("x", 100)), 0o600))
	_, err = e.open().Recover(&sexton.RecoverOptions{Replace: true})
	require.ErrorIs(t, err, sexton.ErrCorrupt)
	hook.WithFS(&e.opts, simdisk.New())
	_, err = e.open().Recover(nil)
	require.ErrorIs(t, err, sexton.ErrNoState)
}
