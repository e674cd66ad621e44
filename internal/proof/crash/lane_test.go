package crash

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"
)

// A lane leads one environment after another through deployments, kills and recoveries, and checks the promises
// at every instant at which nothing runs. Its errors are violations, or troubles of the harness.
type lane struct {
	dir      string // of the package; states lie beside
	provider *providerProcess
	worker   workerProcess
	figures  figures
	took     time.Duration // that deployments take from when the package is loaded, about
}

// figures count what was tried.
type figures struct {
	kills, deployments, completed, failed, recoveries, effects, repeats, refused, stale, outages int
}

func (f *figures) add(g *figures) {
	for _, p := range [][2]*int{
		{&f.kills, &g.kills}, {&f.deployments, &g.deployments}, {&f.completed, &g.completed}, {&f.failed, &g.failed},
		{&f.recoveries, &g.recoveries}, {&f.effects, &g.effects}, {&f.repeats, &g.repeats}, {&f.refused, &g.refused},
		{&f.stale, &g.stale}, {&f.outages, &g.outages},
	} {
		*p[0] += *p[1]
	}
}

func (f *figures) String() string {
	return fmt.Sprintf("%d kills, %d deployments (%d completed, %d failed), %d recoveries, %d effects, %d repeats, %d refusals, %d stale requests, %d outages of the provider",
		f.kills, f.deployments, f.completed, f.failed, f.recoveries, f.effects, f.repeats, f.refused, f.stale, f.outages)
}

func newLane(dir string, p *providerProcess) (*lane, error) {
	l := &lane{dir: filepath.Join(dir, "package"), provider: p}
	err := os.Mkdir(l.dir, 0o700)
	for name, text := range map[string]string{"package.json": packageJSON, "index.js": classes} {
		if err == nil {
			err = os.WriteFile(filepath.Join(l.dir, name), []byte(text), 0o600)
		}
	}
	return l, err
}

// life is one environment: a state directory and its account at the provider.
type life struct {
	*lane
	name    string
	spare   bool
	run     int
	seen    int               // requests
	ended   map[string]bool   // tokens of objects that had resources and are destroyed
	known   map[string]bool   // tokens of objects that had effects
	noted   map[[2]string]int // token of the publisher, token of the subscriber: when that was answered
	before  *view
	started *view // before the first attempt at the present step
	outage  bool  // the provider was away: handlers may have failed
}

func (l *lane) begin(name string, spare bool) *life {
	empty := &view{objects: map[string]*object{}}
	return &life{
		lane: l, name: name, spare: spare, ended: map[string]bool{}, known: map[string]bool{}, noted: map[[2]string]int{},
		before: empty, started: empty,
	}
}

func (e *life) state() string { return filepath.Join(filepath.Dir(e.dir), "state-"+e.name) }

// attempt deploys a model, or part of it, and checks what holds at any instant. The worker is killed at a point, or after a delay.
// When it is at rest, meanwhile ends what else was to happen.
func (e *life) attempt(m *model, point *crashPoint, delay time.Duration, meanwhile func() error) (*result, error) {
	e.run++
	e.figures.deployments++
	r, err := e.worker.run(&job{
		Dir: e.dir, State: e.state(), Provider: e.provider.address, Account: e.name, Run: e.run, Model: m.text(), Spare: e.spare, Point: point,
	}, delay)
	if err = errors.Join(err, meanwhile()); err != nil {
		return nil, err
	}
	if r.recovers {
		e.figures.recoveries++
	}
	if r.killed {
		e.figures.kills++
	} else if r.Error != "" && !r.Incomplete {
		e.figures.failed++
	}
	if r.Fatal {
		return r, fmt.Errorf("the deployment ended with: %s", r.Error)
	}
	after, err := look(e.dir, e.state())
	if err != nil {
		return r, fmt.Errorf("the state cannot be read: %w", err)
	}
	record, err := e.provider.record(e.name, e.seen)
	if err != nil {
		return r, err
	}
	if err := e.check(m, record, after); err != nil {
		return r, err
	}
	e.before = after
	return r, nil
}

// check says which promises hold at any instant.
func (e *life) check(m *model, record *account, after *view) error {
	if len(record.Violations) > 0 {
		return fmt.Errorf("the provider has noticed: %q", record.Violations)
	}
	for _, r := range record.Requests {
		e.count(r)
		if r.Run != e.run {
			continue // on its way when its client was killed
		}
		if e.ended[r.Token] { // P5, P9
			return fmt.Errorf("%s of %s, which is recorded as destroyed", r.Op, r.Object)
		}
		switch r.Op {
		case "delete":
			if err := e.checkDelete(m, r); err != nil {
				return err
			}
		case "note":
			if o := e.before.objects[r.About]; o != nil && o.Told { // P4
				return fmt.Errorf("%s is told of %s again", r.Object, o.ID)
			}
			if r.End > 0 {
				e.noted[[2]string{r.About, r.Token}] = r.End
			}
		}
	}
	e.seen += len(record.Requests)
	for _, x := range record.Resources { // P1
		o := after.objects[x.Token]
		if !x.Deleted && o == nil {
			return fmt.Errorf("%s has resource %s, and the state has forgotten it", x.Object, x.Name)
		}
		if o != nil && o.Resource != "" && o.Resource != x.Name {
			return fmt.Errorf("%s has resource %s, and the state says %s", x.Object, x.Name, o.Resource)
		}
	}
	for token := range e.known {
		if after.objects[token] == nil {
			e.ended[token] = true
		}
	}
	return nil
}

