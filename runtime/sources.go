package runtime

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"github.com/evanw/esbuild/pkg/api"

	"github.com/sextongc/sexton/internal/vmguard"
)

// sourceLimits looks at sources before they are parsed: parsers of programming languages recurse, and end the process
// where code nests deep enough.
type sourceLimits struct {
	dir  string
	size int64 // 0: no limit

	mu      sync.Mutex // esbuild loads several files at once
	err     *LimitError
	digests map[string]string // of files that were loaded
}

func (l *sourceLimits) plugin() api.Plugin {
	return api.Plugin{Name: "limits", Setup: func(build api.PluginBuild) {
		build.OnLoad(api.OnLoadOptions{Filter: `.*`, Namespace: "file"}, func(args api.OnLoadArgs) (api.OnLoadResult, error) {
			info, err := os.Stat(args.Path)
			if err != nil || !info.Mode().IsRegular() {
				return api.OnLoadResult{}, nil // esbuild says what is wrong with it
			}
			var code []byte
			if l.size <= 0 || info.Size() <= l.size {
				if code, err = os.ReadFile(args.Path); err != nil {
					return api.OnLoadResult{}, nil
				}
			}
			if err := l.checkSize(args.Path, info.Size()); err != nil {
				return api.OnLoadResult{}, err
			}
			l.loaded(args.Path, code)
			return api.OnLoadResult{}, l.check(args.Path, string(code))
		})
	}}
}

func (l *sourceLimits) loaded(path string, code []byte) {
	d := digest(code)
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.digests == nil {
		l.digests = map[string]string{}
	}
	l.digests[path] = d
}

func (l *sourceLimits) checkSize(name string, size int64) error {
	if l.size > 0 && size > l.size {
		return l.fail(name, &LimitError{Limit: vmguard.SourceSize, Value: Bytes(l.size), What: fmt.Sprintf("it has %d bytes", size)})
	}
	return nil
}

// check returns an error if a source is too large, or nests too deep. name is a path, or that of an entry.
func (l *sourceLimits) check(name, code string) error {
	if err := l.checkSize(name, int64(len(code))); err != nil {
		return err
	}
	if what := vmguard.Deep(code); what != "" {
		return l.fail(name, &LimitError{Limit: vmguard.Nesting, What: "it has " + what})
	}
	return nil
}

func (l *sourceLimits) fail(name string, e *LimitError) error {
	if rel, err := filepath.Rel(l.dir, name); err == nil && filepath.IsLocal(rel) {
		name = filepath.ToSlash(rel)
	}
	e.What = strings.TrimSpace(name + ": " + e.What)
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.err == nil {
		l.err = e
	}
	return e
}

func (l *sourceLimits) exceeded() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.err == nil {
		return nil
	}
	return l.err
}
