package objectstore

import (
	"fmt"
	"slices"
	"strings"

	"github.com/dop251/goja"
	"github.com/google/uuid"

	"github.com/sextongc/sexton/internal/vmheap"
)

// Options of a Store. Nil works.
type Options struct {
	// Package and Version are given to classes that are not exported.
	Package, Version string
	// Anonymous allows objects of classes that the package does not export. No later process could
	// load them, so it is for environments that end with the process.
	Anonymous bool
	// Redeclared lets a class that the package does not export take its name from an earlier one.
	Redeclared bool
	// TraceCreation remembers where each object was made. It costs a stack capture per object.
	TraceCreation bool
	// NewID makes ids for objects that are given none; nil: UUIDs of version 7.
	NewID func() string
	// Incarnation returns the number of the next incarnation; nil: none are given.
	Incarnation func() uint64
	// Stopping reports that nothing new is to be started: Environment's deploy() then goes on to no
	// further application (gc 5.8). Nil: never.
	Stopping func() bool
	// MaxObjects bounds the objects that are not destroyed, MaxEdges their subscriptions and saved references together;
	// 0: no limit. Exceeded makes the error, of "objects" or "edges"; one that is a *goja.Exception is thrown as it is.
	MaxObjects, MaxEdges int
	Exceeded             func(limit string, most int) error
	// Config holds the values of properties with usage "config".
	Config map[string]Value
}

// Store is an environment in memory. It is not safe for concurrent use and belongs to the goroutine
// that runs its runtime.
type Store struct {
	registry *Registry
	opts     Options
	objects  []*Object // in creation order; the destroyed are swept out lazily
	byID     map[string]*Object
	root     *Object
	seq      int
	restored int // seq of the last object that Load restored
	loading  bool
	shell    *Object  // the object whose constructor runs while loading
	inlined  *inlined // what the next `new` of an inline object takes
	ended    int      // how many objects were destroyed or forgotten
}

// NewStore makes an empty environment and makes it the one that constructors register with. Objects
// of the store before it stay readable, and belong to no environment any more.
func (g *Registry) NewStore(opts *Options) *Store {
	s := &Store{registry: g, byID: map[string]*Object{}}
	if opts != nil {
		s.opts = *opts
	}
	if s.opts.NewID == nil {
		s.opts.NewID = func() string { return uuid.Must(uuid.NewV7()).String() }
	}
	if old := g.store; old != nil {
		old.release()
	}
	g.store = s
	return s
}

// Current returns the store that constructors register with, nil if there is none.
func (g *Registry) Current() *Store { return g.store }

// release stops holding the objects: what scripts still refer to stays readable.
func (s *Store) release() {
	for _, o := range s.objects {
		if o.state != Destroyed {
			s.registry.heap.Weaken(o.ref)
		}
	}
}

// Close takes the store out of its runtime; objects of it can no longer be made.
func (s *Store) Close() {
	if s.registry.store == s {
		s.release()
		s.registry.store = nil
	}
}

// Root returns the environment's root object, nil if there is none.
func (s *Store) Root() *Object { return s.root }

// SetRoot makes o the root.
func (s *Store) SetRoot(o *Object) { s.root = o }

// Lookup returns the object with this id that is not destroyed, or was loaded as destroyed.
func (s *Store) Lookup(id string) *Object { return s.byID[id] }

// Objects returns all objects that are not destroyed, in creation order.
func (s *Store) Objects() []*Object {
	s.objects = slices.DeleteFunc(s.objects, func(o *Object) bool {
		if o.state != Destroyed || o.ref.Object() != nil {
			return false
		}
		if s.byID[o.ID] == o {
			delete(s.byID, o.ID)
		}
		return true
	})
	out := make([]*Object, 0, len(s.objects))
	for _, o := range s.objects {
		if o.state != Destroyed {
			out = append(out, o)
		}
	}
	return out
}

// Owns reports whether o belongs to this environment.
func (s *Store) Owns(o *Object) bool { return o.store == s }

