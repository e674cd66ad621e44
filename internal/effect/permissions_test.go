package effect

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestAllow(t *testing.T) {
	for _, c := range []struct {
		kind, value string
		want        []string
		err         string
	}{
		{"run", "netctl", []string{"netctl"}, ""},
		{"run", "netctl, go", []string{"netctl", "go"}, ""},
		{"read", "*", []string{"*"}, ""},
		{"read", "a,,b,c", []string{"a,b", "c"}, ""},
		{"read", "", nil, "--allow-read=: an empty entry grants nothing"},
		{"write", "a,", nil, "--allow-write=a,: an empty entry grants nothing"},
		{"net", "example.org:443,[::1]:80,::1", []string{"example.org:443", "[::1]:80", "::1"}, ""},
		{"net", "https://example.org", nil, "neither HOST nor HOST:PORT"},
		{"net", "example.org:0", nil, "neither HOST nor HOST:PORT"},
		{"net", "example.org:x", nil, "neither HOST nor HOST:PORT"},
		{"env", "A=b", nil, "no name of a variable"},
		{"disk", "x", nil, `unknown permission "disk": there are run, read, write, net, env`},
	} {
		var p Permissions
		err := p.Allow(c.kind, c.value)
		if c.err != "" {
			require.ErrorContains(t, err, c.err, "%s=%s", c.kind, c.value)
			require.Equal(t, Permissions{}, p, "an error grants nothing")
			continue
		}
		require.NoError(t, err, "%s=%s", c.kind, c.value)
		require.Equal(t, c.want, *p.List(c.kind))
	}
}

func TestParsePermissions(t *testing.T) {
	p, err := ParsePermissions([]byte(`{"run": ["go"], "read": ["*"], "env": ["HOME"]}`))
	require.NoError(t, err)
	require.Equal(t, &Permissions{Run: []string{"go"}, Read: []string{"*"}, Env: []string{"HOME"}}, p)

	p.Add(&Permissions{Run: []string{"netctl"}, Net: []string{"a:1"}})
	require.Equal(t, &Permissions{Run: []string{"go", "netctl"}, Read: []string{"*"}, Net: []string{"a:1"}, Env: []string{"HOME"}}, p)

	for _, bad := range []string{`{"runs": ["go"]}`, `{"run": "go"}`, `{"run": [""]}`, `{"run": ["a"], "run": ["b"]}`, `{"Run": ["a"]}`, `[]`} {
		_, err := ParsePermissions([]byte(bad))
		require.ErrorContains(t, err, "permissions: ", bad)
	}
}

func TestPathPermissions(t *testing.T) {
	dir := t.TempDir()
	outside := t.TempDir()
	write := func(path string) {
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o777))
		require.NoError(t, os.WriteFile(path, []byte("x"), 0o666))
	}
	write(filepath.Join(dir, "data/in/a"))
	write(filepath.Join(dir, "data-2/a"))
	write(filepath.Join(dir, "file"))
	write(filepath.Join(outside, "secret"))
	require.NoError(t, os.Symlink(outside, filepath.Join(dir, "data/out")))
	require.NoError(t, os.Symlink(filepath.Join(outside, "new"), filepath.Join(dir, "data/dangling")))
	require.NoError(t, os.Symlink("in/../../data", filepath.Join(dir, "data/again")))
	require.NoError(t, os.Symlink("loop", filepath.Join(dir, "data/loop")))
	require.NoError(t, os.Symlink("data", filepath.Join(dir, "alias")))

	pol, err := newPolicy(real(t, dir), &Permissions{Read: []string{"data", "file"}, Write: []string{"later/x"}})
	require.NoError(t, err)
	denied := func(path, flag string) {
		t.Helper()
		_, err := pol.path("read", "open", path, true)
		var e *Error
		require.ErrorAs(t, err, &e)
		require.Equal(t, "PermissionDenied", e.Name)
		require.Equal(t, "read "+flag+" is not permitted: run with --allow-read="+flag, e.Message)
	}
	allowed := func(path, want string) {
		t.Helper()
		got, err := pol.path("read", "open", path, true)
		require.NoError(t, err)
		require.Equal(t, filepath.Join(real(t, dir), filepath.FromSlash(want)), got)
	}
	allowed("data", "data")
	allowed("data/", "data")
	allowed("data/in/a", "data/in/a")
	allowed("./data//in/./a", "data/in/a")
	allowed("data/not/yet/there", "data/not/yet/there")
	allowed("file", "file")
	allowed(filepath.Join(dir, "data/in/a"), "data/in/a")
	allowed("alias/in/a", "data/in/a")
	allowed("data/again/again/in/a", "data/in/a")
	allowed("other/../data/in", "data/in")

	denied("data-2/a", "data-2/a")
	denied("data/../data-2/a", "data-2/a")
	denied("data/missing/../../data-2", "data-2")
	denied("..", "..")
	denied("data/out/secret", "data/out/secret")
	denied("data/dangling", "data/dangling")
	denied("data/out/../x", "data/x") // the parent of the link's target
	denied(filepath.Join(outside, "secret"), filepath.ToSlash(filepath.Join(outside, "secret")))
	denied(filepath.Join(pol.dir, "data-2"), "data-2")

	_, err = pol.path("read", "open", "data/loop", true)
	require.ErrorContains(t, err, "ELOOP: too many symbolic links encountered, open 'data/loop'")
	_, err = pol.path("read", "open", "", true)
	require.ErrorContains(t, err, "ENOENT")
	_, err = pol.path("read", "open", "data/\x00", true)
	require.ErrorContains(t, err, "zero byte")
	_, err = pol.path("read", "open", strings.Repeat("data/../", maxPath), true)
	require.ErrorContains(t, err, "ENAMETOOLONG")
	if runtime.GOOS == "linux" { // elsewhere case may not count
		denied("DATA/in/a", "DATA/in/a")
	}

	// A link itself, not its target, is what rm and rename take.
	got, err := pol.path("read", "rm", "data/out", false)
	require.NoError(t, err)
	require.Equal(t, filepath.Join(pol.dir, "data", "out"), got)

	// A link that appears at a granted path does not widen the grant.
	_, err = pol.path("write", "open", "later/x/y", true)
	require.NoError(t, err)
	require.NoError(t, os.Mkdir(filepath.Join(dir, "later"), 0o777))
	require.NoError(t, os.Symlink(outside, filepath.Join(dir, "later/x")))
	_, err = pol.path("write", "open", "later/x/y", true)
	require.ErrorContains(t, err, "run with --allow-write=later/x/y")
}

