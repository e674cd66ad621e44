package sexton

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/dop251/goja"

	"github.com/sextongc/sexton/gcext"
	"github.com/sextongc/sexton/internal/pipe"
	"github.com/sextongc/sexton/internal/render"
	"github.com/sextongc/sexton/objectstore"
	"github.com/sextongc/sexton/runtime"
)

// Conversation is somebody who types, input by input, what Run is to run.
type Conversation struct {
	// Next tells how the last input went and returns what is typed next, on some goroutine. It returns when ctx is done.
	Next func(ctx context.Context, turn *Turn) *Typed
	// Interrupts end what is being evaluated, and nothing else. Nil: there are none.
	Interrupts <-chan struct{}
}

// Turn is what somebody who types is told between two inputs.
type Turn struct {
	More        bool     // the input is not complete: more lines of it are expected
	Completions []string // what was asked for: each may stand from the offset From on
	From        int
	Err         error `json:"-"` // what the last input failed with
}

// Typed is what somebody does at a prompt.
type Typed struct {
	Kind TypedKind
	Text string // of TypedLine and TypedTab
}

// TypedKind says what a Typed is.
type TypedKind string

// The kinds of what is typed.
const (
	TypedLine  TypedKind = "line"  // a line is complete
	TypedTab   TypedKind = "tab"   // Text stands before the cursor and is to be completed
	TypedAbort TypedKind = "abort" // the input is given up
	TypedEnd   TypedKind = "end"   // there is no more input: timers and effects are awaited, as after a script
	TypedLeave TypedKind = "leave" // it is over
)

// errInputInterrupted is the cause of the end of an input alone.
var errInputInterrupted = errors.New("interrupted")

// converse evaluates what is typed until that ends.
func (r *scriptRun) converse(ctx context.Context) error {
	var input *runtime.Interactive
	err := r.s.Run(ctx, func(t *runtime.Task) error {
		if err := r.begin(ctx); err != nil {
			return err
		}
		r.phase("script")
		if err := r.s.Load(ctx, t); err != nil {
			return err
		}
		globals := []*goja.Object{r.s.rt.Module("sexton")}
		for _, e := range r.s.opts.Entries {
			globals = append(globals, r.s.modules[e.Name])
		}
		var err error
		input, err = r.s.rt.Interactive(globals...)
		return errors.Join(err, r.unhandled("script"))
	})
	if err != nil {
		return err
	}
	turn, text := &Turn{}, ""
	for {
		typed, err := r.listen(ctx, turn)
		if err != nil {
			return err
		}
		turn = &Turn{}
		switch typed.Kind {
		case TypedLeave:
			return nil
		case TypedEnd:
			if text != "" {
				return &runtime.BuildError{Text: "the last input is not complete"}
			}
			return r.await(ctx)
		case TypedTab:
			turn.From, turn.Completions = complete(input, typed.Text)
			turn.More = text != ""
		case TypedAbort:
			text = ""
		case TypedLine:
			if text += typed.Text; strings.TrimSpace(text) == "" {
				text = ""
				continue
			}
			if name, ok := strings.CutPrefix(strings.TrimSpace(text), "."); ok {
				if name == "exit" {
					return nil
				}
				turn.Err, text = r.evaluating(ctx, func(t *runtime.Task) error { return r.command(t, input, name) }), ""
				break
			}
			in, err := input.Compile(text)
			if errors.Is(err, runtime.ErrIncomplete) {
				turn.More = true
				text += "\n"
				continue
			}
			if text = ""; err == nil {
				err = r.evaluating(ctx, func(t *runtime.Task) error { return input.Eval(t, in) })
			}
			turn.Err = err
		}
		if ctx.Err() != nil {
			return turn.Err
		}
	}
}

// listen waits for what is typed next. Timers and effects go on meanwhile.
func (r *scriptRun) listen(ctx context.Context, turn *Turn) (typed *Typed, err error) {
	turn.Err = errors.Join(turn.Err, r.unhandled("script"))
	err = r.s.Run(ctx, func(t *runtime.Task) error {
		defer r.s.rt.Hold()()
		next := make(chan *Typed, 1)
		go func() {
			next <- r.With.Next(ctx, turn)
			r.s.rt.Enqueue(t.Wake)
		}()
		t.Park()
		typed = <-next
		return nil
	})
	return typed, err
}

// evaluating runs do until it ends or is interrupted. What exceeds a limit may leave nothing to be freed but garbage.
func (r *scriptRun) evaluating(ctx context.Context, do func(t *runtime.Task) error) error {
	select {
	case <-r.With.Interrupts: // of what has ended
	default:
	}
	ctx, interrupt := context.WithCancelCause(ctx)
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		select {
		case <-r.With.Interrupts:
			interrupt(errInputInterrupted)
		case <-ctx.Done():
		}
	}()
	err := r.s.Run(ctx, do)
	if errors.Is(context.Cause(ctx), errInputInterrupted) {
		err = errInputInterrupted
	}
	interrupt(nil)
	<-ended
	var limit *LimitError
	if errors.As(err, &limit) {
		r.s.rt.CollectGarbage()
	}
	return err
}

