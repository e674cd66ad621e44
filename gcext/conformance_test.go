package gcext

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// scenario is a file of testdata/conformance, as far as order is concerned.
type scenario struct {
	Scenario struct {
		Objects []struct {
			ID, Owner, Class               string
			Refs                           []string
			DestroyActions, HandlerActions []action
		}
		Subscriptions [][]*string
		Settings      map[string]string
		Steps         []step
	}
	Expect struct {
		Events [][]any
	}
}

type action struct {
	Do    string
	Times int
}

type step struct {
	Op       string
	IDs      []string
	From, To string
}

// isStructural says whether the outcome follows from the graph alone: what runs during a collection
// asks, calls or fails, but changes nothing; and nothing is loaded from a snapshot.
func (s *scenario) isStructural() bool {
	for _, step := range s.Scenario.Steps {
		if !slices.Contains([]string{"drop", "dropAll", "ref", "unref", "collect"}, step.Op) {
			return false
		}
	}
	changesNothing := func(a action) bool {
		return slices.Contains([]string{"isDoomed", "isDestroyed", "call", "read", "findRoot", "throw"}, a.Do)
	}
	for _, o := range s.Scenario.Objects {
		for _, a := range slices.Concat(o.DestroyActions, o.HandlerActions) {
			if !changesNothing(a) {
				return false
			}
		}
	}
	return len(s.Scenario.Settings) == 0
}

// world is a scenario in progress. Object 0 is the root.
type world struct {
	ids        []string
	throws     []int            // by object: how often its destroy() will still throw
	listed     []map[int32]bool // by object: what its list of owned objects has
	refs       [][]int32        // by object
	owner      []int32          // by object
	subscribed [][]subscription // by publisher, in the order in which they were made
	doomed     []bool           // by object: left over from the last collection
	notified   []bool           // by object
	destroyed  []bool           // by object
	events     []string
}

type subscription struct {
	subscriber int32
	handler    string // empty: order only
}

func newWorld(s *scenario) *world {
	n := len(s.Scenario.Objects) + 1
	w := &world{
		ids: []string{"root"}, owner: []int32{-1}, refs: [][]int32{nil}, throws: []int{0},
		listed: make([]map[int32]bool, n), subscribed: make([][]subscription, n),
		doomed: make([]bool, n), notified: make([]bool, n), destroyed: make([]bool, n),
	}
	for _, o := range s.Scenario.Objects {
		w.ids = append(w.ids, o.ID)
	}
	for k, o := range s.Scenario.Objects {
		i, owner, throws := int32(k+1), int32(0), 0
		if o.Owner != "" {
			owner = w.number(o.Owner)
		}
		w.owner = append(w.owner, owner)
		if w.listed[owner] == nil {
			w.listed[owner] = map[int32]bool{}
		}
		w.listed[owner][i] = true
		var refs []int32
		for _, to := range o.Refs {
			refs = append(refs, w.number(to))
			if o.Class == "Keeper" {
				w.subscribe(w.number(to), i, "onDestroy")
			}
		}
		w.refs = append(w.refs, refs)
		for _, a := range o.DestroyActions {
			if a.Do == "throw" {
				throws = a.Times
				if throws == 0 {
					throws = 1_000_000
				}
			}
		}
		w.throws = append(w.throws, throws)
	}
	for _, sub := range s.Scenario.Subscriptions {
		handler := ""
		if sub[2] != nil {
			handler = *sub[2]
		}
		w.subscribe(w.number(*sub[0]), w.number(*sub[1]), handler)
	}
	return w
}

func (w *world) number(id string) int32 { return int32(slices.Index(w.ids, id)) }

// gc 4.2: once, however often made
func (w *world) subscribe(publisher, subscriber int32, handler string) {
	s := subscription{subscriber, handler}
	if !slices.Contains(w.subscribed[publisher], s) {
		w.subscribed[publisher] = append(w.subscribed[publisher], s)
	}
}

