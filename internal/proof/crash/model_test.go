package crash

import (
	"encoding/json"
	"slices"
)

// node is a Node of a model. On and Watch name others.
type node struct {
	ID, Class                           string
	On, Watch                           []string
	Nodes                               []*node
	Size, Want, Temporary, Refuse, Balk int
	Collect, Rescue                     bool
}

// model is what is deployed; without nodes, nothing.
type model struct{ nodes []*node }

func (m *model) empty() bool { return len(m.nodes) == 0 }

// all lists the nodes, owners first.
func (m *model) all() []*node { return all(m.nodes) }

func all(nodes []*node) (list []*node) {
	for _, n := range nodes {
		list = append(append(list, n), all(n.Nodes)...)
	}
	return list
}

// class is that of a node, if the model has it.
func (m *model) class(id string) (class string, ok bool) {
	for _, n := range m.all() {
		if n.ID == id {
			return n.Class, true
		}
	}
	return "", false
}

// text is the model as JSON.
func (m *model) text() string {
	if m.empty() {
		return `{"Objects": null}`
	}
	data, err := json.Marshal(map[string]any{"?": map[string]string{"type": "Environment", "id": "root"}, "applications": plain(m.nodes)})
	if err != nil {
		panic(err) // strings and numbers
	}
	return string(data)
}

func plain(nodes []*node) []any {
	list := []any{}
	for _, n := range nodes {
		list = append(list, map[string]any{
			"?": map[string]string{"type": n.Class, "id": n.ID}, "on": append([]string{}, n.On...), "watch": append([]string{}, n.Watch...),
			"nodes": plain(n.Nodes), "size": n.Size, "want": n.Want, "temporary": n.Temporary, "refuse": n.Refuse, "balk": n.Balk,
			"collect": n.Collect, "rescue": n.Rescue,
		})
	}
	return list
}

// clone copies nodes, so that the next model can differ.
func clone(nodes []*node) (list []*node) {
	for _, n := range nodes {
		copied := *n
		copied.On, copied.Watch, copied.Nodes = slices.Clone(n.On), slices.Clone(n.Watch), clone(n.Nodes)
		list = append(list, &copied)
	}
	return list
}
