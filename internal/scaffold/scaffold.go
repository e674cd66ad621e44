// Package scaffold has what authors of packages begin with: the files of a new package, and the types of
// everything that scripts can use. It knows files, not how they are run.
package scaffold

import (
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// Types is sexton.d.ts: the modules and globals of scripts, for editors and type checkers.
//
//go:embed sexton.d.ts
var Types string

// TypesFile is the name under which editors find Types in a package.
const TypesFile = "sexton.d.ts"

// Language is that of a package's sources.
type Language string

// The languages that a package can be written in.
const (
	TypeScript Language = "ts"
	JavaScript Language = "js"
)

// Each language has a folder of its own; "both" has what does not depend on it. NAME and MAIN stand for the
// name and the main module of the package.
//
//go:embed ts js both
var templates embed.FS

// renamed are templates whose own names would mean something here.
var renamed = map[string]string{"gitignore": ".gitignore"}

// ErrExists is the error of Write where files are in the way; its text lists them.
var ErrExists = errors.New("files that are there are not overwritten")

// Write makes a package in dir, which need not exist, and returns the files that it wrote, sorted. It writes all of them
// or, if one is there already, none.
func Write(dir, name string, language Language) ([]string, error) {
	files, err := files(name, language)
	if err != nil {
		return nil, err
	}
	var names, there []string
	for file := range files {
		names = append(names, file)
		if _, err := os.Lstat(filepath.Join(dir, file)); err == nil {
			there = append(there, file)
		} else if !errors.Is(err, fs.ErrNotExist) {
			return nil, err
		}
	}
	slices.Sort(names)
	slices.Sort(there)
	if len(there) > 0 {
		return nil, fmt.Errorf("%w: %s", ErrExists, strings.Join(there, ", "))
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, err
	}
	for _, file := range names {
		if err := writeNew(filepath.Join(dir, file), files[file]); err != nil {
			return nil, err
		}
	}
	return names, nil
}

// files returns the files of a package by their names.
func files(name string, language Language) (map[string]string, error) {
	main := "site." + string(language)
	fill := strings.NewReplacer("NAME", name, "MAIN", main)
	files := map[string]string{TypesFile: Types}
	for _, dir := range []string{"both", string(language)} {
		entries, err := templates.ReadDir(dir)
		if err != nil {
			return nil, err
		}
		for _, e := range entries {
			data, err := templates.ReadFile(path.Join(dir, e.Name()))
			if err != nil {
				return nil, err
			}
			file := e.Name()
			if to := renamed[file]; to != "" {
				file = to
			}
			files[file] = fill.Replace(string(data))
		}
	}
	return files, nil
}

// writeNew writes a file that is not there.
func writeNew(file, text string) error {
	f, err := os.OpenFile(file, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return err
	}
	_, err = f.WriteString(text)
	return errors.Join(err, f.Close())
}

// PackageName makes a name that package.json accepts of that of a directory; "app" if nothing of it can be used.
func PackageName(dir string) string {
	name := strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z' || r >= '0' && r <= '9' || r == '-' || r == '_' || r == '.':
			return r
		case r >= 'A' && r <= 'Z':
			return r - 'A' + 'a'
		}
		return '-'
	}, filepath.Base(dir))
	if name = strings.Trim(name, "-._"); name == "" {
		return "app"
	}
	return name
}
