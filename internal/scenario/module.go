package scenario

import (
	"embed"
	"strings"
	"sync"

	"github.com/dop251/goja"
)

// ModuleName is the name under which test files import the module. Frames of scripts that carry it
// are left out of reported stacks.
const ModuleName = "sexton/test"

// The exports of the module, for bundlers that must know them before it runs.
var exports = []string{
	"default", "test", "it", "describe", "suite", "before", "after", "beforeEach", "afterEach", "assert", "trace",
}

// ExportNames returns the names that the module exports.
func ExportNames() []string { return append([]string(nil), exports...) }

//go:embed js/*.js
var scripts embed.FS

// The files in the order of evaluation: they share one scope, and a file's constants must exist before
// a later one uses them.
var scriptFiles = []string{
	"base", "inspect", "diff", "equal", "error", "assert", "throws", "lifecycle", "mock", "tree", "context", "run", "module",
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
	return goja.MustCompile(ModuleName, b.String(), false)
})
