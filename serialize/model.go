package serialize

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/sextongc/sexton/objectstore"
	"github.com/sextongc/sexton/runtime"
)

// ModelOptions says how a model is read.
type ModelOptions struct {
	File    string              // names the document in errors; with the extension .yaml or .yml it is YAML, else JSON
	YAML    bool                // it is YAML whatever it is called
	Classes objectstore.Classes // of the packages that are deployed; nil: none

	MaxSize    int64 // in bytes; 0: no limit
	MaxNesting int   // levels of arrays and objects; 0: 10,000, which is also the most
	MaxObjects int   // that are not destroyed; 0: no limit
	MaxEdges   int   // subscriptions and references; 0: no limit

	// Stateful: the deployment has, or will have, a state. An object in a list must then have an id or a
	// name, because its index would be the id of another object after a removal.
	Stateful bool
}

// A Model is what an operator wants the environment to be. It is made by DecodeModel, is not changed
// afterwards and may be read by several goroutines.
type Model struct {
	// Graph holds the model's objects: in document order, but owners before what they own (gc 3.5).
	// Properties are those that the model sets, and no others. An empty graph destroys everything.
	Graph *objectstore.Graph

	doc     *document
	classes objectstore.Classes
	objects map[string]*modelObject
	open    []reference // to objects that are not in the model: Merge finds them in the state, or fails
}

// Position says where the model sets a property of an object, or where the object stands if property is
// empty or not set: "model.json:12:5". It is empty for an object that is not in the model.
func (m *Model) Position(id, property string) string {
	o := m.objects[id]
	if o == nil {
		return ""
	}
	return m.doc.describe(o.at(property))
}

// SubscriptionError makes an *Error about the i-th subscription that the model has for an object.
func (m *Model) SubscriptionError(id string, i int, format string, args ...any) error {
	o := m.objects[id]
	return m.doc.errorf(o.subscribers[i], label(o.class.Name, id), format, args...)
}

// A modelObject is an object of the model while it is read, and later for its positions.
type modelObject struct {
	entry    *objectstore.Entry
	class    *objectstore.Class
	position position
	places   []position // of entry.Properties

	subscribers []position // of entry.Subscriptions
}

func (o *modelObject) at(property string) position {
	for i, f := range o.entry.Properties {
		if f.Name == property {
			return o.places[i]
		}
	}
	return o.position
}

// A reference is a place in the model that names an object.
type reference struct {
	id       string
	position position
	path     string             // for messages
	class    *objectstore.Class // that the object must be an instance of; nil: any
	plain    bool               // a string where an object was expected, rather than {"$ref": id}
}

// DecodeModel reads a model: nested, flat (as a snapshot, with or without its digest, or part of it), or
// in the layout of Murano's object model. Values are checked against the declared types; what a whole
// environment needs (required properties, references to objects that only the state has) is for Merge.
//
// Of Murano's layout, Objects is the model, and may be null or {}; ObjectsCopy and Attributes are read
// past: what has been deployed is known from the state alone. The error is an *Error.
func DecodeModel(data []byte, opts *ModelOptions) (*Model, error) {
	if opts == nil {
		opts = &ModelOptions{}
	}
	doc := &document{file: opts.File, data: trimBOM(data), yaml: opts.YAML || isYAML(opts.File), classes: opts.Classes}
	if doc.file == "" {
		doc.file = "model"
	}
	doc.most = opts.MaxNesting
	if size := int64(len(data)); opts.MaxSize > 0 && size > opts.MaxSize {
		return nil, &Error{
			File: doc.file, Msg: fmt.Sprintf("%d bytes are more than %s, the limit modelSize", size, runtime.Bytes(opts.MaxSize)),
			Limit: &runtime.LimitError{Limit: "modelSize", Value: runtime.Bytes(opts.MaxSize)},
		}
	}
	parse := parseJSON
	if doc.yaml {
		parse = parseYAML
	}
	n, err := parse(doc)
	if err != nil {
		return nil, err
	}
	r := &modelReader{classes: opts.Classes, stateful: opts.Stateful, byID: make(map[string]*modelObject)}
	r.doc = doc
	r.refer = func(id string, n *node) error {
		r.reference(id, n, nil, false)
		return nil
	}
	r.inline = func(n *node) (objectstore.Value, error) { return r.inlineObject(n, nil) }
	if err := r.document(n); err != nil {
		return nil, err
	}
	if err := r.within(opts); err != nil {
		return nil, err
	}
	return r.model()
}

// within checks how many objects and edges there are: the error is about the object that is one too many.
func (r *modelReader) within(opts *ModelOptions) error {
	objects, edges := 0, 0
	for _, o := range r.objects {
		if !o.entry.Destroyed {
			objects++
		}
		edges += len(o.entry.Subscriptions)
		for _, f := range o.entry.Properties {
			objectstore.Refs(f.Value, func(objectstore.Ref) { edges++ })
		}
		for _, l := range []struct {
			name    string
			n, most int
		}{{"objects", objects, opts.MaxObjects}, {"edges", edges, opts.MaxEdges}} {
			if l.most > 0 && l.n > l.most {
				err := r.doc.errorf(o.position, label(o.class.Name, o.entry.ID), "the model has more %s than %d, the limit %[1]s", l.name, l.most)
				err.Limit = &runtime.LimitError{Limit: l.name, Value: strconv.Itoa(l.most)}
				return err
			}
		}
	}
	return nil
}

