package proof

import (
	"flag"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/sextongc/sexton/objectstore"
)

var (
	objects = flag.Int("objects", 3, "how many objects the graphs of TestExhaustive have at most")
	oneIn   = flag.Int("one-in", 1, "TestExhaustive tries one in so many; 10 with -short")
)

// TestExhaustive goes through every graph of up to three objects: every forest of owners, every digraph
// of destruction dependencies, every set of objects that stay referred to; before a deployment, on demand
// and after a deployment; with every behaviour of handlers, and with each object's destructor failing.
//
// Graphs of three objects and less are all tried as they are: 16 forests × 64 digraphs × 8 sets × 3 scopes ×
// 9 behaviours, 221,184. Of those of four there are 24 times as many as there are shapes; what distinguishes
// the 24 is the order of creation alone, which breaks ties within a level and nothing else (gc 3.4, 3.5). So
// each shape is tried once, with its objects in an order that is drawn from its number:
//
//	go test ./internal/proof -run Exhaustive -objects 4 -timeout 0 -v
//	go test ./internal/proof -run Exhaustive -objects 4 -for 20m -seed 1 -timeout 0 -v    # in an order that is drawn
//
// Some dozens of graphs share an environment. They have nothing in common but the root, which refers to
// their objects and takes no part in their orders; so what happens to each is what would happen to it alone,
// except that a round may find nothing of it. What an object subscribes to of itself is left to TestRandom.
//
// gc 2.1, 2.3, 2.4, 2.5, 2.7, 3.1, 3.2, 3.3, 3.4, 3.5, 4.1, 4.4, 4.5, 4.7, 4.8, 5.5, 5.6
func TestExhaustive(t *testing.T) {
	const shards, batch = 2, 48
	sample := *oneIn
	if testing.Short() && sample == 1 {
		sample = 10
	}
	graphs := make([][]*shape, *objects+1) // by number of objects
	for n := 1; n <= *objects; n++ {
		shapes(n, func(s *shape) { graphs[n] = append(graphs[n], s) })
		t.Logf("%d graphs of %d objects", len(graphs[n]), n)
	}
	type job struct {
		b     behaviour
		scope string
		some  []*shape
	}
	var jobs []job
	for _, b := range behaviours {
		for _, scope := range scopes {
			for n := b.object + 1; n <= *objects; n++ {
				for some := range slices.Chunk(graphs[n], batch) {
					jobs = append(jobs, job{b, scope, some})
				}
			}
		}
	}
	if *duration > 0 {
		rand.New(rand.NewPCG(*seed, 2)).Shuffle(len(jobs), func(i, j int) { jobs[i], jobs[j] = jobs[j], jobs[i] })
	}
	var tried [shards]int // jobs, until the time was over
	began := time.Now()
	var done atomic.Int64
	t.Run("all", func(t *testing.T) {
		for shard := range shards {
			t.Run(fmt.Sprintf("%d of %d", shard+1, shards), func(t *testing.T) {
				t.Parallel()
				h, total := newHost(t), census{}
				for turn, j := range jobs {
					if *duration > 0 && time.Since(began) > *duration {
						break
					}
					if turn%shards == shard && turn/shards%sample == 0 {
						h.batch(t, j.some, j.scope, j.b, total)
						done.Add(int64(len(j.some)))
						tried[shard]++
					}
				}
				total.report(t, "told", "handler", "begin", "destroy", "destroyed", "failed", "blocked", "spared")
			})
		}
	})
	t.Logf("figures: T2: %d of %d graphs with their scopes and behaviours, of up to %d objects, %.0f/s, seed %d, %v of %d batches",
		done.Load(), sizes(jobs, func(j job) int { return len(j.some) }), *objects, float64(done.Load())/time.Since(began).Seconds(), *seed, tried, len(jobs))
}

func sizes[T any](list []T, size func(T) int) (sum int) {
	for _, x := range list {
		sum += size(x)
	}
	return sum
}

// scopes are the three kinds of collections.
var scopes = []string{"gc 2.1", "gc 2.3", "gc 2.4"}

// behaviour is what handlers do, or what one object's destructor does.
type behaviour struct {
	name   string
	object int // whose destructor fails
	spare  bool
	rule   func(w *world, self int) (kind string, r rule)
}

var behaviours = []behaviour{
	{name: "nothing"},
	{name: "resurrect", rule: telling(step{op: "refer", a: "root", b: "@"})},
	{name: "rescue", spare: true, rule: telling(step{op: "refer", a: "root", b: "@"})},
	{name: "throw", rule: func(*world, int) (string, rule) { return "told", rule{throws: true} }},
	{name: "subscribe", rule: telling(step{op: "subscribe", a: "@", b: "next", handler: "told"})},
	{name: "unsubscribe", rule: telling(step{op: "unsubscribe", a: "@", b: "next", handler: "told"})},
	resisting(0), resisting(1), resisting(2), resisting(3),
}

// telling is a handler that carries out a step; "next" stands for the object after its own.
func telling(s step) func(*world, int) (string, rule) {
	return func(w *world, self int) (string, rule) {
		r := rule{step: s}
		if s.b == "next" {
			r.step.b = w.objects[self%(len(w.objects)-1)+1].id
		}
		return "told", r
	}
}

