package proof

import (
	"fmt"
	"slices"
)

// world is an environment as the naive collector knows it. Object 0 is the root.
type world struct {
	objects []*object // in creation order
	rules   map[string]rule
	fired   map[string]int // by rule
	spare   bool           // resurrection: "spare"
	goesOn  bool           // onDestroyError: "continue"
	atOnce  int            // concurrency; 0: the default
	events  []string
	plans   []*plan // of the rounds

	// What only TestModel has.
	recorded bool
	moments  []moment
	cancelAt int // with which event the deployment is cancelled; 0: with none
	stopped  bool
	blocked  []string       // who is known to be blocked when it is cancelled: that depends on how far it came
	singles  map[int]single // recorded alone since all were
	refused  bool           // an object could not be replaced
	stray    bool           // somebody who is not there any more was interrupted
}

type object struct {
	id       string
	owner    int // -1: none
	refs     []int
	loose    set // what an undeclared property leads to
	subs     []subscription
	state    state
	notified bool
	failed   bool
	blocked  bool
	gone     bool // the root: nothing holds it; others are left out then

	// What only TestModel has.
	class, name string   // empty: Node, none
	silent      bool     // notified, with nobody to be told: that is not recorded
	made        bool     // it has something outside
	interrupted []string // operations that the state does not know the consequences of
}

type state uint8

const (
	live state = iota
	doomed
	destroyed
)

type subscription struct {
	subscriber int
	handler    string // empty: order only
	count      int
	told       bool // while the publisher is doomed
}

// rule says what a handler or destructor of one object does, the first times that it runs. "@" in its
// step stands for the publisher of a handler, and for the object itself in a destructor.
type rule struct {
	ticks, times int
	throws       bool
	step         step
}

// step is an operation on two objects; see perform in the script.
type step struct{ op, a, b, handler string }

func (s step) values() []any { return []any{s.op, s.a, s.b, s.handler} }

// at returns the rule's step for an event.
func (r rule) at(self, other string) step {
	s := r.step
	if other == "" {
		other = self
	}
	if s.a == "@" {
		s.a = other
	}
	if s.b == "@" {
		s.b = other
	}
	return s
}

// newWorld returns a world with a root and n objects, which nothing refers to.
func newWorld(prefix string, n int) *world {
	w := &world{rules: map[string]rule{}, fired: map[string]int{}}
	w.add("root", -1)
	for i := range n {
		w.add(fmt.Sprintf("%s%d", prefix, i+1), -1)
	}
	return w
}

func (w *world) add(id string, owner int) *object {
	o := &object{id: id, owner: owner, loose: set{}}
	w.objects = append(w.objects, o)
	return o
}

func (w *world) note(format string, args ...any) {
	w.events = append(w.events, fmt.Sprintf(format, args...))
	w.stopped = w.stopped || len(w.events) == w.cancelAt
}

// react does what a handler or destructor does and reports whether it throws.
func (w *world) react(kind, self, other string) (throws bool) {
	key := kind + " " + self
	r, ok := w.rules[key]
	if !ok || w.fired[key] >= r.times {
		return false
	}
	w.fired[key]++
	w.perform(r.at(self, other))
	return r.throws
}

// find returns an object that is not destroyed, -1 if there is none.
func (w *world) find(id string) int {
	return slices.IndexFunc(w.objects, func(o *object) bool { return o.id == id && o.state != destroyed })
}

// perform does what the function of that name in the script does.
func (w *world) perform(s step) {
	i, j := w.find(s.a), w.find(s.b)
	if i < 0 || j < 0 {
		return
	}
	a := w.objects[i]
	at := slices.IndexFunc(a.subs, func(x subscription) bool { return x.subscriber == j && x.handler == s.handler })
	switch s.op {
	case "refer":
		if j > 0 { // the root is no Node
			a.refs = append(a.refs, j)
		}
	case "release":
		a.refs = slices.DeleteFunc(a.refs, func(to int) bool { return to == j })
	case "tie":
		a.loose[j] = true
	case "untie":
		delete(a.loose, j)
	case "subscribe":
		w.subscribe(i, j, s.handler)
	case "unsubscribe": // gc 4.2
		if at >= 0 {
			if a.subs[at].count--; a.subs[at].count == 0 {
				a.subs = slices.Delete(a.subs, at, at+1)
			}
		}
	case "make":
		w.add(s.handler, i)
	case "create":
		if i > 0 && !a.made {
			w.note("create %s", a.id)
			a.made = true
		}
	}
}