// Seq returns a mark: objects for which Since is true were created after it.
func (s *Store) Seq() int { return s.seq }

// Since reports whether o was created after the mark.
func (o *Object) Since(mark int) bool { return o.seq > mark }

// Restored reports whether Load restored o, rather than that a script made it.
func (o *Object) Restored() bool { return o.seq <= o.store.restored }

// add registers a JavaScript object as a managed object of class c.
func (s *Store) add(v *goja.Object, c *Class, id, name string, owner *Object) *Object {
	s.seq++
	o := &Object{ID: id, Name: name, Class: c, store: s, owner: owner, seq: s.seq}
	o.ref = s.registry.heap.Track(v, o)
	s.objects = append(s.objects, o)
	s.byID[id] = o
	return o
}

// freeID returns an error if the id is taken: by a live object, or by a tombstone that would stand
// in a snapshot beside the new one.
func (s *Store) freeID(id string) error {
	if id == "" || strings.ContainsAny(id, "\x00\n") {
		return fmt.Errorf("id %q is empty or has control characters", id)
	}
	o := s.byID[id]
	if o != nil && o.state == Destroyed && o.ref.Object() != nil {
		// Frees the ids of all tombstones that no snapshot would hold, so that many objects that come
		// back under their old ids cost one traversal, not one each.
		in := s.members()
		for id, x := range s.byID {
			if x.state == Destroyed && !in[x] {
				delete(s.byID, id)
			}
		}
		o = s.byID[id]
	}
	if o == nil || o.state == Destroyed && o.ref.Object() == nil {
		return nil
	}
	if o.state == Destroyed {
		return fmt.Errorf("id %q is taken by %s, which is destroyed: the id is free once no saved property refers to that", id, o)
	}
	return fmt.Errorf("id %q is taken by %s", id, o)
}

// Doom marks an object as part of a plan (gc 5.3).
func (s *Store) Doom(o *Object) { o.state = Doomed }

// Spare makes a doomed object live again (gc 5.5, resurrection "spare").
func (s *Store) Spare(o *Object) {
	o.state = Live
	o.Notified = false
	for _, sub := range o.subs {
		sub.Told = false
	}
}

// Bury completes an object's destruction: its methods throw from now on, its subscriptions end, and
// only what refers to it keeps it (gc 4.5, 5.2, 5.5).
func (s *Store) Bury(o *Object) error {
	o.state = Destroyed
	s.ended++
	o.endSubscriptions()
	o.Failure, o.BlockedBy, o.completed = "", "", nil
	if s.root == o {
		s.root = nil
	}
	defer s.registry.heap.Weaken(o.ref)
	return s.registry.bury(o)
}

func (g *Registry) bury(o *Object) error {
	v := o.ref.Object()
	if v == nil || o.Class == nil {
		return nil
	}
	c := o.Class
	if c.script.tombstone == nil {
		p, err := g.lib.call("tombstonePrototype", c.script.prototype)
		if err != nil {
			return err
		}
		c.script.tombstone = p.(*goja.Object)
	}
	_, err := g.lib.call("bury", v, c.script.tombstone)
	return err
}

// Unreachable returns those of the given objects that no root leads to in the sense of gc 2.1, in
// the order given. It must run on the goroutine that runs the runtime, with no *goja.Object of a
// suspect in a local variable of a caller.
func (s *Store) Unreachable(objects []*Object) []*Object {
	refs := make([]*vmheap.Ref, 0, len(objects))
	for _, o := range objects {
		if o != s.root {
			refs = append(refs, o.ref)
		}
	}
	if len(refs) == 0 {
		return nil
	}
	dead := s.registry.heap.Find(refs, s.Roots())
	out := make([]*Object, len(dead))
	for i, ref := range dead {
		out[i] = ref.Data.(*Object)
	}
	return out
}

// Roots returns what lives without being referred to: the root object and the classes.
func (s *Store) Roots() []*vmheap.Ref {
	roots := s.registry.roots()
	if s.root != nil {
		roots = append(roots, s.root.ref)
	}
	return roots
}
