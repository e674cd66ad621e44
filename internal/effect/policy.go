package effect

import (
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
)

// policy is Permissions made ready for matching. Granted paths are resolved once, when the policy is
// made: a symlink that appears later at a granted path does not widen the grant to its target.
type policy struct {
	dir         string // package directory, absolute, without symlinks
	granted     Permissions
	read, write []pathGrant
	run         []pathGrant // entries that are paths; their last element is not followed
	net         []netGrant
	private     []string // paths that no grant covers, resolved
	// note hears what became of each check; grant is empty if it was refused.
	note func(kind, asked, grant, needed string)
}

// pathGrant is an entry that is a path, and where that is.
type pathGrant struct{ entry, path string }

func newPolicy(dir string, p *Permissions) (*policy, error) {
	pol := &policy{dir: dir, note: func(_, _, _, _ string) {}}
	pol.granted.Add(p) // a copy: the caller's later changes have no effect
	for _, l := range []struct {
		from   []string
		to     *[]pathGrant
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
			*l.to = append(*l.to, pathGrant{entry, path})
		}
	}
	for _, entry := range p.Net {
		g, err := parseNet(entry)
		if err != nil {
			return nil, fmt.Errorf("permission for net: %w", err)
		}
		pol.net = append(pol.net, g)
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
	// Where case does not count, a path may have another one; where it does, nothing is lost.
	if slices.ContainsFunc(pol.private, func(p string) bool { return within(strings.ToLower(p), strings.ToLower(real)) }) {
		return "", pol.forbidden(kind, path)
	}
	shown := pol.show(path)
	i := slices.IndexFunc(roots, func(g pathGrant) bool { return within(g.path, real) })
	switch {
	case i >= 0:
		pol.allowed(kind, shown, roots[i].entry, pol.show(real))
	case all(list):
		pol.allowed(kind, shown, Everything, pol.show(real))
	default:
		return "", pol.denied(kind+" "+shown, kind, shown, shown)
	}
	return real, nil
}

func (pol *policy) allowed(kind, asked, grant, needed string) { pol.note(kind, asked, grant, needed) }

// denied is the refusal of what was asked for ("read a.txt"); needed is the entry that would allow it.
func (pol *policy) denied(text, kind, asked, needed string) error {
	pol.note(kind, asked, "", needed)
	return denied(text, kind, needed)
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
	shown := pol.showProgram(command)
	grant := pol.mayRun(command, target, file, lookErr)
	if grant == "" {
		return "", pol.denied(fmt.Sprintf("run %q", command), "run", command, shown)
	}
	switch {
	case errors.Is(lookErr, exec.ErrDot) || lookErr == nil && bare && pol.local(file):
		pol.note("run", command, "", "")
		return "", &Error{Name: "PermissionDenied", Code: "ERR_ACCESS_DENIED", Message: fmt.Sprintf(
			"run %q is not permitted: PATH finds it in the current directory; name the file, and allow it by its path", command)}
	case lookErr != nil:
		return "", spawnError(lookErr, command)
	}
	pol.allowed("run", command, grant, shown)
	return file, checkProgram(file)
}

// mayRun returns the entry that allows a program; empty: none does.
func (pol *policy) mayRun(command, target, file string, lookErr error) string {
	if !hasSeparator(command) && slices.Contains(pol.granted.Run, command) {
		return command
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
	for _, g := range pol.run {
		if slices.ContainsFunc(candidates, func(c string) bool { return samePath(g.path, c) }) {
			return g.entry
		}
	}
	if all(pol.granted.Run) {
		return Everything
	}
	return ""
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
		pol.allowed("run", asked, pol.granted.Run[0], pol.granted.Run[0])
		return nil
	}
	pol.note("run", asked, "", "")
	return denied(asked, "run", "PROGRAM")
}

// variable checks that the environment variable may be read.
func (pol *policy) variable(name string) error {
	if grant := pol.mayReadVariable(name); grant != "" {
		pol.allowed("env", name, grant, name)
		return nil
	}
	return pol.denied("environment variable "+name, "env", name, name)
}

// mayReadVariable returns the entry that allows a variable; empty: none does.
func (pol *policy) mayReadVariable(name string) string {
	for _, granted := range pol.granted.Env {
		if granted == name || runtime.GOOS == "windows" && strings.EqualFold(granted, name) {
			return granted
		}
	}
	if all(pol.granted.Env) {
		return Everything
	}
	return ""
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
