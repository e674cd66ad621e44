package proof

import (
	"fmt"
	"slices"
)

// target draws what is asked of a world next.
func (d dice) target(w *world, size int) *target {
	t, root := &target{}, w.objects[0]
	begins := len(w.objects) == 1 && (root.gone || root.state == destroyed)
	if !begins && (root.state != live || d.oneIn(12, "empty")) {
		return t
	}
	old := map[string]*object{}
	var ids []string
	for _, o := range w.objects[1:] {
		old[o.id] = o
		if o.state == live && !d.oneIn(4, "dropped") || o.state != live && d.oneIn(3, "named again") {
			ids = append(ids, o.id)
		}
	}
	for i := range size {
		if id := fmt.Sprintf("n%d", i+1); old[id] == nil && d.oneIn(2, "new") {
			ids = append(ids, id)
		}
	}
	t.wishes = []*wish{{id: "root", class: "Root"}}
	if begins || d.oneIn(2, "sets") {
		t.wishes[0].refs = d.some(ids, 3)
	}
	owner := map[string]string{}
	for _, id := range ids {
		if o := old[id]; o != nil && o.owner >= 0 && slices.Contains(append(ids, "root"), w.objects[o.owner].id) {
			owner[id] = w.objects[o.owner].id
		}
	}
	wishes := map[string]*wish{}
	for _, id := range ids {
		x, o := &wish{id: id, class: "Node"}, old[id]
		if o != nil {
			x.class, x.name = o.classed(), o.name
		}
		if d.oneIn(8, "another class") {
			x.class = map[string]string{"Node": "Other", "Other": "Node"}[x.class]
		}
		if d.oneIn(8, "another name") {
			x.name = pick(d, "name", "", "a", "b")
		}
		if o == nil || d.oneIn(6, "moves") {
			owner[id] = pick(d, "owner", append(slices.Clone(ids), "root", "")...)
			for at := owner[id]; at != ""; at = owner[at] {
				if at == id {
					owner[id] = "" // no cycles
					break
				}
			}
		}
		if d.oneIn(3, "sets") {
			x.refs = d.some(ids, 2)
		}
		wishes[id] = x
	}
	for range d("subscriptions", 0, len(ids)) {
		publisher, subscriber := pick(d, "publisher", ids...), pick(d, "subscriber", append(slices.Clone(ids), "root")...)
		if usable(old[publisher]) && usable(old[subscriber]) {
			x := wishes[publisher]
			sub := wishedSub{subscriber, d.handler(), d("count", 1, 2)}
			if !slices.ContainsFunc(x.subs, func(s wishedSub) bool { return s.subscriber == sub.subscriber && s.handler == sub.handler }) {
				x.subs = append(x.subs, sub)
			}
		}
	}
	var add func(id string)
	add = func(id string) { // owners first
		x := wishes[id]
		if x == nil {
			return
		}
		delete(wishes, id)
		x.owner = owner[id]
		add(x.owner)
		t.wishes = append(t.wishes, x)
	}
	for _, id := range ids {
		add(id)
	}
	for range d("steps", 0, 6) {
		t.steps = append(t.steps, d.action(append(ids, "root")))
	}
	return t
}

func usable(o *object) bool { return o == nil || o.state == live }

// some draws a part of ids, larger with a larger share.
func (d dice) some(ids []string, share int) []string {
	part := []string{}
	for _, id := range ids {
		if !d.oneIn(share, "not this one") {
			part = append(part, id)
		}
	}
	return part
}

// action draws one operation.
func (d dice) action(ids []string) step {
	s := step{op: pick(d, "op", "create", "refer", "release", "create", "tie", "untie", "subscribe", "unsubscribe", "make", "collect", "create")}
	s.a, s.b = pick(d, "a", ids...), pick(d, "b", ids...)
	switch s.op {
	case "subscribe", "unsubscribe":
		s.handler = d.handler()
		return s
	case "make":
		s.b = s.a
		return s
	}
	if s.op != "create" && d.oneIn(2, "root") {
		s.a = "root"
	}
	if s.b == "root" && s.op != "create" && s.op != "collect" {
		return step{op: "create", a: s.a, b: s.a} // it is no Node
	}
	return s
}

// rules draws anew what some of the objects do when they are told and when they go.
// Ids of what they make are those of no other attempt.
func (d dice) rules(w *world, size, attempt int) {
	id := func(what string) string {
		if n := d(what, 0, size); n > 0 {
			return fmt.Sprintf("n%d", n)
		}
		return "root"
	}
	for i := range d("rules", 0, 3) {
		key := pick(d, "kind", "told", "toldToo", "destroy") + " " + id("who")
		w.fired[key] = 0
		r := rule{times: d("times", 0, 3), throws: d.oneIn(3, "throws")}
		s := step{op: pick(d, "does", "", "refer", "release", "subscribe", "unsubscribe", "tie", "make"), a: id("a"), b: id("b")}
		if d.oneIn(2, "to itself") {
			s.a, s.b = "root", "@"
			if w.spare {
				s.op = "refer"
			}
		}
		if s.op == "subscribe" || s.op == "unsubscribe" {
			s.handler = d.handler()
		} else if s.op == "make" {
			s.b, s.handler, r.times = s.a, fmt.Sprintf("m%d.r%d", attempt, i), min(r.times, 1)
		} else if s.b == "root" {
			s = step{}
		}
		r.step = s
		w.rules[key] = r
	}
}
