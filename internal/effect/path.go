package effect

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
)

// maxLinks bounds how many symlinks one path may lead through; systems allow 40 to 63.
const maxLinks = 100

// maxPath bounds the length of a path in bytes: each of its elements is looked at. It is the most that systems take.
const maxPath = 32 << 10

// resolve makes path absolute against dir and follows its symlinks, element by element as the system
// would, so that ".." after a link is the parent of the link's target. What does not exist (yet), or
// cannot be looked at, is taken as written: the operation itself reports that. Without follow, the
// last element is not followed.
func resolve(dir, path string, follow bool) (string, error) {
	if len(path) > maxPath {
		return "", syscall.ENAMETOOLONG
	}
	if !filepath.IsAbs(path) {
		path = dir + string(filepath.Separator) + path
	}
	path, err := absolute(path)
	if err != nil {
		return "", err
	}
	at, rest := splitRoot(path)
	for links := 0; rest != ""; {
		var elem string
		elem, rest = splitFirst(rest)
		switch elem {
		case "", ".":
			continue
		case "..":
			at = filepath.Dir(at)
			continue
		}
		next := filepath.Join(at, elem)
		if !follow && strings.Trim(rest, separators) == "" {
			return next, nil
		}
		info, err := os.Lstat(next)
		if err != nil || info.Mode()&(os.ModeSymlink|os.ModeIrregular) == 0 { // irregular: junctions of Windows
			at = next
			continue
		}
		target, err := os.Readlink(next)
		if err != nil {
			at = next
			continue
		}
		if links++; links > maxLinks {
			return "", fmt.Errorf("resolve %s: %w", path, syscall.ELOOP)
		}
		if filepath.IsAbs(target) {
			if target, err = absolute(target); err != nil {
				return "", err
			}
			at, target = splitRoot(target)
		}
		rest = target + string(filepath.Separator) + rest
	}
	return at, nil
}

// absolute makes a path absolute without losing its ".." elements.
func absolute(path string) (string, error) {
	if filepath.IsAbs(path) {
		return path, nil
	}
	cwd, err := os.Getwd()
	if err != nil {
		return "", err
	}
	return cwd + string(filepath.Separator) + path, nil
}

// splitRoot splits an absolute path into its root ("/", `C:\`) and what follows.
func splitRoot(path string) (root, rest string) {
	n := len(filepath.VolumeName(path))
	return filepath.Clean(path[:n] + string(filepath.Separator)), path[n:]
}

func splitFirst(path string) (elem, rest string) {
	if i := strings.IndexAny(path, separators); i >= 0 {
		return path[:i], path[i+1:]
	}
	return path, ""
}

func hasSeparator(path string) bool {
	return strings.ContainsAny(path, separators) || filepath.VolumeName(path) != ""
}

// within reports whether path is root or lies in it. Both are resolved.
func within(root, path string) bool {
	if samePath(root, path) {
		return true
	}
	rel, err := filepath.Rel(root, path)
	return err == nil && filepath.IsLocal(rel) // on Windows also refuses names of devices
}

func samePath(a, b string) bool {
	return a == b || runtime.GOOS == "windows" && strings.EqualFold(a, b)
}
