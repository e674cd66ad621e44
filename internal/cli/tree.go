package cli

import (
	"github.com/sextongc/sexton"
	"github.com/sextongc/sexton/internal/render"
)

// What became of an object, or what would: the mark in front of it.
type mark struct {
	text   string
	colour render.Colour
	gone   bool // it is not there afterwards
}

var (
	created   = mark{"+", render.Green, false}
	changed   = mark{"~", render.Yellow, false}
	kept      = mark{"=", render.Faint, false}
	destroyed = mark{"-", render.Red, true}
	failed    = mark{"!", render.Red, false}
)

// objectTree collects objects and puts them below their owners.
type objectTree struct {
	nodes  []render.Node
	owners []string
	gone   []bool
	stay   map[string]int // by id: the node of an object that is there afterwards
	went   map[string]int // the same, of one that is not
}

func newObjectTree() *objectTree {
	return &objectTree{stay: map[string]int{}, went: map[string]int{}}
}

func (t *objectTree) add(m mark, o *sexton.Object, note string) {
	index := t.stay
	if m.gone {
		index = t.went
	}
	if _, ok := index[o.ID]; ok {
		return // made and destroyed more than once
	}
	index[o.ID] = len(t.nodes)
	text := label(o)
	if o.Name != "" && o.Name != o.ID {
		text += " (" + render.Clean(o.Name) + ")"
	}
	t.nodes = append(t.nodes, render.Node{Parent: -1, Mark: m.text, Colour: m.colour, Text: text, Note: render.Clean(note)})
	t.owners = append(t.owners, o.Owner)
	t.gone = append(t.gone, m.gone)
}

// mostKept is how many nodes a tree may have before kept ones that nothing changes below are left out.
const mostKept = 100

// link puts every node below its owner: below the one with the same fate, where an id was used twice.
func (t *objectTree) link(all bool) []render.Node {
	for i := range t.nodes {
		first, second := t.stay, t.went
		if t.gone[i] {
			first, second = t.went, t.stay
		}
		if owner, ok := first[t.owners[i]]; ok {
			t.nodes[i].Parent = owner
		} else if owner, ok := second[t.owners[i]]; ok {
			t.nodes[i].Parent = owner
		}
	}
	if all || len(t.nodes) <= mostKept {
		return t.nodes
	}
	return t.withoutKept()
}

// withoutKept leaves out kept objects that are not above others that are shown, and says how many.
func (t *objectTree) withoutKept() []render.Node {
	show := make([]bool, len(t.nodes))
	for i, n := range t.nodes {
		if n.Mark == kept.text {
			continue
		}
		for k := i; k >= 0 && !show[k]; k = t.nodes[k].Parent {
			show[k] = true
		}
	}
	place := make([]int, len(t.nodes))
	var out []render.Node
	for i, n := range t.nodes {
		if show[i] {
			place[i] = len(out)
			out = append(out, n)
		}
	}
	for i := range out {
		if p := out[i].Parent; p >= 0 {
			out[i].Parent = place[p]
		}
	}
	if left := len(t.nodes) - len(out); left > 0 {
		out = append(out, render.Node{Parent: -1, Mark: kept.text, Colour: kept.colour, Text: render.Count(left, "kept object"), Note: "-v shows them"})
	}
	return out
}

// reportTree is the tree of everything in a report. objects has what the report leaves out of objects
// that failed.
func reportTree(r *sexton.Report, objects map[string]sexton.Object, all bool) []render.Node {
	t := newObjectTree()
	for _, o := range r.Kept {
		t.add(kept, &o, "")
	}
	for _, o := range r.Changed {
		t.add(changed, &o, "")
	}
	for _, o := range r.Created {
		t.add(created, &o, "")
	}
	known := func(id, typ string) *sexton.Object {
		if o, ok := objects[id]; ok {
			return &o
		}
		return &sexton.Object{ID: id, Type: typ}
	}
	for _, f := range r.Failed {
		t.add(failed, known(f.ID, f.Type), f.Error)
	}
	for _, b := range r.Blocked {
		t.add(failed, known(b.ID, b.Type), "waits for "+b.By)
	}
	for _, o := range r.Destroyed {
		t.add(destroyed, &o, "")
	}
	return t.link(all)
}

// planTree is the tree of everything in a plan.
func planTree(p *sexton.Plan, all bool) []render.Node {
	t := newObjectTree()
	for _, o := range p.Keep {
		t.add(kept, &o, "")
	}
	for _, o := range p.Change {
		t.add(changed, &o, "")
	}
	for _, o := range p.Create {
		t.add(created, &o, "")
	}
	for _, d := range p.Destroy {
		t.add(destroyed, &d.Object, "")
	}
	return t.link(all)
}
