package effect

import (
	"errors"
	"fmt"
	"net"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
)

// policy is Permissions made ready for matching. Granted paths are resolved once, when the policy is
// made: a symlink that appears later at a granted path does not widen the grant to its target.
type policy struct {
	dir         string // package directory, absolute, without symlinks
	granted     Permissions
	read, write []string // resolved
	run         []string // entries that are paths, resolved up to their last element
}

func newPolicy(dir string, p *Permissions) (*policy, error) {
	pol := &policy{dir: dir}
	pol.granted.Add(p) // a copy: the caller's later changes have no effect
	for _, l := range []struct {
		from   []string
		to     *[]string
		follow bool
	}{{p.Read, &pol.read, true}, {p.Write, &pol.write, true}, {p.Run, &pol.run, false}} {
		for _, entry := range l.from {
			if entry == Everything || !l.follow && !hasSeparator(entry) {
				continue
			}
			path, err := resolve(dir, entry, l.follow)
			if err != nil {
				return nil, fmt.Errorf("permission for %s: %w", entry, err)
			}
			*l.to = append(*l.to, path)
		}
	}
	return pol, nil
}

// path checks that the file at path, as a script wrote it, may be read or written (kind), and
// returns where it really is: operations use that, not what they checked before. Without follow, a
// symlink at the last element is itself what is asked for.
func (pol *policy) path(kind, verb, path string, follow bool) (string, error) {
	if strings.ContainsRune(path, 0) {
		return "", typeError("%s: the path %q has a zero byte", verb, path)
	}
	if path == "" {
		return "", &Error{Name: "Error", Code: "ENOENT", Message: "ENOENT: no such file or directory, " + verb + " ''"}
	}
	real, err := resolve(pol.dir, path, follow)
	if err != nil {
		return "", fileError(err, verb, path)
	}
	list, roots := pol.granted.Read, pol.read
	if kind == "write" {
		list, roots = pol.granted.Write, pol.write
	}
	if all(list) || slices.ContainsFunc(roots, func(root string) bool { return within(root, real) }) {
		return real, nil
	}
	return "", denied(kind+" "+pol.show(path), kind, pol.show(path))
}

// program checks that command, as a script wrote it, may be run, and returns the file to execute.
// A bare name is looked up in this process's PATH, whatever PATH the script passes to the child.
func (pol *policy) program(command string) (string, error) {
	if command == "" || strings.ContainsRune(command, 0) {
		return "", typeError("%q is no name of a program", command)
	}
	bare := !hasSeparator(command)
	target := command
	if !bare {
		var err error
		// The last element stays as it is: programs such as busybox behave as the link that they
		// are called by, so permission for one link is not permission for the others.
		if target, err = resolve(pol.dir, command, false); err != nil {
			return "", fileError(err, "spawn", command)
		}
	}
	file, lookErr := exec.LookPath(target)
	if !all(pol.granted.Run) && !pol.mayRun(command, target, file, lookErr) {
		return "", denied(fmt.Sprintf("run %q", command), "run", pol.showProgram(command))
	}
	switch {
	case errors.Is(lookErr, exec.ErrDot) || lookErr == nil && bare && pol.local(file):
		return "", &Error{Name: "PermissionDenied", Code: "ERR_ACCESS_DENIED", Message: fmt.Sprintf(
			"run %q is not permitted: PATH finds it in the current directory; name the file, and allow it by its path", command)}
	case lookErr != nil:
		return "", spawnError(lookErr, command)
	}
	return file, checkProgram(file)
}

func (pol *policy) mayRun(command, target, file string, lookErr error) bool {
	if !hasSeparator(command) && slices.Contains(pol.granted.Run, command) {
		return true
	}
	candidates := []string{}
	if hasSeparator(command) {
		candidates = append(candidates, target)
	}
	if lookErr == nil {
		if real, err := resolve(pol.dir, file, false); err == nil {
			candidates = append(candidates, real)
		}
	}
	return slices.ContainsFunc(pol.run, func(granted string) bool {
		return slices.ContainsFunc(candidates, func(c string) bool { return samePath(granted, c) })
	})
}

// local reports whether file lies directly in the current or in the package directory: a bare name
// must not find what a script may have put there.
func (pol *policy) local(file string) bool {
	real, err := resolve(pol.dir, file, false)
	if err != nil {
		return true
	}
	cwd, err := resolve(".", ".", true)
	return err != nil || samePath(filepath.Dir(real), cwd) || samePath(filepath.Dir(real), pol.dir)
}

// processes checks that a script may look at and signal processes: one that may run nothing has
// started none.
func (pol *policy) processes(asked string) error {
	if len(pol.granted.Run) > 0 {
		return nil
	}
	return denied(asked, "run", "PROGRAM")
}

// variable checks that the environment variable may be read.
func (pol *policy) variable(name string) error {
	if pol.mayReadVariable(name) {
		return nil
	}
	return denied("environment variable "+name, "env", name)
}

func (pol *policy) mayReadVariable(name string) bool {
	return all(pol.granted.Env) || slices.ContainsFunc(pol.granted.Env, func(granted string) bool {
		return granted == name || runtime.GOOS == "windows" && strings.EqualFold(granted, name)
	})
}

// host checks that a connection may be made.
func (pol *policy) host(host string, port int) error {
	if all(pol.granted.Net) {
		return nil
	}
	for _, entry := range pol.granted.Net {
		h, p, err := splitHost(entry)
		if err == nil && strings.EqualFold(h, host) && (p == 0 || p == port) {
			return nil
		}
	}
	at := net.JoinHostPort(host, strconv.Itoa(port))
	return denied("connect to "+at, "net", at)
}

// splitHost splits an entry of Permissions.Net; port 0 means any.
func splitHost(entry string) (host string, port int, err error) {
	host = entry
	if h, p, err := net.SplitHostPort(entry); err == nil {
		n, err := strconv.ParseUint(p, 10, 16)
		if err != nil || n == 0 {
			return "", 0, fmt.Errorf("%q is neither HOST nor HOST:PORT", entry)
		}
		host, port = h, int(n)
	} else if strings.HasPrefix(entry, "[") && strings.HasSuffix(entry, "]") {
		host = entry[1 : len(entry)-1]
	}
	if host == "" || strings.ContainsAny(host, "/ @[]") || strings.Contains(host, ":") && net.ParseIP(host) == nil {
		return "", 0, fmt.Errorf("%q is neither HOST nor HOST:PORT", entry)
	}
	return host, port, nil
}

// show writes a path as an operator would: relative to the package directory if it lies in it.
func (pol *policy) show(path string) string {
	if filepath.IsAbs(path) {
		rel, err := filepath.Rel(pol.dir, path)
		if err != nil || !filepath.IsLocal(rel) {
			return filepath.ToSlash(filepath.Clean(path))
		}
		path = rel
	}
	return filepath.ToSlash(filepath.Clean(path))
}

// showProgram is show for a program, where a name without a separator means another thing.
func (pol *policy) showProgram(command string) string {
	if !hasSeparator(command) {
		return command
	}
	shown := pol.show(command)
	if !hasSeparator(shown) {
		shown = "./" + shown
	}
	return shown
}
