package proof

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/sextongc/sexton"
	"github.com/sextongc/sexton/internal/hook"
	statedir "github.com/sextongc/sexton/internal/state"
	"github.com/sextongc/sexton/internal/state/simdisk"
	"github.com/sextongc/sexton/runtime"
)

var (
	duration = flag.Duration("for", 0, "how long TestModel and TestExhaustive go on; 0: until all is done")
	seed     = flag.Uint64("seed", 0, "the first seed of TestModel; with -for what TestExhaustive tries first")
)

// TestModel deploys one environment after another, each again and again: whole deployments, with a state
// directory on a simulated disk and an outside that survives. Objects come, go, move and change their class,
// handlers and destructors do what they like, and deployments are cancelled, killed, and cut off by crashes at any
// operation of the disk.
//
// A deployment that comes to its end does, event by event, what the naive collector says, and leaves what it says.
// One that does not leaves a state in which it was; the naive collector takes that for the world from then on, and is
// followed just as closely; where no script does anything, it comes to what it would have been at once. The
// promises hold over all of it. At last everything goes, and nothing is left outside.
//
//	go test ./internal/proof -run Model -for 20m -seed 1 -timeout 0 -v
//
// gc 1.2, 2.3, 2.4, 3.1, 3.4, 4.2, 4.5, 5.2, 5.5, 5.6, 5.8, 6.1, 6.3
func TestModel(t *testing.T) {
	total := census{}
	began := time.Now()
	s := newSubject(t, total)
	chains := 100
	if testing.Short() || raceDetector {
		chains = 40
	}
	at := *seed
	for ; *duration > 0 && time.Since(began) < *duration || *duration == 0 && at < *seed+uint64(chains); at++ {
		s.chain(seeded{t, s, at}, fairDice(at), 8, 30)
	}
	took := time.Since(began).Seconds()
	t.Logf("figures: T1: %d deployments in %d environments, %d crashes (%d more looked at), %d kills, %d cancellations, %.0f/s, seeds %d to %d",
		total["deployments"], at-*seed, total["crashes"], total["images"], total["kills"], total["cancellations"],
		float64(total["deployments"])/took, *seed, at-1)
	if total["deployments"] < 1000 {
		return // too few for some of everything
	}
	total.report(t, "begin", "destroyed", "failed", "blocked", "spared", "create", "remove", "recover", "told", "crashes", "kills", "cancellations",
		"rounds of gc 2.3 by replacing")
}

// TestModelSmall is the same in small environments, and finds small counterexamples.
func TestModelSmall(t *testing.T) {
	checks(t, 200)
	s := newSubject(t, census{})
	rapid.Check(t, func(t *rapid.T) { s.chain(t, rapidDice(t), 4, 6) })
}

// seeded names the seed of a failure, and what was done.
type seeded struct {
	*testing.T
	s    *subject
	seed uint64
}

// Errorf implements require.TestingT.
func (t seeded) Errorf(format string, args ...any) {
	t.T.Helper()
	t.T.Errorf("-seed %d\n%s\n"+format, append([]any{t.seed, strings.Join(t.s.story, "\n")}, args...)...)
}

// subject is an environment with its outside and its disk, and the world that it should be.
type subject struct {
	t     testing.TB
	h     *host
	opts  sexton.Options
	total census

	disk     *simdisk.Disk
	w        *world
	p        *promises
	quiet    bool     // no script does anything, so a crash makes no difference in the end
	whole    []string // what is live then
	attempts int
	story    []string
}

func newSubject(t testing.TB, total census) *subject {
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "package.json"), []byte(`{"name": "proof", "main": "proof.js"}`), 0o600))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "proof.js"), []byte(script), 0o600))
	s := &subject{t: t, h: &host{}, total: total}
	s.opts = sexton.Options{Dir: dir, State: "/state", Observe: s.h.observe, Extensions: []*runtime.Extension{s.h.module()}}
	s.restart()
	t.Cleanup(s.end)
	return s
}

// restart is a new process.
func (s *subject) restart() {
	s.end()
	s.h.kept = hook.KeepSession(&s.opts)
}

func (s *subject) end() {
	if s.h.kept == nil {
		return
	}
	if session := s.h.kept().(*sexton.Session); session != nil {
		require.NoError(s.t, session.Close())
	}
}

