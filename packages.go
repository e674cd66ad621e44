package sexton

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/mod/semver"

	"github.com/sextongc/sexton/runtime"
)

// A dependency is a package with classes that another one needs: one of its "dependencies" in package.json that has
// "sexton" in its own.
type dependency struct {
	*Package
	prefix string // of the names of its classes
}

// dependencies finds the packages with classes that this one needs, and those that they need in turn, each once, the nearest
// first. Nothing but their classes counts: permissions, configuration, settings and hooks are those of this package.
func (p *Package) dependencies() ([]dependency, error) {
	var found []dependency
	named := map[string]*Package{}
	seen := map[string]bool{}
	for queue := []string{p.Dir}; len(queue) > 0; queue = queue[1:] {
		names, _, err := needs(queue[0])
		if err != nil {
			return nil, err
		}
		for _, name := range names {
			dir := installed(queue[0], name)
			if seen[dir] {
				continue
			}
			seen[dir] = true
			if dir == "" || dir == p.Dir {
				continue // who imports it, hears of it
			}
			if _, hasClasses, err := needs(dir); err != nil {
				return nil, err
			} else if !hasClasses {
				continue
			}
			queue = append(queue, dir)
			pkg, err := LoadPackage(dir)
			if err != nil {
				return nil, fmt.Errorf("package %s: %w", name, err)
			}
			if pkg.Main == "" {
				continue
			}
			prefix := pkg.Name
			if other := named[prefix]; other != nil || prefix == p.Name { // of another version, or scope
				if prefix = name + "@" + strings.TrimPrefix(semver.Major("v"+pkg.Version), "v"); named[prefix] != nil {
					return nil, fmt.Errorf("package %s is installed twice in one major version: in %s and %s; npm dedupe may help", name, named[prefix].Dir, dir)
				}
			}
			named[prefix] = pkg
			found = append(found, dependency{pkg, prefix})
		}
	}
	return found, nil
}

// needs reads the dependencies of the package in a directory, sorted, and whether it is one with classes.
func needs(dir string) (names []string, hasClasses bool, err error) {
	file := filepath.Join(dir, "package.json")
	data, err := os.ReadFile(file)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, false, nil
	} else if err != nil {
		return nil, false, err
	}
	var j struct {
		Dependencies map[string]json.RawMessage `json:"dependencies"`
		Sexton       json.RawMessage            `json:"sexton"`
	}
	if err := json.Unmarshal(data, &j); err != nil {
		return nil, false, fmt.Errorf("%s: %w", file, describeJSON(data, err))
	}
	return slices.Sorted(maps.Keys(j.Dependencies)), j.Sexton != nil, nil
}

// installed finds a package as Node does, without links; empty if it is not there.
func installed(from, name string) string {
	if from, err := filepath.EvalSymlinks(from); err == nil {
		for dir := from; ; dir = filepath.Dir(dir) {
			if real, err := filepath.EvalSymlinks(filepath.Join(dir, "node_modules", filepath.FromSlash(name))); err == nil {
				return real
			}
			if dir == filepath.Dir(dir) {
				break
			}
		}
	}
	return ""
}

// entry is the main module of a dependency, as an entry of the bundle.
func (d *dependency) entry() runtime.Entry {
	return runtime.Entry{Name: "package " + d.prefix, Path: filepath.Join(d.Dir, filepath.FromSlash(d.Main))}
}
