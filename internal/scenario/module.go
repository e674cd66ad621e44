package scenario

import (
	"embed"
	"strings"
	"sync"

	"github.com/dop251/goja"

	"github.com/sextongc/sexton/runtime"
)

// ModuleName is the name under which test files import the module.
const ModuleName = "sexton/test"

// Frames of scripts whose name begins so are no user's and are left out of stacks.
const sourceName = "sexton:" + ModuleName

// What the module exports.
var exports = []string{
	"default", "test", "it", "describe", "suite", "before", "after", "beforeEach", "afterEach", "assert", "trace",
}

// Extension is the module as a runtime takes it. When a runtime is opened, host makes its Host, and bound
// gets the Module, before any user code runs; both may be nil where files are only bundled.
func Extension(host func(rt *runtime.Runtime) (Host, error), bound func(m *Module)) *runtime.Extension {
	return &runtime.Extension{
		Name:    ModuleName,
		Exports: exports,
		Open: func(rt *runtime.Runtime) (*runtime.Module, error) {
			h, err := host(rt)
			if err != nil {
				return nil, err
			}
			m, err := Bind(rt.Goja(), h)
			if err != nil {
				return nil, err
			}
			bound(m)
			values := make(map[string]goja.Value, len(exports))
			for _, name := range exports {
				values[name] = m.Exports.Get(name)
			}
			return &runtime.Module{Exports: values}, nil
		},
	}
}

//go:embed js/*.js
var scripts embed.FS

// The files in the order of evaluation: they share one scope, and a file's constants must exist before
// a later one uses them.
var scriptFiles = []string{
	"base", "inspect", "diff", "equal", "error", "assert", "throws", "lifecycle", "mock", "graph", "tree", "context", "run", "module",
}

var program = sync.OnceValue(func() *goja.Program {
	var b strings.Builder
	b.WriteString("(function (host) { \"use strict\";\n")
	for _, name := range scriptFiles {
		text, err := scripts.ReadFile("js/" + name + ".js")
		if err != nil {
			panic(err) // the list above and the folder disagree
		}
		b.Write(text)
	}
	b.WriteString("})")
	return goja.MustCompile(sourceName, b.String(), false)
})
