package proof

import (
	"cmp"

	"github.com/sextongc/sexton"
	"github.com/sextongc/sexton/objectstore"
	"github.com/sextongc/sexton/serialize"
)

// graph returns the world at rest.
func (w *world) graph() *objectstore.Graph {
	g := &objectstore.Graph{}
	for _, o := range w.objects {
		if o.gone {
			continue
		}
		e := &objectstore.Entry{ID: o.id, Type: "proof/" + cmp.Or(o.class, "Node"), Name: o.name, Destroyed: o.state == destroyed, Doomed: o.state == doomed}
		e.Notified = e.Doomed && o.notified
		if o.id == "root" {
			e.Type = "proof/Root"
			if o.state != destroyed {
				g.Root = "root"
			}
			e.Properties = []objectstore.Field{{Name: "applications", Value: []objectstore.Value{}}}
		}
		if o.owner >= 0 {
			e.Owner = w.objects[o.owner].id
		}
		if o.failed {
			e.Failure = "destroy of Node: Error: no"
		}
		for _, s := range o.subs {
			e.Subscriptions = append(e.Subscriptions, objectstore.Subscription{
				Subscriber: w.objects[s.subscriber].id, Handler: s.handler, Count: s.count, Told: s.told && o.state == doomed && !o.notified,
			})
		}
		e.Properties = append(e.Properties, objectstore.Field{Name: "refs", Value: w.list(o.refs)})
		if o.made {
			e.Properties = append(e.Properties, objectstore.Field{Name: "made", Value: true})
		}
		g.Objects = append(g.Objects, e)
	}
	return g
}

func (w *world) list(to []int) []objectstore.Value {
	list := make([]objectstore.Value, len(to))
	for k, i := range to {
		list[k] = objectstore.Ref(w.objects[i].id)
	}
	return list
}

// model returns what an operator writes to ask for d.
func (w *world) model(d *order) []byte {
	if d.empty {
		return []byte(`{"Objects": null}`)
	}
	var entries []*objectstore.Entry
	for i, o := range w.objects {
		if !d.named[i] {
			continue
		}
		e := &objectstore.Entry{ID: o.id, Type: "proof/Node"}
		if i == 0 {
			e.Type = "proof/Root"
		}
		if o.owner >= 0 {
			e.Owner = w.objects[o.owner].id
		}
		if to := d.sets[i]; to != nil {
			e.Properties = []objectstore.Field{{Name: "refs", Value: w.list(to)}}
		}
		entries = append(entries, e)
	}
	return document(entries)
}

// document is a flat model of these objects.
func document(entries []*objectstore.Entry) []byte {
	data := []byte(`{"sexton": 1, "root": "root", "objects": [`)
	for i, e := range entries {
		entry, err := serialize.EncodeEntry(e)
		if err != nil {
			panic(err)
		}
		if i > 0 {
			data = append(data, ',')
		}
		data = append(data, entry...)
	}
	return append(data, `]}`...)
}

func (w *world) settings() sexton.Settings {
	s := sexton.Settings{Concurrency: w.atOnce}
	if w.spare {
		s.Resurrection = "spare"
	}
	if w.goesOn {
		s.OnDestroyError = "continue"
	}
	return s
}
