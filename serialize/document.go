package serialize

import (
	"bytes"
	"fmt"
	"slices"
	"sort"
	"strconv"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/sextongc/sexton/objectstore"
	"github.com/sextongc/sexton/runtime"
)

// maxDepth bounds how deep arrays and objects of a document may nest. It is the bound of jsontext and of
// the YAML parser too, so that recursion over a document is bounded wherever the document came from.
const maxDepth = 10_000

// A position is a place in a document: a byte offset in JSON, line<<32 | column in YAML.
type position int64

// A document is the text that nodes came from; it turns positions into lines and columns.
type document struct {
	file string
	data []byte
	yaml bool
	most int // levels of nesting; 0: maxDepth

	classes objectstore.Classes // of a model; nil: not known
	once    sync.Once
	lines   []int // JSON: offset of each line's first byte
}

func (d *document) place(p position) (line, column int) {
	if d.yaml {
		return int(p >> 32), int(p & 0xffffffff)
	}
	d.once.Do(func() {
		d.lines = []int{0}
		for i, c := range d.data {
			if c == '\n' {
				d.lines = append(d.lines, i+1)
			}
		}
	})
	offset := min(int(p), len(d.data))
	line = sort.SearchInts(d.lines, offset+1)
	start := d.lines[line-1]
	return line, utf8.RuneCount(d.data[start:offset]) + 1
}

// tooDeep says that the document nests deeper than it may.
func (d *document) tooDeep(p position) *Error {
	most := d.nesting()
	e := d.errorf(p, "", "nested deeper than %s levels", thousands(most))
	e.Limit = &runtime.LimitError{Limit: "nesting", Value: strconv.Itoa(most)}
	return e
}

func (d *document) nesting() int {
	if d.most > 0 && d.most < maxDepth {
		return d.most
	}
	return maxDepth
}

// thousands writes "10,000".
func thousands(n int) string {
	if n < 1000 {
		return strconv.Itoa(n)
	}
	return fmt.Sprintf("%d,%03d", n/1000, n%1000)
}

func (d *document) errorf(p position, path, format string, args ...any) *Error {
	line, column := d.place(p)
	return &Error{
		File: d.file, Line: line, Column: column, Path: path, Msg: fmt.Sprintf(format, args...),
		Secret: d.secret(line, path),
	}
}

// secret reports whether a line, or the path of an error in it, names a property that holds secrets in
// any class. It looks at names alone: of a document with an error nothing else is certain.
func (d *document) secret(line int, path string) bool {
	if d.classes == nil {
		return false
	}
	text := path
	if lines := strings.Split(string(d.data), "\n"); line >= 1 && line <= len(lines) {
		text += "\n" + lines[line-1]
	}
	for _, name := range d.classes.Names() {
		class, err := d.classes.Lookup(name)
		if err != nil {
			continue
		}
		open := slices.Clone(class.Properties)
		for len(open) > 0 {
			p := open[len(open)-1]
			open = open[:len(open)-1]
			t := p.Type
			for t != nil && (t.Kind == objectstore.KindList || t.Kind == objectstore.KindMap) {
				t = t.Elem
			}
			switch {
			case t == nil:
			case t.Kind == objectstore.KindShape:
				open = append(open, t.Fields...)
			case t.Kind == objectstore.KindSecret && strings.Contains(text, p.Name):
				return true
			}
		}
	}
	return false
}

// describe renders a position for people: "model.json:12:5".
func (d *document) describe(p position) string {
	line, column := d.place(p)
	return fmt.Sprintf("%s:%d:%d", d.file, line, column)
}

type nodeKind uint8

const (
	nodeNull nodeKind = iota
	nodeBool
	nodeNumber
	nodeString
	nodeArray
	nodeObject
)

// A node is one value of a document, JSON or YAML. Children are linked, so that nodes can come from an
// arena and cost one allocation per thousand.
type node struct {
	kind        nodeKind
	boolean     bool
	position    position
	number      float64
	text        string // of a string
	name        string // the key, if the parent is an object
	keyPosition position
	first, next *node
	count       int // children
}

// member returns the child with this key, nil if there is none.
func (n *node) member(name string) *node {
	for c := n.first; c != nil; c = c.next {
		if c.name == name {
			return c
		}
	}
	return nil
}

// An arena hands out nodes; reset makes all of them free again.
type arena struct {
	slabs [][]node
	slab  int
	used  int
}

func (a *arena) node() *node {
	const slab = 1024
	if a.slab == len(a.slabs) {
		a.slabs = append(a.slabs, make([]node, slab))
	}
	n := &a.slabs[a.slab][a.used]
	*n = node{}
	if a.used++; a.used == slab {
		a.slab, a.used = a.slab+1, 0
	}
	return n
}

func (a *arena) reset() {
	const kept = 64 // one huge object does not hold its memory for the rest of the document
	if len(a.slabs) > kept {
		a.slabs = a.slabs[:kept:kept]
	}
	a.slab, a.used = 0, 0
}

// A trail is where in an object a value is: names of properties and fields, indexes of lists.
type trail []step

type step struct {
	name  string
	index int // in a list; -1: a field
}

func (t *trail) field(name string) { *t = append(*t, step{name: name, index: -1}) }
func (t *trail) index(i int)       { *t = append(*t, step{index: i}) }
func (t *trail) pop()              { *t = (*t)[:len(*t)-1] }

// String renders the trail as a script would write it: `subnets[2].range`, `labels["a b"]`.
func (t trail) String() string {
	var b strings.Builder
	for i, s := range t {
		switch {
		case s.index >= 0:
			b.WriteString("[" + strconv.Itoa(s.index) + "]")
		case !isIdentifier(s.name):
			b.WriteString("[" + strconv.Quote(s.name) + "]")
		default:
			if i > 0 {
				b.WriteByte('.')
			}
			b.WriteString(s.name)
		}
	}
	return b.String()
}

func isIdentifier(s string) bool {
	for i, r := range s {
		letter := r == '_' || r == '$' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= utf8.RuneSelf
		if !letter && (i == 0 || r < '0' || r > '9') {
			return false
		}
	}
	return s != ""
}

// trimBOM takes a byte order mark off: editors on Windows write one.
func trimBOM(data []byte) []byte { return bytes.TrimPrefix(data, []byte("\xef\xbb\xbf")) }
