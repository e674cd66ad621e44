package serialize

import (
	"slices"
	"strconv"
	"strings"

	"github.com/sextongc/sexton/objectstore"
)

// A modelReader collects the objects of a model.
type modelReader struct {
	valueReader
	classes  objectstore.Classes
	stateful bool
	saved    bool     // the layout of a snapshot: it holds what scripts set, too
	ignored  []string // header fields to read past

	root       *node          // id of the root, if the document names one
	current    *modelObject   // whose properties are being read
	objects    []*modelObject // in document order
	byID       map[string]*modelObject
	references []reference
}

func (r *modelReader) reference(id string, n *node, class *objectstore.Class, plain bool) {
	r.references = append(r.references, reference{id, n.position, r.path(), class, plain})
}

// begin reads the header of an object and registers it. declared is the class that its place asks for,
// nil if any will do; derived is the id that it gets if it has none.
func (r *modelReader) begin(n *node, declared *objectstore.Class, derived string) (*modelObject, header, error) {
	o := &modelObject{entry: &objectstore.Entry{}, position: n.position}
	var h header
	at := n.position
	if head := n.member(headerKey); head != nil {
		var err error
		if h, err = r.valueReader.header(head, o.entry, r.ignored); err != nil {
			return nil, h, err
		}
		at = head.position
	}
	var err error
	if o.class, err = r.class(h, declared, at); err != nil {
		return nil, h, err
	}
	e := o.entry
	e.Type, e.Version = o.class.Name, o.class.Version
	switch {
	case e.ID != "":
		at = h.id.position
	case derived == "":
		return nil, h, r.errorf(at, "a header needs an id here")
	default:
		e.ID = derived
	}
	r.object, r.trail = label(e.Type, e.ID), nil
	if first := r.byID[e.ID]; first != nil {
		return nil, h, r.errorf(at, "duplicate id %q: the first one is at %s", e.ID, r.doc.describe(first.position))
	}
	r.byID[e.ID] = o
	r.objects = append(r.objects, o)
	for _, s := range h.subscribers {
		o.subscribers = append(o.subscribers, s.position)
		r.reference(s.text, s, nil, true)
	}
	return o, h, nil
}

func (r *modelReader) class(h header, declared *objectstore.Class, at position) (*objectstore.Class, error) {
	if h.class == nil {
		if declared == nil || declared.Builtin && declared.Base == nil {
			return nil, r.errorf(at, "the object needs a type in its header: \"?\": { \"type\": … }")
		}
		return declared, nil
	}
	name := h.class.text
	var c *objectstore.Class
	var err error
	if r.classes != nil {
		c, err = r.classes.Lookup(name)
	}
	if c == nil || err != nil {
		return nil, r.errorf(h.class.position, "%s", unknownType(name, r.classes, err))
	}
	if declared != nil && !c.Is(declared) {
		return nil, r.errorf(h.class.position, "expected %s, got %s", declared.Short(), c.Short())
	}
	return c, nil
}

// properties reads what the model sets, and puts it into the order of the declarations.
func (r *modelReader) properties(n *node, o *modelObject) error {
	outer := r.current
	r.current = o
	defer func() { r.current = outer }()
	type set struct {
		value    objectstore.Value
		position position
	}
	values := make(map[string]set, n.count)
	for c := n.first; c != nil; c = c.next {
		if c.name == headerKey {
			continue
		}
		name, err := r.key(c)
		if err != nil {
			return err
		}
		p := o.class.Property(name)
		if p == nil {
			return r.errorf(c.keyPosition, "unknown property %q%s", name, DidYouMean(name, propertyNames(o.class.Properties)))
		}
		if err := r.maySet(c, p); err != nil {
			return err
		}
		r.trail.field(name)
		v, err := r.property(c, p)
		if err != nil {
			return err
		}
		r.trail.pop()
		values[name] = set{v, c.position}
	}
	for _, p := range o.class.Properties {
		if s, ok := values[p.Name]; ok {
			o.entry.Properties = append(o.entry.Properties, objectstore.Field{Name: p.Name, Value: s.value})
			o.places = append(o.places, s.position)
		}
	}
	return nil
}

func (r *modelReader) maySet(n *node, p *objectstore.Property) error {
	switch {
	case p.Usage == objectstore.UsageRuntime:
		return r.errorf(n.keyPosition, "property %s: usage is runtime: only scripts set it", p.Name)
	case p.Usage == objectstore.UsageConfig:
		return r.errorf(n.keyPosition, "property %s: usage is config: it is set in package.json, under sexton.config", p.Name)
	case p.Usage == objectstore.UsageOut && !r.saved:
		return r.errorf(n.keyPosition, "property %s: usage is out: only scripts set it", p.Name)
	}
	return nil
}

func propertyNames(list []*objectstore.Property) []string {
	names := make([]string, len(list))
	for i, p := range list {
		names[i] = p.Name
	}
	return names
}

// inlineObject reads an object that stands where it is referred to. The object around it is its owner.
func (r *modelReader) inlineObject(n *node, declared *objectstore.Class) (objectstore.Value, error) {
	owner := r.current.entry.ID
	object, trail := r.object, r.trail
	derived, err := r.derivedID(n)
	if err != nil {
		return nil, err
	}
	o, head, err := r.begin(n, declared, derived)
	if err != nil {
		return nil, err
	}
	if head.owner != nil && o.entry.Owner != owner {
		return nil, r.errorf(head.owner.position, "the object is written inside of %q, which owns it", owner)
	}
	o.entry.Owner = owner
	if err := r.properties(n, o); err != nil {
		return nil, err
	}
	r.object, r.trail = object, trail
	return objectstore.Ref(o.entry.ID), nil
}

// derivedID makes the id of an inline object that has none: its owner's id, and the way to it from there.
// In a list that is the object's name, or else its index, which only holds until the list changes.
func (r *modelReader) derivedID(n *node) (string, error) {
	var name string
	if head := n.member(headerKey); head != nil {
		if id := head.member("id"); id != nil {
			return "", nil
		}
		if c := head.member("name"); c != nil {
			name = c.text
		}
	}
	var id strings.Builder
	id.WriteString(r.current.entry.ID)
	for i, s := range r.trail {
		id.WriteByte('.')
		switch {
		case s.index < 0:
			id.WriteString(s.name)
		case i == len(r.trail)-1 && name != "":
			id.WriteString(name)
		case r.stateful:
			return "", r.errorf(n.position, "an object in a list needs an id or a name: its index would name another one after a removal; give it \"?\": { \"id\": … }")
		default:
			id.WriteString(strconv.Itoa(s.index))
		}
	}
	return id.String(), nil
}

// fieldIn reports whether a shape or class declares a name.
func fieldIn(list []*objectstore.Property, name string) *objectstore.Property {
	if i := slices.IndexFunc(list, func(p *objectstore.Property) bool { return p.Name == name }); i >= 0 {
		return list[i]
	}
	return nil
}
