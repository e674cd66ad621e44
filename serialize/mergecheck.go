package serialize

import "github.com/sextongc/sexton/objectstore"

// verify checks the incoming graph as a whole.
func (m *merger) verify() error {
	for _, ref := range m.model.open {
		if !m.out.Incoming[ref.id] {
			return m.dangling(ref)
		}
		if class, _ := m.resolve(objectstore.Ref(ref.id)); class != nil && ref.class != nil && !class.Is(ref.class) {
			return m.model.wrongClass(ref, class)
		}
	}
	for _, e := range m.model.Graph.Objects {
		if err := m.keptValues(e); err != nil {
			return err
		}
	}
	return m.owners()
}

// dangling is the error of a reference that leads out of the incoming graph.
func (m *merger) dangling(ref reference) error {
	e := m.stored[ref.id]
	if e == nil {
		return m.model.dangling(ref)
	}
	why := "is deployed, but the model does not have it and so drops it: put it into the model, or refer to another object"
	if e.Destroyed {
		why = "was destroyed: refer to another object, or put a new one into the model"
	}
	return m.model.doc.errorf(ref.position, ref.path, "dangling reference: %s %s", label(e.Type, e.ID), why)
}

// keptValues checks what a model's object keeps against its class, which may have changed (gc 5.4).
func (m *merger) keptValues(e *objectstore.Entry) error {
	made := m.merged[e.ID]
	class := m.model.objects[e.ID].class
	for _, f := range made.Properties {
		if _, set := e.Property(f.Name); set || made.Destroyed || m.stored[e.ID] == nil {
			continue
		}
		if err := CheckProperty(class.Property(f.Name), f.Value, m.resolve); err != nil {
			fault := err.(*Error) // CheckProperty has no others
			at := m.model.objects[e.ID].position
			return m.model.doc.errorf(at, label(e.Type, e.ID)+": "+fault.Path, "the stored value does not fit: %s", fault.Msg)
		}
	}
	return nil
}

// resolve finds the class of an object of the incoming graph; of one that is replaced, the new one.
func (m *merger) resolve(ref objectstore.Ref) (*objectstore.Class, bool) {
	if o := m.model.objects[string(ref)]; o != nil {
		return o.class, true
	}
	e := m.stored[string(ref)]
	if e == nil {
		return nil, false
	}
	class, err := m.model.classes.Lookup(e.Type)
	if err != nil {
		return nil, true // an object whose class is missing is kept as it is
	}
	return class, true
}

// owners checks that the incoming graph has no cycle of owners.
func (m *merger) owners() error {
	var incoming []*objectstore.Entry
	index := make(map[string]int)
	for _, e := range m.out.Graph.Objects {
		if made := m.merged[e.ID]; made != nil {
			e = made // Graph has some of them as they are until replaced ones are made
		}
		if m.out.Incoming[e.ID] {
			index[e.ID] = len(incoming)
			incoming = append(incoming, e)
		}
	}
	find := func(id string) int {
		if i, ok := index[id]; ok {
			return i
		}
		return -1
	}
	if i := ownerCycle(incoming, find); i >= 0 {
		e := incoming[i]
		at := m.model.objects[m.model.Graph.Root].position
		if o := m.model.objects[e.ID]; o != nil {
			at = o.position
		}
		return m.model.doc.errorf(at, label(e.Type, e.ID), "the object owns itself through its owners, some of which are stored")
	}
	return nil
}

// sameValue compares by the form in which values are saved. A secret is the same as the string that it is.
func sameValue(a, b objectstore.Value) bool {
	v, w := writer{depth: 3}, writer{depth: 3}
	v.value(objectstore.MapSecrets(a, bare))
	w.value(objectstore.MapSecrets(b, bare))
	return v.err == nil && w.err == nil && string(v.buf) == string(w.buf)
}

func bare(v objectstore.Value) objectstore.Value {
	if secret, ok := v.(objectstore.Secret); ok {
		return string(secret)
	}
	return v
}
