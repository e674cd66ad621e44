package runtime

import (
	"fmt"
	"strings"

	"github.com/dop251/goja/ast"
	"github.com/dop251/goja/unistring"
)

// esbuild makes this of `for await (const v of it) …`:
//
//	try {
//		for (var iter = __forAwait(it), more, temp, error; more = !(temp = await iter.next()).done; more = false) {
//			const v = temp.value;
//			…
//		}
//	} catch (temp) { error = [temp]; } finally { try { more && (temp = iter.return) && await temp.call(iter); } finally { if (error) throw error[0]; } }
//
// At the top level of a module the four variables have the same names in each loop, in one inside of another too, and as
// variables of the user's. And error is never set back: what a loop threw it throws again when it runs once more.
// repairForAwait gives the variables of each loop names of their own, which no source can have, and lets error begin with
// null. It does so in the syntax tree, which moves no position.
func repairForAwait(program *ast.Program) {
	loops := 0
	eachNode(program.Body, func(node any) {
		if try, ok := node.(*ast.TryStatement); ok && repairLoop(try, loops+1) {
			loops++
		}
	})
}

// repairLoop changes a statement if it is such a loop.
func repairLoop(try *ast.TryStatement, number int) bool {
	if len(try.Body.List) != 1 || try.Catch == nil || try.Finally == nil {
		return false
	}
	statement := try.Body.List[0]
	for label, ok := statement.(*ast.LabelledStatement); ok; label, ok = statement.(*ast.LabelledStatement) {
		statement = label.Statement
	}
	loop, ok := statement.(*ast.ForStatement)
	if !ok {
		return false
	}
	variables, ok := loop.Initializer.(*ast.ForLoopInitializerVarDeclList)
	if !ok || len(variables.List) != 4 || !callsForAwait(variables.List[0].Initializer) {
		return false
	}
	value := firstValue(loop.Body)
	if value == nil {
		return false
	}
	thrown := variables.List[3]
	thrown.Initializer = &ast.NullLiteral{Idx: thrown.Idx0(), Literal: "null"}
	names := map[unistring.String]unistring.String{}
	for _, v := range variables.List {
		if id, ok := v.Target.(*ast.Identifier); ok {
			names[id.Name] = unistring.NewFromString(fmt.Sprintf("%s %d", id.Name, number))
			rename(id, names)
		}
	}
	for _, part := range []any{loop.Test, loop.Update, value, try.Finally} {
		rename(part, names)
	}
	if caught, ok := try.Catch.Parameter.(*ast.Identifier); ok { // it hides temp
		delete(names, caught.Name)
	}
	rename(try.Catch.Body, names)
	return true
}

// firstValue is what the first statement of a loop's body assigns: temp.value.
func firstValue(body ast.Statement) ast.Expression {
	block, ok := body.(*ast.BlockStatement)
	if !ok || len(block.List) == 0 {
		return nil
	}
	switch first := block.List[0].(type) {
	case *ast.LexicalDeclaration:
		return first.List[0].Initializer
	case *ast.VariableStatement:
		return first.List[0].Initializer
	case *ast.ExpressionStatement:
		if assign, ok := first.Expression.(*ast.AssignExpression); ok {
			return assign.Right
		}
	}
	return nil
}

// rename gives the identifiers in a part of the tree other names.
func rename(part any, names map[unistring.String]unistring.String) {
	eachNode(part, func(node any) {
		if id, ok := node.(*ast.Identifier); ok && names[id.Name] != "" {
			id.Name = names[id.Name]
		}
	})
}

func callsForAwait(e ast.Expression) bool {
	call, ok := e.(*ast.CallExpression)
	if !ok {
		return false
	}
	callee, ok := call.Callee.(*ast.Identifier)
	return ok && strings.HasPrefix(callee.Name.String(), "__forAwait")
}
