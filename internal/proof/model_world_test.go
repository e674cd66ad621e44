package proof

import (
	"maps"
	"slices"

	"github.com/sextongc/sexton"
	"github.com/sextongc/sexton/objectstore"
)

// target is what an operator asks for over and over until it is there: a model, by ids, so that it means the
// same after a crash. A root among the wishes comes first, owners before what they own.
type target struct {
	wishes []*wish // nil: everything is to go
	steps  []step  // of the root's deploy()
}

// wish is one object of a model.
type wish struct {
	id, class, name, owner string
	refs                   []string // nil: it leaves them alone
	subs                   []wishedSub
}

type wishedSub struct {
	subscriber, handler string
	count               int
}

func (t *target) wish(id string) *wish {
	for _, x := range t.wishes {
		if x.id == id {
			return x
		}
	}
	return nil
}

// model returns what an operator writes.
func (t *target) model() []byte {
	if t.wishes == nil {
		return []byte(`{"Objects": null}`)
	}
	var entries []*objectstore.Entry
	for _, x := range t.wishes {
		e := &objectstore.Entry{ID: x.id, Type: "proof/" + x.class, Name: x.name, Owner: x.owner}
		for _, s := range x.subs {
			e.Subscriptions = append(e.Subscriptions, objectstore.Subscription{Subscriber: s.subscriber, Handler: s.handler, Count: s.count})
		}
		if x.refs != nil {
			list := make([]objectstore.Value, len(x.refs))
			for k, id := range x.refs {
				list[k] = objectstore.Ref(id)
			}
			e.Properties = []objectstore.Field{{Name: "refs", Value: list}}
		}
		entries = append(entries, e)
	}
	return document(entries)
}

// moment is what a state may hold while a deployment runs.
type moment struct {
	world  *world
	events int  // that came before
	sure   bool // it is durable before the next event
	whole  bool // with all properties; otherwise they may be older, but not older than the last whole one
}

// moment takes note of the world as it is.
func (w *world) moment(sure, whole bool) {
	if w.recorded {
		if whole {
			w.singles = nil
		}
		w.moments = append(w.moments, moment{w.clone(), len(w.events), sure, whole})
	}
}

// single is an object as it was recorded by itself, in which moment.
type single struct {
	object *object
	moment int
}

// alone takes note that the next moment has an object as it is now.
func (w *world) alone(i int) {
	if w.recorded {
		w.singles = maps.Clone(w.singles)
		if w.singles == nil {
			w.singles = map[int]single{}
		}
		w.singles[i] = single{w.objects[i].clone(), len(w.moments)}
	}
}

// since returns what a state holds whose objects are those of an earlier moment, but for what records of
// their own tell: who is doomed, told, destroyed; and subscribers as they were once they had been told. What was made
// after the earlier moment is not there, unless such a subscriber led to it: it had no effect yet, and goes with the
// process. So does then the tombstone of its owner, if nothing else refers to that.
func (m *moment) since(earlier *moment, at int) []string {
	w := earlier.world.clone()
	known := len(w.objects)
	for _, o := range m.world.objects[known:] {
		w.objects = append(w.objects, o.clone())
	}
	var recorded []int
	for i, one := range m.world.singles {
		o := w.objects[i]
		changed := i >= known || o.made != one.object.made || !slices.Equal(o.refs, one.object.refs) || !slices.Equal(o.subs, one.object.subs)
		if one.moment > at && changed { // otherwise it is not recorded
			w.objects[i] = one.object.clone()
			recorded = append(recorded, i)
		}
	}
	for i, o := range w.objects {
		now := m.world.objects[i]
		if o.state != destroyed && now.state == destroyed {
			o.subs = nil
		}
		o.state, o.failed = now.state, now.failed
		if !now.silent {
			o.notified = now.notified
		}
		for k := range o.subs {
			s := &o.subs[k]
			s.told = slices.ContainsFunc(now.subs, func(x subscription) bool { return x.subscriber == s.subscriber && x.handler == s.handler && x.told })
		}
	}
	led := w.persistable(recorded...)
	missing := func(i int) bool { return i >= known && !led[i] }
	for _, o := range w.objects {
		o.subs = slices.DeleteFunc(o.subs, func(s subscription) bool { return missing(s.subscriber) || w.objects[s.subscriber].state == destroyed })
	}
	w.keep(func(i int) int {
		if missing(i) {
			return -1
		}
		return i
	})
	w.save()
	return texts(w.graph())
}

