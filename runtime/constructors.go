package runtime

import (
	"reflect"
	"strings"

	"github.com/dop251/goja"
	"github.com/dop251/goja/ast"
	"github.com/dop251/goja/file"
	"github.com/dop251/goja/unistring"
)

// A host that keeps records of objects wants to know when a constructor throws after super() has
// returned: the object exists by then, and never was initialised. The language tells nobody. So the
// body of each constructor of a derived class becomes
//
//	try { … } catch (error) { try { __sexton.abandon(this) } catch {} throw error }
//
// in the syntax tree, which moves no position. Where super() has not returned, `this` itself throws.

// OnAbandoned sets what hears of objects of derived classes whose constructor threw. It may be called
// several times for one object, once for each class of its hierarchy; code that eval made is not seen.
func (rt *Runtime) OnAbandoned(fn func(object *goja.Object)) { rt.abandoned = fn }

func (rt *Runtime) abandon(call goja.FunctionCall) goja.Value {
	if o, ok := call.Argument(0).(*goja.Object); ok && rt.abandoned != nil {
		rt.abandoned(o)
	}
	return goja.Undefined()
}

// guardConstructors changes all derived classes of a program.
func guardConstructors(program *ast.Program) {
	eachNode(program.Body, func(node any) {
		if class, ok := node.(*ast.ClassLiteral); ok && class.SuperClass != nil {
			guardConstructor(class)
		}
	})
}

// eachNode calls visit for each node of a tree, those outside first.
func eachNode(tree any, visit func(node any)) {
	type place struct {
		typ reflect.Type
		at  uintptr
	}
	seen := map[place]bool{} // some nodes stand in two places
	fields := map[reflect.Type][]int{}
	work := []reflect.Value{reflect.ValueOf(tree)}
	for len(work) > 0 {
		v := work[len(work)-1]
		work = work[:len(work)-1]
		if v.Kind() == reflect.Interface {
			v = v.Elem()
		}
		switch v.Kind() {
		case reflect.Slice:
			for i := range v.Len() {
				work = append(work, v.Index(v.Len()-1-i))
			}
			continue
		case reflect.Pointer:
			if v.IsNil() || v.Type().Elem().Kind() != reflect.Struct {
				continue
			}
			if len(nodeFields(fields, v.Type().Elem())) > 0 {
				p := place{v.Type(), v.Pointer()}
				if seen[p] {
					continue
				}
				seen[p] = true
			}
			visit(v.Interface())
			v = v.Elem()
		}
		if v.Kind() == reflect.Struct {
			for _, i := range nodeFields(fields, v.Type()) {
				work = append(work, v.Field(i))
			}
		}
	}
}

// nodeFields returns the exported fields of a struct that other nodes can be in, last first.
func nodeFields(known map[reflect.Type][]int, t reflect.Type) []int {
	fields, ok := known[t]
	if !ok {
		for i := range t.NumField() {
			f := t.Field(i)
			switch f.Type.Kind() {
			case reflect.Interface, reflect.Slice, reflect.Pointer, reflect.Struct:
				if f.IsExported() {
					fields = append([]int{i}, fields...)
				}
			}
		}
		known[t] = fields
	}
	return fields
}

func guardConstructor(class *ast.ClassLiteral) {
	fields := false
	for _, e := range class.Body {
		switch e := e.(type) {
		case *ast.MethodDefinition:
			key, ok := e.Key.(*ast.StringLiteral)
			if ok && !e.Computed && !e.Static && e.Kind == ast.PropertyKindMethod && key.Value == "constructor" {
				e.Body.Body.List = guarded(e.Body.Body.List, e.Body.Body.LeftBrace)
				return
			}
		case *ast.FieldDefinition:
			fields = fields || !e.Static && e.Initializer != nil
		}
	}
	// Initialisers run inside of the constructor that the class does not write. Errors are left as they
	// are: their stacks would show it.
	if base, ok := class.SuperClass.(*ast.Identifier); ok && strings.HasSuffix(base.Name.String(), "Error") {
		return
	}
	if fields {
		class.Body = append(class.Body, implicitConstructor(class.Class))
	}
}

// guarded wraps the statements of a constructor; at is the position that new nodes get.
func guarded(body []ast.Statement, at file.Idx) []ast.Statement {
	name := func(s unistring.String) *ast.Identifier { return &ast.Identifier{Name: s, Idx: at} }
	block := func(list ...ast.Statement) *ast.BlockStatement {
		return &ast.BlockStatement{LeftBrace: at, List: list, RightBrace: at}
	}
	abandon := &ast.ExpressionStatement{Expression: &ast.CallExpression{
		Callee:          &ast.DotExpression{Left: name("__sexton"), Identifier: *name("abandon")},
		LeftParenthesis: at, RightParenthesis: at,
		ArgumentList: []ast.Expression{&ast.ThisExpression{Idx: at}},
	}}
	const thrown = "__sexton_thrown"
	return []ast.Statement{&ast.TryStatement{Try: at, Body: block(body...), Catch: &ast.CatchStatement{
		Catch: at, Parameter: name(thrown),
		Body: block(
			&ast.TryStatement{Try: at, Body: block(abandon), Catch: &ast.CatchStatement{Catch: at, Body: block()}},
			&ast.ThrowStatement{Throw: at, Argument: name(thrown)},
		),
	}}}
}

// implicitConstructor is the constructor of a derived class that writes none.
func implicitConstructor(at file.Idx) *ast.MethodDefinition {
	super := &ast.ExpressionStatement{Expression: &ast.CallExpression{
		Callee:          &ast.SuperExpression{Idx: at},
		LeftParenthesis: at, RightParenthesis: at,
		ArgumentList: []ast.Expression{&ast.SpreadElement{Expression: &ast.Identifier{Name: "arguments", Idx: at}}},
	}}
	return &ast.MethodDefinition{
		Idx: at, Kind: ast.PropertyKindMethod,
		Key: &ast.StringLiteral{Idx: at, Literal: "constructor", Value: "constructor"},
		Body: &ast.FunctionLiteral{
			Function: at, ParameterList: &ast.ParameterList{Opening: at, Closing: at},
			Body:   &ast.BlockStatement{LeftBrace: at, List: guarded([]ast.Statement{super}, at), RightBrace: at},
			Source: "constructor() { super(...arguments); }",
		},
	}
}
