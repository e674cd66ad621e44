package runtime

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/evanw/esbuild/pkg/api"
)

// nodeModules are the built-in modules of Node that scripts may try to import, with what to use instead.
var nodeModules = map[string]string{
	"fs": "sexton/fs", "fs/promises": "sexton/fs", "child_process": "sexton/process", "test": "sexton/test",
	"assert": "sexton/test", "assert/strict": "sexton/test",
	"buffer": "", "crypto": "", "dns": "", "events": "", "http": "", "https": "", "module": "", "net": "",
	"os": "", "path": "", "process": "", "querystring": "", "readline": "", "stream": "",
	"string_decoder": "", "timers": "", "timers/promises": "", "tls": "", "url": "", "util": "", "v8": "",
	"vm": "", "worker_threads": "", "zlib": "", "async_hooks": "", "perf_hooks": "", "tty": "",
}

// hostModules is the plugin that resolves what is no file: host modules and entries given as source.
func hostModules(dir string, opts *BuildOptions) api.Plugin {
	extensions := map[string]*Extension{}
	names := []string{}
	for _, x := range opts.Extensions {
		extensions[x.Name] = x
		names = append(names, x.Name)
	}
	sources := map[string]string{}
	for i, e := range opts.Entries {
		if e.Source != "" {
			sources[evalPath(e, i)] = e.Source
		}
	}
	filter := `^sexton(/|$)|^node:|^` + evalNamespace + `:`
	for _, name := range names {
		filter += `|^` + regexp.QuoteMeta(name) + `$`
	}
	return api.Plugin{Name: "host", Setup: func(build api.PluginBuild) {
		build.OnResolve(api.OnResolveOptions{Filter: filter}, func(args api.OnResolveArgs) (api.OnResolveResult, error) {
			name := args.Path
			if _, ok := sources[name]; ok {
				return api.OnResolveResult{Path: strings.TrimPrefix(name, evalNamespace+":"), Namespace: evalNamespace}, nil
			}
			if extensions[name] != nil {
				return api.OnResolveResult{Path: name, Namespace: hostNamespace}, nil
			}
			text, hint := unknownModule(name, names)
			return api.OnResolveResult{Errors: []api.Message{{Text: text, Notes: []api.Note{{Text: hint}}}}}, nil
		})
		build.OnLoad(api.OnLoadOptions{Filter: `.*`, Namespace: evalNamespace}, func(args api.OnLoadArgs) (api.OnLoadResult, error) {
			source := sources[evalNamespace+":"+args.Path] + "\nexport {}" // a module, whatever it contains
			return api.OnLoadResult{Contents: &source, ResolveDir: dir, Loader: api.LoaderTS}, nil
		})
		build.OnLoad(api.OnLoadOptions{Filter: `.*`, Namespace: hostNamespace}, func(args api.OnLoadArgs) (api.OnLoadResult, error) {
			source := hostModuleSource(extensions[args.Path])
			return api.OnLoadResult{Contents: &source, Loader: api.LoaderJS}, nil
		})
	}}
}

// hostModuleSource is the module as scripts import it.
func hostModuleSource(x *Extension) string {
	named := slices.DeleteFunc(slices.Clone(x.Exports), func(name string) bool { return name == "default" })
	def := "__host"
	if len(named) < len(x.Exports) {
		def = "__host.default"
	}
	return fmt.Sprintf("const __host = __sexton.module(%s);\nexport const { %s } = __host;\nexport default %s;\n",
		quoteJS(x.Name), strings.Join(named, ", "), def)
}

// unknownModule says what is wrong with importing name, and what may be meant.
func unknownModule(name string, known []string) (text, hint string) {
	plain, isNode := strings.CutPrefix(name, "node:")
	if instead, ok := nodeModules[plain]; ok || isNode {
		text = fmt.Sprintf("Node's module %q does not exist here", plain)
		if instead != "" && slices.Contains(known, instead) {
			hint = fmt.Sprintf("use %q", instead)
		}
		return text, hint
	}
	text = fmt.Sprintf("there is no module %q", name)
	if near := nearest(name, known); near != "" {
		hint = fmt.Sprintf("did you mean %q?", near)
	} else if strings.HasPrefix(name, "sexton") && len(known) > 0 {
		hint = "there are " + strings.Join(known, ", ")
	}
	return text, hint
}

// nearest is the name that differs least from s, if it differs by no more than a third.
func nearest(s string, names []string) string {
	best, distance := "", max(1, len(s)/3)+1
	for _, name := range names {
		if d := editDistance(s, name); d < distance {
			best, distance = name, d
		}
	}
	return best
}

// editDistance is that of Levenshtein, in bytes.
func editDistance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := diagonal
			if a[i] != b[j] {
				cost++
			}
			diagonal = row[j+1]
			row[j+1] = min(cost, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}
