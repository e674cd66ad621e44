package runtime

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/dop251/goja"
	"github.com/dop251/goja/parser"
	"github.com/evanw/esbuild/pkg/api"
)

// Entry is a module that is evaluated for its own sake, and whose exports the host gets.
type Entry struct {
	Name   string // under which Load returns its exports; unique
	Path   string // a file; relative paths are relative to BuildOptions.Dir
	Source string // TypeScript instead of a file, as if it lay in Dir
	// Classic: it is no module but a classic script of JavaScript, which runs in the global scope, sloppy unless it says
	// otherwise. It must be the only entry, and exports nothing.
	Classic bool
}

// BuildOptions says what Build bundles.
type BuildOptions struct {
	Dir        string // the package's directory; empty: the working directory
	Entries    []Entry
	Extensions []*Extension // the host modules that may be imported
	SourceSize int64        // bytes that one source may have; 0: as many as it has
	// Coverage says of which source files, by their names relative to Dir, Runtime.Coverage counts how often their
	// code runs; nil: none.
	Coverage func(file string) bool
	Cache    string // a directory where bundles are kept; empty: nowhere
}

// Bundle is JavaScript that is ready to be loaded, by any number of runtimes, also at the same time.
type Bundle struct {
	// Inputs are the files that went into it, relative to Dir, with slashes, sorted by first use.
	Inputs []string

	program *goja.Program
	code    string // of the program
	origins *sourceMap
	callers *callers
	names   []string
	classic bool

	counters []counter // see coverage.go
}

const (
	bundleName    = "sexton-bundle.js"
	hostNamespace = "sexton" // of host modules; frames in files "sexton:…" do not show in stacks
	evalNamespace = "eval"   // of entries that are given as source
	wrapperBegin  = `(async function (__sexton) { "use strict";`
)

// language keeps #private as it is: lowered, it would become a WeakMap.
const language = api.ES2022

// supported is what goja lacks of it, and what there is instead of modules' own.
var supported = map[string]bool{
	"async-generator": false, "for-await": false, "using": false, "decorators": false,
	"regexp-match-indices": false, "dynamic-import": false, "import-meta": false,
}

