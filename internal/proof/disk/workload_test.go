package disk

import (
	"fmt"
	"math/rand/v2"
	"strings"

	"github.com/sextongc/sexton"
)

// object is one of a model.
type object struct {
	class, id string
	size      int
	want      int // parts that its deploy() makes
	holds     bool
	after     []string // whose destruction it subscribes to
	nodes     []object // that it owns
}

func (o object) json() string {
	nodes := make([]string, len(o.nodes))
	for i, n := range o.nodes {
		nodes[i] = n.json()
	}
	after := make([]string, len(o.after))
	for i, id := range o.after {
		after[i] = fmt.Sprintf("%q", id)
	}
	class := o.class
	if class == "" {
		class = "Node"
	}
	return fmt.Sprintf(`{"?": {"type": %q, "id": %q}, "size": %d, "want": %d, "holds": %v, "after": [%s], "nodes": [%s]}`,
		class, o.id, o.size, o.want, o.holds, strings.Join(after, ", "), strings.Join(nodes, ", "))
}

// step is one deployment. Without objects it destroys everything.
type step struct {
	objects []object
	fails   []string // "destroy a", "deploy a"
}

func (s step) destroys() bool { return len(s.objects) == 0 }

func (s step) json() string {
	apps := make([]string, len(s.objects))
	for i, o := range s.objects {
		apps[i] = o.json()
	}
	return fmt.Sprintf(`{"?": {"type": "Environment", "id": "root"}, "applications": [%s]}`, strings.Join(apps, ", "))
}

// each calls f for every object of the model, with its owner's id.
func (s step) each(f func(o object, owner string)) {
	var walk func(objects []object, owner string)
	walk = func(objects []object, owner string) {
		for _, o := range objects {
			f(o, owner)
			walk(o.nodes, o.id)
		}
	}
	walk(s.objects, "root")
}

// workload is deployments one after another.
type workload struct {
	name       string
	settings   sexton.Settings
	steps      []step
	concurrent bool // effects run side by side
}

func n(id string, change ...func(o *object)) object {
	o := object{id: id}
	for _, c := range change {
		c(&o)
	}
	return o
}

func after(ids ...string) func(o *object)   { return func(o *object) { o.after = ids } }
func owns(nodes ...object) func(o *object)  { return func(o *object) { o.nodes = nodes } }
func wants(n int) func(o *object)           { return func(o *object) { o.want = n } }
func sized(n int) func(o *object)           { return func(o *object) { o.size = n } }
func is(class string) func(o *object)       { return func(o *object) { o.class = class } }
func holding(o *object)                     { o.holds = true }
func model(objects ...object) step          { return step{objects: objects} }
func (s step) failing(fails ...string) step { s.fails = fails; return s }

// workloads have each kind of thing that a deployment does.
func workloads() []workload {
	chain := model(n("a", owns(n("b", owns(n("c"))))), n("d", after("a")), n("e", after("d")))
	return []workload{
		{name: "create and destroy", steps: []step{chain, {}}},
		{name: "change", steps: []step{
			model(n("a"), n("b", after("a")), n("c", owns(n("d", after("a"))))),
			model(n("b", sized(2)), n("c", sized(1), owns(n("d"))), n("e", after("b"))),
		}},
		{name: "fail to destroy", steps: []step{
			model(n("a"), n("b", after("a")), n("c")),
			model(n("c")).failing("destroy b"),
			model(n("c"), n("b", after("c"))),
		}},
		{name: "fail and go on", settings: sexton.Settings{OnDestroyError: "continue"}, steps: []step{
			model(n("a", owns(n("b")))), step{}.failing("destroy b"),
		}},
		{name: "throw", steps: []step{
			model(n("a"), n("b"), n("c")).failing("deploy b"),
			model(n("a"), n("c", sized(1))),
		}},
		{name: "resurrect", settings: sexton.Settings{Resurrection: "spare"}, steps: []step{
			model(n("a"), n("h", after("a"), holding), n("b", after("a"))),
			model(n("h", holding)),
			model(n("h"), n("b")),
		}},
		{name: "hold tombstones", steps: []step{
			model(n("a"), n("h", after("a"), holding)),
			model(n("h", holding)),
			{},
		}},
		{name: "another class", steps: []step{
			model(n("a"), n("b", after("a")), n("c", owns(n("d")))),
			model(n("a", is("Other")), n("b", after("a")), n("c", is("Forgetful"), owns(n("d")))),
		}},
		{name: "parts and locals", steps: []step{
			model(n("w", wants(2)), n("v", after("w"))),
			model(n("w", wants(1))),
		}},
		{name: "side by side", concurrent: true, steps: []step{
			model(n("a", is("Crowd"), owns(n("b"), n("c"), n("d"), n("e")))),
			model(n("a", is("Crowd"), sized(1), owns(n("b", sized(1)), n("c", sized(1))))),
		}},
		{name: "cycles", steps: []step{
			model(n("a", after("b")), n("b", after("a")), n("c", owns(n("d", after("c"))))),
			model(n("c")),
		}},
	}
}

// drawn is the n-th workload of a long run: all of the table, then as many at random, and again.
func drawn(rng *rand.Rand, n int) workload {
	all := workloads()
	wl := anyWorkload(rng)
	if k := n % (2 * len(all)); k < len(all) {
		wl = all[k]
	}
	return wl
}

// anyWorkload is a random one.
func anyWorkload(rng *rand.Rand) workload {
	w := workload{name: "random"}
	if rng.IntN(4) == 0 {
		w.settings.OnDestroyError = "continue"
	}
	if rng.IntN(4) == 0 {
		w.settings.Resurrection = "spare"
	}
	ids := strings.Split("abcdefg", "")
	for range 2 + rng.IntN(3) {
		s := step{}
		var placed []string
		for _, id := range ids {
			if rng.IntN(3) == 0 {
				continue
			}
			o := object{id: id, size: rng.IntN(2), class: []string{"", "", "", "Other", "Crowd", "Forgetful"}[rng.IntN(6)], holds: rng.IntN(6) == 0}
			if rng.IntN(6) == 0 {
				o.want = 1 + rng.IntN(2)
			}
			for _, other := range placed {
				if rng.IntN(3) == 0 {
					o.after = append(o.after, other)
				}
			}
			w.concurrent = w.concurrent || o.class == "Crowd"
			placed = append(placed, id)
			if k := len(s.objects); k > 0 && rng.IntN(2) == 0 {
				s.objects[k-1].nodes = append(s.objects[k-1].nodes, o)
			} else {
				s.objects = append(s.objects, o)
			}
			if rng.IntN(8) == 0 {
				s.fails = append(s.fails, []string{"destroy ", "deploy "}[rng.IntN(2)]+ids[rng.IntN(len(ids))])
			}
		}
		w.steps = append(w.steps, s)
	}
	return w
}
