package runtime

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// What a bundle is made of depends on files: on what is in them, and on which there are, because imports leave
// extensions, index files and the place of node_modules to be found. A fact is one answer of the file system. As
// long as all facts of a bundle hold, building it again would give the same.

// question is what a fact answers.
type question struct {
	Kind questionKind
	Path string
	Stem string `json:",omitempty"` // of aboutNames
}

type questionKind byte

const (
	aboutContents questionKind = 'c' // of a file: their digest
	aboutNames    questionKind = 'n' // of a directory: the entries whose names begin with Stem, up to the first dot
	aboutPlace    questionKind = 'p' // where a path leads to when links are followed
)

// world answers questions. Each directory is read once.
type world struct {
	dirs map[string][]fs.DirEntry
}

// none is the answer about what is not there; no digest, list or path looks so.
const none = "-"

func (w *world) answer(q question) string {
	switch q.Kind {
	case aboutContents:
		data, err := os.ReadFile(q.Path)
		if err != nil {
			return none
		}
		return digest(data)
	case aboutPlace:
		real, err := filepath.EvalSymlinks(q.Path)
		if err != nil {
			return none
		}
		return real
	}
	var names []string
	for _, e := range w.entries(q.Path) {
		if stem(e.Name()) != q.Stem {
			continue
		}
		text := e.Name() + " " + e.Type().String()
		if e.Type()&fs.ModeSymlink != 0 {
			link := filepath.Join(q.Path, e.Name())
			text += " " + w.answer(question{Kind: aboutPlace, Path: link})
			if info, err := os.Stat(link); err == nil {
				text += " " + info.Mode().Type().String()
			}
		}
		names = append(names, text)
	}
	return strings.Join(names, "\n")
}

func (w *world) entries(dir string) []fs.DirEntry {
	entries, known := w.dirs[dir]
	if !known {
		entries, _ = os.ReadDir(dir) // one that cannot be read is as good as empty
		if w.dirs == nil {
			w.dirs = map[string][]fs.DirEntry{}
		}
		w.dirs[dir] = entries
	}
	return entries
}

// hold reports whether all facts are still true.
func (w *world) hold(facts map[question]string) bool {
	for q, was := range facts {
		if w.answer(q) != was {
			return false
		}
	}
	return true
}

// stem is what all names have in common that an import may stand for: "a" of a, a.ts and a.d.ts, in any case.
func stem(name string) string {
	name, _, _ = strings.Cut(name, ".")
	return strings.ToLower(name)
}

func digest(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}

// collector finds out on what a build depended.
type collector struct {
	world
	facts map[question]string
	began time.Time
	err   error // why the build cannot be kept
}

// errNotKept is the reason for builds whose dependencies are not known exactly.
var errNotKept = errors.New("it depends on what is not looked at")

func (c *collector) ask(kind questionKind, path, stem string) string {
	q := question{kind, path, stem}
	answer, known := c.facts[q]
	if !known {
		answer = c.answer(q)
		c.facts[q] = answer
		if kind != aboutPlace {
			c.old(path)
		}
	}
	return answer
}

// old wants a file or directory to have been as it is since before the build began: then esbuild has seen it
// so. Times of files are as coarse as the system's ticks, or as seconds where they have no fractions.
func (c *collector) old(path string) {
	info, err := os.Stat(path)
	if err != nil {
		return
	}
	changed, slack := info.ModTime(), 20*time.Millisecond
	if changed.Nanosecond() == 0 {
		slack = 2 * time.Second
	}
	if changed.Add(slack).After(c.began) {
		c.err = errNotKept
	}
}

// buildGraph is what esbuild's metafile says about the inputs of a build.
type buildGraph struct {
	Inputs map[string]struct {
		Imports []struct {
			Path     string `json:"path"`
			Original string `json:"original"`
		} `json:"imports"`
	} `json:"inputs"`
}

// dependencies returns the facts that a build depended on, nil if not all are known. began is when it did; loaded are
// digests of files as they were when they were loaded.
func dependencies(dir string, began time.Time, metafile string, loaded map[string]string) map[question]string {
	var graph buildGraph
	if json.Unmarshal([]byte(metafile), &graph) != nil {
		return nil
	}
	c := &collector{began: began, facts: map[question]string{}}
	c.collect(&graph, c.ask(aboutPlace, dir, ""), loaded)
	if c.err != nil {
		return nil
	}
	return c.facts
}

