package runtime

import (
	"errors"
	"fmt"
	"regexp"
	"strings"

	"github.com/dop251/goja"
	"github.com/dop251/goja/ast"
	"github.com/dop251/goja/file"
	"github.com/dop251/goja/parser"
	"github.com/evanw/esbuild/pkg/api"
)

// ErrIncomplete: more has to be typed before there is something to evaluate.
var ErrIncomplete = errors.New("the input goes on")

// Interactive evaluates what somebody types, input by input, as TypeScript with top-level await. What an input declares
// is a property of the global object, so that the next one finds it and can declare it anew. An import names
// a host module.
type Interactive struct {
	rt   *Runtime
	host *goja.Object // what the code of inputs gets, as that of bundles does

	print, complete, define, last *goja.Object // see js/interactive.js
	ownsLast                      bool         // the user has declared _
}

// Interactive prepares for inputs. The exports of the given modules become globals.
func (rt *Runtime) Interactive(modules ...*goja.Object) (*Interactive, error) {
	lib, err := rt.script("interactive", map[string]any{"print": rt.print, "inspect": rt.lib.inspect, "isProxy": rt.isProxy})
	if err != nil {
		return nil, err
	}
	i := &Interactive{rt: rt, host: rt.vm.NewObject()}
	for name, f := range map[string]**goja.Object{"print": &i.print, "complete": &i.complete, "define": &i.define, "last": &i.last} {
		*f = lib.Get(name).(*goja.Object)
	}
	if err := i.host.Set("abandon", rt.Func("abandon", rt.abandon)); err != nil {
		return nil, err
	}
	for _, m := range modules {
		for _, name := range m.Keys() {
			if name != "default" {
				if err := i.set(name, m.Get(name)); err != nil {
					return nil, err
				}
			}
		}
	}
	return i, nil
}

// set makes or changes a global.
func (i *Interactive) set(name string, value goja.Value) error {
	_, err := i.rt.Call(i.define, nil, 0, i.rt.vm.ToValue(name), value)
	return err
}

// Input is a compiled input.
type Input struct {
	program  *goja.Program
	imports  []imported
	names    []string // that it declares
	usesLast bool     // it mentions _
}

// imported is a global that is an export of a host module, or all of them.
type imported struct{ module, export, name string }

// inputName is not shown in stacks: the interpreter's positions are not those of what was typed.
const inputName = internalName + "input"

// Compile compiles an input. The error is a *BuildError, or ErrIncomplete.
func (i *Interactive) Compile(source string) (*Input, error) {
	sources := &sourceLimits{size: i.rt.opts.Limits.SourceSize}
	if err := sources.check("input", source); err != nil {
		return nil, err
	}
	// An expression is assigned, because esbuild leaves out statements that do nothing; braces are an object, then.
	var code string
	var err error
	text := strings.TrimSuffix(strings.TrimSpace(source), ";")
	if !declares.MatchString(text) {
		code, _ = plain(valueOf + "(" + text + "\n)") // no expression: a statement
	}
	if code == "" {
		if code, err = plain(source); err != nil {
			return nil, err
		}
	}
	in := &Input{usesLast: mentionsLast.MatchString(source)}
	if code, err = in.takeImports(code, i.rt.modules); err != nil {
		return nil, err
	}
	if code, err = in.globalise(code); err != nil {
		return nil, err
	}
	tree, err := parser.ParseFile(nil, inputName, code, 0, parser.WithDisableSourceMaps)
	if err != nil {
		return nil, inputError(err)
	}
	guardConstructors(tree)
	if in.program, err = goja.CompileAST(tree, true); err != nil {
		return nil, inputError(err)
	}
	return in, nil
}

// valueOf is what the value of an expression is assigned to.
const valueOf = "__sexton.value = "

// declares matches what is a declaration at the beginning of a statement, and an expression elsewhere.
var declares = regexp.MustCompile(`\A(?:async\s+)?(?:function|class)\b|\A@|\A\z`)

var mentionsLast = regexp.MustCompile(`(^|[^\w$])_($|[^\w$])`)

