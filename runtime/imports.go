package runtime

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/evanw/esbuild/pkg/api"
)

// onlyCode is the plugin that keeps imports from being a way around the permission to read files: what is imported as
// data (JSON, text, bytes) has to be a file of the package in dir, or of one that is installed in node_modules.
// Code may come from anywhere: it is run, and not read.
func onlyCode(dir string) api.Plugin {
	return api.Plugin{Name: "only code", Setup: func(build api.PluginBuild) {
		build.OnLoad(api.OnLoadOptions{Filter: `.*`, Namespace: "file"}, func(args api.OnLoadArgs) (api.OnLoadResult, error) {
			if mayImport(dir, args.Path, args.With["type"]) {
				return api.OnLoadResult{}, nil
			}
			return api.OnLoadResult{Errors: []api.Message{{
				Text:  fmt.Sprintf("%s cannot be imported as data: it is no file of the package", filepath.Base(args.Path)),
				Notes: []api.Note{{Text: `read it with readFile() of "sexton/fs", which needs permission`}},
			}}}, nil
		})
	}}
}

// codeExtensions are those of files that are run.
var codeExtensions = []string{".js", ".mjs", ".cjs", ".ts", ".mts", ".cts", ".jsx", ".tsx"}

func mayImport(dir, file, as string) bool {
	if as == "" && slices.Contains(codeExtensions, filepath.Ext(file)) {
		return true
	}
	root, err := filepath.EvalSymlinks(dir)
	if err != nil {
		return false
	}
	real, err := filepath.EvalSymlinks(file)
	if err != nil {
		return true // it is not there: the build says so better
	}
	elems := strings.Split(filepath.ToSlash(strings.ToLower(real)), "/")
	switch {
	case slices.Contains(elems, ".sexton"): // the state of environments
		return false
	case slices.Contains(elems, "node_modules"):
		return true
	}
	rel, err := filepath.Rel(root, real)
	return err == nil && filepath.IsLocal(rel)
}