func (w *world) clone() *world {
	c := *w
	c.events, c.moments, c.plans = nil, nil, nil
	c.fired = maps.Clone(w.fired)
	c.objects = make([]*object, len(w.objects))
	for i, o := range w.objects {
		c.objects[i] = o.clone()
	}
	return &c
}

func (o *object) clone() *object {
	c := *o
	c.refs, c.subs, c.loose = slices.Clone(o.refs), slices.Clone(o.subs), maps.Clone(o.loose)
	return &c
}

// index returns where the object is that has an id, -1 if none has it.
func (w *world) index(id string) int {
	return slices.IndexFunc(w.objects, func(o *object) bool { return o.id == id && !o.gone })
}

// redeploy is a deployment with all that a model can ask for: what deploy() is, and before that the
// replacement of what has to go first (gc 2.3).
func (w *world) redeploy(t *target) {
	w.events, w.moments, w.plans = nil, nil, nil
	w.moment(true, true)
	w.note("phase load")
	if w.stopped {
		return // nothing was begun
	}
	if gone := w.outgoing(t); len(gone) > 0 {
		if !w.replace(t, gone) {
			w.moment(true, true)
			w.save()
			w.refused = true
			return
		}
		w.note("phase load")
	} else {
		w.recover()
	}
	incoming := w.wished(t)
	w.moment(true, true)
	w.predeploy("collect what the model dropped", w.except(incoming), nil)
	if w.stopped {
		w.moment(true, true)
		w.save()
		return
	}
	if incoming[0] && w.objects[0].state == live {
		w.note("phase deploy")
		for _, s := range t.steps {
			if s.op != "collect" {
				w.perform(s)
				w.moment(false, false)
				continue
			}
			w.note("collect")
			unreachable := func() set { return w.except(w.reachable(w.root()...)) }
			w.collect(unreachable, unreachable, unreachable)
			w.moment(false, false)
		}
		w.moment(true, true)
	}
	if !w.stopped {
		w.note("phase collect what the environment no longer holds")
		unkept := func() set { return w.except(w.persistable(w.root()...)) }
		w.collect(unkept, unkept, unkept)
	}
	w.moment(true, true)
	w.save()
}

// predeploy collects what leaves, then what was made meanwhile and is unreachable. Some of it handlers cannot
// rescue.
func (w *world) predeploy(phase string, leaves, lost set) {
	w.note("phase %s", phase)
	since := len(w.objects)
	w.collect(func() set { return leaves }, func() set {
		dead := w.except(w.reachable(w.root()...))
		for i := range since {
			delete(dead, i)
		}
		return dead
	}, func() set {
		if w.objects[0].state != live {
			return w.except(nil)
		}
		dead := w.except(w.persistable(0))
		for i := range lost {
			dead[i] = dead[i] || lost[i]
		}
		return dead
	})
}

// outgoing returns the objects that have to go before new ones of their ids can be made.
func (w *world) outgoing(t *target) set {
	gone, left := set{}, w.left()
	for i, o := range w.objects {
		if x := t.wish(o.id); x != nil && !o.gone && (o.state == doomed || left[i] || i > 0 && x.class != o.classed()) {
			gone[i] = true
		}
	}
	return gone
}

