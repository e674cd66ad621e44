package hostile

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/dlclark/regexp2/v2"
	"github.com/rogpeppe/go-internal/txtar"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/sextongc/sexton"
)

var everything = flag.Bool("all", false, "deploy all entries, not every third, slow ones too, and all of them in this process, too")

// TestMain makes the test binary a worker, too, and looks for goroutines that are left.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == "worker" {
		if err := sexton.Worker(os.Stdin, os.Stdout, nil); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	goleak.VerifyTestMain(clockless{m})
}

// clockless ends, after the tests, the goroutine with which regexp2 measures time: it would by itself, some
// time after the last match.
type clockless struct{ *testing.M }

func (m clockless) Run() int {
	defer regexp2.StopTimeoutClock()
	return m.M.Run()
}

// Limits of time: of entries that are to exceed them, for one method and for all; of all others; and of a
// deployment after which it hangs.
const (
	short    = 300 * time.Millisecond
	long     = time.Second
	patience = 30 * time.Second
	hang     = 60 * time.Second
)

// repaired are the files that an entry replaces some of, and which are put back after it.
const repaired = `
-- package.json --
{ "name": "app" }
-- index.js --
import { Resource } from "sexton";
import attack from "./attack.js";
const anything = { type: "any", usage: "inout", optional: true };
export class Item extends Resource {
  static properties = { x: anything, items: { type: ["Item"], default: [] } };
  gone() {}
  deploy() { return attack(this); }
  destroy() {}
}
-- attack.js --
export default () => {};
-- model.json --
{ "?": { "type": "Environment", "id": "root" }, "applications": [ { "?": { "type": "Item", "id": "evil" } } ] }
-- good.json --
{ "?": { "type": "Environment", "id": "root" }, "applications": [ { "?": { "type": "Item", "id": "good" }, "x": { "a": [ 1, "2" ] } } ] }
`

// canary is the environment beside it, which sees prototypes and globals that nobody has touched.
const canary = `
-- package.json --
{ "name": "canary" }
-- index.js --
import { Resource } from "sexton";
const look = () => {
  const seen = [];
  for (const name of Object.getOwnPropertyNames(globalThis).sort()) {
    const value = globalThis[name];
    seen.push(name);
    if (typeof value === "function") seen.push(...Reflect.ownKeys(value).map(String), ...Reflect.ownKeys(value.prototype ?? {}).map(String));
  }
  return seen.join();
};
export class Canary extends Resource {
  static properties = { seen: { type: "string", usage: "out", optional: true } };
  deploy() {
    globalThis.canary = Symbol.for("canary");
    look(); // some of it is made when it is looked at
    this.seen ??= look();
    if (this.seen !== look()) throw new Error("the world has changed");
  }
}
-- model.json --
{ "?": { "type": "Environment", "id": "root" }, "applications": [ { "?": { "type": "Canary", "id": "c" } } ] }
`

func write(t *testing.T, dir string, files []txtar.File) {
	for _, f := range files {
		file := filepath.Join(dir, filepath.FromSlash(f.Name))
		require.NoError(t, os.MkdirAll(filepath.Dir(file), 0o700))
		require.NoError(t, os.WriteFile(file, f.Data, 0o600))
	}
}

// deploy deploys a model of a directory. It fails if that does not end.
func deploy(t *testing.T, opts *sexton.Options, model string) error {
	t.Helper()
	ended := make(chan error, 1)
	ctx := context.Background()
	go func() {
		env, err := sexton.Open(opts)
		if err == nil {
			var m *sexton.Model
			if m, err = sexton.ReadModel(filepath.Join(opts.Dir, model)); err == nil {
				_, err = env.Deploy(ctx, ctx, m)
			}
		}
		ended <- err
	}()
	bound, cancel := context.WithTimeout(ctx, hang)
	defer cancel()
	select {
	case err := <-ended:
		return err
	case <-bound.Done():
		require.Fail(t, "it hangs", "the deployment of %s has not ended after %v", model, hang)
		return nil
	}
}

// lane deploys entries, one after the other, beside a canary.
type lane struct {
	canary   *sexton.Options
	snapshot string // of the canary
	late     *lateness
}

func newLane(t *testing.T, late *lateness) *lane {
	l := &lane{canary: &sexton.Options{Dir: t.TempDir()}, late: late}
	write(t, l.canary.Dir, txtar.Parse([]byte(canary)).Files)
	l.snapshot = l.sing(t)
	return l
}

// sing deploys the canary.
func (l *lane) sing(t *testing.T) string {
	require.NoError(t, deploy(t, l.canary, "model.json"))
	env, err := sexton.Open(l.canary)
	require.NoError(t, err)
	snapshot, err := env.Snapshot()
	require.NoError(t, err)
	return string(snapshot)
}