func TestEverything(t *testing.T) {
	pol, err := newPolicy(real(t, t.TempDir()), &Permissions{Read: []string{"*"}, Run: []string{"*"}})
	require.NoError(t, err)
	_, err = pol.path("read", "open", "../../anything", true)
	require.NoError(t, err)
	_, err = pol.path("write", "open", "a", true)
	require.ErrorContains(t, err, "--allow-write=a")
	_, err = pol.program(self(t))
	require.NoError(t, err)
}

func TestQuoteFlag(t *testing.T) {
	for in, want := range map[string]string{
		"site/public": "site/public", "a b": "'a b'", "it's": `'it'\''s'`, "a,b": "a,,b", "": "''", "*": "'*'", "a;b": "'a;b'",
	} {
		require.Equal(t, want, quoteFlag(in))
	}
}

func TestRunPermissions(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("programs are made as links to the test binary")
	}
	dir, bin := real(t, t.TempDir()), real(t, t.TempDir())
	link := func(path string) string { require.NoError(t, os.Symlink(self(t), path)); return path }
	link(filepath.Join(bin, "netctl"))
	link(filepath.Join(bin, "other"))
	link(filepath.Join(dir, "netctl"))
	link(filepath.Join(dir, "tool"))
	t.Setenv("PATH", bin+string(os.PathListSeparator)+dir)
	t.Chdir(t.TempDir())

	for _, c := range []struct {
		name, grant, command, err string
	}{
		{"name", "netctl", "netctl", ""},
		{"nothing", "", "netctl", `run "netctl" is not permitted: run with --allow-run=netctl`},
		{"another name", "netctl", "other", `--allow-run=other`},
		{"name, file of the package", "netctl", "./netctl", `--allow-run=./netctl`},
		{"name, full path", "netctl", bin + "/netctl", "--allow-run=" + bin + "/netctl"},
		{"path", bin + "/netctl", bin + "/netctl", ""},
		{"path, found in PATH", bin + "/netctl", "netctl", ""},
		{"path, another found in PATH", dir + "/netctl", "netctl", "is not permitted"},
		{"another link to the same file", bin + "/netctl", bin + "/other", "is not permitted"},
		{"relative", "./tool", "tool", "is not permitted"}, // PATH has it, but a bare name is not looked up in the package
		{"relative", "./tool", "./tool", ""},
		{"relative, full path", "./tool", dir + "/tool", ""},
		{"roundabout", "./tool", "x/../tool", ""},
		{"absent", "absent", "absent", "ENOENT: spawn 'absent': no such program in PATH"},
		{"absent path", "./absent", "./absent", "ENOENT: spawn './absent': no such program"},
		{"a directory", "./", "./", "EISDIR"},
		{"empty", "*", "", "no name of a program"},
		{"in the package directory", "tool", "tool", "PATH finds it in the current directory"},
		{"everything, but in the package directory", "*", "tool", "PATH finds it in the current directory"},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := &Permissions{}
			if c.grant != "" {
				p.Run = []string{c.grant}
			}
			pol, err := newPolicy(dir, p)
			require.NoError(t, err)
			file, err := pol.program(c.command)
			if c.err != "" {
				require.ErrorContains(t, err, c.err)
				return
			}
			require.NoError(t, err)
			require.FileExists(t, file)
		})
	}

	t.Run("current directory", func(t *testing.T) {
		link("here")
		t.Setenv("PATH", ".")
		pol, err := newPolicy(dir, &Permissions{Run: []string{"here"}})
		require.NoError(t, err)
		_, err = pol.program("here")
		require.ErrorContains(t, err, "PATH finds it in the current directory")
		cwd, err := os.Getwd()
		require.NoError(t, err)
		t.Setenv("PATH", cwd)
		_, err = pol.program("here")
		require.ErrorContains(t, err, "PATH finds it in the current directory")
	})
}

// real is where a directory really is: temporary ones may lie behind a symlink.
func real(t *testing.T, path string) string {
	path, err := filepath.EvalSymlinks(path)
	require.NoError(t, err)
	return path
}
