package proof

import (
	"fmt"
	"math/rand/v2"

	"pgregory.net/rapid"
)

// dice draws a number from lo to hi, both included.
type dice func(what string, lo, hi int) int

// rapidDice prefers small numbers, and finds small counterexamples.
func rapidDice(t *rapid.T) dice {
	return func(what string, lo, hi int) int { return rapid.IntRange(lo, hi).Draw(t, what) }
}

// fairDice makes dense graphs.
func fairDice(seed uint64) dice {
	r := rand.New(rand.NewPCG(seed, 1))
	return func(_ string, lo, hi int) int { return lo + r.IntN(hi-lo+1) }
}

// oneIn is true once in n times.
func (d dice) oneIn(n int, what string) bool { return d(what, 0, n-1) == n-1 }

func pick[T any](d dice, what string, from ...T) T { return from[d(what, 0, len(from)-1)] }

// world draws an environment of up to size objects. With async its destructors take time; then what they
// do must come to the same in any order.
func (d dice) world(size int, async bool) *world {
	n := d("objects", 1, size)
	w := newWorld("n", n)
	w.spare, w.goesOn, w.atOnce = d.oneIn(3, "spare"), d.oneIn(4, "continue"), d("concurrency", 0, 3)
	for i := 1; i <= n; i++ {
		owner := d("owner", -1, n)
		for o := owner; o > 0 && owner > 0; o = w.objects[o].owner {
			if o == i {
				owner = -1 // no cycles
			}
		}
		w.objects[i].owner = owner
	}
	for range d("references", 0, n) {
		o := w.objects[d("from", 0, n)]
		o.refs = append(o.refs, d("to", 1, n))
	}
	for i := 1; i <= n; i++ {
		if d.oneIn(2, "held by the root") {
			w.objects[0].refs = append(w.objects[0].refs, i)
		}
	}
	for range d("subscriptions", 0, 2*n) {
		w.subscribe(d("publisher", 0, n), d("subscriber", 0, n), d.handler())
	}
	for k := range d("rules", 0, 2*n) {
		kind := pick(d, "kind", "told", "toldToo", "destroy")
		r := rule{times: d("times", 1, 3), throws: d.oneIn(3, "throws")}
		switch {
		case w.spare && kind != "destroy" && d.oneIn(2, "rescues"):
			r.step = step{op: "refer", a: "root", b: "@"}
		case kind != "destroy" || !async:
			r.step = d.step(w, fmt.Sprintf("made%d", k), true)
			if r.step.op == "make" {
				r.times = 1 // ids are unique
			}
		case d.oneIn(2, "resurrects"):
			r.step = step{op: "refer", a: "root", b: "@"}
		}
		if kind != "destroy" || async {
			r.ticks = d("ticks", 0, 3)
		}
		w.rules[kind+" "+w.objects[d("who", 0, n)].id] = r
	}
	return w
}

func (d dice) handler() string { return pick(d, "handler", "", "told", "toldToo") }

// step draws one operation; a relative one may concern the object at hand.
func (d dice) step(w *world, newID string, relative bool) step {
	draw := func(what string) string {
		if relative && d.oneIn(3, "relative") {
			return "@"
		}
		return w.objects[d(what, 0, len(w.objects)-1)].id
	}
	s := step{op: pick(d, "op", "", "refer", "release", "tie", "untie", "subscribe", "unsubscribe", "make", "refer", "release")}
	s.a, s.b = draw("a"), draw("b")
	switch s.op {
	case "subscribe", "unsubscribe":
		s.handler = d.handler()
		return s
	case "make":
		s.b, s.handler = s.a, newID
		return s
	}
	if d.oneIn(2, "root") {
		s.a = "root"
	}
	if s.b == "root" {
		return step{} // it is no Node
	}
	return s
}

// order draws the k-th deployment of a world.
func (d dice) order(w *world, k int) *order {
	o := &order{named: set{}, sets: map[int][]int{}}
	if o.empty = w.objects[0].state != live || d.oneIn(10, "empty"); o.empty {
		return o
	}
	o.named[0] = true
	some := d.oneIn(2, "some")
	for i := range w.objects {
		if some && d.oneIn(2, "dropped") || w.asksAnew(i) {
			continue
		}
		for at := i; at >= 0; at = w.objects[at].owner {
			o.named[at] = true
		}
	}
	for i, x := range w.objects {
		if !o.named[i] || !d.oneIn(3, "sets") {
			continue
		}
		o.sets[i] = []int{}
		for _, to := range x.refs {
			if o.named[to] && !d.oneIn(3, "unset") {
				o.sets[i] = append(o.sets[i], to)
			}
		}
	}
	for i := range d("steps", 0, 6) {
		if d.oneIn(3, "collect") {
			o.steps = append(o.steps, step{op: "collect"})
		} else {
			o.steps = append(o.steps, d.step(w, fmt.Sprintf("step%d.%d", k, i), false))
		}
	}
	return o
}

// asksAnew: a model that names a doomed object, or a tombstone that only doomed ones refer to, asks for a new one in its
// place; so does one that names what these own.
func (w *world) asksAnew(i int) bool {
	left := w.left()
	for ; i >= 0; i = w.objects[i].owner {
		if w.objects[i].state == doomed || left[i] {
			return true
		}
	}
	return false
}
