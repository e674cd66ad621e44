package runtime

import (
	"errors"
	"os"
	"path/filepath"

	"github.com/dop251/goja"
	"github.com/dop251/goja/parser"
	"github.com/evanw/esbuild/pkg/api"
)

// buildClassic compiles a classic script. What goja understands it gets as it is, the rest through esbuild.
func buildClassic(opts *BuildOptions, sources *sourceLimits) (*Bundle, error) {
	e := opts.Entries[0]
	name, code := e.Name, e.Source
	if code == "" {
		file, err := entryFile(sources.dir, e.Path)
		if err != nil {
			return nil, err
		}
		data, err := os.ReadFile(file)
		if err != nil {
			return nil, &BuildError{File: e.Path, Text: err.Error()}
		}
		name, code = file, string(data)
		if rel, err := filepath.Rel(sources.dir, file); err == nil {
			name = filepath.ToSlash(rel)
		}
	}
	if err := sources.check(name, code); err != nil {
		return nil, err
	}
	b := &Bundle{Inputs: []string{name}, names: []string{e.Name}, classic: true, code: code, origins: &sourceMap{}}
	var err error
	if b.program, err = compileClassic(name, code, parser.WithDisableSourceMaps); err != nil {
		err = b.lower(opts, name)
	}
	return b, err
}

func compileClassic(name, code string, option parser.Option) (*goja.Program, error) {
	tree, err := parser.ParseFile(nil, name, code, 0, option)
	if err != nil {
		return nil, err
	}
	repairForAwait(tree)
	return goja.CompileAST(tree, false)
}

// lower has esbuild rewrite what goja does not understand, or say what is wrong with it.
func (b *Bundle) lower(opts *BuildOptions, name string) error {
	result := api.Transform(b.code, api.TransformOptions{
		Sourcefile: name, Loader: api.LoaderJS, Target: language, Supported: supported, Charset: api.CharsetASCII,
		LegalComments: api.LegalCommentsNone, Sourcemap: api.SourceMapExternal, SourcesContent: api.SourcesContentExclude,
	})
	if len(result.Errors) > 0 {
		return buildError(opts, result.Errors)
	}
	m, err := parseSourceMap(string(result.Map))
	if err != nil {
		return err
	}
	b.code, b.origins = string(result.Code), m
	mapped := b.code + "\n//# sourceMappingURL=" + bundleName + ".map"
	b.program, err = compileClassic(bundleName, mapped, parser.WithSourceMapLoader(func(string) ([]byte, error) { return m.shifted, nil }))
	var syntax *goja.CompilerSyntaxError
	switch {
	case err == nil:
		return nil
	case errors.As(err, &syntax):
		return compileError(err)
	}
	err = m.parseError(err)
	var wrong *BuildError
	if errors.As(err, &wrong) {
		wrong.Hint = "this is a classic script, no module"
	}
	return err
}
