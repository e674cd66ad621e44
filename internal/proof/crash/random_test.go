package crash

import (
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

var (
	kills    = flag.Int("kills", 0, "how often TestRandomKills kills a process; 0: 200, with -short 30")
	duration = flag.Duration("for", 0, "how long TestRandomKills kills processes, instead of -kills, and TestEveryPoint goes on with random pairs of points")
	seed     = flag.Uint64("seed", 0, "of the environments of TestRandomKills and when it kills, 0: another one each time; and of the pairs of TestEveryPoint")
)

// TestRandomKills kills the process of deployments of random environments at random instants, that of
// recoveries too, and from time to time the provider. What is done at which instant depends on more than
// the seed; the models depend on it alone.
//
// T5, T11; P1 to P5, P9
func TestRandomKills(t *testing.T) {
	if *seed == 0 {
		*seed = rand.Uint64()
	}
	want := *kills
	if want == 0 {
		want = 200
		if testing.Short() {
			want = 30
		}
	}
	fmt.Printf("seed %d\n", *seed)
	dir := t.TempDir()
	first, err := newLane(dir, nil)
	require.NoError(t, err)
	began := time.Now()
	var lives, killed atomic.Int64
	over := func() bool {
		if *duration > 0 {
			return time.Since(began) >= *duration
		}
		return killed.Load() >= int64(want)
	}
	var lead []func(l *lane, name string) error
	for range lanes {
		provider := startProvider(t)
		lead = append(lead, func(l *lane, name string) error {
			l.provider = provider
			for !over() && !t.Failed() {
				life := lives.Add(1)
				e := l.begin(fmt.Sprintf("%s-%d", name, life), false)
				was := l.figures.kills
				err := e.random(rand.New(rand.NewPCG(*seed, uint64(life))), over)
				killed.Add(int64(l.figures.kills - was))
				if err != nil {
					return fmt.Errorf("seed %d, environment %d: %w\n%s", *seed, life, err, e.keep())
				}
			}
			return nil
		})
	}
	total := inLanes(t, first, lead)
	took := time.Since(began).Seconds()
	violations := 0
	if t.Failed() {
		violations = 1 // or more, in other lanes
	}
	fmt.Printf("figures: random kills: seed %d, %d environments, %v, %.1f kills/s in %.0f s, violations: %d\n",
		*seed, lives.Load(), total, float64(total.kills)/took, took, violations)
	require.Positive(t, total.kills)
	require.Positive(t, total.completed)
}

// random leads an environment through its life. It ends early, by destroying everything, when over says so.
func (e *life) random(dice *rand.Rand, over func() bool) error {
	g := newGrowth(dice)
	e.spare = g.spare
	outages := g.oneIn(5)
	free := func(id string) bool { return e.before.tokens[id] == "" }
	for steps := 2 + g.IntN(8); steps > 0 && !over(); steps-- {
		m := g.next(free)
		for {
			done, err := e.randomAttempt(g, m, outages)
			if err != nil {
				return fmt.Errorf("%w\nmodel %s", err, m.text())
			}
			if done {
				if err := e.completed(m); err != nil {
					return fmt.Errorf("%w\nmodel %s", err, m.text())
				}
				break
			}
			if g.oneIn(20) || over() { // on to another model
				e.started = e.before
				break
			}
		}
	}
	for !over() && !g.oneIn(4) {
		if _, err := e.randomAttempt(g, &model{}, outages); err != nil {
			return err
		}
	}
	if err := e.finish(&model{}, 20); err != nil {
		return err
	}
	return e.over()
}

// randomAttempt deploys a model and kills the worker meanwhile, mostly.
func (e *life) randomAttempt(g *growth, m *model, outages bool) (done bool, err error) {
	usual := max(e.took, 5*time.Millisecond)
	delay := time.Duration(g.Float64() * 1.3 * float64(usual))
	if g.oneIn(8) {
		delay = -1
	}
	var restarted chan error
	if outages && g.oneIn(8) {
		e.outage = true
		e.figures.outages++
		restarted = make(chan error, 1)
		time.AfterFunc(time.Duration(g.Float64()*float64(usual)), func() {
			_ = e.provider.kill()
			restarted <- e.provider.start()
		})
	}
	r, err := e.attempt(m, nil, delay, func() error {
		if restarted == nil {
			return nil
		}
		return <-restarted
	})
	if err != nil {
		return false, err
	}
	if !r.killed {
		e.took = (3*e.took + r.took) / 4
	}
	return r.Done && (r.Error == "" || r.Incomplete), nil
}

// keep copies what there is of an environment out of the way of those who tidy up, and says where it is.
func (e *life) keep() string {
	dir, err := os.MkdirTemp("", "sexton-crash-")
	if err == nil {
		err = errors.Join(
			os.CopyFS(filepath.Join(dir, "state"), os.DirFS(e.state())),
			os.CopyFS(filepath.Join(dir, "package"), os.DirFS(e.dir)),
			os.CopyFS(filepath.Join(dir, "ledgers"), os.DirFS(e.provider.dir)),
		)
	}
	return fmt.Sprintf("state, package and ledger %s are in %s (%v)", e.name, dir, err)
}
