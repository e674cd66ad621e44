package serialize

import "github.com/sextongc/sexton/objectstore"

// settle notes where an object of the incoming graph names replaced objects, and returns it as it is while
// the old ones are there.
func (m *merger) settle(e *objectstore.Entry) *objectstore.Entry {
	if len(m.replaced) == 0 {
		return e
	}
	settled := *e
	if m.hold(e.Owner, Holder{Object: e.ID}) {
		settled.Owner = "" // the old one's owners may lead back here
	}
	settled.Properties = make([]objectstore.Field, 0, len(e.Properties))
	for _, f := range e.Properties {
		if !m.holdAll(e, f) {
			settled.Properties = append(settled.Properties, f)
			continue
		}
		if old := m.stored[e.ID]; old != nil {
			if v, ok := old.Property(f.Name); ok {
				settled.Properties = append(settled.Properties, objectstore.Field{Name: f.Name, Value: v})
			}
		}
	}
	settled.Subscriptions = m.settleSubscriptions(e)
	return &settled
}

func (m *merger) hold(id string, h Holder) bool {
	i, ok := m.replaced[id]
	if ok {
		r := &m.out.Replaced[i]
		if n := len(r.Holders); n == 0 || r.Holders[n-1].Object != h.Object || r.Holders[n-1].Property != h.Property {
			r.Holders = append(r.Holders, h)
		}
	}
	return ok
}

func (m *merger) holdAll(e *objectstore.Entry, f objectstore.Field) (held bool) {
	objectstore.Refs(f.Value, func(ref objectstore.Ref) {
		held = m.hold(string(ref), Holder{e.ID, f.Name, f.Value}) || held
	})
	return held
}

// settleSubscriptions leaves out what replaced objects subscribed to, and notes what the model wants them to.
func (m *merger) settleSubscriptions(e *objectstore.Entry) []objectstore.Subscription {
	var rest []objectstore.Subscription
	for _, s := range e.Subscriptions {
		if _, gone := m.replaced[s.Subscriber]; !gone {
			rest = append(rest, s)
		}
	}
	if o := m.model.objects[e.ID]; o != nil {
		for _, s := range o.entry.Subscriptions {
			if i, ok := m.replaced[s.Subscriber]; ok {
				m.out.Replaced[i].Subscribed = append(m.out.Replaced[i].Subscribed, Subscribed{e.ID, s})
			}
		}
	}
	return rest
}