// chain is the life of one environment.
func (s *subject) chain(t require.TestingT, d dice, size, steps int) {
	s.disk, s.p, s.story, s.attempts = simdisk.New(), newPromises(), nil, 0
	s.w = newWorld("", 0)
	s.w.objects[0].gone, s.w.objects[0].state = true, destroyed
	var again *target
	for range d("steps", 1, steps) {
		if again == nil {
			s.w.spare, s.w.goesOn, s.w.atOnce = d.oneIn(3, "spare"), d.oneIn(5, "continue"), 1
			d.rules(s.w, size, s.attempts)
			again, s.whole = d.target(s.w, size), nil
			if s.quiet = d.oneIn(4, "quiet"); s.quiet {
				s.w.rules, again.steps = map[string]rule{}, nil
			}
		}
		if s.step(t, d, again) || d.oneIn(4, "give up") {
			again = nil
		}
	}
	s.w.rules, s.w.spare, s.quiet = map[string]rule{}, false, false
	for s.step(t, nil, &target{}); len(s.w.objects) > 1 || !s.w.objects[0].gone; {
		s.step(t, nil, &target{})
	}
	require.Empty(t, s.p.outside, "P1: left over")
}

// step deploys once and reports whether that came to its end. Without dice it does.
func (s *subject) step(t require.TestingT, d dice, asked *target) bool {
	s.attempts++
	wanted := *asked
	wanted.steps = nil
	for i, x := range asked.steps {
		if x.op == "make" {
			x.handler = fmt.Sprintf("m%d.%d", s.attempts, i)
		}
		wanted.steps = append(wanted.steps, x)
	}
	w := s.w.clone()
	w.recorded = true
	w.redeploy(&wanted)
	if s.whole == nil {
		s.whole = w.living()
	}
	how, cancel, kill := "", 0, 0
	if d != nil {
		how = pick(d, "how", "", "crash", "", "crash", "crash", "cancel", "", "kill")
		switch how {
		case "cancel":
			cancel = d("cancelled with event", 1, len(w.events))
		case "kill":
			if !d.oneIn(4, "killed") {
				how = ""
				break
			}
			kill = d("killed with event", 1, len(w.events))
		}
	}
	s.story = append(s.story, fmt.Sprintf("step %d %s (spare %v, continue %v): %s, deploy() %v", s.attempts, how, w.spare, w.goesOn, wanted.model(), wanted.steps))
	s.disk = s.disk.Clone()
	events, err := s.deploy(t, &wanted, cancel, kill)
	s.story = append(s.story, fmt.Sprintf("  did %q, %v", lines(events), err))
	s.total.count(lines(events))
	switch how {
	case "kill":
		s.total["kills"]++
		n := min(kill, len(events))
		require.Equal(t, w.events[:n], lines(events[:n]))
		s.restart()
		return s.after(t, asked, w, events, n)
	case "crash":
		s.total["crashes"]++
	case "cancel":
		s.total["cancellations"]++
		w = s.w.clone()
		w.cancelAt, w.blocked = cancel, lines(events)
		w.redeploy(&wanted)
	}
	require.Equal(t, w.events, lines(events))
	require.True(t, err == nil || errors.Is(err, sexton.ErrIncomplete) || w.refused || how == "cancel" && errors.Is(err, sexton.ErrInterrupted), "%v", err)
	checkOrder(t, w.plans, lines(events))
	if how == "crash" {
		whole := s.disk
		for range 4 { // of what might have become of it four are only looked at
			s.disk = whole
			s.total["images"]++
			s.look(t, w, s.crash(d, whole, events))
		}
		s.disk = whole
		before := s.crash(d, whole, events)
		return s.after(t, asked, w, before, len(before))
	}
	info := s.state(t)
	require.Equal(t, texts(w.graph()), stored(info))
	s.p.happened(t, events)
	s.p.check(t, info, events, w.plans)
	if s.quiet && how == "" {
		require.Equal(t, s.whole, w.living(), "not what it would be without the crashes")
	}
	w.refused, w.recorded, w.stopped, w.cancelAt, w.blocked, w.moments = false, false, false, 0, nil, nil
	s.goOn(w, asked)
	return how == ""
}

// crash puts in the place of the disk what may be left of it after a crash, and returns what happened before that.
func (s *subject) crash(d dice, whole *simdisk.Disk, events []happening) []happening {
	n, variant := d("crash in operation", 0, len(whole.Log())), d("variant", 0, 9)
	for text, crashed := range whole.Crashes(n, &simdisk.CrashOptions{Stride: 37, Random: 4, Seed: uint64(n)}) {
		s.disk = crashed
		if variant--; variant < 0 {
			s.story = append(s.story, fmt.Sprintf("  crash at %s", text))
			break
		}
	}
	before := 0
	for before < len(events) && events[before].at <= n {
		before++
	}
	return events[:before]
}

