package effect

import (
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
)

// Permissions are checked, and then a directory on the way, or the file, becomes a symlink to elsewhere. Audit is
// called in between.
func TestPathsThatChangeBetweenCheckAndUse(t *testing.T) {
	outside := t.TempDir()
	for _, c := range []struct {
		op     string
		args   object
		change string // becomes a link to its namesake outside
	}{
		{"fs.readFile", object{"path": "data/sub/file"}, "data/sub"},
		{"fs.readFile", object{"path": "data/sub/file"}, "data/sub/file"},
		{"fs.readFile", object{"path": "data/sub/file"}, "data"},
		{"fs.stat", object{"path": "data/sub/file"}, "data/sub/file"},
		{"fs.readdir", object{"path": "data/sub"}, "data/sub"},
		{"fs.writeFile", object{"path": "data/sub/file", "data": "bad"}, "data/sub"},
		{"fs.writeFile", object{"path": "data/sub/file", "data": "bad"}, "data/sub/file"},
		{"fs.writeFile", object{"path": "data/sub/file", "data": "bad", "append": true}, "data/sub/file"},
		{"fs.writeFile", object{"path": "data/sub/new", "data": "bad"}, "data/sub"},
		{"fs.writeFile", object{"path": "data/sub/new", "data": "bad"}, "data/sub/new"},
		{"fs.mkdir", object{"path": "data/sub/dir"}, "data/sub"},
		{"fs.mkdir", object{"path": "data/sub/dir/more", "recursive": true}, "data/sub"},
		{"fs.mkdir", object{"path": "data/sub/dir/more", "recursive": true}, "data/sub/dir"},
		{"fs.rm", object{"path": "data/sub/file"}, "data/sub"},
		{"fs.rm", object{"path": "data/sub", "recursive": true}, "data"},
		{"fs.rename", object{"from": "data/sub/file", "to": "data/moved"}, "data/sub"},
		{"fs.rename", object{"from": "data/other", "to": "data/sub/file"}, "data/sub"},
		{"process.spawn", object{"command": self(t), "args": []string{"helper", "say", "bad", "", "0"}, "stdout": "data/sub/file"}, "data/sub/file"},
	} {
		dir := t.TempDir()
		for _, d := range []string{dir, outside} {
			require.NoError(t, os.MkdirAll(filepath.Join(d, "data/sub"), 0o777))
			require.NoError(t, os.WriteFile(filepath.Join(d, "data/other"), nil, 0o666))
			require.NoError(t, os.WriteFile(filepath.Join(d, "data/sub/file"), []byte(d), 0o666))
		}
		change := filepath.Join(dir, c.change)
		swap := sync.OnceFunc(func() {
			_ = os.Rename(change, filepath.Join(dir, "old"))
			require.NoError(t, os.Symlink(filepath.Join(outside, c.change), change))
		})
		p := newPerformer(t, &PerformerOptions{
			Dir: dir, Permissions: &Permissions{Run: []string{self(t)}, Read: []string{"data"}, Write: []string{"data"}},
			Audit: func(u *Use) {
				if u.Kind == "write" || u.Kind == "read" && c.op != "fs.rename" {
					swap()
				}
			},
		})
		_, refused := do(t, p, c.op, c.args)
		require.NotNil(t, refused, "%s %v %s", c.op, c.args, c.change)
		require.Equal(t, "PermissionDenied", refused.Name, "%s %v: %s", c.op, c.args, refused.Message)
		content, err := os.ReadFile(filepath.Join(outside, "data/sub/file"))
		require.NoError(t, err)
		require.Equal(t, outside, string(content))
		for _, made := range []string{"data/sub/new", "data/sub/dir", "data/moved"} {
			require.NoFileExists(t, filepath.Join(outside, made))
			require.NoDirExists(t, filepath.Join(outside, made))
		}
	}
}

