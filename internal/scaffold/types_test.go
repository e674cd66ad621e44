package scaffold_test

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/dop251/goja"
	"github.com/stretchr/testify/require"

	"github.com/sextongc/sexton"
	"github.com/sextongc/sexton/internal/scaffold"
	"github.com/sextongc/sexton/internal/scenario"
)

// What sexton.d.ts declares is what scripts find, and the other way round: the exports of the modules, the globals, and
// the members of classes and of objects whose type is an interface.

// value is what a script sees of an export or global.
type value struct {
	Kind     string   // typeof
	Own      []string // names of its own properties
	Instance []string // a function's: those of its prototype
}

const describe = `
	const names = (o) => Object.getOwnPropertyNames(o);
	const see = (v) => ({
		Kind: typeof v,
		Own: Object(v) === v ? names(v) : [],
		Instance: typeof v === "function" && v.prototype ? names(v.prototype) : [],
	});
	const seeAll = (o, keys) => console.log(JSON.stringify(Object.fromEntries(keys.map((key) => [key, see(o[key])]))));
`

// seen returns what a module has at run time; "" stands for the globals.
func seen(t *testing.T, module string) map[string]value {
	source, text := describe+`seeAll(globalThis, names(globalThis));`, ""
	if module != "" {
		source = fmt.Sprintf("import * as all from %q;\n%sseeAll(all, Object.keys(all));", module, describe)
	}
	opts := sexton.Options{Dir: t.TempDir(), Console: func(_, line string) { text += line }}
	if module == scenario.ModuleName {
		require.NoError(t, os.WriteFile(filepath.Join(opts.Dir, "a.test.js"), []byte(source), 0o600))
		_, err := scenario.Run(context.Background(), &scenario.Options{Options: opts, Files: []string{"a.test.js"}})
		require.NoError(t, err)
	} else {
		_, err := sexton.Run(context.Background(), context.Background(), &opts, &sexton.Script{Source: source, ExposeGC: true})
		require.NoError(t, err)
	}
	var values map[string]value
	require.NoError(t, json.Unmarshal([]byte(text), &values), text)
	if module != "" {
		if module != scenario.ModuleName {
			delete(values, "default") // an object with all others, for those who like that
		}
		return values
	}
	standard, err := goja.New().RunString(`Object.getOwnPropertyNames(globalThis)`)
	require.NoError(t, err)
	for _, name := range standard.Export().([]any) {
		delete(values, name.(string))
	}
	for _, name := range []string{"WeakRef", "FinalizationRegistry"} { // the language's own, which goja lacks
		delete(values, name)
	}
	return values
}

// declaration is a class, function or variable of sexton.d.ts.
type declaration struct {
	kind    string // class, function, var
	typ     string // of a variable, if that is a name
	members map[string]member
}

type member struct{ static, method, optional bool }

var (
	moduleLine = regexp.MustCompile(`^declare module "(.+)" \{$`)
	valueLine  = regexp.MustCompile(`^(?:  export|declare) (?:abstract )?(class|function|const|var) (\w+)(?:: ([\w.("]+))?`)
	exportLine = regexp.MustCompile(`^  export \{ (.*) \}`)
	typeLine   = regexp.MustCompile(`^(?:  )?(?:export )?interface (\w+)`)
	memberLine = regexp.MustCompile(`^(static )?(?:readonly |get )?(\w[\w$]*|\$\w+)(\?)?([(<:])`)
)

