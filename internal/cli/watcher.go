package cli

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/fsnotify/fsnotify"
)

// quiet is how long nothing must change until a change is over: editors write, rename and remove several files.
const quiet = 50 * time.Millisecond

// fileWatcher watches directories, not files: what an editor renames to the name of a file is a change of that file.
type fileWatcher struct {
	notify *fsnotify.Watcher
	trees  []string // with all directories below
	known  map[string]bool
}

func newWatcher() (watcher, error) {
	notify, err := fsnotify.NewWatcher()
	if err != nil {
		return nil, fmt.Errorf("watch files: %w", err)
	}
	return &fileWatcher{notify: notify, known: map[string]bool{}}, nil
}

func (w *fileWatcher) Close() error { return w.notify.Close() }

// Watch watches the first directories that it is given with all that are below them.
func (w *fileWatcher) Watch(dirs []string) error {
	if w.trees == nil {
		w.trees = dirs
	}
	_, err := w.add(dirs)
	return err
}

// add watches directories, and what is below those that are in a tree. It returns the files in those that were not
// watched: they may be new.
func (w *fileWatcher) add(dirs []string) (files []string, err error) {
	for _, dir := range dirs {
		err := filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
			switch {
			case errors.Is(err, fs.ErrNotExist): // removed just now
				return nil
			case err != nil:
				return err
			case !entry.IsDir():
				files = append(files, path)
				return nil
			case w.known[path], path != dir && !(w.inTree(path) && hasSources(path)):
				return fs.SkipDir
			}
			w.known[path] = true
			if err := w.notify.Add(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
				return err
			}
			return nil
		})
		if err != nil {
			return nil, fmt.Errorf("watch files: %w", err)
		}
	}
	return files, nil
}

func (w *fileWatcher) inTree(path string) bool {
	return slices.ContainsFunc(w.trees, func(tree string) bool {
		rel, err := filepath.Rel(tree, path)
		return err == nil && filepath.IsLocal(rel)
	})
}

// Next returns what has changed until nothing did for a moment, sorted.
func (w *fileWatcher) Next(ctx context.Context) ([]string, error) {
	changed := map[string]bool{}
	var over <-chan time.Time
	for {
		select {
		case e := <-w.notify.Events:
			if e.Op == fsnotify.Chmod {
				continue
			}
			if err := w.note(e, changed); err != nil {
				return nil, err
			}
			over = time.After(quiet)
		case err := <-w.notify.Errors:
			if !errors.Is(err, fsnotify.ErrEventOverflow) {
				return nil, fmt.Errorf("watch files: %w", err)
			}
			changed[filepath.Join(w.trees[0], "package.json")] = true // events were lost: everything may have changed
			over = time.After(quiet)
		case <-over:
			return slices.Sorted(maps.Keys(changed)), nil
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		}
	}
}

// note takes an event: of a file, or of a directory that came or went.
func (w *fileWatcher) note(e fsnotify.Event, changed map[string]bool) error {
	changed[e.Name] = true
	if e.Has(fsnotify.Remove) || e.Has(fsnotify.Rename) {
		for dir := range w.known {
			if rel, err := filepath.Rel(e.Name, dir); err == nil && filepath.IsLocal(rel) {
				delete(w.known, dir)
			}
		}
	}
	if info, err := os.Lstat(e.Name); err != nil || !info.IsDir() || !w.inTree(e.Name) || !hasSources(e.Name) {
		return nil
	}
	files, err := w.add([]string{e.Name})
	for _, file := range files {
		changed[file] = true
	}
	return err
}

// hasSources reports whether a directory may have sources of the package.
func hasSources(dir string) bool {
	name := filepath.Base(dir)
	return name != "node_modules" && !strings.HasPrefix(name, ".")
}
