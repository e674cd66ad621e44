package serialize

import (
	"slices"

	"github.com/sextongc/sexton/objectstore"
)

// muranoFields are fields of Murano's headers that have no meaning here.
var muranoFields = []string{"package", "classVersion", "metadata"}

// document finds out which layout it is.
func (r *modelReader) document(n *node) error {
	if n.kind != nodeObject {
		return r.errorf(n.position, `a model is an object, got %s: write { "?": { "type": "Environment" }, "applications": [ … ] }`, describeNode(n))
	}
	if n.member(headerKey) != nil {
		return r.rootObject(n)
	}
	if objects := n.member("Objects"); objects != nil {
		return r.murano(n, objects)
	}
	if n.member("sexton") != nil || n.member("objects") != nil {
		return r.flatDocument(n)
	}
	return r.rootObject(n)
}

func (r *modelReader) murano(n, objects *node) error {
	for c := n.first; c != nil; c = c.next {
		if members := []string{"Objects", "ObjectsCopy", "Attributes"}; !slices.Contains(members, c.name) {
			return r.errorf(c.keyPosition, "unknown member %q%s", c.name, DidYouMean(c.name, members))
		}
	}
	r.ignored = muranoFields
	switch {
	case objects.kind == nodeNull, objects.kind == nodeObject && objects.count == 0:
		return nil
	case objects.kind == nodeArray:
		return r.list(objects)
	case objects.kind == nodeObject:
		return r.rootObject(objects)
	}
	return r.errorf(objects.position, "Objects must be an object, a list of objects, or null")
}

func (r *modelReader) flatDocument(n *node) error {
	var objects *node
	for c := n.first; c != nil; c = c.next {
		switch c.name {
		case "sexton":
			if err := checkVersion(r.doc, c); err != nil {
				return err
			}
			r.saved = true
		case "root":
			if c.kind != nodeString || c.text == "" {
				return r.errorf(c.position, "root must be the id of an object")
			}
			r.root = c
		case "objects":
			if c.kind != nodeArray {
				return r.errorf(c.position, "objects must be a list")
			}
			objects = c
		case "digest": // whoever wants it checked reads a snapshot
		default:
			return r.errorf(c.keyPosition, "unknown member %q%s", c.name, DidYouMean(c.name, snapshotMembers))
		}
	}
	if objects == nil {
		return r.errorf(n.position, "the model has no objects")
	}
	return r.list(objects)
}

// list reads the objects of a flat model. Their owners stand in their headers.
func (r *modelReader) list(n *node) error {
	for c := n.first; c != nil; c = c.next {
		r.object, r.trail = "", nil
		if c.kind != nodeObject || c.member(headerKey) == nil {
			return r.errorf(c.position, `an object with a header "?" was expected, got %s`, describeNode(c))
		}
		o, head, err := r.begin(c, nil, "")
		if err != nil {
			return err
		}
		if head.owner != nil {
			r.reference(o.entry.Owner, head.owner, nil, true)
		}
		if err := r.properties(c, o); err != nil {
			return err
		}
	}
	return nil
}

// rootObject reads the object around a nested model.
func (r *modelReader) rootObject(n *node) error {
	var class *objectstore.Class // if the root does not say its own
	if head := n.member(headerKey); r.classes != nil && (head == nil || head.member("type") == nil) {
		if c, err := r.classes.Lookup("Environment"); err == nil {
			class = c
		}
	}
	o, head, err := r.begin(n, class, "root")
	switch {
	case err != nil:
		return err
	case head.owner != nil:
		return r.errorf(head.owner.position, "the root has no owner")
	}
	return r.properties(n, o)
}
