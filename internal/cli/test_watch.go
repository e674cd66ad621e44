package cli

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/sextongc/sexton/internal/render"
	"github.com/sextongc/sexton/internal/scenario"
)

// watcher tells which files have changed.
type watcher interface {
	// Watch has the files in these directories watched from now on, besides those that are watched already.
	Watch(dirs []string) error
	// Next waits for changes, and returns the absolute paths of the files. The error is that of ctx, or one of the watcher.
	Next(ctx context.Context) ([]string, error)
	Close() error
}

// testWatch runs tests again when files change that they are made of.
type testWatch struct {
	dir     string // of the package
	changes watcher
	find    func() ([]string, error)
	// run runs test files, relative to dir, and returns the source files of each, also relative to dir.
	run    func(files []string) (inputs map[string][]string, err error)
	note   func(text string)
	golden bool // a change of stored values counts, too: no run writes them

	sources map[string][]string // by test file: absolute paths; none if it could not be bundled
}

// watchTests is test --watch. It ends with the error of the last run.
func (a *app) watchTests(ctx context.Context, f *testFlags, opts *scenario.Options, find func() ([]string, error)) error {
	changes, err := newWatcher()
	if err != nil {
		return err
	}
	w := &testWatch{
		dir: canonical(opts.Dir), changes: changes, find: find,
		run: func(files []string) (map[string][]string, error) {
			opts.Files = files
			summary, err := a.runTests(ctx, f, opts)
			if summary == nil {
				summary = &scenario.Summary{}
			}
			return summary.Inputs, err
		},
		note:   func(text string) { a.log("note", text) },
		golden: !opts.Update,
	}
	return errors.Join(w.loop(ctx), changes.Close())
}

func (w *testWatch) loop(ctx context.Context) error {
	w.sources = map[string][]string{}
	if err := w.changes.Watch([]string{w.dir}); err != nil {
		return err
	}
	files, err := w.find()
	if err != nil {
		return usage(err)
	}
	for {
		if len(files) > 0 {
			err = w.once(files)
			if ctx.Err() != nil {
				return err
			}
			var shown *shownError
			if err != nil && !errors.As(err, &shown) {
				return err
			}
		}
		w.note("watching files; Ctrl-C ends")
		var changed []string
		var broken error
		if files, changed, broken = w.next(ctx); ctx.Err() != nil {
			return err
		} else if broken != nil {
			return broken
		}
		w.note("changed: " + w.names(changed))
	}
}

// once runs tests, and has what they are made of watched.
func (w *testWatch) once(files []string) error {
	inputs, err := w.run(files)
	var dirs []string
	for _, file := range files {
		delete(w.sources, file)
		if w.golden && len(inputs[file]) > 0 {
			w.sources[file] = []string{canonical(filepath.Join(w.dir, filepath.FromSlash(file))) + scenario.GoldenSuffix}
		}
		for _, input := range inputs[file] {
			path := canonical(filepath.Join(w.dir, filepath.FromSlash(input)))
			w.sources[file] = append(w.sources[file], path)
			if dir := filepath.Dir(path); !slices.Contains(dirs, dir) {
				dirs = append(dirs, dir)
			}
		}
	}
	return errors.Join(err, w.changes.Watch(dirs))
}

// next waits until files have changed that tests are made of, and returns both.
func (w *testWatch) next(ctx context.Context) (tests, changed []string, err error) {
	for len(tests) == 0 {
		if changed, err = w.changes.Next(ctx); err != nil {
			return nil, nil, err
		}
		all, err := w.find()
		if err != nil {
			continue // a directory that is being replaced
		}
		tests = w.affected(all, changed)
	}
	return tests, changed, nil
}

// affected are those test files that a change of these paths affects.
func (w *testWatch) affected(files, changed []string) []string {
	isChanged := map[string]bool{}
	everything, code := false, false
	for _, path := range changed {
		isChanged[path] = true
		code = code || isCode(path)
		name := filepath.Base(path)
		everything = everything || filepath.Dir(path) == w.dir && (name == "package.json" || name == "tsconfig.json")
	}
	return slices.DeleteFunc(files, func(file string) bool {
		sources, known := w.sources[file]
		if everything || !known && code {
			return false // also what could not be bundled, and is new
		}
		return !slices.ContainsFunc(sources, func(path string) bool { return isChanged[path] })
	})
}

// isCode reports whether a file may be what a module was missing, or was stumbling over. Others may be what tests
// write themselves.
func isCode(path string) bool {
	extensions := []string{".ts", ".js", ".mts", ".mjs", ".cts", ".cjs"}
	return slices.Contains(extensions, filepath.Ext(path)) && !strings.HasPrefix(filepath.Base(path), ".")
}

// names lists paths for people.
func (w *testWatch) names(paths []string) string {
	const most = 3
	var names []string
	for _, path := range paths[:min(most, len(paths))] {
		if rel, err := filepath.Rel(w.dir, path); err == nil {
			path = rel
		}
		names = append(names, render.Clean(filepath.ToSlash(path)))
	}
	if more := len(paths) - most; more > 0 {
		names = append(names, fmt.Sprintf("and %s", render.Count(more, "other file")))
	}
	return strings.Join(names, ", ")
}

// canonical is a path without symlinks, as bundles have it; of a file that is not there, that of its directory.
func canonical(path string) string {
	if real, err := filepath.EvalSymlinks(path); err == nil {
		return real
	}
	if dir, err := filepath.EvalSymlinks(filepath.Dir(path)); err == nil {
		return filepath.Join(dir, filepath.Base(path))
	}
	return path
}