// declared reads sexton.d.ts: its values by module, those of "" being the globals.
func declared(text string) map[string]map[string]*declaration {
	modules, types := map[string]map[string]*declaration{"": {}}, map[string]*declaration{}
	module, indent := "", ""
	var open []*declaration // whose members the following lines are
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, "\n")
		if m := moduleLine.FindStringSubmatch(line); m != nil {
			module, indent = m[1], "  "
			modules[module] = map[string]*declaration{}
			continue
		}
		inside := strings.TrimPrefix(line, indent)
		switch m, typ := valueLine.FindStringSubmatch(line), typeLine.FindStringSubmatch(line); {
		case line == "}":
			module, indent, open = "", "", nil
		case inside == "}":
			open = nil
		case m != nil:
			d := modules[module][m[2]]
			if d == nil { // not an overload
				d = &declaration{kind: m[1], typ: m[3], members: map[string]member{}}
				modules[module][m[2]] = d
			}
			if d.kind == "class" {
				types[m[2]] = d
				if strings.HasSuffix(line, "{") {
					open = []*declaration{d}
				}
			}
		case typ != nil:
			if types[typ[1]] == nil {
				types[typ[1]] = &declaration{members: map[string]member{}}
			}
			open = []*declaration{types[typ[1]]}
		case exportLine.MatchString(line):
			for name := range strings.SplitSeq(exportLine.FindStringSubmatch(line)[1], ", ") {
				from, as, renamed := strings.Cut(name, " as ")
				if !renamed {
					as = from
				}
				d := modules[module][from]
				if d == nil {
					d = modules["sexton"][from]
				}
				modules[module][as] = d
			}
		case open != nil:
			if m := memberLine.FindStringSubmatch(strings.TrimPrefix(inside, "  ")); m != nil {
				open[0].members[m[1]+m[2]] = member{static: m[1] != "", optional: m[3] != "", method: m[4] != ":"}
			}
		}
	}
	for _, values := range modules {
		for _, d := range values {
			if d.kind != "class" && d.typ != "" {
				name := d.typ[strings.LastIndexByte(d.typ, '.')+1:]
				if d.kind = "variable"; types[name] != nil && types[name].kind != "class" { // a class is looked at by itself
					d.members = types[name].members
				}
			}
		}
	}
	return modules
}

func TestTypesAreWhatThereIs(t *testing.T) {
	modules := declared(scaffold.Types)
	require.ElementsMatch(t, []string{"", "sexton", "sexton/process", "sexton/fs", "sexton/test"}, slices.Collect(maps.Keys(modules)))
	for module, declarations := range modules {
		values := seen(t, module)
		require.ElementsMatch(t, slices.Collect(maps.Keys(values)), slices.Collect(maps.Keys(declarations)), "of module %q", module)
		for name, d := range declarations {
			where, v := fmt.Sprintf("%s in module %q", name, module), values[name]
			switch d.kind {
			case "class":
				require.Equal(t, "function", v.Kind, where)
				compare(t, where, d, true, v.Own)
				compare(t, "an instance of "+where, d, false, v.Instance)
			case "function":
				require.Equal(t, "function", v.Kind, where)
			case "variable":
				if len(d.members) > 0 {
					compare(t, where, d, false, v.Own)
				}
			}
		}
	}
}

// constant is what the DOM has from earlier times: DOMException.NOT_FOUND_ERR.
var constant = regexp.MustCompile(`^[A-Z_]+$`)

// compare wants that each name is declared, and that each method that is declared is there.
func compare(t *testing.T, where string, d *declaration, static bool, names []string) {
	ignored := []string{"length", "name", "prototype", "constructor"}
	prefix := "" // of the names of static members
	if static {
		prefix = "static "
	}
	for _, name := range names {
		_, ok := d.members[prefix+name]
		require.True(t, ok || slices.Contains(ignored, name) || constant.MatchString(name), "%s has %s, which is not declared", where, name)
	}
	for name, m := range d.members {
		if name = strings.TrimPrefix(name, prefix); m.static == static && m.method && !m.optional && !slices.Contains(ignored, name) {
			require.Contains(t, names, name, where)
		}
	}
}

// The parser above sees what it is meant to see.
func TestDeclared(t *testing.T) {
	modules := declared(scaffold.Types)
	require.Equal(t, member{static: true, method: true}, modules["sexton"]["Resource"].members["static with"])
	require.Equal(t, member{method: true, optional: true}, modules["sexton"]["Resource"].members["destroy"])
	require.Equal(t, member{method: true}, modules["sexton"]["Environment"].members["deploy"])
	require.Equal(t, member{method: true}, modules["sexton"]["GC"].members["collect"])
	require.Equal(t, member{method: true}, modules[""]["console"].members["log"])
	require.Same(t, modules["sexton"]["PermissionDenied"], modules["sexton/fs"]["PermissionDenied"])
	require.Contains(t, modules["sexton/test"]["assert"].members, "order")
	require.Equal(t, modules["sexton/test"]["test"], modules["sexton/test"]["default"])
}
