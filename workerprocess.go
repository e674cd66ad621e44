package sexton

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	goruntime "runtime"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/sextongc/sexton/internal/effect"
	"github.com/sextongc/sexton/internal/hook"
	"github.com/sextongc/sexton/internal/pipe"
	"github.com/sextongc/sexton/internal/sandbox"
)

// WorkerError says that the process with the scripts ended before its time. The state is what the journal
// says; the next deployment goes on.
type WorkerError struct {
	Status string      // "exit status 2", "signal: killed"
	Reason string      // what it said last about why; may be empty
	Limit  *LimitError // the limit that it exceeded, if it was that
}

func (e *WorkerError) Error() string {
	if e.Limit != nil {
		return fmt.Sprintf("%v; the process with the scripts has ended (%s)", e.Limit, e.Status)
	}
	if e.Reason == "" {
		return "the process with the scripts ended: " + e.Status
	}
	return fmt.Sprintf("the process with the scripts ended: %s (%s)", e.Reason, e.Status)
}

// Unwrap returns the limit.
func (e *WorkerError) Unwrap() error {
	if e.Limit == nil {
		return nil
	}
	return e.Limit
}

// reaction is how long a worker has after it was told to stop at once, before it is killed.
const reaction = 100 * time.Millisecond

// maxWorkerFrame bounds one message of a worker: a snapshot, or a group of records.
const maxWorkerFrame = 256 << 20

// workerProcess is a process with the scripts of one job.
type workerProcess struct {
	opts    *Options
	broker  effect.Broker // performs its effects
	guard   *guard        // nil: it records nothing
	job     *hook.Job     // nil: one of this package
	talk    *Conversation // nil: nobody types
	observe func(Event)
	limits  Limits
	ctx     context.Context // for questions

	cmd    *exec.Cmd
	stdin  io.Closer
	stderr tail
	conn   *pipe.Conn
	served chan error

	mu      sync.Mutex
	reaped  bool
	problem error // why it is not trusted any more
	refused error // what Confirm said
}

// start starts the process.
func (p *workerProcess) start() error {
	command := p.opts.Worker
	if len(command) == 0 {
		self, err := os.Executable()
		if err != nil {
			return fmt.Errorf("start a worker: %w", err)
		}
		command = []string{self, "worker"}
	}
	p.cmd = exec.Command(command[0], command[1:]...)
	p.cmd.Dir = p.opts.Dir
	p.cmd.Env = workerEnvironment()
	p.cmd.Stderr = &p.stderr
	sandbox.Prepare(p.cmd)
	in, err := p.cmd.StdinPipe()
	if err != nil {
		return fmt.Errorf("start a worker: %w", err)
	}
	out, err := p.cmd.StdoutPipe()
	if err != nil {
		return fmt.Errorf("start a worker: %w", err)
	}
	if err := p.cmd.Start(); err != nil {
		return fmt.Errorf("start a worker: %w", err)
	}
	p.stdin, p.served = in, make(chan error, 1)
	p.conn = pipe.New(out, in, &pipe.Options{Answer: p.answer, Notice: p.notice, MaxFrame: maxWorkerFrame})
	go func() { p.served <- p.conn.Serve(context.Background()) }()
	return nil
}

// do starts the process, has it do one job, reads the head of the answer into data, and waits for the end of the
// process. known are errors of this process that the answer may name; without an answer, it and answer are nil.
func (p *workerProcess) do(soft, hard context.Context, m *pipe.Message, data any) (answer *pipe.Message, known map[string]error, err error) {
	goruntime.LockOSThread() // see sandbox.Prepare
	defer goruntime.UnlockOSThread()
	p.ctx = soft
	if err := p.start(); err != nil {
		return nil, nil, err
	}
	defer context.AfterFunc(soft, func() { p.tell(msgCancel) })()
	defer context.AfterFunc(hard, func() {
		p.tell(msgKill)
		p.killIn(reaction)
	})()
	stop := p.interrupts()
	answer, err = p.conn.Call(context.Background(), m)
	stop()
	died := p.end()
	switch {
	case p.wrong() != nil:
		return nil, nil, p.wrong()
	case err != nil && hard.Err() != nil: // it was killed
		return nil, nil, context.Cause(hard)
	case err != nil:
		return nil, nil, p.died()
	case json.Unmarshal(answer.Head, data) != nil:
		return nil, nil, p.distrust(errors.New("an answer that cannot be read"))
	}
	return answer, map[string]error{kindStopped: context.Cause(soft), kindRefused: p.refused}, died
}

