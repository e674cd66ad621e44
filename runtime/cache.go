package runtime

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"time"
)

// A cache keeps the bundles of earlier builds in a directory: sources as they come out of esbuild, with the facts
// that they depend on (facts.go). Programs cannot be kept there, goja has no form for them; those of the
// bundles that a process used last are kept in its memory.
//
// An entry is a file whose name is the digest of what was asked for: options, entries, host modules, and the program
// that runs. Its first line has the digest of the rest. What is damaged, or of somebody else, counts as absent. Entries are
// written to another name and renamed, so any number of processes may use a cache.
type cache struct {
	dir string
	key string
}

const (
	cacheFormat  = "sexton bundle 1 "
	cacheEntries = 128       // older ones are removed
	cacheBytes   = 256 << 20 // of all entries
	cacheTouch   = time.Hour // entries are marked as used no more often
)

// kept is an entry.
type kept struct {
	Facts  []fact
	Inputs []string
	Size   int // of the code

	code, sourceMap string // stand behind the rest
}

type fact struct {
	question
	Answer string
}

// newCache returns nil where nothing can be kept.
func newCache(dir string, opts *BuildOptions) *cache {
	if opts.Cache == "" || !ours(opts.Cache) {
		return nil
	}
	program, err := identity()
	if err != nil {
		return nil
	}
	var modules []string
	for _, x := range opts.Extensions {
		modules = append(modules, x.Name+" "+strings.Join(x.Exports, " "))
	}
	asked, err := json.Marshal([]any{program, dir, opts.Entries, modules, opts.SourceSize})
	if err != nil {
		return nil
	}
	return &cache{dir: opts.Cache, key: digest(asked)}
}

// identity tells this program from others, and from itself with other versions of its parts.
var identity = sync.OnceValues(func() (string, error) {
	self, err := os.Executable()
	if err != nil {
		return "", err
	}
	info, err := os.Stat(self)
	if err != nil {
		return "", err
	}
	build, ok := debug.ReadBuildInfo()
	if !ok {
		return "", errors.New("the program does not know its parts")
	}
	return fmt.Sprintln(self, info.Size(), info.ModTime().UnixNano(), build), nil
})

// ours makes the directory, and reports whether nobody else can write to it.
func ours(dir string) bool {
	if os.MkdirAll(dir, 0o700) != nil {
		return false
	}
	info, err := os.Lstat(dir)
	return err == nil && info.IsDir() && ownedAlone(info)
}

// load returns the bundle that was kept, nil if there is none that could be built now.
func (c *cache) load() *kept {
	file := filepath.Join(c.dir, c.key)
	info, err := os.Lstat(file)
	if err != nil || !info.Mode().IsRegular() || info.Size() > cacheBytes {
		return nil
	}
	data, err := os.ReadFile(file)
	if err != nil {
		return nil
	}
	head, body, _ := bytes.Cut(data, []byte("\n"))
	if string(head) != cacheFormat+digest(body) {
		return nil
	}
	k := &kept{}
	head, body, _ = bytes.Cut(body, []byte("\n"))
	if json.Unmarshal(head, k) != nil || k.Size < 0 || k.Size > len(body) {
		return nil
	}
	k.code, k.sourceMap = string(body[:k.Size]), string(body[k.Size:])
	facts := make(map[question]string, len(k.Facts))
	for _, f := range k.Facts {
		facts[f.question] = f.Answer
	}
	if !(&world{}).hold(facts) {
		return nil
	}
	if time.Since(info.ModTime()) > cacheTouch {
		now := time.Now()
		_ = os.Chtimes(file, now, now) // then it is the next to be removed
	}
	return k
}

// store keeps a bundle. That it cannot is no error: the next build takes as long as this one.
func (c *cache) store(k *kept, facts map[question]string) {
	for q, answer := range facts {
		k.Facts = append(k.Facts, fact{q, answer})
	}
	k.Size = len(k.code)
	head, err := json.Marshal(k)
	if err != nil {
		return
	}
	body := slices.Concat(head, []byte("\n"), []byte(k.code), []byte(k.sourceMap))
	f, err := os.CreateTemp(c.dir, "new-*")
	if err != nil {
		return
	}
	_, err = f.WriteString(cacheFormat + digest(body) + "\n")
	if err == nil {
		_, err = f.Write(body)
	}
	if err = errors.Join(err, f.Close()); err == nil {
		err = os.Rename(f.Name(), filepath.Join(c.dir, c.key))
	}
	if err != nil {
		_ = os.Remove(f.Name()) // else it is removed when it is old
	}
	c.prune()
}

// prune removes the entries that were not used for longest, until the rest is small enough.
func (c *cache) prune() {
	entries, err := os.ReadDir(c.dir)
	if err != nil {
		return
	}
	var files []fs.FileInfo
	for _, e := range entries {
		if info, err := e.Info(); err == nil && info.Mode().IsRegular() {
			files = append(files, info)
		}
	}
	slices.SortFunc(files, func(a, b fs.FileInfo) int {
		return cmp.Or(b.ModTime().Compare(a.ModTime()), strings.Compare(a.Name(), b.Name()))
	})
	size := int64(0)
	for i, f := range files {
		size += f.Size()
		unfinished := strings.HasPrefix(f.Name(), "new-") && time.Since(f.ModTime()) > cacheTouch
		if i >= cacheEntries || size > cacheBytes || unfinished {
			_ = os.Remove(filepath.Join(c.dir, f.Name())) // the next one tries again
		}
	}
}

// programs are the compiled bundles that this process used last, by the digests of their code and map.
var programs struct {
	sync.Mutex
	recent []*compiled
}

const recentPrograms = 4

type compiled struct {
	digest string
	bundle *Bundle // with what compiling makes
}

// compileOnce is compile, with what it made of the same code before, unless that is to be counted. m is made of sourceMap
// if it is nil.
func (b *Bundle) compileOnce(code, sourceMap string, m *sourceMap, covered func(file string) bool) error {
	d := digest([]byte(code + "\n" + sourceMap))
	programs.Lock()
	for i, c := range programs.recent {
		if c.digest == d && covered == nil {
			programs.recent = append(slices.Delete(programs.recent, i, i+1), c)
			programs.Unlock()
			b.program, b.code, b.origins = c.bundle.program, c.bundle.code, c.bundle.origins
			return nil
		}
	}
	programs.Unlock()
	if m == nil {
		var err error
		if m, err = parseSourceMap(sourceMap); err != nil {
			return fmt.Errorf("build: %w", err)
		}
	}
	if err := b.compile(code, m, covered); err != nil || covered != nil {
		return err
	}
	programs.Lock()
	defer programs.Unlock()
	if programs.recent = append(programs.recent, &compiled{d, b}); len(programs.recent) > recentPrograms {
		programs.recent = slices.Delete(programs.recent, 0, 1)
	}
	return nil
}
