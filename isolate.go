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
	"strings"
	"sync"
	"time"

	"github.com/sextongc/sexton/internal/effect"
	"github.com/sextongc/sexton/internal/pipe"
	"github.com/sextongc/sexton/internal/sandbox"
	"github.com/sextongc/sexton/serialize"
)

// WorkerError says that the process with the scripts ended before its time. The state is what the journal
// says; the next deployment goes on.
type WorkerError struct {
	Status string // "exit status 2", "signal: killed"
	Reason string // what it said last about why; may be empty
}

func (e *WorkerError) Error() string {
	if e.Reason == "" {
		return "the process with the scripts ended: " + e.Status
	}
	return fmt.Sprintf("the process with the scripts ended: %s (%s)", e.Reason, e.Status)
}

// reaction is how long a worker has after it was told to stop at once, before it is killed.
const reaction = 100 * time.Millisecond

// What a worker gets beyond what it has when its package is read.
const (
	workerMemory = 1 << 30 // bytes
	workerFiles  = 64
)

// maxWorkerFrame bounds one message of a worker: a snapshot, or a group of records.
const maxWorkerFrame = 256 << 20

// isolated does what run does in a process of its own.
func (d *scripting) isolated(soft, hard context.Context) (*scripted, error) {
	job := &jobData{
		Dir: d.opts.Dir, Settings: d.opts.Settings, Seed: d.opts.Seed, File: d.model.File, Key: d.key, Confirms: d.opts.Confirm != nil,
		Limits: sandbox.Limits{Memory: workerMemory, Files: workerFiles},
	}
	body, err := encodeReplayed(d.last, job)
	if err != nil {
		return &scripted{}, err
	}
	goruntime.LockOSThread() // see sandbox.Prepare
	defer goruntime.UnlockOSThread()
	p, err := d.startWorker(soft)
	if err != nil {
		return &scripted{}, err
	}
	defer context.AfterFunc(soft, func() { p.tell(msgCancel) })()
	defer context.AfterFunc(hard, func() {
		p.tell(msgKill)
		p.killIn(reaction)
	})()
	answer, err := p.conn.Call(context.Background(), &pipe.Message{Kind: msgDeploy, Head: jsonOf(job), Body: append([][]byte{d.model.Data}, body...)})
	if err != nil || p.wrong() != nil {
		_ = p.end()
		if err = p.wrong(); err == nil {
			err = &WorkerError{Status: p.cmd.ProcessState.String(), Reason: p.stderr.reason()}
		}
		if hard.Err() != nil { // it was killed
			err = context.Cause(hard)
		}
		return &scripted{}, err
	}
	result, err := p.result(answer, map[string]error{kindStopped: context.Cause(soft), kindRefused: p.refused})
	return result, errors.Join(err, p.end())
}

// workerProcess is a process with the scripts of one deployment.
type workerProcess struct {
	*scripting
	ctx    context.Context // for questions
	guard  *guard
	cmd    *exec.Cmd
	stdin  io.Closer
	stderr tail
	conn   *pipe.Conn
	served chan error

	mu      sync.Mutex
	problem error // why it is not trusted any more
	refused error // what Confirm said
}

func (d *scripting) startWorker(ctx context.Context) (*workerProcess, error) {
	command := d.opts.Worker
	if len(command) == 0 {
		self, err := os.Executable()
		if err != nil {
			return nil, fmt.Errorf("start a worker: %w", err)
		}
		command = []string{self, "worker"}
	}
	p := &workerProcess{scripting: d, ctx: ctx, served: make(chan error, 1)}
	p.guard = newGuard(d.side, d.key, d.last)
	p.cmd = exec.Command(command[0], command[1:]...)
	p.cmd.Dir = d.opts.Dir
	p.cmd.Env = workerEnvironment()
	p.cmd.Stderr = &p.stderr
	sandbox.Prepare(p.cmd)
	in, err := p.cmd.StdinPipe()
	if err != nil {
		return nil, fmt.Errorf("start a worker: %w", err)
	}
	out, err := p.cmd.StdoutPipe()
	if err != nil {
		return nil, fmt.Errorf("start a worker: %w", err)
	}
	if err := p.cmd.Start(); err != nil {
		return nil, fmt.Errorf("start a worker: %w", err)
	}
	p.stdin = in
	p.conn = pipe.New(out, in, &pipe.Options{Answer: p.answer, Notice: p.notice, MaxFrame: maxWorkerFrame})
	go func() { p.served <- p.conn.Serve(context.Background()) }()
	return p, nil
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

func (p *workerProcess) killIn(d time.Duration) {
	time.AfterFunc(d, func() { _ = sandbox.Kill(p.cmd) })
}

// end closes the connection and waits for the end of the process. The error says how it died, if it did.
func (p *workerProcess) end() error {
	_ = p.stdin.Close()
	p.killIn(time.Second) // it has nothing left to do
	if err := <-p.served; errors.Is(err, pipe.ErrFrame) {
		_ = p.distrust(err)
	}
	err := p.cmd.Wait()
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		return &WorkerError{Status: exit.String(), Reason: p.stderr.reason()}
	}
	return err
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
	_ = sandbox.Kill(p.cmd)
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
		e.Event.Err = decodeError(e.Err, nil)
		p.observe(e.Event)
	case msgConsole:
		var c consoleData
		if err := json.Unmarshal(m.Head, &c); err != nil {
			_ = p.distrust(err)
		} else if p.opts.Console != nil {
			p.opts.Console(c.Level, c.Text)
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
		return &pipe.Message{Head: jsonOf(p.guard.Do(ctx, req))}
	case msgAppend:
		var covered []uint64
		if err := json.Unmarshal(m.Head, &covered); err != nil {
			return reply(p.distrust(err))
		}
		group, err := records(m.Body)
		if err != nil {
			return reply(p.distrust(err))
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
	}
	return reply(p.distrust(fmt.Errorf("a call of kind %q", m.Kind)))
}

// result reads the answer to a deployment.
func (p *workerProcess) result(m *pipe.Message, known map[string]error) (*scripted, error) {
	var data resultData
	if err := json.Unmarshal(m.Head, &data); err != nil {
		return &scripted{}, p.distrust(err)
	}
	result := &scripted{report: data.Report.report(), given: p.guard.given(data.Given)}
	err := decodeError(data.Error, known)
	if data.Graph && len(m.Body) == 1 {
		var graphErr error
		if result.graph, graphErr = serialize.DecodeSnapshot(m.Body[0]); graphErr != nil {
			return &scripted{}, p.distrust(graphErr)
		}
	}
	return result, err
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
