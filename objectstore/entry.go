package objectstore

// Graph is an environment at rest: its objects as plain data.
type Graph struct {
	Root    string   // id of the root object; empty if there are no objects
	Objects []*Entry // in creation order
}

// Lookup returns the entry with this id, nil if there is none. It is linear: index the graph for more.
func (g *Graph) Lookup(id string) *Entry {
	for _, e := range g.Objects {
		if e.ID == id {
			return e
		}
	}
	return nil
}

// Entry is one managed object at rest: header and properties.
type Entry struct {
	ID          string
	Type        string // qualified class name
	Version     string // version of the class's package; empty if unknown
	Name        string // $name; empty if none was given
	Owner       string // id; empty for the root
	Incarnation uint64 // 0 if unknown

	Destroyed bool // gc 5.5: a tombstone
	Doomed    bool // failed or unfinished: kept although nothing refers to it (gc 6.1)
	Protect   bool // destroying it needs a confirmation

	Notified  bool     // doomed only: its subscribers have been told (gc 5.6: not again)
	Completed []string // doomed only: classes whose destroy() is done (gc 5.1)
	Failure   string   // doomed only: why the last destroy() failed; empty if it was not tried or is blocked

	Subscriptions []Subscription // to this object's destruction, first made first

	Properties []Field // in the order of the class's declaration
}

// Subscription is a destruction dependency at rest: Subscriber wants to be told before the object goes.
type Subscription struct {
	Subscriber string // id
	Handler    string // name of a method; empty: order only
	Count      int    // at least 1
	Told       bool   // of a doomed object whose subscribers have not all been told: this one has
}

// Refs calls visit with the id of the owner, if there is one, and of each object that the properties lead to, in
// order: what keeps them in a snapshot (gc 2.4).
func (e *Entry) Refs(visit func(id string)) {
	if e.Owner != "" {
		visit(e.Owner)
	}
	for _, f := range e.Properties {
		Refs(f.Value, func(r Ref) { visit(string(r)) })
	}
}

// Property returns the stored value under name, and whether there is one.
func (e *Entry) Property(name string) (Value, bool) {
	for _, f := range e.Properties {
		if f.Name == name {
			return f.Value, true
		}
	}
	return nil, false
}