func (l *lane) run(t *testing.T, e *entry, isolation sexton.Isolation) {
	wanted := e.inProcess
	self, err := os.Executable()
	require.NoError(t, err)
	opts := &sexton.Options{Dir: t.TempDir(), AllowPackage: true, Isolation: isolation, Worker: []string{self, "worker"}}
	if isolation == sexton.IsolationProcess {
		wanted = e.isolated
	}
	good := txtar.Parse([]byte(repaired)).Files
	write(t, opts.Dir, good)
	var restore func()
	if len(e.edits) > 0 {
		require.NoError(t, deploy(t, opts, "good.json"))
		restore = damage(t, filepath.Join(opts.Dir, ".sexton", "default"), e.edits)
	}
	models := []string{"model.json"}
	for _, f := range e.files {
		switch f.Name {
		case "model.yaml":
			models = []string{f.Name}
		case "model2.json":
			models = append(models, f.Name)
		}
	}
	write(t, opts.Dir, e.files)
	generated(t, opts.Dir, e.generate)
	if len(e.generate) > 0 && e.generate[0] == "model.yaml" {
		models = e.generate[:1]
	}

	evil := *opts
	evil.Console = func(_, text string) {
		if strings.Contains(text, "it ran") { // said by entries of what must not happen
			t.Error(text)
		}
	}
	var mark time.Time // when what runs has begun
	evil.Observe = func(sexton.Event) { mark = time.Now() }
	for i, model := range models {
		evil.Settings = e.settings(t, wanted, i == len(models)-1)
		err = deploy(t, &evil, model)
		if i < len(models)-1 {
			require.NoError(t, err, "before the end")
		}
	}
	got := outcome(err)
	var timeout *sexton.TimeoutError
	switch ended := time.Now(); {
	case errors.As(err, &timeout):
	case got == "time" && !mark.IsZero():
		l.late.add(isolation, ended.Sub(mark)-short)
	}
	t.Logf("%s; %.300v", got, err)
	if !expected(wanted, got) {
		t.Errorf("it ended with %q, want one of %q\n%.2000s", got, wanted, detail(err))
	}

	if restore != nil {
		restore()
	}
	for _, f := range e.files {
		require.NoError(t, os.Remove(filepath.Join(opts.Dir, filepath.FromSlash(f.Name))))
	}
	write(t, opts.Dir, good)
	require.NoError(t, deploy(t, opts, "good.json"), "the next deployment")
	env, err := sexton.Open(opts)
	require.NoError(t, err)
	snapshot, err := env.Snapshot()
	require.NoError(t, err)
	require.Contains(t, string(snapshot), `"id": "good"`)
	require.NotContains(t, string(snapshot), `"id": "evil"`)
	require.Equal(t, l.snapshot, l.sing(t), "the environment beside it")
}

func detail(err error) string {
	if err == nil {
		return ""
	}
	return sexton.Detail(err)
}

// damage changes files of a state, and returns what changes them back.
func damage(t *testing.T, state string, edits []edit) (restore func()) {
	was := map[string][]byte{}
	for _, e := range edits {
		file := filepath.Join(state, e.file)
		data, err := os.ReadFile(file)
		require.NoError(t, err)
		if was[file] == nil {
			was[file] = data
		}
		require.Contains(t, string(data), e.old)
		now := strings.Replace(string(data), e.old, e.new, 1)
		if e.new == "" { // cut
			now, _, _ = strings.Cut(string(data), e.old)
		}
		require.NoError(t, os.WriteFile(file, []byte(now), 0o600))
	}
	return func() {
		for file, data := range was {
			require.NoError(t, os.WriteFile(file, data, 0o600))
		}
	}
}

// TestHostile deploys the corpus.
func TestHostile(t *testing.T) {
	temporary := t.TempDir()
	t.Setenv("TMPDIR", temporary)
	all := entries(t)
	require.GreaterOrEqual(t, len(all), 120)
	some := all[:0:0]
	for i, e := range all {
		if *everything || !e.slow && (i%3 == 0 && !testing.Short() || i%10 == 0) {
			some = append(some, e)
		}
	}
	all = some
	var late lateness
	began := time.Now()
	newLane(t, &late)
	was := look(t, temporary)
	ran := map[sexton.Isolation]int{}

	// Processes share nothing: two at a time. In this one they would share the heap that is limited.
	t.Run("isolated", func(t *testing.T) {
		queue := make(chan *entry)
		var lanes sync.WaitGroup
		for range 2 {
			l := newLane(t, &late)
			lanes.Go(func() {
				for e := range queue {
					t.Run(e.name, func(t *testing.T) { l.run(t, e, sexton.IsolationProcess) })
				}
			})
		}
		for _, e := range all {
			queue <- e
			ran[sexton.IsolationProcess]++
		}
		close(queue)
		lanes.Wait()
	})
	t.Run("in process", func(t *testing.T) {
		l := newLane(t, &late)
		for i, e := range all {
			if e.inProcess != nil && (*everything || i%4 == 0) {
				t.Run(e.name, func(t *testing.T) { l.run(t, e, sexton.IsolationNone) })
				ran[sexton.IsolationNone]++
			}
		}
	})
	requireNothingLeft(t, was, temporary)
	fmt.Printf("figures: T12: %d hostile entries, deployed %d times isolated and %d times in process, in %.0f s; %v\n",
		len(all), ran[sexton.IsolationProcess], ran[sexton.IsolationNone], time.Since(began).Seconds(), &late)
}

// lateness is by how much deployments have exceeded their limits of time when they ended.
type lateness struct {
	mu  sync.Mutex
	all map[sexton.Isolation][]time.Duration
}

func (l *lateness) add(isolation sexton.Isolation, d time.Duration) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.all == nil {
		l.all = map[sexton.Isolation][]time.Duration{}
	}
	l.all[isolation] = append(l.all[isolation], d)
}

func (l *lateness) String() string {
	var text []string
	for _, isolation := range []sexton.Isolation{sexton.IsolationProcess, sexton.IsolationNone} {
		all := l.all[isolation]
		if len(all) == 0 {
			continue
		}
		slices.Sort(all)
		round := func(i int) time.Duration { return all[i].Round(time.Millisecond) }
		text = append(text, fmt.Sprintf("isolation %s: late by %v (p50), %v (p99), %v (most) of %d", isolation, round(len(all)/2), round(len(all)*99/100), round(len(all)-1), len(all)))
	}
	return strings.Join(text, "; ")
}