// commands are what somebody can type that is no script.
var commands = []struct{ name, does string }{
	{"exit", "ends; what is left is destroyed in order"},
	{"gc", "collects what nothing refers to, as GC.collect() does"},
	{"graph", "shows the objects by owner, and which of them nothing refers to"},
	{"help", "shows this"},
	{"plan", "shows what .gc would destroy, and in which order"},
}

func (r *scriptRun) command(t *runtime.Task, input *runtime.Interactive, name string) error {
	input.Forget()
	var out strings.Builder
	switch name {
	case "help":
		for _, c := range commands {
			fmt.Fprintf(&out, ".%-6s %s\n", c.name, c.does)
		}
		out.WriteString("Everything else is TypeScript. _ is the value of the input before. Ctrl-C ends what runs.\n")
	case "gc":
		report, err := r.s.collector.Collect(r.ctx, t, gcext.OnDemand)
		r.report.add(report)
		if err != nil {
			return err
		}
		fmt.Fprintf(&out, "%s destroyed, %s called", render.Count(report.Destroyed, "object"), render.Count(report.Notified, "handler"))
		if n := len(report.Failed) + len(report.Blocked); n > 0 {
			fmt.Fprintf(&out, ", %s left", render.Count(n, "object"))
		}
	case "plan":
		steps := gcext.Explain(r.s.store, gcext.OnDemand(r.s.store, gcext.First, 0))
		for _, step := range steps {
			fmt.Fprintf(&out, "%d  %s", step.Level, step.Object)
			for i, reason := range step.After {
				fmt.Fprintf(&out, "%s %s: %s", [...]string{"  after", ","}[min(i, 1)], reason.Object.ID, reason.Text)
			}
			out.WriteByte('\n')
		}
		if len(steps) == 0 {
			out.WriteString("nothing would be destroyed")
		}
	case "graph":
		out.WriteString(r.graph())
	default:
		return fmt.Errorf("there is no command .%s; .help lists them", name)
	}
	if r.s.opts.Console != nil {
		r.s.opts.Console("log", r.s.mask(strings.TrimSuffix(out.String(), "\n")))
	}
	return nil
}

// graph draws the objects by owner.
func (r *scriptRun) graph() string {
	unreachable := map[*objectstore.Object]bool{}
	for _, o := range r.s.store.Unreachable(r.s.store.Objects()) {
		unreachable[o] = true
	}
	edges := r.s.store.Edges()
	after := make([][]string, len(edges.Objects))
	for _, d := range edges.Deps {
		after[d.Subscriber] = append(after[d.Subscriber], edges.Objects[d.Publisher].ID)
	}
	nodes := make([]render.Node, len(edges.Objects))
	for i, o := range edges.Objects {
		nodes[i] = render.Node{Parent: int(edges.Owner[i]), Text: o.String()}
		switch {
		case unreachable[o]:
			nodes[i].Mark, nodes[i].Note = "-", "nothing refers to it"
		case o.Held():
			nodes[i].Mark, nodes[i].Note = "!", "its destruction failed"
		}
		if len(after[i]) > 0 {
			nodes[i].Text += ", goes after " + strings.Join(after[i], ", ")
		}
	}
	return render.Tree(nodes, render.Style{})
}

// complete completes names of commands, and of what scripts see.
func complete(input *runtime.Interactive, text string) (from int, names []string) {
	if prefix, ok := strings.CutPrefix(text, "."); ok {
		for _, c := range commands {
			if strings.HasPrefix(c.name, prefix) {
				names = append(names, c.name)
			}
		}
		return 1, names
	}
	from, names = input.Complete(text)
	slices.Sort(names)
	return from, slices.Compact(names)
}

// turnData is a Turn on its way to another process.
type turnData struct {
	Turn
	Error *errorData `json:"error,omitempty"`
}

// conversation is that of the other side.
func (w *worker) conversation() *Conversation {
	return &Conversation{Interrupts: w.interrupts, Next: func(ctx context.Context, turn *Turn) *Typed {
		answer, err := w.conn.Call(ctx, &pipe.Message{Kind: msgTurn, Head: jsonOf(turnData{*turn, encodeError(turn.Err)})})
		typed := &Typed{}
		if err != nil || json.Unmarshal(answer.Head, typed) != nil {
			typed.Kind = TypedLeave // the other side is gone
		}
		return typed
	}}
}

// turn has somebody type who talks to a worker.
func (p *workerProcess) turn(m *pipe.Message) (*Typed, error) {
	var data turnData
	if err := json.Unmarshal(m.Head, &data); err != nil {
		return nil, err
	}
	if p.talk == nil {
		return nil, errors.New("a turn of a conversation that there is not")
	}
	data.Turn.Err = decodeError(data.Error, nil)
	return p.talk.Next(p.ctx, &data.Turn), nil
}

// interrupts passes interrupts on until stop is called.
func (p *workerProcess) interrupts() (stop func()) {
	if p.talk == nil {
		return func() {}
	}
	done := make(chan struct{})
	go func() {
		for {
			select {
			case <-p.talk.Interrupts:
				p.tell(msgInterrupt)
			case <-done:
				return
			}
		}
	}()
	return func() { close(done) }
}