// left returns the tombstones that only doomed objects refer to: they are left of a plan that did not come to its end.
func (w *world) left() set {
	left := set{}
	if slices.ContainsFunc(w.objects, func(o *object) bool { return o.state == doomed }) {
		kept := w.persisting()
		for i, o := range w.objects {
			left[i] = i > 0 && o.state == destroyed && !kept[i]
		}
	}
	return left
}

// persisting returns what the root holds, but for what only doomed objects refer to.
func (w *world) persisting() set {
	kept := set{}
	var queue []int
	visit := func(i int) {
		if i >= 0 && w.objects[i].state != doomed && !kept[i] {
			kept[i] = true
			queue = append(queue, i)
		}
	}
	if w.objects[0].state == live {
		visit(0)
	}
	for ; len(queue) > 0; queue = queue[1:] {
		o := w.objects[queue[0]]
		visit(o.owner)
		for _, i := range o.refs {
			visit(i)
		}
	}
	return kept
}

func (o *object) classed() string {
	if o.class == "" {
		return "Node"
	}
	return o.class
}

// replace destroys what is outgoing, with what the model drops, and reports whether the deployment can
// go on.
func (w *world) replace(t *target, gone set) bool {
	merged, other := w.clone(), set{}
	for i := range gone {
		if other[i] = i > 0 && t.wish(w.objects[i].id).class != w.objects[i].classed(); other[i] {
			merged.objects[i].refs = nil
		}
	}
	leaves := w.except(merged.wished(t))
	for i := range gone {
		leaves[i] = true
	}
	w.note("phase load")
	w.recover()
	lost := w.persistable(w.root()...)
	for i := range lost {
		lost[i] = leaves[i]
	}
	maps.Copy(lost, gone)
	w.predeploy("collect what is replaced", leaves, lost)
	w.moment(true, true)
	ids, another := map[string]bool{}, map[string]bool{}
	for i := range gone {
		ids[w.objects[i].id], another[w.objects[i].id] = true, other[i]
	}
	w.save() // and load again: what only a script knew is forgotten
	meant, kept := w.meant(t), w.persisting()
	for i, o := range w.objects {
		if another[o.id] && (o.state != destroyed || meant[i]) || ids[o.id] && o.state == destroyed && meant[i] && !kept[i] {
			return false
		}
	}
	old := map[string]int{}
	for _, x := range t.wishes {
		i := w.index(x.id)
		if i >= 0 && (!ids[x.id] || w.objects[i].state != destroyed || meant[i]) {
			continue
		}
		if i >= 0 {
			old[x.id] = i
		}
		w.add(x.id, -1).class = x.class
	}
	w.keep(func(i int) int {
		if at, ok := old[w.objects[i].id]; ok && at == i {
			return slices.IndexFunc(w.objects[i+1:], func(o *object) bool { return o.id == w.objects[i].id }) + i + 1
		}
		return i
	})
	return true
}

// meant returns the destroyed objects that are referred to by what the model leaves alone.
func (w *world) meant(t *target) set {
	var queue []int
	for i, o := range w.objects {
		if o.state != destroyed {
			queue = append(queue, i)
		}
	}
	met := set{}
	for ; len(queue) > 0; queue = queue[1:] {
		o := w.objects[queue[0]]
		var to []int
		wanted := t.wish(o.id)
		if wanted == nil {
			to = append(to, o.owner)
		}
		if wanted == nil || wanted.refs == nil {
			to = append(to, o.refs...)
		}
		for _, i := range to {
			if i >= 0 && w.objects[i].state == destroyed && !met[i] {
				met[i] = true
				queue = append(queue, i)
			}
		}
	}
	return met
}

// recover is what interrupted objects do first: they look after what they had begun.
func (w *world) recover() {
	interrupted := w.stray
	for _, o := range w.objects {
		interrupted = interrupted || len(o.interrupted) > 0
	}
	if !interrupted {
		return
	}
	w.note("phase recover")
	for _, o := range w.objects {
		if len(o.interrupted) > 0 && o.state != destroyed {
			w.note("recover %s", o.id)
			o.made = o.made || slices.Contains(o.interrupted, "proof/host.create")
		}
		o.interrupted = nil
	}
	w.stray = false
}