// workerEnvironment is what a worker sees of this process's variables: the time zone, and what Go needs on Windows.
func workerEnvironment() []string {
	env := []string{"GOTRACEBACK=none"}
	for _, name := range []string{"TZ", "SystemRoot"} {
		if value, ok := os.LookupEnv(name); ok {
			env = append(env, name+"="+value)
		}
	}
	return env
}

func (p *workerProcess) tell(kind byte) { _ = p.conn.Tell(&pipe.Message{Kind: kind}) } // whoever is gone needs no telling

func (p *workerProcess) killIn(d time.Duration) { time.AfterFunc(d, p.kill) }

func (p *workerProcess) kill() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.reaped { // its number may be another process's by now
		_ = sandbox.Kill(p.cmd)
	}
}

// end closes the connection and waits for the end of the process. The error says how it died, if it did. One that does not
// end though it has nothing left to do is killed, which is no error.
func (p *workerProcess) end() error {
	_ = p.stdin.Close()
	lingering := time.AfterFunc(time.Second, p.kill)
	if err := <-p.served; errors.Is(err, pipe.ErrFrame) {
		_ = p.distrust(err)
	}
	err := p.cmd.Wait()
	killed := !lingering.Stop()
	p.mu.Lock()
	p.reaped = true
	p.mu.Unlock()
	var exit *exec.ExitError
	switch {
	case !errors.As(err, &exit):
		return err
	case killed:
		return nil
	}
	return p.died()
}

// died says how the process ended that should not have.
func (p *workerProcess) died() error {
	e := &WorkerError{Status: p.cmd.ProcessState.String(), Reason: p.stderr.reason()}
	switch cpu := p.cmd.ProcessState.UserTime() + p.cmd.ProcessState.SystemTime(); {
	case strings.Contains(e.Reason, "out of memory"), strings.Contains(e.Reason, "cannot allocate memory"):
		e.Limit = &LimitError{Limit: "memory", Value: formatBytes(p.limits.Memory), What: "a built-in or the collector asked for more"}
	case strings.Contains(e.Reason, "stack overflow"):
		e.Limit = &LimitError{Limit: "stack", Value: formatBytes(maxStack), What: "a built-in recursed"}
	case p.limits.CPU > 0 && cpu >= p.limits.CPU:
		e.Limit = &LimitError{Limit: "cpu", Value: p.limits.CPU.String()}
	}
	return e
}

// maxStack is what the Go code of a worker may use of stack in bytes: built-ins that recurse are no calls of
// scripts.
const maxStack = 64 << 20

// formatBytes writes a number of bytes as parseBytes reads it.
func formatBytes(n int64) string {
	for i, unit := range []string{"T", "G", "M", "K"} {
		if shift := 10 * (4 - i); n >= 1<<shift && n%(1<<shift) == 0 {
			return strconv.FormatInt(n>>shift, 10) + unit
		}
	}
	return strconv.FormatInt(n, 10)
}

// errProtocol is matched by errors about what a worker sent.
var errProtocol = errors.New("the process with the scripts is not to be trusted")

// distrust ends a worker that sent what no worker of ours sends.
func (p *workerProcess) distrust(err error) error {
	err = fmt.Errorf("%w: %w", errProtocol, err)
	p.mu.Lock()
	if p.problem == nil {
		p.problem = err
	}
	p.mu.Unlock()
	p.kill()
	return err
}

