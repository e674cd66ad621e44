package scenario

import (
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

var testSuffixes = []string{".test.js", ".test.ts", ".test.mjs", ".test.mts"}

func isTest(file string) bool {
	return slices.ContainsFunc(testSuffixes, func(suffix string) bool { return strings.HasSuffix(file, suffix) })
}

// Place is what a command line names: a file or directory, and the line of a test in that file.
type Place struct {
	Path string // absolute, or relative to the package
	Line int    // 0: all of it
}

// Find returns the test files in places, relative to dir, sorted, with the lines that were named: files as they are
// named, and of directories everything below them that is called *.test.js or *.test.ts, except in node_modules and
// in directories whose name begins with a dot. No places: dir itself.
func Find(dir string, places []Place) (files []string, lines map[string][]int, err error) {
	if len(places) == 0 {
		places = []Place{{Path: "."}}
	}
	lines = map[string][]int{}
	whole := map[string]bool{}
	for _, place := range places {
		found, err := findIn(dir, place.Path)
		if err != nil {
			return nil, nil, fmt.Errorf("test files: %w", err)
		}
		for _, file := range found {
			if file, err = filepath.Rel(dir, file); err != nil {
				return nil, nil, err
			}
			file = filepath.ToSlash(file)
			files = append(files, file)
			if place.Line > 0 {
				lines[file] = append(lines[file], place.Line)
			} else {
				whole[file] = true
			}
		}
	}
	maps.DeleteFunc(lines, func(file string, _ []int) bool { return whole[file] })
	slices.Sort(files)
	return slices.Compact(files), lines, nil
}

// findIn returns the absolute paths of the test files of one place.
func findIn(dir, path string) (found []string, err error) {
	if !filepath.IsAbs(path) {
		path = filepath.Join(dir, path)
	}
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if !info.IsDir() {
		return []string{path}, nil
	}
	err = filepath.WalkDir(path, func(file string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && file != path && (d.Name() == "node_modules" || strings.HasPrefix(d.Name(), ".")):
			return fs.SkipDir
		case !d.IsDir() && isTest(d.Name()):
			found = append(found, file)
		}
		return nil
	})
	return found, err
}