// Build bundles the entries, with everything that they import, into one script. All share one instance
// of each module, so a class is the same class in all of them. The error is a *BuildError for what is
// wrong with the sources.
//
// Modules are ECMAScript modules, TypeScript, CommonJS or JSON, resolved as Node resolves them; "./x.js"
// also finds x.ts. Text and bytes are imported as esbuild has it; data only from Dir and from node_modules.
// Types are removed and not checked. Every statement of every module is kept.
func Build(ctx context.Context, opts *BuildOptions) (*Bundle, error) {
	dir, err := filepath.Abs(opts.Dir)
	if err != nil {
		return nil, err
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	sources := &sourceLimits{dir: dir, size: opts.SourceSize}
	if len(opts.Entries) == 1 && opts.Entries[0].Classic {
		return buildClassic(opts, sources)
	}
	var main strings.Builder
	b := &Bundle{}
	for i, e := range opts.Entries {
		from := evalPath(e, i)
		if e.Source != "" {
			if err := sources.check(e.Name, e.Source); err != nil {
				return nil, err
			}
		} else {
			if from, err = entryFile(dir, e.Path); err != nil {
				return nil, err
			}
		}
		fmt.Fprintf(&main, "import * as e%d from %s;\n__sexton.entry(%d, e%d);\n", i, quoteJS(from), i, i)
		b.names = append(b.names, e.Name)
	}
	cache := newCache(dir, opts)
	if cache != nil {
		if k := cache.load(); k != nil {
			b.Inputs = k.Inputs
			return b, b.compileOnce(k.code, k.sourceMap, nil, opts.Coverage)
		}
	}
	began := time.Now()
	build, buildErr := api.Context(api.BuildOptions{
		Stdin:         &api.StdinOptions{Contents: main.String(), ResolveDir: dir, Sourcefile: internalName + "main"},
		AbsWorkingDir: dir,
		Outfile:       filepath.Join(dir, bundleName),
		Bundle:        true,
		Format:        api.FormatESModule,
		Platform:      api.PlatformNeutral,
		MainFields:    []string{"module", "main"},
		Conditions:    []string{"node"},
		ResolveExtensions: []string{
			".ts", ".mts", ".js", ".mjs", ".cts", ".cjs", ".json",
		},
		Target:            language,
		Supported:         supported,
		TreeShaking:       api.TreeShakingFalse,
		IgnoreAnnotations: true,
		Charset:           api.CharsetASCII, // maps count columns in UTF-16, goja in bytes
		LegalComments:     api.LegalCommentsNone,
		Sourcemap:         api.SourceMapExternal,
		SourcesContent:    api.SourcesContentExclude,
		Banner:            map[string]string{"js": wrapperBegin},
		Footer:            map[string]string{"js": "})"},
		Metafile:          true,
		LogLevel:          api.LogLevelSilent,
		Plugins:           []api.Plugin{sources.plugin(), hostModules(dir, opts), onlyCode(dir)},
	})
	if buildErr != nil {
		return nil, buildError(opts, buildErr.Errors)
	}
	defer build.Dispose()
	stop := context.AfterFunc(ctx, build.Cancel)
	defer stop()
	result := build.Rebuild()
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if err := sources.exceeded(); err != nil {
		return nil, err
	}
	if len(result.Errors) > 0 {
		return nil, buildError(opts, result.Errors)
	}
	var code, sourceMap string
	for _, f := range result.OutputFiles {
		if strings.HasSuffix(f.Path, ".map") {
			sourceMap = string(f.Contents)
		} else {
			code = string(f.Contents)
		}
	}
	b.Inputs = inputs(result.Metafile)
	m, err := parseSourceMap(sourceMap)
	if err != nil {
		return nil, fmt.Errorf("build: %w", err)
	}
	if code, err = link(code, m); err != nil {
		return nil, err
	}
	if cache == nil {
		return b, b.compile(code, m, opts.Coverage)
	}
	if facts := dependencies(dir, began, result.Metafile, sources.digests); facts != nil {
		cache.store(&kept{Inputs: b.Inputs, code: code, sourceMap: sourceMap}, facts)
	}
	return b, b.compileOnce(code, sourceMap, m, opts.Coverage)
}

func evalPath(e Entry, i int) string {
	name := e.Name
	if name == "" {
		name = fmt.Sprintf("source %d", i+1)
	}
	return evalNamespace + ":" + name
}

// entryFile checks that an entry is there: it has no position that an error could name.
func entryFile(dir, path string) (string, error) {
	file := path
	if !filepath.IsAbs(file) {
		file = filepath.Join(dir, file)
	}
	info, err := os.Stat(file)
	switch {
	case err != nil && os.IsNotExist(err):
		return "", &BuildError{File: path, Text: "there is no such file"}
	case err != nil:
		return "", &BuildError{File: path, Text: err.Error()}
	case info.IsDir():
		return "", &BuildError{File: path, Text: "it is a directory, not a module"}
	}
	return file, nil
}

// link makes of esbuild's output a function that evaluates the modules.
func link(code string, m *sourceMap) (string, error) {
	tree, err := goja.Parse(bundleName, code, parser.WithDisableSourceMaps)
	if err != nil {
		return "", m.parseError(err)
	}
	return withScope(code, tree, m) + "\n//# sourceMappingURL=" + bundleName + ".map", nil
}

// compile makes a program of that function.
func (b *Bundle) compile(code string, m *sourceMap, covered func(file string) bool) error {
	tree, err := goja.Parse(bundleName, code, parser.WithSourceMapLoader(func(string) ([]byte, error) { return m.shifted, nil }))
	if err != nil {
		return m.parseError(err)
	}
	b.callers = newCallers(code, tree, m)
	if covered != nil {
		b.counters = instrument(tree, code, m, covered)
	}
	guardConstructors(tree)
	repairForAwait(tree)
	if b.program, err = goja.CompileAST(tree, true); err != nil {
		return compileError(err)
	}
	b.code, b.origins = code, m
	return nil
}

// Locate finds the original place of code, given as the text of a function or class as the interpreter
// has it and an offset, in bytes, in that. File is empty if the bundle does not have the text, or has it
// more than once.
func (b *Bundle) Locate(text string, offset int) (file string, line, column int) {
	at := strings.Index(b.code, text)
	if text == "" || at < 0 || at != strings.LastIndex(b.code, text) {
		return "", 0, 0
	}
	before := b.code[:at+offset]
	return b.origins.original(strings.Count(before, "\n")+1, len(before)-strings.LastIndexByte(before, '\n'))
}

// inputs lists the files of a bundle in esbuild's order, which is that of evaluation.
func inputs(metafile string) []string {
	var meta struct {
		Outputs map[string]struct {
			Inputs json.RawMessage `json:"inputs"`
		} `json:"outputs"`
	}
	if json.Unmarshal([]byte(metafile), &meta) != nil {
		return nil
	}
	var files []string
	for name, out := range meta.Outputs {
		if strings.HasSuffix(name, ".map") {
			continue
		}
		d := json.NewDecoder(strings.NewReader(string(out.Inputs)))
		for depth := 0; ; {
			tok, err := d.Token()
			if err != nil {
				break
			}
			switch t := tok.(type) {
			case json.Delim:
				if t == '{' || t == '[' {
					depth++
				} else {
					depth--
				}
			case string:
				if depth == 1 && !strings.HasPrefix(t, internalName) && !strings.HasPrefix(t, evalNamespace+":") {
					files = append(files, t)
				}
			}
		}
	}
	return files
}

// quoteJS writes s as a JavaScript string.
func quoteJS(s string) string {
	b, err := json.Marshal(s)
	if err != nil { // a string cannot fail
		panic(err)
	}
	return string(b)
}
