package effect

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestFiles(t *testing.T) {
	p := newPerformer(t, &PerformerOptions{})
	content := func(path string) string {
		data, err := os.ReadFile(filepath.Join(p.Dir, path))
		require.NoError(t, err)
		return string(data)
	}
	must(t, p, "fs.mkdir", object{"path": "a/b", "recursive": true})
	must(t, p, "fs.mkdir", object{"path": "a/b", "recursive": true})
	must(t, p, "fs.writeFile", object{"path": "a/b/f", "data": "long text"})
	must(t, p, "fs.writeFile", object{"path": "a/b/f", "data": "hé"})
	must(t, p, "fs.writeFile", object{"path": "a/b/f", "data": "IQ==", "encoding": "base64", "append": true})
	require.Equal(t, "hé!", content("a/b/f"))

	text, err := do(t, p, "fs.readFile", object{"path": "a/b/f"})
	require.Nil(t, err)
	require.Equal(t, "hé!", text)
	text, err = do(t, p, "fs.readFile", object{"path": "a/b/f", "encoding": "base64"})
	require.Nil(t, err)
	require.Equal(t, "aMOpIQ==", text)

	stat := must(t, p, "fs.stat", object{"path": "a/b/f"})
	info, statErr := os.Stat(filepath.Join(p.Dir, "a/b/f"))
	require.NoError(t, statErr)
	require.Equal(t, object{"type": "file", "size": 4.0, "mtimeMs": float64(info.ModTime().UnixNano()) / 1e6}, stat)
	require.Equal(t, "directory", must(t, p, "fs.stat", object{"path": "a"})["type"])

	must(t, p, "fs.rename", object{"from": "a/b/f", "to": "a/g"})
	list, err := do(t, p, "fs.readdir", object{"path": "a"})
	require.Nil(t, err)
	require.Equal(t, []any{object{"name": "b", "type": "directory"}, object{"name": "g", "type": "file"}}, list)

	must(t, p, "fs.rm", object{"path": "a/g"})
	must(t, p, "fs.rm", object{"path": "a/g", "force": true})
	must(t, p, "fs.rm", object{"path": "a", "recursive": true})
	require.NoDirExists(t, filepath.Join(p.Dir, "a"))
}

// Codes and messages are those that scripts know from Node.
func TestFileErrors(t *testing.T) {
	p := newPerformer(t, &PerformerOptions{})
	must(t, p, "fs.mkdir", object{"path": "dir/sub", "recursive": true})
	must(t, p, "fs.writeFile", object{"path": "file", "data": "x"})
	for _, c := range []struct {
		op   string
		args object
		want string
	}{
		{"fs.readFile", object{"path": "x"}, "ENOENT: no such file or directory, open 'x'"},
		{"fs.readFile", object{"path": "dir"}, "EISDIR: illegal operation on a directory, read 'dir'"},
		{"fs.readFile", object{"path": "file/x"}, "ENOTDIR: not a directory, open 'file/x'"},
		{"fs.readFile", object{"path": ""}, "ENOENT: no such file or directory, open ''"},
		{"fs.readFile", object{"path": "file", "encoding": "ascii"}, `unknown encoding "ascii"`},
		{"fs.writeFile", object{"path": "x/y", "data": ""}, "ENOENT: no such file or directory, open 'x/y'"},
		{"fs.writeFile", object{"path": "dir", "data": ""}, "EISDIR: illegal operation on a directory, open 'dir'"},
		{"fs.writeFile", object{"path": "file", "data": "", "exclusive": true}, "EEXIST: file already exists, open 'file'"},
		{"fs.writeFile", object{"path": "file", "data": "!", "encoding": "base64"}, "invalid base64"},
		{"fs.mkdir", object{"path": "dir"}, "EEXIST: file already exists, mkdir 'dir'"},
		{"fs.mkdir", object{"path": "x/y"}, "ENOENT: no such file or directory, mkdir 'x/y'"},
		{"fs.rm", object{"path": "x"}, "ENOENT: no such file or directory, rm 'x'"},
		{"fs.rm", object{"path": "dir"}, "EISDIR: is a directory, rm 'dir': pass { recursive: true }"},
		{"fs.stat", object{"path": "x"}, "ENOENT: no such file or directory, stat 'x'"},
		{"fs.readdir", object{"path": "x"}, "ENOENT: no such file or directory, scandir 'x'"},
		{"fs.readdir", object{"path": "file"}, "ENOTDIR: not a directory, scandir 'file'"},
		{"fs.rename", object{"from": "x", "to": "y"}, "ENOENT: no such file or directory, rename 'x' -> 'y'"},
		{"fs.rename", object{"from": "file", "to": "../y"}, "write ../y is not permitted: run with --allow-write=../y"},
		{"fs.stat", object{"path": "x", "mode": 1}, "invalid arguments: "},
		{"fs.stat", object{"path": 1}, "invalid arguments: "},
	} {
		_, err := do(t, p, c.op, c.args)
		require.NotNil(t, err, c.want)
		require.Contains(t, err.Message, c.want)
		if code, _, ok := strings.Cut(c.want, ":"); ok && strings.ToUpper(code) == code {
			require.Equal(t, code, err.Code)
		}
	}
}

func TestRmTakesTheLinkNotTheTarget(t *testing.T) {
	p := newPerformer(t, &PerformerOptions{})
	outside := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(outside, "keep"), nil, 0o666))
	require.NoError(t, os.Mkdir(filepath.Join(p.Dir, "dir"), 0o777))
	require.NoError(t, os.Symlink(outside, filepath.Join(p.Dir, "dir/link")))
	_, err := do(t, p, "fs.writeFile", object{"path": "dir/link/new", "data": ""})
	require.Equal(t, "PermissionDenied", err.Name)
	must(t, p, "fs.rm", object{"path": "dir", "recursive": true})
	require.FileExists(t, filepath.Join(outside, "keep"))
}

// What may be written but not read cannot be moved to where it may be read.
func TestRenameNeedsPermissionToRead(t *testing.T) {
	p := newPerformer(t, &PerformerOptions{Permissions: &Permissions{Write: []string{"."}, Read: []string{"public"}}})
	require.NoError(t, os.WriteFile(filepath.Join(p.Dir, "secret"), nil, 0o666))
	_, err := do(t, p, "fs.rename", object{"from": "secret", "to": "public"})
	require.Equal(t, "read secret is not permitted: run with --allow-read=secret", err.Message)
}

func TestNewPerformer(t *testing.T) {
	p, err := NewPerformer(nil)
	require.NoError(t, err)
	defer p.Close()
	cwd, err := os.Getwd()
	require.NoError(t, err)
	require.Equal(t, real(t, cwd), p.Dir)
	_, refused := do(t, p, "fs.stat", object{"path": "."})
	require.Equal(t, "read . is not permitted: run with --allow-read=.", refused.Message)
}