// collect asks about everything that resolving the imports may have looked at. dir is the package's, without links: names
// are relative to that.
func (c *collector) collect(graph *buildGraph, dir string, loaded map[string]string) {
	for name, input := range graph.Inputs {
		from := dir // of what is no file
		if file := filepath.Join(dir, filepath.FromSlash(name)); !isVirtual(name) {
			from = filepath.Dir(file)
			if now := c.ask(aboutContents, file, ""); now == none || loaded[file] != now {
				c.err = errNotKept // changed meanwhile, or with a name that is not just a path
			}
			c.place(file)
		}
		c.configured(from)
		for _, i := range input.Imports {
			if !isVirtual(i.Path) {
				c.imported(from, cmp.Or(i.Original, i.Path)) // one that was not found has a path only
			}
		}
	}
}

// isVirtual reports whether an input is no file: the module that imports the entries (whose name gets the package's
// directory in front where that is a link), an entry given as source, or a host module.
func isVirtual(name string) bool {
	return path.Base(name) == internalName+"main" || strings.HasPrefix(name, internalName) || strings.HasPrefix(name, evalNamespace+":") || strings.HasPrefix(name, hostNamespace+":")
}

// imported asks what an import, as it is written in a file in dir, may stand for.
func (c *collector) imported(dir, name string) {
	switch {
	case name == "" || name[0] == '#' || strings.Contains(name, ":") && !filepath.IsAbs(name):
		c.err = errNotKept
	case filepath.IsAbs(name):
		c.candidates(name)
	case name == "." || name == ".." || strings.HasPrefix(name, "./") || strings.HasPrefix(name, "../"):
		c.candidates(filepath.Join(dir, filepath.FromSlash(name)))
	default:
		parts := strings.SplitN(name, "/", 3)
		n := 1
		if name[0] == '@' {
			n = min(2, len(parts))
		}
		pkg, sub := strings.Join(parts[:n], "/"), strings.Join(parts[n:], "/")
		for a := range ancestors(dir) {
			installed := filepath.Join(a, "node_modules", filepath.FromSlash(pkg))
			c.place(installed)
			if c.ask(aboutPlace, installed, "") == none {
				continue
			}
			c.directory(installed)
			if sub != "" {
				c.candidates(filepath.Join(installed, filepath.FromSlash(sub)))
			}
		}
	}
}

// candidates asks about what a path without an extension may stand for: files, and a directory.
func (c *collector) candidates(path string) {
	c.place(path)
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		c.directory(path)
	}
}

// place asks about the entries that are in the place of a path.
func (c *collector) place(path string) {
	dir := filepath.Dir(path)
	c.ask(aboutPlace, dir, "")
	c.ask(aboutNames, dir, stem(filepath.Base(path)))
}

// directory asks about what a directory that is imported stands for: its index, or what package.json names.
func (c *collector) directory(dir string) {
	for _, name := range []string{"package", "index"} {
		c.ask(aboutNames, dir, name)
	}
	file := filepath.Join(dir, "package.json")
	if c.ask(aboutContents, file, "") == none {
		return
	}
	var main struct{ Main, Module any }
	data, err := os.ReadFile(file)
	if err != nil || json.Unmarshal(data, &main) != nil {
		c.err = errNotKept
		return
	}
	for _, v := range []any{main.Main, main.Module} {
		if name, ok := v.(string); ok && name != "" {
			target := filepath.Join(dir, filepath.FromSlash(name))
			c.place(target)
			if info, err := os.Stat(target); err == nil && info.IsDir() {
				c.ask(aboutNames, target, "index")
			}
		}
	}
}

// configured asks about the files that change how those in and below dir are understood.
func (c *collector) configured(dir string) {
	for a := range ancestors(dir) {
		c.ask(aboutContents, filepath.Join(a, "package.json"), "")
		for _, name := range []string{"tsconfig.json", "jsconfig.json"} {
			file := filepath.Join(a, name)
			q := question{Kind: aboutContents, Path: file}
			if _, known := c.facts[q]; known || c.ask(q.Kind, file, "") == none {
				continue
			}
			data, err := os.ReadFile(file)
			if err != nil || slices.ContainsFunc([]string{"paths", "baseUrl", "extends", `\u`}, func(key string) bool {
				return strings.Contains(string(data), key) // they lead to other files
			}) {
				c.err = errNotKept
			}
		}
		for _, name := range []string{".pnp.cjs", ".pnp.js", ".pnp.data.json"} {
			if c.ask(aboutPlace, filepath.Join(a, name), "") != none {
				c.err = errNotKept
			}
		}
	}
}

// ancestors are dir and all directories above it.
func ancestors(dir string) func(yield func(string) bool) {
	return func(yield func(string) bool) {
		for yield(dir) && dir != filepath.Dir(dir) {
			dir = filepath.Dir(dir)
		}
	}
}