func (p *workerProcess) wrong() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.problem
}

func (p *workerProcess) notice(m *pipe.Message) {
	switch m.Kind {
	case msgEvent:
		var e eventData
		if err := json.Unmarshal(m.Head, &e); err != nil {
			_ = p.distrust(err)
			return
		}
		if p.observe == nil {
			_ = p.distrust(errors.New("an event of what has none"))
			return
		}
		e.Event.Err = decodeError(e.Err, nil)
		p.observe(e.Event)
	case msgConsole:
		var c consoleData
		if err := json.Unmarshal(m.Head, &c); err != nil {
			_ = p.distrust(err)
		} else if p.opts.Console != nil {
			p.opts.Console(c.Level, c.Text)
		}
	case msgTold:
		if p.job == nil {
			_ = p.distrust(errors.New("news of a job that it has not"))
		} else if err := p.job.Told(m.Head); err != nil {
			_ = p.distrust(err)
		}
	default:
		_ = p.distrust(fmt.Errorf("a notice of kind %q", m.Kind))
	}
}

func (p *workerProcess) answer(ctx context.Context, m *pipe.Message) *pipe.Message {
	reply := func(err error) *pipe.Message { return &pipe.Message{Head: jsonOf(answerData{encodeError(err)})} }
	switch m.Kind {
	case msgDo:
		req := &effect.Request{}
		if err := json.Unmarshal(m.Head, req); err != nil {
			return reply(p.distrust(err))
		}
		return &pipe.Message{Head: jsonOf(p.broker.Do(ctx, req))}
	case msgAppend:
		var covered []uint64
		if err := json.Unmarshal(m.Head, &covered); err != nil {
			return reply(p.distrust(err))
		}
		group, err := records(m.Body)
		if err != nil {
			return reply(p.distrust(err))
		}
		if p.guard == nil {
			return reply(p.distrust(errors.New("records of what has no state")))
		}
		err = p.guard.Append(context.WithoutCancel(ctx), covered, group...)
		if errors.Is(err, errUnfit) {
			err = p.distrust(err)
		}
		return reply(err)
	case msgConfirm:
		plan := &Plan{}
		if err := json.Unmarshal(m.Head, plan); err != nil || p.opts.Confirm == nil {
			return reply(p.distrust(errors.Join(errors.New("a question that is none"), err)))
		}
		err := p.opts.Confirm(p.ctx, plan)
		p.mu.Lock()
		p.refused = err
		p.mu.Unlock()
		return reply(err)
	case msgTurn:
		typed, err := p.turn(m)
		if err != nil {
			return reply(p.distrust(err))
		}
		return &pipe.Message{Head: jsonOf(typed)}
	case msgAsked:
		if p.job == nil {
			return reply(p.distrust(errors.New("a question about a job that it has not")))
		}
		answer, err := p.job.Asked(m.Head)
		if err != nil {
			return reply(p.distrust(err))
		}
		return &pipe.Message{Head: answer}
	}
	return reply(p.distrust(fmt.Errorf("a call of kind %q", m.Kind)))
}

// tail keeps the beginning of what a process writes to its standard error, which is where Go says why it dies.
type tail struct {
	mu   sync.Mutex
	data []byte
}

const maxTail = 64 << 10

func (t *tail) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.data = append(t.data, p[:min(len(p), maxTail-len(t.data))]...)
	return len(p), nil
}

// reason is the line that says why a Go program died, else the first line.
func (t *tail) reason() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	first := ""
	for line := range strings.Lines(string(bytes.ToValidUTF8(t.data, nil))) {
		line = strings.TrimSpace(line)
		if strings.HasPrefix(line, "fatal error: ") || strings.HasPrefix(line, "panic: ") {
			return bounded(line)
		}
		if first == "" {
			first = line
		}
	}
	return bounded(first)
}