// model checks what needs all objects.
func (r *modelReader) model() (*Model, error) {
	r.object, r.trail = "", nil
	m := &Model{Graph: &objectstore.Graph{}, doc: r.doc, classes: r.classes, objects: r.byID}
	for _, ref := range r.references {
		to := r.byID[ref.id]
		if to == nil {
			m.open = append(m.open, ref)
		} else if ref.class != nil && !to.class.Is(ref.class) {
			return nil, m.wrongClass(ref, to.class)
		}
	}
	entries := make([]*objectstore.Entry, len(r.objects))
	index := make(map[string]int, len(r.objects))
	for i, o := range r.objects {
		entries[i], index[o.entry.ID] = o.entry, i
	}
	find := func(id string) int {
		if i, ok := index[id]; ok {
			return i
		}
		return -1
	}
	if i := ownerCycle(entries, find); i >= 0 {
		o := r.objects[i]
		return nil, r.doc.errorf(o.position, label(o.class.Name, o.entry.ID), "the object owns itself through its owners")
	}
	m.Graph.Objects = ownersFirst(entries, find)
	return m, r.findRoot(m.Graph)
}

func (r *modelReader) findRoot(g *objectstore.Graph) error {
	if r.root != nil {
		g.Root = r.root.text
		if r.byID[g.Root] == nil {
			return r.errorf(r.root.position, "the root %q is no object of the model", g.Root)
		}
		return nil
	}
	for _, e := range g.Objects {
		if e.Owner != "" {
			continue
		}
		if g.Root != "" {
			return r.errorf(r.byID[e.ID].position, `two objects without an owner, %q and %q: name the "root"`, g.Root, e.ID)
		}
		g.Root = e.ID
	}
	if g.Root == "" && len(g.Objects) > 0 {
		return r.errorf(r.objects[0].position, "no object is the root: each one has an owner")
	}
	return nil
}

// ownersFirst keeps the order of the objects but puts each after its owner. There are no cycles.
func ownersFirst(entries []*objectstore.Entry, index func(id string) int) []*objectstore.Entry {
	out := make([]*objectstore.Entry, 0, len(entries))
	placed := make([]bool, len(entries))
	var chain []int
	for i := range entries {
		for j := i; j >= 0 && !placed[j]; j = index(entries[j].Owner) {
			chain = append(chain, j)
		}
		for len(chain) > 0 {
			j := chain[len(chain)-1]
			chain = chain[:len(chain)-1]
			placed[j] = true
			out = append(out, entries[j])
		}
	}
	return out
}

func (m *Model) wrongClass(ref reference, class *objectstore.Class) error {
	return m.doc.errorf(ref.position, ref.path, "expected %s, got %s %q", ref.class.Short(), class.Short(), ref.id)
}

// Keeps reports whether an object of the model keeps what is stored for a property: its usage is out, inout or
// const, and the model does not set it (gc 2.3).
func (m *Model) Keeps(e *objectstore.Entry, property string) bool {
	_, set := e.Property(property)
	p := m.objects[e.ID].class.Property(property)
	return !set && p != nil && p.Usage.Kept()
}

func (m *Model) dangling(ref reference) error {
	ids := make([]string, 0, len(m.objects))
	for _, e := range m.Graph.Objects {
		ids = append(ids, e.ID)
	}
	hint := DidYouMean(ref.id, ids)
	if ref.class != nil && ref.plain {
		return m.doc.errorf(ref.position, ref.path, "expected %s, got string %q: dangling reference, no object has this id%s",
			ref.class.Short(), ref.id, hint)
	}
	return m.doc.errorf(ref.position, ref.path, "dangling reference %q: no object has this id%s", ref.id, hint)
}

// exported lists the classes that a model can name.
func exported(names []string) string {
	const most = 10
	var own []string
	for _, n := range names {
		if strings.Contains(n, "/") { // the others are built in
			own = append(own, (&objectstore.Class{Name: n}).Short())
		}
	}
	switch {
	case len(own) == 0:
		return "the package exports no class"
	case len(own) > most:
		return fmt.Sprintf("the package exports %s and %d more", strings.Join(own[:most], ", "), len(own)-most)
	}
	return "the package exports " + strings.Join(own, ", ")
}

// unknownType explains why a class was not found.
func unknownType(name string, classes objectstore.Classes, err error) string {
	if classes == nil {
		return fmt.Sprintf("unknown type %q", name)
	}
	var names []string
	same := 0
	for _, n := range classes.Names() {
		short := (&objectstore.Class{Name: n}).Short()
		if short == name {
			same++
		}
		names = append(names, short, n)
	}
	if same > 1 {
		return err.Error() // ambiguous: the registry says between what
	}
	hint := DidYouMean(name, names)
	if hint == "" {
		hint = "; " + exported(classes.Names())
	}
	return fmt.Sprintf("unknown type %q%s", name, hint)
}