// A file is swapped with a symlink all the time while scripts read and write it: they never get at the target.
func TestPathsThatChangeAllTheTime(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("an open file cannot be replaced")
	}
	dir := t.TempDir()
	secret := filepath.Join(dir, "secret")
	require.NoError(t, os.WriteFile(secret, []byte("secret"), 0o666))
	require.NoError(t, os.Mkdir(filepath.Join(dir, "data"), 0o777))
	file, link, plain := filepath.Join(dir, "data/file"), filepath.Join(dir, "data/link"), filepath.Join(dir, "data/plain")
	require.NoError(t, os.WriteFile(file, nil, 0o666))
	stop, ended := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		for {
			select {
			case <-stop:
				return
			default:
			}
			_ = os.Symlink(secret, link)
			_ = os.Rename(link, file)
			_ = os.WriteFile(plain, []byte("plain"), 0o666)
			_ = os.Rename(plain, file)
		}
	}()
	p := newPerformer(t, &PerformerOptions{Dir: dir, Permissions: &Permissions{Read: []string{"data"}, Write: []string{"data"}}})
	for range 500 {
		if text, err := do(t, p, "fs.readFile", object{"path": "data/file"}); err == nil {
			require.NotEqual(t, "secret", text)
		}
		_, _ = do(t, p, "fs.writeFile", object{"path": "data/file", "data": "x"})
	}
	close(stop)
	<-ended
	content, err := os.ReadFile(secret)
	require.NoError(t, err)
	require.Equal(t, "secret", string(content))
}

// No permission covers the state of environments.
func TestPrivateFiles(t *testing.T) {
	dir := t.TempDir()
	state := filepath.Join(dir, "sub/.sexton")
	require.NoError(t, os.MkdirAll(filepath.Join(state, "default"), 0o777))
	require.NoError(t, os.WriteFile(filepath.Join(state, "default/journal"), []byte("j"), 0o666))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "mine"), nil, 0o666))
	require.NoError(t, os.Symlink(state, filepath.Join(dir, "alias")))
	for _, granted := range []string{".", Everything, "sub/.sexton"} {
		p := newPerformer(t, &PerformerOptions{
			Dir: dir, Permissions: &Permissions{Read: []string{granted}, Write: []string{granted}}, Private: []string{"sub/.sexton", "not/there"},
		})
		for _, c := range []struct {
			op   string
			args object
		}{
			{"fs.readFile", object{"path": "sub/.sexton/default/journal"}},
			{"fs.readFile", object{"path": "alias/default/journal"}},
			{"fs.readFile", object{"path": "sub/x/../.sexton/default/journal"}},
			{"fs.writeFile", object{"path": "sub/.sexton/default/journal", "data": ""}},
			{"fs.writeFile", object{"path": "sub/.sexton/new", "data": ""}},
			{"fs.readdir", object{"path": "sub/.sexton"}},
			{"fs.stat", object{"path": "alias"}},
			{"fs.mkdir", object{"path": "sub/.sexton/other/more", "recursive": true}},
			{"fs.mkdir", object{"path": "not/there/more", "recursive": true}},
			{"fs.rm", object{"path": "sub/.sexton", "recursive": true}},
			{"fs.rm", object{"path": "sub", "recursive": true}},
			{"fs.rm", object{"path": ".", "recursive": true}},
			{"fs.rename", object{"from": "sub", "to": "moved"}},
			{"fs.rename", object{"from": "sub/.sexton/default", "to": "moved"}},
			{"fs.rename", object{"from": "mine", "to": "sub/.sexton/default/journal"}},
		} {
			_, refused := do(t, p, c.op, c.args)
			require.NotNil(t, refused, "%s: %s %v", granted, c.op, c.args)
			require.Equal(t, "PermissionDenied", refused.Name, "%s: %s %v: %s", granted, c.op, c.args, refused.Message)
			if granted == Everything {
				require.Contains(t, refused.Message, "it belongs to the state of an environment")
			}
		}
		require.FileExists(t, filepath.Join(state, "default/journal"))
	}
	// By another name of the same directory, as where case does not count, no more than by its own.
	p := newPerformer(t, &PerformerOptions{Dir: dir, Permissions: &Permissions{Read: []string{Everything}}, Private: []string{"sub/.sexton"}})
	c := p.call(&Request{})
	c.policy.private = []string{filepath.Join(p.Dir, "sub", ".", ".sexton", "..", ".sexton")}
	_, err := c.find(filepath.Join(p.Dir, "sub/.sexton/default/journal"), false)
	require.ErrorIs(t, err, errState)
}