// wished merges the model with what is and returns the incoming graph.
func (w *world) wished(t *target) set {
	var from []int
	for _, x := range t.wishes {
		if w.index(x.id) < 0 {
			if x.id == "root" {
				*w.objects[0] = object{id: "root", owner: -1, loose: set{}}
			} else {
				w.add(x.id, -1)
			}
		}
	}
	for _, x := range t.wishes {
		i := w.index(x.id)
		from = append(from, i)
		o := w.objects[i]
		o.owner, o.name = w.index(x.owner), x.name
		if i > 0 {
			o.class = x.class
		}
		if x.refs != nil {
			o.refs = nil
			for _, id := range x.refs {
				o.refs = append(o.refs, w.index(id))
			}
		}
		for _, sub := range x.subs {
			s := subscription{w.index(sub.subscriber), sub.handler, sub.count, false}
			if w.objects[s.subscriber].state == destroyed {
				continue
			}
			k := slices.IndexFunc(o.subs, func(old subscription) bool { return old.subscriber == s.subscriber && old.handler == s.handler })
			if k < 0 {
				o.subs = append(o.subs, s)
			} else {
				o.subs[k].count = max(o.subs[k].count, s.count)
			}
		}
	}
	return w.persistable(from...)
}

// adopt returns the world that a state holds, with the rules of w.
func (w *world) adopt(info *sexton.StateInfo) *world {
	a := &world{rules: w.rules, fired: maps.Clone(w.fired), spare: w.spare, goesOn: w.goesOn, atOnce: w.atOnce, stray: len(info.Stray) > 0}
	at := map[string]int{"": -1}
	if len(info.Objects) == 0 || info.Objects[0].ID != "root" {
		a.add("root", -1).gone = true
		a.objects[0].state = destroyed
	}
	for _, s := range info.Objects {
		at[s.ID] = len(a.objects)
		o := a.add(s.ID, -1)
		e := s.Entry
		if s.ID != "root" && s.Type != "proof/Node" {
			o.class = s.Type[len("proof/"):]
		}
		o.name, o.failed, o.notified = s.Name, e.Failure != "", e.Notified
		switch {
		case e.Destroyed:
			o.state = destroyed
		case e.Doomed:
			o.state = doomed
		}
		for _, effect := range s.Effects {
			o.interrupted = append(o.interrupted, effect.Op)
		}
	}
	for _, s := range info.Objects {
		o := a.objects[at[s.ID]]
		o.owner = at[s.Owner]
		for _, sub := range s.Entry.Subscriptions {
			o.subs = append(o.subs, subscription{at[sub.Subscriber], sub.Handler, sub.Count, sub.Told})
		}
		refs, _ := s.Entry.Property("refs")
		list, _ := refs.([]objectstore.Value)
		for _, to := range list {
			o.refs = append(o.refs, at[string(to.(objectstore.Ref))])
		}
		_, o.made = s.Entry.Property("made")
	}
	return a
}

// living describes the live objects, sorted.
func (w *world) living() []string {
	g := w.graph()
	g.Objects = slices.DeleteFunc(g.Objects, func(e *objectstore.Entry) bool { return e.Destroyed || e.Doomed })
	return slices.Sorted(slices.Values(texts(g)))
}

// stored returns what a state holds as texts compares it.
func stored(info *sexton.StateInfo) []string {
	g := &objectstore.Graph{}
	for _, s := range info.Objects {
		if s.ID == "root" && !s.Entry.Destroyed {
			g.Root = "root"
		}
		e := *s.Entry
		e.Subscriptions = slices.Clone(e.Subscriptions)
		for i := range e.Subscriptions {
			e.Subscriptions[i].Told = e.Subscriptions[i].Told && e.Doomed && !e.Notified // as it is written
		}
		g.Objects = append(g.Objects, &e)
	}
	return texts(g)
}
