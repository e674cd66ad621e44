package runtime

import (
	"cmp"
	"encoding/binary"
	"slices"
	"sort"
	"strings"

	"github.com/dop251/goja"
	"github.com/dop251/goja/ast"
	"github.com/dop251/goja/file"
	tokens "github.com/dop251/goja/token"
)

// Covered is how often the code of one source file ran.
type Covered struct {
	File       string // relative to the directory of the build, with slashes
	Statements []Counter
	Functions  []Counter
}

// Counter is a statement or function, and how often it ran.
type Counter struct {
	Line, Column int    // in the source, from 1
	Name         string // of a function; empty: it has none
	Count        int
}

// counter is where a bundle counts, in the order of its counters.
type counter struct {
	file         string
	line, column int
	function     bool
	name         string
}

// The counting is done in the syntax tree, which moves no position and leaves the text of functions as it is: before
// each statement, and at the beginning of each function, goes
//
//	__sexton.hits[n]++
//
// where hits is a Uint32Array on memory that Go reads when all is over.

// instrumenter adds counters to the tree of a bundle.
type instrumenter struct {
	origins  *sourceMap
	wanted   func(file string) bool
	code     string
	base     int   // of positions in the tree
	lines    []int // offsets at which the lines of the bundle begin
	names    map[ast.Node]naming
	skipped  map[ast.Node]bool // statements and functions that no source has
	counters []counter
}

// naming is what a function is called by what it stands in, and where that begins.
type naming struct {
	name string
	at   file.Idx
}

// instrument adds counters to the code of those source files that are wanted.
func instrument(tree *ast.Program, code string, origins *sourceMap, wanted func(file string) bool) []counter {
	in := &instrumenter{origins: origins, wanted: wanted, code: code, base: tree.File.Base(), lines: []int{0}, names: map[ast.Node]naming{}, skipped: map[ast.Node]bool{}}
	for i := range len(code) {
		if code[i] == '\n' {
			in.lines = append(in.lines, i+1)
		}
	}
	eachNode(tree.Body, in.node)
	return in.counters
}

func (in *instrumenter) node(node any) {
	switch n := node.(type) {
	case *ast.BlockStatement:
		n.List = in.statements(n.List)
	case *ast.CaseStatement:
		n.Consequent = in.statements(n.Consequent)
	case *ast.IfStatement:
		n.Consequent, n.Alternate = in.body(n.Consequent), in.body(n.Alternate)
	case *ast.ForStatement:
		n.Body = in.body(n.Body)
	case *ast.ForInStatement:
		n.Body = in.body(n.Body)
	case *ast.ForOfStatement:
		n.Body = in.body(n.Body)
	case *ast.WhileStatement:
		n.Body = in.body(n.Body)
	case *ast.DoWhileStatement:
		n.Body = in.body(n.Body)
	case *ast.CallExpression:
		if isExport(n) {
			eachNode(n.ArgumentList, func(node any) {
				if fn, ok := node.(*ast.ArrowFunctionLiteral); ok {
					in.skipped[fn] = true
				}
			})
		}
	case *ast.MethodDefinition:
		in.names[n.Body] = naming{keyName(n.Key), n.Idx}
	case *ast.PropertyKeyed:
		in.named(n.Value, keyName(n.Key), n.Idx0())
	case *ast.FieldDefinition:
		in.named(n.Initializer, keyName(n.Key), n.Idx)
	case *ast.Binding:
		in.named(n.Initializer, keyName(n.Target), n.Idx0())
	case *ast.AssignExpression:
		in.named(n.Right, keyName(n.Left), n.Idx0())
	case *ast.FunctionLiteral:
		if n.Name != nil {
			in.named(n, n.Name.Name.String(), n.Name.Idx)
		}
		in.function(n, n.Body)
	case *ast.ArrowFunctionLiteral:
		switch body := n.Body.(type) {
		case *ast.BlockStatement:
			in.function(n, body)
		case *ast.ExpressionBody:
			if hit := in.hitFunction(n); hit != nil {
				body.Expression = &ast.SequenceExpression{Sequence: []ast.Expression{hit, body.Expression}}
			}
		}
	}
}

// named notes what a function is called, if the expression is one.
func (in *instrumenter) named(e ast.Expression, name string, at file.Idx) {
	switch e.(type) {
	case *ast.FunctionLiteral, *ast.ArrowFunctionLiteral:
		in.names[e] = naming{name, at}
	}
}

// keyName is the name that a key or target gives; empty if it is no name.
func keyName(e ast.Expression) string {
	switch e := e.(type) {
	case *ast.Identifier:
		return e.Name.String()
	case *ast.StringLiteral:
		return e.Value.String()
	case *ast.DotExpression:
		return e.Identifier.Name.String()
	case *ast.PrivateIdentifier:
		return "#" + e.Name.String()
	}
	return ""
}

// statements puts a counter before each statement of a list.
func (in *instrumenter) statements(list []ast.Statement) []ast.Statement {
	directives := 0
	for directives < len(list) && isDirective(list[directives]) {
		directives++
	}
	out := slices.Clone(list[:directives])
	for _, s := range list[directives:] {
		if !in.skipped[s] && !isExports(s) {
			if hit := in.hitStatement(s); hit != nil {
				out = append(out, hit)
			}
		}
		out = append(out, s)
	}
	return out
}

func isDirective(s ast.Statement) bool {
	e, ok := s.(*ast.ExpressionStatement)
	if !ok {
		return false
	}
	_, ok = e.Expression.(*ast.StringLiteral)
	return ok
}

