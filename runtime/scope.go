package runtime

import (
	"cmp"
	"fmt"
	"sort"
	"strings"

	"github.com/dop251/goja/ast"
	"github.com/dop251/goja/file"
	"github.com/dop251/goja/unistring"
)

// withScope adds to a bundle what modules are to have beyond their own code; no line is added.
//
// At the beginning goes a list of closures over all top-level variables: module variables are roots (gc
// 2.1), also those that no function of their module uses. Behind each class and function that esbuild
// renamed, because another module declares the same name, goes a call that gives its name back.
func withScope(code string, tree *ast.Program, m *sourceMap) string {
	at := func(i file.Idx) int { return int(i) - tree.File.Base() }
	var scope, begin strings.Builder
	type insertion struct {
		offset int
		text   string
	}
	var behind []insertion
	for _, d := range topLevel(tree) {
		name := d.id.Name.String()
		fmt.Fprintf(&scope, `[%s,()=>%s],`, quoteJS(name), name)
		p := tree.File.Position(at(d.id.Idx))
		original, given := cmp.Or(m.originalName(p.Line, p.Column), name), cmp.Or(d.given, name)
		if original == given {
			continue
		}
		call := fmt.Sprintf("__sexton.rename(%s,%s,%s);", name, quoteJS(given), quoteJS(original))
		switch end := at(d.statement.Idx1()); {
		case d.hoisted:
			begin.WriteString(call)
		case d.named && end <= len(code):
			if n := strings.IndexByte(code[end:], '\n'); n >= 0 { // esbuild ends each statement with a line
				behind = append(behind, insertion{end + n, call})
			}
		}
	}
	sort.Slice(behind, func(i, j int) bool { return behind[i].offset < behind[j].offset })
	var b strings.Builder
	b.WriteString(wrapperBegin + "__sexton.scope([" + scope.String() + "]);" + begin.String())
	done := len(wrapperBegin)
	for _, ins := range behind {
		b.WriteString(code[done:ins.offset] + ins.text)
		done = ins.offset
	}
	b.WriteString(code[done:])
	return b.String()
}

// declared is a name that a bundle's wrapper function declares.
type declared struct {
	id        *ast.Identifier
	statement ast.Node // that declares it
	hoisted   bool     // a function, which is there from the beginning
	named     bool     // a class, or a variable that may have been initialised with one
	given     string   // the name of that class; empty: that of the variable
}

// givenName returns the name of the class with which esbuild initialises a variable, if it differs: in
// "Net = class _Net", which it makes of a class Net that mentions itself.
func givenName(bindings []*ast.Binding, id *ast.Identifier) string {
	for _, b := range bindings {
		if c, ok := b.Initializer.(*ast.ClassLiteral); ok && b.Target == id && c.Name != nil {
			return c.Name.Name.String()
		}
	}
	return ""
}

// topLevel lists them, each once.
func topLevel(tree *ast.Program) []declared {
	var fn *ast.FunctionLiteral
	for _, s := range tree.Body {
		if e, ok := s.(*ast.ExpressionStatement); ok {
			fn, _ = e.Expression.(*ast.FunctionLiteral)
		}
	}
	if fn == nil {
		return nil
	}
	var all []declared
	seen := map[unistring.String]bool{}
	add := func(d declared) {
		if !seen[d.id.Name] {
			seen[d.id.Name] = true
			all = append(all, d)
		}
	}
	for _, s := range fn.Body.List {
		switch d := s.(type) {
		case *ast.LexicalDeclaration:
			addBindings(d.List, func(id *ast.Identifier) {
				add(declared{id: id, statement: s, named: true, given: givenName(d.List, id)})
			})
		case *ast.VariableStatement:
			addBindings(d.List, func(id *ast.Identifier) {
				add(declared{id: id, statement: s, named: true, given: givenName(d.List, id)})
			})
		case *ast.ClassDeclaration:
			add(declared{id: d.Class.Name, statement: s, named: true})
		case *ast.FunctionDeclaration:
			add(declared{id: d.Function.Name, statement: s, hoisted: true})
		}
	}
	for _, v := range fn.DeclarationList { // var inside of blocks
		addBindings(v.List, func(id *ast.Identifier) { add(declared{id: id, statement: id}) })
	}
	return all
}

// addBindings calls add for each name that bindings declare, with those in patterns.
func addBindings(bindings []*ast.Binding, add func(*ast.Identifier)) {
	var pending []ast.Expression
	for _, b := range bindings {
		pending = append(pending, b.Target)
	}
	for len(pending) > 0 {
		e := pending[len(pending)-1]
		pending = pending[:len(pending)-1]
		switch e := e.(type) {
		case *ast.Identifier:
			add(e)
		case *ast.AssignExpression: // a default
			pending = append(pending, e.Left)
		case *ast.Binding:
			pending = append(pending, e.Target)
		case *ast.ArrayPattern:
			pending = append(append(pending, e.Elements...), e.Rest)
		case *ast.ObjectPattern:
			for _, p := range e.Properties {
				switch p := p.(type) {
				case *ast.PropertyShort:
					add(&p.Name)
				case *ast.PropertyKeyed:
					pending = append(pending, p.Value)
				}
			}
			pending = append(pending, e.Rest)
		}
	}
}