// resisting is a destructor that fails.
func resisting(object int) behaviour {
	return behaviour{name: fmt.Sprintf("resist %d", object), object: object, rule: func(_ *world, self int) (string, rule) {
		return "destroy", rule{throws: self == object+1}
	}}
}

// batch deploys graphs side by side under one root, and compares each with its own world.
func (h *host) batch(t *testing.T, shapes []*shape, scope string, b behaviour, total census) {
	all, o := newWorld("", 0), &order{named: set{0: true}, sets: map[int][]int{}}
	all.spare = b.spare
	worlds, deployments := make([]*world, len(shapes)), make([]*order, len(shapes))
	for k, s := range shapes {
		w, d := s.world(fmt.Sprintf("g%d.", k), scope, b)
		worlds[k], deployments[k] = w, d
		base := len(all.objects) - 1
		shift := func(i int) int {
			if i <= 0 {
				return i
			}
			return i + base
		}
		for i, x := range w.objects[1:] {
			y := all.add(x.id, shift(x.owner))
			for _, sub := range x.subs {
				y.subs = append(y.subs, subscription{shift(sub.subscriber), sub.handler, sub.count, false})
			}
			all.objects[0].refs = append(all.objects[0].refs, shift(i+1))
		}
		for i := range d.named {
			o.named[shift(i)] = true
		}
		for _, to := range d.sets[0] {
			o.sets[0] = append(o.sets[0], shift(to))
		}
		for key, r := range w.rules {
			all.rules[key] = r
		}
		for _, s := range d.steps {
			if s.op != "collect" {
				o.steps = append(o.steps, s)
			}
		}
	}
	if scope == "gc 2.3" && o.sets[0] == nil {
		o.sets[0] = []int{}
	}
	if scope == "gc 2.1" {
		o.steps = append(o.steps, step{op: "collect"})
	}
	g, events := h.play(t, all, o, all.graph())
	total.count(events)
	got := apart(events, len(shapes))
	saved := make([][]string, len(shapes))
	for _, e := range g.Objects {
		if k := graphOf(e.ID); k >= 0 {
			saved[k] = append(saved[k], texts(&objectstore.Graph{Objects: []*objectstore.Entry{e}})...)
		}
	}
	for k, w := range worlds {
		w.events, w.plans = nil, nil
		w.deploy(deployments[k])
		var want []string
		for _, e := range w.graph().Objects[1:] {
			want = append(want, texts(&objectstore.Graph{Objects: []*objectstore.Entry{e}})...)
		}
		events := apart(w.events, len(shapes))[k]
		if !slices.Equal(events, got[k]) || !slices.Equal(want, saved[k]) {
			t.Logf("%s, %s, %+v", scope, b.name, *shapes[k])
			require.Equal(t, events, got[k])
			require.Equal(t, want, saved[k])
		}
	}
}

// world returns the world of a graph, in which everything is referred to, and the deployment that
// changes that.
func (s *shape) world(prefix, scope string, b behaviour) (*world, *order) {
	w := newWorld(prefix, s.n)
	w.spare = b.spare
	d := &order{named: set{}, sets: map[int][]int{}}
	for i := range s.n {
		o := w.objects[i+1]
		if s.owner[i] >= 0 {
			o.owner = s.owner[i] + 1
		}
		for j := range s.n {
			if s.depends(i, j) {
				w.subscribe(i+1, j+1, "told")
			}
		}
		w.objects[0].refs = append(w.objects[0].refs, i+1)
		if b.rule != nil {
			kind, r := b.rule(w, i+1)
			r.times = math.MaxInt
			w.rules[kind+" "+o.id] = r
		}
	}
	held := set{0: true}
	for i := range s.n {
		switch {
		case s.held>>i&1 == 0 && scope == "gc 2.3":
		case s.held>>i&1 == 0:
			d.steps = append(d.steps, step{op: "release", a: "root", b: w.objects[i+1].id})
		default:
			d.sets[0] = append(d.sets[0], i+1)
			held[i+1] = true
			for at := w.objects[i+1].owner; at >= 0; at = w.objects[at].owner {
				held[at] = true
			}
		}
	}
	if scope == "gc 2.3" {
		d.named = held
		d.sets[0] = append([]int{}, d.sets[0]...)
		return w, d
	}
	d.sets = nil
	for i := range w.objects {
		d.named[i] = true
	}
	if scope == "gc 2.1" {
		d.steps = append(d.steps, step{op: "collect"})
	}
	return w, d
}

// apart gives each graph what happened to it.
func apart(events []string, n int) [][]string {
	out := make([][]string, n)
	for _, line := range events {
		words := strings.Fields(line)
		if len(words) < 2 || words[0] == "phase" {
			continue
		}
		if k := graphOf(words[len(words)-1]); k >= 0 {
			out[k] = append(out[k], line)
		}
	}
	return out
}

// graphOf returns the number in "g12.3", -1 if there is none.
func graphOf(id string) int {
	var k, i int
	if n, _ := fmt.Sscanf(id, "g%d.%d", &k, &i); n < 2 {
		return -1
	}
	return k
}