func (w *world) do(s step) {
	switch s.Op {
	case "drop":
		for _, id := range s.IDs {
			i := w.number(id)
			delete(w.listed[w.owner[i]], i)
		}
	case "dropAll":
		w.listed[0] = nil
	case "ref":
		w.refs[w.number(s.From)] = append(w.refs[w.number(s.From)], w.number(s.To))
	case "unref":
		from, to := w.number(s.From), w.number(s.To)
		w.refs[from] = slices.DeleteFunc(w.refs[from], func(i int32) bool { return i == to })
	case "collect":
		w.collect()
	}
}

// reachable returns what the root leads to (gc 1.3, 1.4).
func (w *world) reachable() []bool {
	met := make([]bool, len(w.ids))
	met[0] = true
	for work := []int32{0}; len(work) > 0; work = work[1:] {
		next := slices.Clone(w.refs[work[0]])
		for i := range w.listed[work[0]] {
			next = append(next, i)
		}
		if o := w.owner[work[0]]; o >= 0 {
			next = append(next, o)
		}
		for _, i := range next {
			if !met[i] {
				met[i] = true
				work = append(work, i)
			}
		}
	}
	return met
}

func (w *world) collect() {
	g := &Graph{Owner: w.owner, Doomed: make([]bool, len(w.ids))}
	reachable := w.reachable()
	for p := range w.ids {
		g.Doomed[p] = (w.doomed[p] || !reachable[p]) && !w.destroyed[p]
		for _, s := range w.subscribed[p] {
			if !w.destroyed[p] && !w.destroyed[s.subscriber] {
				g.Deps = append(g.Deps, Dependency{int32(p), s.subscriber})
			}
		}
	}
	w.doomed = g.Doomed

	plan := NewPlan(g)
	for _, p := range plan.Notification() {
		for _, s := range w.subscribed[p] {
			if !w.notified[p] && s.handler != "" && !w.destroyed[s.subscriber] {
				w.emit("notify", w.ids[s.subscriber], w.ids[p], s.handler)
			}
		}
		w.notified[p] = true
	}
	f := newFrontier(plan)
	failed := make([]bool, len(w.ids))
	for i, ok := f.next(); ok; i, ok = f.next() {
		if failed[i] = w.throws[i] > 0; failed[i] {
			w.throws[i]--
			f.fail(i)
			continue
		}
		w.emit("destroyed", w.ids[i])
		w.destroyed[i] = true
		f.finish(i)
	}
	report := map[string][]string{"failed": {}, "blocked": {}} // each in creation order
	for i, id := range w.ids {
		if failed[i] {
			report["failed"] = append(report["failed"], id)
		} else if g.Doomed[i] && f.blockerOf(int32(i)) >= 0 {
			report["blocked"] = append(report["blocked"], id)
		}
	}
	if len(report["failed"]) > 0 {
		w.emit("report", report)
	}
}

func (w *world) emit(event ...any) { w.events = append(w.events, canonical(event)) }

func canonical(event []any) string {
	text, err := json.Marshal(event)
	if err != nil {
		panic(err)
	}
	return string(text)
}

// gc 3.1, 3.2, 3.3, 3.4, 3.5, 5.6
func TestConformance(t *testing.T) {
	files, err := filepath.Glob("../testdata/conformance/scenarios/*.json")
	require.NoError(t, err)
	compared, family := 0, map[string]int{}
	for _, file := range files {
		name := strings.TrimSuffix(filepath.Base(file), ".json")
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		var s scenario
		require.NoError(t, json.Unmarshal(text, &s), name)
		if !s.isStructural() {
			continue
		}
		compared++
		family[name[:strings.Index(name, "-")]]++
		t.Run(name, func(t *testing.T) {
			w := newWorld(&s)
			for _, step := range s.Scenario.Steps {
				w.do(step)
			}
			var want []string
			for _, event := range s.Expect.Events {
				if slices.Contains([]any{"notify", "destroyed", "report"}, event[0]) {
					want = append(want, canonical(event))
				}
			}
			require.Equal(t, want, w.events)
		})
	}
	t.Logf("%d of %d scenarios are structural: %v", compared, len(files), family)
	require.GreaterOrEqual(t, compared, 60)
}
