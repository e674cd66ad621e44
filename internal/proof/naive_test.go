package proof

import (
	"fmt"
	"slices"
)

// naive is the collector that docs/semantics.md describes, without any thought of speed. It executes in no engine: what
// handlers and destructors do, it does to the world. Where a clause says "transitively", it closes a matrix.

// collect is one collection (gc 2.8): scope says what dies first, later what dies in further rounds,
// and lost what handlers have not made reachable again (gc 5.5).
func (w *world) collect(scope, later, lost func() set) {
	tried := set{} // gc 5.6: not twice in one collection
	for ; !w.stopped; scope = later {
		dead, fresh := scope(), set{}
		for i, o := range w.objects {
			if o.state == live && dead[i] {
				o.state, fresh[i] = doomed, true
			}
			fresh[i] = fresh[i] || w.spare && o.state == doomed && !o.notified // its destruction cannot have begun
		}
		count := 0
		for i, o := range w.objects {
			if o.state == doomed && !tried[i] {
				count++
			}
		}
		if count == 0 {
			return
		}
		p := w.plan()
		quiet := !w.spare && !slices.ContainsFunc(p.order, func(i int) bool { return !w.objects[i].notified && w.hears(w.objects[i], nil) >= 0 })
		for _, i := range p.order {
			w.objects[i].notified = w.objects[i].notified || quiet
		}
		w.moment(true, true)
		w.note("plan %d", count)
		w.notify(p)
		if w.stopped {
			w.plans = append(w.plans, p)
			return
		}
		if w.spare {
			gone, saved := lost(), false
			for i, o := range w.objects {
				if fresh[i] && !gone[i] {
					o.state, o.notified, o.silent, saved = live, false, false, true
					for k := range o.subs {
						o.subs[k].told = false
					}
					w.note("spared %s", o.id)
				}
			}
			for i, o := range w.objects {
				if fresh[i] && o.state == doomed {
					o.notified, o.silent = true, false
				}
			}
			w.moment(true, false)
			if saved {
				p = w.plan()
			}
		}
		w.plans = append(w.plans, p)
		w.destroy(p, tried)
	}
}

// plan says what is before what (gc 3.1 to 3.3), and in which order that lets objects die (gc 3.4, 3.5).
type plan struct {
	ids    []string
	before [][]bool // before[b][a]: b goes first; false both ways within a cycle
	level  []int
	order  []int // of the doomed: by level, then by creation
}

func (w *world) plan() *plan {
	n := len(w.objects)
	owned, depends := matrix(n), matrix(n) // [b][a]: b goes first
	for i, o := range w.objects {
		if o.state == destroyed {
			continue
		}
		if o.owner >= 0 && w.objects[o.owner].state != destroyed {
			owned[i][o.owner] = true
		}
		for _, s := range o.subs {
			depends[i][s.subscriber] = w.objects[s.subscriber].state != destroyed
		}
	}
	all := closed(union(owned, depends))
	for i := range n { // gc 3.2
		for j := range n {
			owned[i][j] = owned[i][j] && !all[j][i]
		}
	}
	all = closed(union(owned, depends))
	p := &plan{before: matrix(n), level: make([]int, n)}
	for i, o := range w.objects {
		p.ids = append(p.ids, o.id)
		if o.state == doomed {
			p.level[i] = 1
			p.order = append(p.order, i)
		}
		for j := range n {
			p.before[i][j] = all[i][j] && !all[j][i] // gc 3.3
		}
	}
	for range n {
		for _, b := range p.order {
			for _, a := range p.order {
				if p.before[b][a] {
					p.level[a] = max(p.level[a], p.level[b]+1)
				}
			}
		}
	}
	slices.SortStableFunc(p.order, func(a, b int) int { return p.level[a] - p.level[b] })
	return p
}

// notify is gc 4: from the highest level to the lowest.
func (w *world) notify(p *plan) {
	order := slices.Clone(p.order)
	slices.SortStableFunc(order, func(a, b int) int { return p.level[b] - p.level[a] })
	for _, i := range order {
		publisher := w.objects[i]
		if w.stopped {
			return
		}
		if publisher.notified {
			continue
		}
		told := map[subscription]bool{}
		next := func() int { return w.hears(publisher, told) }
		if next() < 0 {
			publisher.notified, publisher.silent = !w.spare, !w.spare
			w.moment(false, false)
		}
		for k := next(); k >= 0; {
			s := &publisher.subs[k]
			key := *s
			key.count = 0
			told[key] = true
			s.told = true
			subscriber := w.objects[s.subscriber]
			w.note("%s %s %s", key.handler, subscriber.id, publisher.id)
			if w.react(key.handler, subscriber.id, publisher.id) {
				w.note("handler failed %s %s", subscriber.id, publisher.id)
			}
			if k = next(); k < 0 {
				publisher.notified = !w.spare // it may be spared
			}
			w.alone(key.subscriber)
			w.moment(true, false)
		}
	}
	if w.stopped {
		return
	}
	untold := false
	for _, i := range order {
		untold, w.objects[i].silent = untold || w.objects[i].silent, false
	}
	if untold {
		w.moment(true, false)
	}
}