// look checks what a crash left, and nothing goes on from there.
func (s *subject) look(t require.TestingT, w *world, events []happening) {
	info, p := s.state(t), s.p.clone()
	p.wentThrough(t, w.moments, len(events), len(events), stored(info))
	p.happened(t, events)
	p.check(t, info, events, w.plans)
}

// after is what the next deployment finds when the last one ended too early. The first events are those that w
// has, too.
func (s *subject) after(t require.TestingT, asked *target, w *world, events []happening, first int) bool {
	info := s.state(t)
	s.story = append(s.story, fmt.Sprintf("  with %d events, left %q", len(events), stored(info)))
	s.p.wentThrough(t, w.moments, first, len(events), stored(info))
	s.p.happened(t, events)
	s.p.check(t, info, events, w.plans)
	fired := maps.Clone(s.w.fired)
	for _, e := range events {
		key := strings.Join(strings.Fields(e.text)[:min(2, len(strings.Fields(e.text)))], " ")
		if r, ok := w.rules[key]; ok && fired[key] < r.times {
			fired[key]++
		}
	}
	left := w.adopt(info)
	left.fired = fired
	s.goOn(left, asked)
	return false
}

// goOn makes w the world. Whether the model means a new object by the id of a tombstone, or the tombstone, depends on
// who refers to that (gc 2.3, 6.3). Where a deployment did not come to its end that may be another thing than when it
// began; then so is what all of it comes to.
func (s *subject) goOn(w *world, asked *target) {
	before, after := s.w.outgoing(asked), w.outgoing(asked)
	for _, x := range asked.wishes {
		was, is := s.w.index(x.id), w.index(x.id)
		if was >= 0 && is >= 0 && w.objects[is].state == destroyed && before[was] != after[is] {
			s.whole = nil
		}
	}
	s.w = w
}

func (s *subject) state(t require.TestingT) *sexton.StateInfo {
	environment := s.open(t)
	info, err := environment.State()
	require.NoError(t, err)
	dir, err := statedir.Open("/state", &statedir.Options{FS: s.disk, ReadOnly: true})
	if err == nil {
		s.p.key = dir.Environment()
		require.NoError(t, dir.Close())
	}
	return info
}

func (s *subject) open(t require.TestingT) *sexton.Environment {
	hook.WithFS(&s.opts, s.disk)
	environment, err := sexton.Open(&s.opts)
	require.NoError(t, err)
	return environment
}

// deploy deploys for real, cancels with one event and kills with another.
func (s *subject) deploy(t require.TestingT, wanted *target, cancelAt, killAt int) (events []happening, err error) {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	hard, kill := context.WithCancel(context.Background())
	defer kill()
	h := s.h
	note := func(e happening) {
		e.at = len(s.disk.Log())
		events = append(events, e)
		if len(events) == cancelAt {
			cancel()
		}
		if len(events) == killAt {
			kill()
		}
	}
	var self object1
	var token string
	h.token = func(id string, incarnation uint64, t string) { self, token = object1{id, incarnation}, t }
	h.trace = func(format string, args ...any) {
		e := happening{text: fmt.Sprintf(format, args...)}
		words := strings.Fields(e.text)
		object := words[len(words)-1]
		switch words[0] {
		case "told", "toldToo", "destroy", "recover":
			e.self, e.token = self, token
		}
		switch words[0] {
		case "told", "toldToo", "begin", "destroyed", "spared":
			e.object = object1{object, h.incarnation(object)}
		}
		note(e)
	}
	h.outside = func(op string, call *runtime.EffectCall) {
		o := object1{call.Object, call.Incarnation}
		note(happening{text: op + " " + call.Object, object: o, self: o, token: call.Token})
	}
	h.steps = nil
	for _, x := range wanted.steps {
		h.steps = append(h.steps, x.values())
	}
	h.react = reacting(s.w.rules, s.w.fired)
	s.opts.Settings = s.w.settings().Or(sexton.Settings{OnDestroyError: "hold", Resurrection: "tombstone"}) // not those of the kept session
	environment := s.open(t)
	_, err = environment.Deploy(ctx, hard, &sexton.Model{Data: wanted.model(), File: "model"})
	return events, err
}

func lines(events []happening) []string {
	var out []string
	for _, e := range events {
		out = append(out, e.text)
	}
	return out
}
