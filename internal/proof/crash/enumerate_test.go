package crash

import (
	"flag"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// A workload is deployments one after another, in an environment that is as small as it can be.
type workload struct {
	name  string
	spare bool
	from  int // the first step that is interrupted
	steps []*model
	// spared names what is live after each of the steps although no model has it.
	spared []string
}

func small(id string, change ...func(*node)) *node {
	n := &node{ID: id, Class: "Node"}
	for _, f := range change {
		f(n)
	}
	return n
}

func on(ids ...string) func(*node)    { return func(n *node) { n.On = ids } }
func watch(ids ...string) func(*node) { return func(n *node) { n.Watch = ids } }

func rescuer(n *node) { n.Rescue = true }
func other(n *node)   { n.Class = "Other" }

var workloads = []workload{
	{"create, change, notify, resurrect, destroy", false, 0, []*model{
		{[]*node{small("a"), small("b", on("a")), small("k", watch("b"), rescuer)}},
		{[]*node{small("a", func(n *node) { n.Size = 1 }), small("k", rescuer)}},
		{},
	}, nil},
	{"spare", true, 1, []*model{
		{[]*node{small("a"), small("k", watch("a"), rescuer)}},
		{[]*node{small("k", rescuer)}},
	}, []string{"a"}},
	{"collect, local variables, parts, replace", false, 0, []*model{
		{[]*node{small("w", func(n *node) { n.Want, n.Temporary, n.Collect = 1, 1, true })}},
		{[]*node{small("w", other)}},
	}, nil},
	{"fail, try again", false, 0, []*model{
		{[]*node{small("a"), small("b", on("a"), func(n *node) { n.Refuse, n.Balk = 1, 1 })}},
		{[]*node{small("a")}},
		{[]*node{small("a"), small("b")}},
	}, nil},
}

// boundary is what there is before a step of a workload, kept aside to begin from again and again.
type boundary struct {
	*workload
	step int
	life life
	name string
}

// prepare runs a workload once and keeps what there is between its steps.
func prepare(t *testing.T, l *lane, w *workload, index int) (list []*boundary) {
	e := l.begin(fmt.Sprintf("base%d", index), w.spare)
	for step := range w.steps {
		b := &boundary{w, step, *e.clone(l, ""), fmt.Sprintf("base%d-%d", index, step)}
		if step > 0 {
			require.NoError(t, os.CopyFS(filepath.Join(filepath.Dir(l.dir), "state-"+b.name), os.DirFS(e.state())))
			require.NoError(t, l.copyAccount(e.name, b.name))
		}
		list = append(list, b)
		require.NoError(t, e.finish(w.steps[step], 3), "%s, step %d", w.name, step+1)
	}
	require.NoError(t, e.finish(&model{}, 4))
	require.NoError(t, e.over())
	return list
}

func (l *lane) copyAccount(from, to string) error {
	return l.provider.call("/copy?from="+from+"&account="+to, nil, new(any))
}

// clone is what is known of an environment, for another one that begins as its copy.
func (e *life) clone(l *lane, name string) *life {
	copied := *e
	copied.lane, copied.name = l, name
	copied.ended, copied.known, copied.noted = maps.Clone(e.ended), maps.Clone(e.known), maps.Clone(e.noted)
	return &copied
}

// at begins an environment at a boundary.
func (l *lane) at(b *boundary, name string) (*life, error) {
	e := b.life.clone(l, name)
	if b.step == 0 {
		return e, nil
	}
	if err := os.CopyFS(e.state(), os.DirFS(filepath.Join(filepath.Dir(l.dir), "state-"+b.name))); err != nil {
		return nil, err
	}
	return e, l.copyAccount(b.name, name)
}

// crash ends a step at the first point, and what resumes it at the others; then it goes on, with that step or with
// nothing but destroying everything. It says whether the first point was reached.
func (l *lane) crash(b *boundary, name string, resume bool, points ...*crashPoint) (reached bool, err error) {
	what := ""
	defer func() {
		if err != nil {
			err = fmt.Errorf("%s, step %d, %s: %w", b.workload.name, b.step+1, what, err)
		}
	}()
	e, err := l.at(b, name)
	if err != nil {
		return false, err
	}
	step := b.steps[b.step]
	for _, p := range points {
		r, err := e.attempt(step, p, -1, nothing)
		if r != nil {
			what += r.Crashing + "; "
		}
		if err != nil {
			return reached, err
		}
		if !r.killed {
			break
		}
		reached = true
	}
	if resume {
		if err := e.finish(step, 4); err != nil {
			return reached, err
		}
		for _, id := range b.spared {
			if e.before.tokens[id] == "" {
				return reached, fmt.Errorf("%s was spared, and is gone", id)
			}
		}
	}
	if err := e.finish(&model{}, 4); err != nil {
		return reached, err
	}
	return reached, e.over()
}

// TestEveryPoint ends the process of a deployment at each operation on the file system: before it, after it,
// and in the middle of what it writes; and, of one workload, its recovery as well.
//
// T3, T5; P1 to P5, P9
func TestEveryPoint(t *testing.T) {
	provider := startProvider(t)
	first, err := newLane(t.TempDir(), provider)
	require.NoError(t, err)
	defer first.worker.stop()
	modes := []string{before, afterSync, torn}
	if *everyMode {
		modes = []string{before, after, half, part}
	}
	var tasks []func(l *lane, name string) error
	var done enumerated
	var boundaries []*boundary
	for i := range workloads {
		for _, b := range prepare(t, first, &workloads[i], i)[workloads[i].from:] {
			boundaries = append(boundaries, b)
			for _, mode := range modes {
				tasks = append(tasks, func(l *lane, name string) error { return l.everyPoint(b, mode, name, &done) })
			}
			if i == 0 {
				tasks = append(tasks, func(l *lane, name string) error { return l.somePairs(b, name, &done) })
			}
		}
	}
	began := time.Now()
	for id := range lanes { // what is left of the time
		tasks = append(tasks, func(l *lane, name string) error {
			dice := rand.New(rand.NewPCG(*seed, uint64(id)))
			for time.Since(began) < *duration && !t.Failed() {
				b := boundaries[dice.IntN(len(boundaries))]
				point := &crashPoint{[]string{before, afterSync, torn}[dice.IntN(3)], 1 + dice.IntN(90)}
				if _, err := l.pair(b, name, point, dice); err != nil {
					return err
				}
				done.pairs.Add(1)
			}
			return nil
		})
	}
	total := inLanes(t, first, tasks)
	fmt.Printf("figures: every point: %d points, each of %d steps to its end, %d pairs; %v, in %.0f s\n", done.points.Load(), len(boundaries), done.pairs.Load(),
		total, time.Since(began).Seconds())
	if !testing.Short() {
		require.Greater(t, done.points.Load(), int64(500))
	}
}

type enumerated struct{ points, pairs atomic.Int64 }

// everyPoint ends a step at each point of a mode.
func (l *lane) everyPoint(b *boundary, mode, name string, done *enumerated) error {
	stride := 1
	if testing.Short() {
		stride = 8
	}
	for at := 1; ; at += stride {
		reached, err := l.crash(b, name, mode != torn, &crashPoint{mode, at})
		if err != nil || !reached {
			return err
		}
		done.points.Add(1)
	}
}

// somePairs ends a step at some points, and its recovery at a random one.
func (l *lane) somePairs(b *boundary, name string, done *enumerated) error {
	dice := rand.New(rand.NewPCG(uint64(b.step), 2))
	for at := 3; ; at += 8 {
		reached, err := l.pair(b, name, &crashPoint{before, at}, dice)
		if err != nil || !reached {
			return err
		}
		done.pairs.Add(1)
	}
}

// pair ends a step at a point, and its recovery at a random one.
func (l *lane) pair(b *boundary, name string, first *crashPoint, dice *rand.Rand) (reached bool, err error) {
	return l.crash(b, name, true, first, &crashPoint{[]string{before, afterSync, torn}[dice.IntN(3)], 1 + dice.IntN(40)})
}

// inLanes does tasks in several lanes at a time, until one fails. The names of lanes are those of their environments.
func inLanes(t *testing.T, first *lane, tasks []func(l *lane, name string) error) *figures {
	var mu sync.Mutex
	total := &figures{}
	var wg sync.WaitGroup
	for id := range lanes {
		l := &lane{dir: first.dir, provider: first.provider}
		wg.Go(func() {
			defer l.worker.stop()
			for {
				mu.Lock()
				if len(tasks) == 0 || t.Failed() {
					break
				}
				task := tasks[0]
				tasks = tasks[1:]
				mu.Unlock()
				if err := task(l, fmt.Sprintf("lane%d", id)); err != nil {
					t.Error(err)
				}
			}
			total.add(&l.figures)
			mu.Unlock()
		})
	}
	wg.Wait()
	return total
}

// lanes is how many environments are under way at a time: more than there are processors, because most of the
// time is that of disks.
const lanes = 6

var everyMode = flag.Bool("every-mode", false, "TestEveryPoint: also after operations that are no syncs, and each write torn in two ways")
