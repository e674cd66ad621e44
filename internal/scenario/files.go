package scenario

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

var testSuffixes = []string{".test.js", ".test.ts", ".test.mjs", ".test.mts"}

func isTest(file string) bool {
	return slices.ContainsFunc(testSuffixes, func(suffix string) bool { return strings.HasSuffix(file, suffix) })
}

// Find returns the test files among paths, relative to dir, sorted: files as they are named, and of
// directories everything below them that is called *.test.js or *.test.ts, except in node_modules and in
// directories whose name begins with a dot. No paths: dir itself.
func Find(dir string, paths []string) ([]string, error) {
	if len(paths) == 0 {
		paths = []string{"."}
	}
	var found []string
	for _, path := range paths {
		if !filepath.IsAbs(path) {
			path = filepath.Join(dir, path)
		}
		info, err := os.Stat(path)
		if err != nil {
			return nil, fmt.Errorf("test files: %w", err)
		}
		if !info.IsDir() {
			found = append(found, path)
			continue
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
		if err != nil {
			return nil, fmt.Errorf("test files: %w", err)
		}
	}
	for i, file := range found {
		rel, err := filepath.Rel(dir, file)
		if err != nil {
			return nil, err
		}
		found[i] = filepath.ToSlash(rel)
	}
	slices.Sort(found)
	return slices.Compact(found), nil
}
