package cli

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/sextongc/sexton"
	"github.com/sextongc/sexton/internal/effect"
	"github.com/sextongc/sexton/internal/render"
)

// progress follows a deployment and shows it in a view. It is safe for concurrent use.
type progress struct {
	app  *app
	verb string
	name string // of the environment
	view view
	stop func()

	ledger effect.Ledger // of permissions

	mu      sync.Mutex // guards the rest, and the streams
	paused  bool
	phase   string
	running []running // destructors, in the order of their starts
	done    int       // destroyed
	again   bool      // the event tells of an object that failed, or was blocked, before
	blocked map[string]string
	objects map[string]sexton.Object
	errors  []failure // of destructors and handlers, in order
}

// failure is an error of a destructor or handler.
type failure struct {
	object, handler string
	err             error
}

// running is a destructor under way.
type running struct {
	object sexton.Object
	since  time.Time
}

// view shows a deployment on the streams of the app. All methods are called one at a time.
type view interface {
	event(p *progress, e *sexton.Event)
	console(p *progress, level, text string)
	tick(p *progress)
	clear() // what is drawn again later
	report(p *progress, r *sexton.Report)
	summary(text string)
}

// tickEvery is how often a view that ticks is told: a terminal's redraws, a log's heartbeat.
const (
	redrawEvery    = 250 * time.Millisecond
	heartbeatEvery = 10 * time.Second
)

// newProgress begins to show what a verb does.
func (a *app) newProgress(verb, name string) *progress {
	p := &progress{app: a, verb: verb, name: name, objects: map[string]sexton.Object{}, blocked: map[string]string{}}
	every := heartbeatEvery
	switch {
	case a.flags.json:
		p.view = &eventView{a}
		a.emit(&event{Event: "start", Verb: verb, Environment: name})
	case verb == "repl":
		p.view = &replView{scriptView{lineView{a, a.Stdout}}}
	case verb == "run":
		p.view = &scriptView{lineView{a, a.Stderr}}
	case a.StdoutTerminal && !a.flags.quiet:
		every = redrawEvery
		p.view = &treeView{app: a, live: render.Live{W: a.Stdout, Width: a.Width}}
	default:
		p.view = &lineView{a, a.Stdout}
	}
	ticks, stopTicks := a.Tick(every)
	done, ended := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		for {
			select {
			case <-ticks:
				p.locked(func() {
					if !p.paused {
						p.view.tick(p)
					}
				})
			case <-done:
				return
			}
		}
	}()
	p.stop = sync.OnceFunc(func() {
		stopTicks()
		close(done)
		<-ended
	})
	return p
}

func (p *progress) locked(fn func()) {
	p.mu.Lock()
	defer p.mu.Unlock()
	fn()
}

// pause shows something else by fn, and nothing more until resume.
func (p *progress) pause(fn func()) {
	p.locked(func() {
		p.paused = true
		p.view.clear()
		fn()
	})
}

func (p *progress) resume() { p.locked(func() { p.paused = false }) }

// note tells the user something on standard error.
func (p *progress) note(text string) {
	p.locked(func() {
		p.view.clear()
		p.app.log("note", text)
	})
}

// observe is sexton.Options.Observe.
func (p *progress) observe(e sexton.Event) {
	p.locked(func() {
		if e.Object != nil {
			p.objects[e.Object.ID] = *e.Object
		}
		switch e.Kind {
		case "phase":
			p.phase = e.Text
		case "destroy":
			p.running = append(p.running, running{*e.Object, p.app.Now()})
		case "destroyed", "failed", "blocked":
			if e.Subscriber == nil {
				p.running = slices.DeleteFunc(p.running, func(r running) bool { return r.object.ID == e.Object.ID })
			}
		}
		if e.Kind == "destroyed" {
			p.done++
		}
		p.again = false
		if e.Kind == "blocked" {
			p.again = p.blocked[e.Object.ID] == e.By.ID
			p.blocked[e.Object.ID] = e.By.ID
		}
		if e.Err != nil {
			p.failed(&e)
		}
		if e.Kind == "warning" {
			p.view.clear()
			p.app.log("warning", e.Text)
		}
		p.view.event(p, &e)
	})
}

// console is sexton.Options.Console.
func (p *progress) console(level, text string) {
	p.locked(func() { p.view.console(p, level, text) })
}

// end shows what became of it: the report, the errors, and last a summary of one line.
func (p *progress) end(r *sexton.Report, err error) error {
	p.stop()
	p.mu.Lock()
	defer p.mu.Unlock()
	p.view.clear()
	p.showAudit()
	if r == nil {
		return err
	}
	p.view.report(p, r)
	for _, failed := range p.errors {
		p.app.showError(failed.err)
	}
	if err != nil {
		p.app.showError(err)
		err = &shownError{err}
	}
	if text := summarize(r, err); text != "" {
		p.view.summary(p.name + ": " + text)
	}
	return err
}

// failed keeps the error of an event, with whose it is. What is tried again counts once, with its latest
// error.
func (p *progress) failed(e *sexton.Event) {
	f := failure{object: e.Object.ID, err: &objectError{label(e.Object), fmt.Errorf("%s: %w", label(e.Object), e.Err)}}
	if e.Subscriber != nil {
		f.handler = e.Subscriber.ID + "." + e.Handler
		f.err = &objectError{label(e.Subscriber), e.Err} // says which handler of whom, and what it was told of
	}
	before := len(p.errors)
	p.errors = slices.DeleteFunc(p.errors, func(old failure) bool { return old.object == f.object && old.handler == f.handler })
	p.again = len(p.errors) < before
	p.errors = append(p.errors, f)
}

// summarize is the last line; empty if an error says it all.
func summarize(r *sexton.Report, err error) string {
	var parts []string
	for _, part := range []struct {
		n    int
		text string
	}{
		{len(r.Created), "created"}, {len(r.Changed), "changed"}, {len(r.Kept), "kept"}, {len(r.Destroyed), "destroyed"},
		{len(r.Failed), "failed"}, {len(r.Blocked), "blocked"},
	} {
		if part.n > 0 {
			parts = append(parts, render.Number(part.n)+" "+part.text)
		}
	}
	text := strings.Join(parts, ", ")
	switch {
	case text == "" && err != nil:
		return ""
	case text == "":
		return "nothing to do"
	case r.Interrupted:
		text = "interrupted; " + text
	case err != nil && exitCode(err) != exitIncomplete:
		text = "failed; " + text
	}
	if d := render.Duration(r.Duration); d != "" {
		text += " in " + d
	}
	return text
}

// label names an object for people: "Server web".
func label(o *sexton.Object) string {
	return render.Clean(shortType(o.Type) + " " + o.ID)
}

func shortType(t string) string { return t[strings.LastIndexByte(t, '/')+1:] }

// underWay tells of the running destructors.
func (p *progress) underWay(r *running) string {
	text := label(&r.object)
	if d := render.Duration(p.app.Now().Sub(r.since)); d != "" {
		text += " (" + d + ")"
	}
	return text
}
