package crash

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"time"

	"github.com/sextongc/sexton"
	"github.com/sextongc/sexton/internal/hook"
	"github.com/sextongc/sexton/internal/state"
	"github.com/sextongc/sexton/runtime"
)

// job is one deployment for a worker.
type job struct {
	Dir      string      `json:"dir"`   // the package
	State    string      `json:"state"` // the state directory
	Provider string      `json:"provider"`
	Account  string      `json:"account"` // at the provider
	Run      int         `json:"run"`
	Model    string      `json:"model"`
	Spare    bool        `json:"spare"` // resurrection
	Point    *crashPoint `json:"point,omitempty"`
}

// word is what a worker says of its job, one a line.
type word struct {
	Begun      bool   `json:"begun,omitempty"` // the package is loaded
	Recovering bool   `json:"recovering,omitempty"`
	Crashing   string `json:"crashing,omitempty"` // at this operation
	Done       bool   `json:"done,omitempty"`
	Error      string `json:"error,omitempty"`
	Fatal      bool   `json:"fatal,omitempty"`      // an error that no deployment may end with here
	Incomplete bool   `json:"incomplete,omitempty"` // something that should be destroyed is not; all else is done
}

// work is the process of a worker: it does the jobs on its standard input until that ends, or until it is killed.
func work() error {
	w := &worker{out: json.NewEncoder(os.Stdout)}
	jobs := json.NewDecoder(os.Stdin)
	for {
		var j job
		if err := jobs.Decode(&j); err != nil {
			return nil
		}
		if err := w.out.Encode(w.deploy(&j)); err != nil {
			return err
		}
	}
}

type worker struct{ out *json.Encoder }

func (w *worker) say(said word) { _ = w.out.Encode(said) } // nobody listens if the tests have ended

func (w *worker) deploy(j *job) word {
	resurrection := map[bool]string{true: "spare", false: "tombstone"}
	opts := &sexton.Options{
		Dir: j.Dir, State: j.State, Extensions: []*runtime.Extension{j.provider()},
		Settings: sexton.Settings{Resurrection: resurrection[j.Spare]},
		Observe: func(e sexton.Event) {
			if e.Kind == "phase" {
				w.say(word{Begun: e.Text == "load", Recovering: e.Text == "recover"})
			}
		},
	}
	fs := &crashFS{FS: state.OS, crashed: func(what string) { w.say(word{Crashing: what}) }}
	if j.Point != nil {
		fs.point = *j.Point
	}
	hook.WithFS(opts, fs)
	env, err := sexton.Open(opts)
	if err == nil {
		ctx := context.Background()
		_, err = env.Deploy(ctx, ctx, &sexton.Model{Data: []byte(j.Model), File: "model.json"})
	}
	var early *sexton.PhaseError // it went no further
	done := word{Done: true, Incomplete: errors.Is(err, sexton.ErrIncomplete) && !errors.As(err, &early)}
	if err != nil {
		done.Error = err.Error()
		for _, fatal := range []error{sexton.ErrLocked, sexton.ErrCorrupt, sexton.ErrBroken} {
			done.Fatal = done.Fatal || errors.Is(err, fatal)
		}
	}
	return done
}

// provider is the module of scripts that calls the provider.
func (j *job) provider() *runtime.Extension {
	c := &client{address: j.Provider}
	x := &runtime.Extension{Name: "test/provider", Exports: []string{"create", "size", "note", "remove"}, Effects: map[string]runtime.Effect{}}
	for name, op := range map[string]string{"create": "create", "size": "size", "note": "note", "remove": "delete"} {
		x.Effects[name] = func(_ context.Context, call *runtime.EffectCall) (any, error) {
			r := struct {
				request
				Change int `json:"change"`
			}{}
			if err := json.Unmarshal(call.Argument, &r); err != nil {
				return nil, err
			}
			r.Account, r.Run, r.Op, r.Token, r.Object = j.Account, j.Run, op, call.Token, call.Object
			r.Key = fmt.Sprintf("%s %s %s%d", op, call.Token, r.About, r.Change)
			answer := &request{}
			if err := c.call("/do", &r.request, answer); err != nil {
				return nil, err
			}
			if answer.Refused {
				return nil, &runtime.EffectError{Name: "Error", Code: "ECONFLICT", Message: "the provider refuses"}
			}
			return map[string]any{"answer": answer.Answer}, nil
		}
	}
	return x
}

// workerProcess is a worker in a process of its own. The process lives for as many jobs as it survives.
type workerProcess struct {
	cmd    *exec.Cmd
	stdin  *json.Encoder
	close  func() error
	stdout *bufio.Scanner
	stderr bytes.Buffer
	kills  int
}

// result is how a job ended.
type result struct {
	word
	killed   bool
	recovers bool // recover() was called
	took     time.Duration
}

// run does a job. After delay from when the package is loaded the worker is killed, unless delay is negative.
func (w *workerProcess) run(j *job, delay time.Duration) (*result, error) {
	if w.cmd == nil {
		if err := w.start(); err != nil {
			return nil, err
		}
	}
	r := &result{}
	if err := w.stdin.Encode(j); err != nil {
		return nil, fmt.Errorf("worker: %w\n%s", err, w.stderr.String())
	}
	var timer *time.Timer
	var began time.Time
	for w.stdout.Scan() {
		var said word
		if err := json.Unmarshal(w.stdout.Bytes(), &said); err != nil {
			return nil, fmt.Errorf("worker says %q: %w", w.stdout.Text(), err)
		}
		r.recovers = r.recovers || said.Recovering
		if said.Begun && began.IsZero() {
			if began = time.Now(); delay >= 0 {
				process := w.cmd.Process
				timer = time.AfterFunc(delay, func() { _ = process.Kill() })
			}
		}
		if said.Crashing != "" {
			r.word, r.killed = said, true
		}
		if said.Done {
			if r.word = said; !began.IsZero() {
				r.took = time.Since(began)
			}
			if timer == nil || timer.Stop() {
				return r, nil
			}
			break // it is being killed, too late
		}
	}
	// It ended: by its own hand, by ours, or by a mistake.
	err := w.wait()
	if r.killed = r.killed || timer != nil && !timer.Stop(); !r.killed {
		return nil, fmt.Errorf("worker ended: %w\n%s", err, w.stderr.String())
	}
	return r, nil
}

func (w *workerProcess) start() error {
	*w = workerProcess{cmd: child("worker"), kills: w.kills}
	w.cmd.Stderr = &w.stderr
	stdin, err := w.cmd.StdinPipe()
	if err != nil {
		return err
	}
	stdout, err := w.cmd.StdoutPipe()
	if err != nil {
		return err
	}
	w.stdin, w.close, w.stdout = json.NewEncoder(stdin), stdin.Close, bufio.NewScanner(stdout)
	return w.cmd.Start()
}

func (w *workerProcess) wait() error {
	err := w.cmd.Wait()
	w.cmd = nil
	w.kills++
	return err
}

// stop ends the process, which is not at work.
func (w *workerProcess) stop() {
	if w.cmd != nil {
		_ = w.close()
		_ = w.cmd.Wait()
		w.cmd = nil
	}
}