// hears returns the subscription of a publisher whose turn it is, besides those that have been told; -1: nobody's.
func (w *world) hears(publisher *object, told map[subscription]bool) int {
	return slices.IndexFunc(publisher.subs, func(s subscription) bool {
		s.count = 0
		return s.handler != "" && !s.told && !told[s] && w.objects[s.subscriber].state != destroyed
	})
}

// destroy is gc 5.6 and 3.6: what nothing unsettled is before may start, the first in the plan's order before
// the others. What is synchronous ends at once. One at a time has something outside to remove, which takes a
// while; meanwhile the others' ends are settled.
func (w *world) destroy(p *plan, tried set) {
	failed, settled, begun, slow := set{}, set{}, set{}, -1
	var ended []int
	ready := func(i int) bool {
		return !begun[i] && !slices.ContainsFunc(p.order, func(b int) bool { return p.before[b][i] && (!settled[b] || failed[b]) })
	}
	end := func(i int) {
		ended = append(ended, i)
		if w.end(i) {
			tried[i] = true
		}
		w.moment(false, false)
	}
	for {
		for slow < 0 && !w.stopped {
			k := slices.IndexFunc(p.order, ready)
			if k < 0 {
				break
			}
			i := p.order[k]
			begun[i] = true
			if tried[i] {
				failed[i], settled[i] = true, true
				continue
			}
			w.note("begin %s", w.objects[i].id)
			if w.objects[i].made {
				slow = i
			} else {
				end(i)
			}
		}
		if len(ended) == 0 && slow < 0 {
			break
		}
		for _, i := range ended {
			settled[i], failed[i] = true, tried[i]
		}
		w.moment(len(ended) > 0 && slow < 0, false)
		if ended == nil {
			w.note("remove %s", w.objects[slow].id)
			end(slow)
			slow = -1
		} else {
			ended = nil
		}
	}
	for _, i := range p.order {
		o := w.objects[i]
		blocker := slices.IndexFunc(p.order, func(b int) bool { return failed[b] && p.before[b][i] })
		if o.state != doomed || tried[i] || blocker < 0 {
			continue
		}
		line := fmt.Sprintf("blocked %s by %s", o.id, w.objects[p.order[blocker]].id)
		if !w.stopped || slices.Contains(w.blocked, line) {
			tried[i], o.blocked, o.failed = true, true, false
			w.note("%s", line)
		}
	}
}

// end runs the destructor of one object, and reports whether it failed and the object stays.
func (w *world) end(i int) (held bool) {
	o := w.objects[i]
	throws := false
	if i > 0 { // gc 5.1: the root has no destroy()
		w.note("destroy %s", o.id)
		throws = w.react("destroy", o.id, "")
	}
	w.moment(false, false)
	if throws {
		w.note("failed %s", o.id)
	}
	if throws && !w.goesOn {
		o.failed, o.blocked, o.silent = true, false, false
		return true
	}
	w.note("destroyed %s", o.id)
	o.state, o.subs, o.failed, o.blocked = destroyed, nil, false, false // gc 4.5
	for _, other := range w.objects {
		other.subs = slices.DeleteFunc(other.subs, func(s subscription) bool { return s.subscriber == i })
	}
	return false
}

// reachable is gc 1.3 to 1.5 with 2.1, persistable gc 2.4: what the given objects lead to.
func (w *world) reachable(from ...int) set   { return w.leadsTo(from, true) }
func (w *world) persistable(from ...int) set { return w.leadsTo(from, false) }

func (w *world) leadsTo(from []int, loose bool) set {
	met := set{}
	for len(from) > 0 {
		i := from[0]
		from = from[1:]
		if i < 0 || met[i] {
			continue
		}
		met[i] = true
		from = append(append(from, w.objects[i].owner), w.objects[i].refs...)
		for to := range w.objects[i].loose {
			if loose {
				from = append(from, to)
			}
		}
	}
	return met
}

// except returns the objects that are not in s.
func (w *world) except(s set) set {
	rest := set{}
	for i := range w.objects {
		rest[i] = !s[i]
	}
	return rest
}

type set map[int]bool

func matrix(n int) [][]bool {
	m := make([][]bool, n)
	for i := range m {
		m[i] = make([]bool, n)
	}
	return m
}

func union(a, b [][]bool) [][]bool {
	u := matrix(len(a))
	for i := range a {
		for j := range a {
			u[i][j] = a[i][j] || b[i][j]
		}
	}
	return u
}

// closed closes a relation transitively.
func closed(m [][]bool) [][]bool {
	for k := range m {
		for i := range m {
			for j := range m {
				m[i][j] = m[i][j] || m[i][k] && m[k][j]
			}
		}
	}
	return m
}
