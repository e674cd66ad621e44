package objectstore

// Edges describes the order relations among the environment's objects for a plan: objects that are
// not destroyed, in creation order, with their owners and destruction dependencies.
type Edges struct {
	Objects []*Object
	Owner   []int32 // index of the owner, -1 for none
	Deps    []Dependency
}

// Dependency says that Subscriber depends on Publisher: the publisher goes first.
type Dependency struct {
	Publisher, Subscriber int32
	Via                   *Subscribed
}

// Edges returns the order relations as they stand now.
func (s *Store) Edges() *Edges {
	e := &Edges{Objects: s.Objects()}
	index := make(map[*Object]int32, len(e.Objects))
	for i, o := range e.Objects {
		index[o] = int32(i)
	}
	e.Owner = make([]int32, len(e.Objects))
	for i, o := range e.Objects {
		e.Owner[i] = -1
		if at, ok := index[o.owner]; ok && o.owner != nil {
			e.Owner[i] = at
		}
		for _, sub := range o.Subscriptions() {
			if at, ok := index[sub.Subscriber]; ok {
				e.Deps = append(e.Deps, Dependency{int32(i), at, sub})
			}
		}
	}
	return e
}