// plain makes JavaScript for goja of TypeScript.
func plain(source string) (string, error) {
	result := api.Transform(source, api.TransformOptions{
		Sourcefile: "input", Loader: api.LoaderTS, Target: language, Supported: supported, Charset: api.CharsetASCII,
		LegalComments: api.LegalCommentsNone, TsconfigRaw: `{"compilerOptions":{"verbatimModuleSyntax":true}}`,
	})
	if len(result.Errors) == 0 {
		return string(result.Code), nil
	}
	text := result.Errors[0].Text
	if strings.Contains(text, "end of file") || strings.Contains(text, "to terminate multi-line comment") ||
		strings.HasPrefix(text, "Unterminated") && strings.Count(source, "`")%2 == 1 {
		return "", ErrIncomplete
	}
	e := buildError(&BuildOptions{}, result.Errors[:1])
	e.File, e.Line, e.Column = "", 0, 0
	return "", e
}

// inputError is what goja has against an input that esbuild has accepted.
func inputError(err error) error {
	var list parser.ErrorList
	var syntax *goja.CompilerSyntaxError
	switch {
	case errors.As(err, &list) && len(list) > 0:
		return &BuildError{Text: list[0].Message}
	case errors.As(err, &syntax):
		return &BuildError{Text: syntax.Message}
	}
	return err
}

// An import as esbuild prints it.
var (
	importStatement = regexp.MustCompile(`\A\s*import (?:([\w$*{},\s]+?) from )?"([^"]*)";\n?`)
	importAll       = regexp.MustCompile(`\* as ([\w$]+)`)
	importNames     = regexp.MustCompile(`\{([^}]*)\}`)
	importDefault   = regexp.MustCompile(`\A([\w$]+)`)
)

// takeImports takes the imports off the beginning of code.
func (in *Input) takeImports(code string, modules map[string]*goja.Object) (rest string, err error) {
	for {
		m := importStatement.FindStringSubmatch(code)
		if m == nil {
			return code, nil
		}
		code = code[len(m[0]):]
		clause, module := m[1], m[2]
		if modules[module] == nil {
			return "", &BuildError{Text: fmt.Sprintf("cannot import %q here", module), Hint: "an input imports host modules; files are loaded at the start, and their exports are globals"}
		}
		add := func(export, name string) { in.imports = append(in.imports, imported{module, export, name}) }
		if all := importAll.FindStringSubmatch(clause); all != nil {
			add("", all[1])
		}
		if names := importNames.FindStringSubmatch(clause); names != nil {
			for item := range strings.SplitSeq(names[1], ",") {
				export, name, renamed := strings.Cut(strings.TrimSpace(item), " as ")
				if !renamed {
					name = export
				}
				if export != "" {
					add(export, name)
				}
			}
		}
		if def := importDefault.FindStringSubmatch(clause); def != nil {
			add("default", def[1])
		}
	}
}

// globalise makes of statements an async function that returns { value } of the last one, if that is an expression. What
// they declare is assigned to globals instead. code is as esbuild prints it: each statement begins a line.
func (in *Input) globalise(code string) (string, error) {
	const begin = wrapperBegin + "\n"
	wrapped := begin + code + "\n})"
	tree, err := parser.ParseFile(nil, inputName, wrapped, 0, parser.WithDisableSourceMaps)
	if err != nil {
		return "", inputError(err)
	}
	offset := func(at file.Idx) int { return int(at) - tree.File.Base() }
	function := tree.Body[0].(*ast.ExpressionStatement).Expression.(*ast.FunctionLiteral)
	statements := function.Body.List[1:] // without "use strict"
	start := func(n int) int {
		if n == len(statements) {
			return len(begin + code)
		}
		// Parentheses are no part of a node.
		return strings.LastIndexByte(wrapped[:offset(statements[n].Idx0())], '\n') + 1
	}
	var hoisted, body strings.Builder
	for n, s := range statements {
		text := strings.TrimSuffix(strings.TrimSpace(wrapped[start(n):start(n+1)]), ";")
		end := start(n) + len(text)
		switch s := s.(type) {
		case *ast.LexicalDeclaration:
			in.assign(&body, s.List, wrapped[:end], offset, text, true)
		case *ast.VariableStatement:
			in.assign(&body, s.List, wrapped[:end], offset, text, false)
		case *ast.ClassDeclaration:
			name := s.Class.Name.Name.String()
			in.names = append(in.names, name)
			fmt.Fprintf(&body, "%s = %s;\n", name, text)
		case *ast.FunctionDeclaration:
			name := s.Function.Name.Name.String()
			in.names = append(in.names, name)
			fmt.Fprintf(&hoisted, "globalThis.%s = %[1]s;", name)
			body.WriteString(text + "\n")
		case *ast.ExpressionStatement:
			if n == len(statements)-1 {
				fmt.Fprintf(&body, "return { __proto__: null, value: (%s\n) };", strings.TrimPrefix(text, valueOf))
				break
			}
			body.WriteString(text + ";\n")
		default:
			body.WriteString(text + ";\n")
		}
	}
	return wrapperBegin + hoisted.String() + body.String() + "\n})", nil
}