// What esbuild makes of a module's exports has the position of its first line:
//
//	var index_exports = {};
//	__export(index_exports, { A: () => A });

func isExport(call *ast.CallExpression) bool {
	callee, ok := call.Callee.(*ast.Identifier)
	return ok && callee.Name == "__export"
}

func isExports(s ast.Statement) bool {
	switch s := s.(type) {
	case *ast.ExpressionStatement:
		call, ok := s.Expression.(*ast.CallExpression)
		return ok && isExport(call)
	case *ast.VariableStatement:
		object, ok := s.List[0].Initializer.(*ast.ObjectLiteral)
		return ok && len(object.Value) == 0 && strings.HasSuffix(keyName(s.List[0].Target), "_exports")
	}
	return false
}

// body makes a block of a statement that stands where one statement must: the walk comes to it next.
func (in *instrumenter) body(s ast.Statement) ast.Statement {
	if _, block := s.(*ast.BlockStatement); s == nil || block {
		return s
	}
	return &ast.BlockStatement{LeftBrace: s.Idx0(), List: []ast.Statement{s}, RightBrace: s.Idx1()}
}

// function puts a counter at the beginning of a function.
func (in *instrumenter) function(fn ast.Node, body *ast.BlockStatement) {
	hit := in.hitFunction(fn)
	if hit == nil {
		return
	}
	at := 0
	for at < len(body.List) && isDirective(body.List[at]) {
		at++
	}
	made := ast.Statement(&ast.ExpressionStatement{Expression: hit})
	in.skipped[made] = true
	body.List = slices.Insert(slices.Clone(body.List), at, made)
}

func (in *instrumenter) hitStatement(s ast.Statement) ast.Statement {
	switch s.(type) {
	case *ast.FunctionDeclaration, *ast.EmptyStatement, *ast.BlockStatement:
		return nil // nothing that runs by itself
	}
	at := s.Idx0()
	if branch, ok := s.(*ast.IfStatement); ok && at == 0 { // the parser leaves it out
		at = branch.Test.Idx0()
		before := strings.TrimRight(in.code[:int(at)-in.base], " (")
		at = file.Idx(len(strings.TrimSuffix(before, "if")) + in.base)
	}
	if hit := in.hit(at, counter{}); hit != nil {
		return &ast.ExpressionStatement{Expression: hit}
	}
	return nil
}

func (in *instrumenter) hitFunction(fn ast.Node) ast.Expression {
	if in.skipped[fn] {
		return nil
	}
	named := in.names[fn]
	c := counter{function: true, name: named.name}
	if named.at != 0 {
		if hit := in.hit(named.at, c); hit != nil {
			return hit
		}
	}
	return in.hit(fn.Idx0(), c)
}

// hit counts at a position of the bundle; nil if the source has nothing that begins there.
func (in *instrumenter) hit(at file.Idx, c counter) ast.Expression {
	offset := int(at) - in.base
	line := sort.SearchInts(in.lines, offset+1)
	if line == 0 {
		return nil
	}
	begin := in.lines[line-1]
	s := in.origins.segment(line, offset-begin+1)
	if s == nil || strings.Trim(in.code[begin+s.column:offset], " (") != "" {
		return nil // esbuild's own
	}
	if c.file, c.line, c.column = in.origins.original(line, s.column+1); c.file == "" || strings.Contains(c.file, internalName) || !in.wanted(c.file) {
		return nil
	}
	in.counters = append(in.counters, c)
	return &ast.UnaryExpression{Operator: tokens.INCREMENT, Idx: at, Postfix: true, Operand: &ast.BracketExpression{
		Left: &ast.DotExpression{
			Left: &ast.Identifier{Name: "__sexton", Idx: at}, Identifier: ast.Identifier{Name: "hits", Idx: at},
		},
		Member: &ast.NumberLiteral{Idx: at, Value: int64(len(in.counters) - 1)}, LeftBracket: at, RightBracket: at,
	}}
}

// counting is the memory that a loaded bundle counts in.
type counting struct {
	counters []counter
	hits     []byte // of a Uint32Array
}

// count makes the array of a bundle's counters.
func (rt *Runtime) count(b *Bundle) (goja.Value, error) {
	c := &counting{counters: b.counters, hits: make([]byte, 4*len(b.counters))}
	rt.counting = append(rt.counting, c)
	return rt.vm.New(rt.vm.Get("Uint32Array"), rt.vm.ToValue(rt.vm.NewArrayBuffer(c.hits)))
}

// Coverage returns how often the code of bundles with counters ran, sorted by file. No script may be running.
func (rt *Runtime) Coverage() []Covered {
	files := map[string]*Covered{}
	for _, counting := range rt.counting {
		for i, c := range counting.counters {
			f := files[c.file]
			if f == nil {
				f = &Covered{File: c.file}
				files[c.file] = f
			}
			n := Counter{c.line, c.column, c.name, int(binary.NativeEndian.Uint32(counting.hits[4*i:]))}
			if c.function {
				f.Functions = append(f.Functions, n)
			} else {
				f.Statements = append(f.Statements, n)
			}
		}
	}
	var all []Covered
	for _, f := range files {
		for _, list := range [][]Counter{f.Statements, f.Functions} {
			slices.SortStableFunc(list, func(a, b Counter) int { return cmp.Or(a.Line-b.Line, a.Column-b.Column) })
		}
		all = append(all, *f)
	}
	slices.SortFunc(all, func(a, b Covered) int { return strings.Compare(a.File, b.File) })
	return all
}
