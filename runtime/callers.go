package runtime

import (
	"cmp"
	"regexp"
	"sort"
	"sync"

	"github.com/dop251/goja/ast"
)

// callers knows the functions of a bundle as people call them: "Network.deploy", "new Network". The interpreter
// knows no more than "deploy". What takes time is done when the first stack is shown.
type callers struct {
	code    string
	origins *sourceMap
	base    int // of the tree's positions

	functions []function
	classes   map[*ast.ClassLiteral]*ast.Identifier // the variables that hold them
	methods   map[*ast.FunctionLiteral]function     // that their class has named already

	once    sync.Once
	lines   []int // where the lines of the code begin
	offsets map[position]int
}

// function is one of a bundle, from and to are offsets in it.
type function struct {
	from, to int
	id       *ast.Identifier // its name, or that of its class; nil: what the interpreter calls it
	method   string
}

// position is a place in a source; line and column begin with 1.
type position struct {
	file         string
	line, column int
}

func newCallers(code string, tree *ast.Program, origins *sourceMap) *callers {
	c := &callers{
		code: code, origins: origins, base: tree.File.Base(),
		classes: map[*ast.ClassLiteral]*ast.Identifier{}, methods: map[*ast.FunctionLiteral]function{},
	}
	eachNode(tree.Body, c.add)
	c.classes, c.methods = nil, nil
	return c
}

// add takes a node of the bundle's tree; those around it came before.
func (c *callers) add(node any) {
	add := func(n ast.Node, f function) {
		f.from, f.to = int(n.Idx0())-c.base, int(n.Idx1())-c.base
		c.functions = append(c.functions, f)
	}
	switch n := node.(type) {
	case *ast.Binding:
		class, _ := n.Initializer.(*ast.ClassLiteral)
		if id, ok := n.Target.(*ast.Identifier); ok && class != nil {
			c.classes[class] = id
		}
	case *ast.ClassLiteral:
		for _, e := range n.Body {
			m, ok := e.(*ast.MethodDefinition)
			id := cmp.Or(c.classes[n], n.Name)
			if !ok || m.Computed || id == nil {
				continue
			}
			f := function{id: id}
			switch k := m.Key.(type) {
			case *ast.StringLiteral:
				if f.method = k.Value.String(); f.method == "constructor" && !m.Static {
					f.method = "new"
				}
			case *ast.PrivateIdentifier:
				f.method = "#" + k.Name.String()
			}
			c.methods[m.Body] = f
		}
	case *ast.FunctionLiteral:
		f, ok := c.methods[n]
		if !ok {
			f.id = n.Name
		}
		add(n, f)
	case *ast.ArrowFunctionLiteral:
		add(n, function{})
	}
}

// name is what people call a function, "" if the interpreter knows.
func (c *callers) name(f function) string {
	if f.id == nil {
		return ""
	}
	offset := int(f.id.Idx) - c.base
	line := sort.SearchInts(c.lines, offset+1)
	name := c.origins.originalName(line, offset-c.lines[line-1]+1)
	if name == "" {
		name = f.id.Name.String()
	}
	switch f.method {
	case "":
		return name
	case "new":
		return "new " + name
	}
	return name + "." + f.method
}

// index prepares the search.
func (c *callers) index() {
	sort.SliceStable(c.functions, func(i, k int) bool { return c.functions[i].from < c.functions[k].from })
	c.lines = []int{0}
	for i := range len(c.code) {
		if c.code[i] == '\n' {
			c.lines = append(c.lines, i+1)
		}
	}
	c.offsets = map[position]int{}
	for i, segments := range c.origins.lines {
		for _, s := range segments {
			if s.source < 0 || s.source >= len(c.origins.sources) || i >= len(c.lines) {
				continue
			}
			p := position{sourceName(c.origins.sources[s.source]), s.line + 1, s.sourceColumn + 1}
			if _, known := c.offsets[p]; !known {
				c.offsets[p] = c.lines[i] + s.column
			}
		}
	}
}

// constructing is code that calls the constructor of a base class; a class stands for the constructor that it does not
// write.
var constructing = regexp.MustCompile(`^ *(super\(|(var \w+ = )?class\b)`)

// at names the function whose code stands at a place, "" if the interpreter knows as much. super says that the
// constructor of the base class is called there.
func (c *callers) at(p position) (name string, super bool) {
	c.once.Do(c.index)
	offset, ok := c.offsets[p]
	if !ok {
		return "", false
	}
	// Functions nest: the innermost is the last one that begins before and ends behind.
	for i := sort.Search(len(c.functions), func(i int) bool { return c.functions[i].from > offset }) - 1; i >= 0; i-- {
		if f := c.functions[i]; f.to > offset {
			name = c.name(f)
			break
		}
	}
	code := c.code[min(offset, len(c.code)):min(offset+100, len(c.code))]
	return name, constructing.MatchString(code) // places of statements begin with their line
}