func (w *world) subscribe(publisher, subscriber int, handler string) {
	p := w.objects[publisher]
	for k, s := range p.subs {
		if s.subscriber == subscriber && s.handler == handler {
			p.subs[k].count++
			return
		}
	}
	p.subs = append(p.subs, subscription{subscriber, handler, 1, false})
}

// order is what a deployment is asked for.
type order struct {
	empty bool          // the model is null
	named set           // the objects that the model names; their owners are among them
	sets  map[int][]int // what the model says of their refs; nil: it leaves them alone
	steps []step        // of the root's deploy()
}

// deploy is a deployment: gc 2.3, then 2.1 as often as deploy() asks for it, then 2.4; and what a
// snapshot keeps of the world (gc 6.1, 6.2).
func (w *world) deploy(d *order) {
	incoming := w.merge(d)
	since := len(w.objects)
	w.note("phase load")
	w.note("phase collect what the model dropped")
	lost := func() set {
		if w.objects[0].state != live {
			return w.except(nil)
		}
		return w.except(w.persistable(0))
	}
	w.collect(func() set { return w.except(incoming) }, func() set {
		dead := w.except(w.reachable(w.root()...))
		for i := range since {
			delete(dead, i)
		}
		return dead
	}, lost)
	if incoming[0] && w.objects[0].state == live {
		w.note("phase deploy")
		for _, s := range d.steps {
			if s.op != "collect" {
				w.perform(s)
				continue
			}
			w.note("collect")
			unreachable := func() set { return w.except(w.reachable(w.root()...)) }
			w.collect(unreachable, unreachable, unreachable)
		}
	}
	w.note("phase collect what the environment no longer holds")
	unkept := func() set { return w.except(w.persistable(w.root()...)) }
	w.collect(unkept, unkept, unkept)
	w.save()
}

func (w *world) root() []int {
	if w.objects[0].state == destroyed {
		return nil
	}
	return []int{0}
}

// merge is the first part of gc 2.3: which objects are in the incoming graph, and what the model changes.
func (w *world) merge(d *order) set {
	if d.empty {
		return set{}
	}
	var from []int
	for i := range d.named {
		if to := d.sets[i]; to != nil {
			w.objects[i].refs = slices.Clone(to)
		}
		from = append(from, i)
	}
	return w.persistable(from...)
}

// save forgets what a snapshot does not hold.
func (w *world) save() {
	var from []int
	for i, o := range w.objects {
		if o.state != destroyed {
			from = append(from, i)
		}
		o.loose = set{}
	}
	held := w.persistable(from...)
	w.objects[0].gone, held[0] = !held[0], true
	w.keep(func(i int) int {
		if held[i] {
			return i
		}
		return -1
	})
}

// keep takes the objects out in whose place another one stands, or nothing (-1).
func (w *world) keep(as func(i int) int) {
	number := map[int]int{}
	var rest []*object
	for i, o := range w.objects {
		if as(i) == i {
			number[i] = len(rest)
			rest = append(rest, o)
		}
	}
	at := func(i int) int {
		if i < 0 || as(i) < 0 {
			return -1
		}
		return number[as(i)]
	}
	for _, o := range rest {
		o.owner = at(o.owner)
		for k, to := range o.refs {
			o.refs[k] = at(to)
		}
		for k := range o.subs {
			o.subs[k].subscriber = at(o.subs[k].subscriber)
		}
	}
	w.objects = rest
}
