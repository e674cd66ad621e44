package runtime

import (
	"strings"

	"github.com/dop251/goja/ast"
)

// esbuild makes of `for await` a loop whose variable for what was thrown is never set back:
//
//	try { for (var iter = __forAwait(it), more, temp, error; …; …) … } catch (temp) { error = [temp]; } finally { … if (error) throw error[0]; }
//
// It is a variable of the function, and others like it have the same name. So what one loop throws would be thrown
// again by the next one, and by the same one when it runs again. resetForAwait has each loop begin with `error = null`,
// in the syntax tree, which moves no position.
func resetForAwait(program *ast.Program) {
	eachNode(program.Body, func(node any) {
		variables, ok := node.(*ast.ForLoopInitializerVarDeclList)
		if !ok || len(variables.List) != 4 || !callsForAwait(variables.List[0].Initializer) {
			return
		}
		if thrown := variables.List[3]; thrown.Initializer == nil {
			thrown.Initializer = &ast.NullLiteral{Idx: thrown.Idx0(), Literal: "null"}
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
