package render

import "strings"

// Node is a line of a tree.
type Node struct {
	Parent int // index of the node above; negative, or the node's own: there is none
	Mark   string
	Colour Colour // of the mark
	Text   string
	Note   string // after the text, faint
}

// maxIndent is the deepest indentation; nodes below are told apart by a number. It keeps the size of
// the text linear in the number of nodes.
const maxIndent = 32

// Tree draws nodes below their parents, each line ending with a newline. Siblings keep their order.
// Nodes whose parents form a cycle are drawn as if the first of them had none.
func Tree(nodes []Node, style Style) string {
	children := make([][]int, len(nodes))
	var roots []int
	for i, n := range nodes {
		if n.Parent < 0 || n.Parent >= len(nodes) || n.Parent == i {
			roots = append(roots, i)
		} else {
			children[n.Parent] = append(children[n.Parent], i)
		}
	}
	var b strings.Builder
	drawn := make([]bool, len(nodes))
	type item struct{ node, depth int }
	draw := func(root int) {
		stack := []item{{root, 0}}
		for len(stack) > 0 {
			top := stack[len(stack)-1]
			stack = stack[:len(stack)-1]
			if drawn[top.node] {
				continue
			}
			drawn[top.node] = true
			writeNode(&b, &nodes[top.node], top.depth, style)
			below := children[top.node]
			for k := len(below) - 1; k >= 0; k-- {
				stack = append(stack, item{below[k], top.depth + 1})
			}
		}
	}
	for _, root := range roots {
		draw(root)
	}
	for i := range nodes {
		if !drawn[i] {
			draw(i)
		}
	}
	return b.String()
}

func writeNode(b *strings.Builder, n *Node, depth int, style Style) {
	for range min(depth, maxIndent) {
		b.WriteString("  ")
	}
	if depth > maxIndent {
		b.WriteString(style.Paint(Faint, "("+Number(depth)+" deep) "))
	}
	if n.Mark != "" {
		b.WriteString(style.Paint(n.Colour, n.Mark) + " ")
	}
	b.WriteString(n.Text)
	if n.Note != "" {
		b.WriteString("  " + style.Paint(Faint, n.Note))
	}
	b.WriteByte('\n')
}