func (e *life) count(r *request) {
	e.known[r.Token] = true
	switch {
	case r.Stale:
		e.figures.stale++
	case r.Refused:
		e.figures.refused++
	case r.Repeat:
		e.figures.repeats++
	default:
		e.figures.effects++
	}
}

// checkDelete says whether the deletion of an object's resource was right: P2, P4.
func (e *life) checkDelete(m *model, r *request) error {
	o := e.before.objects[r.Token]
	if class, ok := m.class(r.Object); ok && (o == nil || !o.Doomed && o.Type == class) {
		return fmt.Errorf("%s is destroyed and the model keeps it", r.Object)
	}
	if o == nil || e.outage {
		return nil
	}
	for _, id := range o.Subscribers {
		token, present := e.before.tokens[id]
		if at := e.noted[[2]string{r.Token, token}]; present && (at == 0 || at > r.Begin) {
			return fmt.Errorf("%s is destroyed before %s is told", r.Object, id)
		}
	}
	return nil
}

// completed checks what holds when a deployment has come to its end: state and provider agree.
func (e *life) completed(m *model) error {
	e.figures.completed++
	record, err := e.provider.record(e.name, e.seen)
	if err != nil {
		return err
	}
	if len(record.Requests) > 0 {
		return fmt.Errorf("the provider hears of %s after the deployment", record.Requests[0].Object)
	}
	now := e.before
	for token, o := range now.objects {
		x := record.Resources[o.Resource]
		if _, ok := m.class(o.ID); !ok && o.Resource == "" {
			continue // spared before its turn to be deployed came
		}
		if !o.Doomed && (x == nil || x.Deleted || x.Token != token) {
			return fmt.Errorf("%s is live, and has no resource", o.ID)
		}
	}
	for _, n := range m.all() {
		o := now.objects[now.tokens[n.ID]]
		switch {
		case o == nil:
			return fmt.Errorf("the model has %s, the state does not", n.ID)
		case o.Doomed:
			continue // it could not be destroyed, and the model wants it again
		case record.Resources[o.Resource].Size != n.Size:
			return fmt.Errorf("%s has size %d at the provider, and %d in the model", o.ID, record.Resources[o.Resource].Size, n.Size)
		case o.Size != n.Size || len(o.Parts) != n.Want || o.Type != n.Class:
			return fmt.Errorf("%s is not as the model says: %+v", n.ID, o)
		}
		was := e.started.objects[now.tokens[n.ID]]
		if old := e.started.objects[e.started.tokens[n.ID]]; old != nil && !old.Doomed && old.Type == n.Class && was == nil { // P2
			return fmt.Errorf("%s was made anew", n.ID)
		}
	}
	e.started = now
	return nil
}

// over checks what holds when everything is destroyed, and forgets the environment.
func (e *life) over() error {
	record, err := e.provider.record(e.name, 0)
	if err != nil {
		return err
	}
	for _, x := range record.Resources {
		if !x.Deleted {
			return fmt.Errorf("resource %s of %s is left", x.Name, x.Object)
		}
	}
	effects := map[string]int{} // granted, by key: P5
	for _, r := range record.Requests {
		if r.End > 0 && !r.Repeat && !r.Refused {
			if effects[r.Key]++; effects[r.Key] > 1 {
				return fmt.Errorf("%s of %s has two effects with one key", r.Op, r.Object)
			}
		}
	}
	if len(e.before.objects) > 0 {
		return fmt.Errorf("%d objects are left", len(e.before.objects))
	}
	return e.forget()
}

func (e *life) forget() error {
	if err := e.provider.call("/drop?account="+e.name, nil, new(any)); err != nil {
		return err
	}
	return os.RemoveAll(e.state())
}

func nothing() error { return nil }

// finish goes on with a model until it is deployed, at most so many times.
func (e *life) finish(m *model, attempts int) error {
	var errs []string
	for range attempts {
		r, err := e.attempt(m, nil, -1, nothing)
		if err != nil {
			return err
		}
		if r.Error == "" || r.Incomplete && !m.empty() {
			return e.completed(m)
		}
		errs = append(errs, r.Error)
	}
	return fmt.Errorf("the deployment does not succeed: %q", slices.Compact(errs))
}