// assign writes the declarations of a let, const or var statement, text, as assignments; code ends where it ends. What
// esbuild declares for itself stays as it is.
func (in *Input) assign(body *strings.Builder, list []*ast.Binding, code string, offset func(file.Idx) int, text string, lexical bool) {
	var names []string
	addBindings(list, func(id *ast.Identifier) { names = append(names, id.Name.String()) })
	if len(names) > 0 && strings.HasPrefix(names[0], "__") {
		body.WriteString(text + ";\n")
		return
	}
	in.names = append(in.names, names...)
	for n, b := range list {
		end := len(code)
		if n+1 < len(list) {
			end = strings.LastIndexByte(code[:offset(list[n+1].Target.Idx0())], ',')
		}
		switch {
		case b.Initializer != nil:
			fmt.Fprintf(body, "(%s);\n", code[offset(b.Target.Idx0()):end])
		case lexical:
			fmt.Fprintf(body, "%s = undefined;\n", code[offset(b.Target.Idx0()):end])
		}
	}
}

// Eval evaluates an input as part of task t and prints its value as the console does, unless that is undefined. The value is
// the global _ for the next input that mentions it, and held until the next input only.
func (i *Interactive) Eval(t *Task, in *Input) error {
	if !in.usesLast {
		i.Forget()
	}
	for _, m := range in.imports {
		var value goja.Value = i.rt.modules[m.module]
		if m.export != "" {
			if value = i.rt.modules[m.module].Get(m.export); value == nil {
				return &BuildError{Text: fmt.Sprintf("%s has no export %s", m.module, m.export)}
			}
		}
		if err := i.set(m.name, value); err != nil {
			return err
		}
	}
	for _, name := range in.names {
		i.ownsLast = i.ownsLast || name == "_"
		if i.rt.vm.GlobalObject().Get(name) == nil {
			if err := i.set(name, goja.Undefined()); err != nil {
				return err
			}
		}
	}
	var promise goja.Value
	err := i.rt.Try(0, func() error {
		f, err := i.rt.vm.RunProgram(in.program)
		if err != nil {
			return err
		}
		call, _ := goja.AssertFunction(f)
		promise, err = call(goja.Undefined(), i.host)
		return err
	})
	if err != nil {
		return err
	}
	result, err := t.Await(promise)
	if err != nil {
		return err
	}
	_, err = i.rt.Call(i.print, nil, 0, result, i.rt.vm.ToValue(!i.ownsLast))
	return err
}

// Forget drops the value of the last input, so that nothing of this keeps an object.
func (i *Interactive) Forget() {
	if !i.ownsLast {
		_, _ = i.rt.Call(i.last, nil, 0, goja.Undefined()) // fails only if all is being interrupted
	}
}

// Complete lists what the end of text may be completed to: names of globals, or of properties of what can be looked at
// without running code. Each continues text from the offset that it returns.
func (i *Interactive) Complete(text string) (from int, names []string) {
	path := completed.FindString(text)
	from = len(text) - len(path) + strings.LastIndexByte(path, '.') + 1
	list, err := i.rt.Call(i.complete, nil, 0, i.rt.vm.ToValue(path))
	if err == nil {
		_ = i.rt.vm.ExportTo(list, &names) // strings, all of them
	}
	return from, names
}

var completed = regexp.MustCompile(`(?:[\p{L}_$][\p{L}\p{N}_$]*\.)*(?:[\p{L}_$][\p{L}\p{N}_$]*)?$`)
