package sexton

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime/debug"
	"time"

	"github.com/sextongc/sexton/internal/pipe"
	"github.com/sextongc/sexton/internal/sandbox"
	"github.com/sextongc/sexton/objectstore"
	"github.com/sextongc/sexton/runtime"
	"github.com/sextongc/sexton/serialize"
)

// errStopped is the cause of contexts in a worker that the other side has cancelled. It stands for the cause
// that the other side has.
var errStopped = errors.New("stopped by the other side")

// Worker serves one deployment as its script side: it reads from in and writes to out what the process that
// started it says and asks, and returns when that closes the connection. Extensions are those that the deployment
// is to have; what they have in Effects is performed by the other side.
//
// The process that calls it should do nothing else, and be started by Options.Worker.
func Worker(in io.Reader, out io.Writer, extensions []*runtime.Extension) error {
	w := &worker{extensions: extensions, interrupts: make(chan struct{}, 1)}
	runtime.Warm()
	debug.SetMaxStack(maxStack)
	debug.SetGCPercent(startGC)
	_ = time.Now().Local().String() // reads the time zone, which is a file
	w.soft, w.cancel = context.WithCancelCause(context.Background())
	w.hard, w.kill = context.WithCancelCause(context.Background())
	if f, ok := in.(*os.File); ok {
		in = pipe.Pollable(f)
	}
	if f, ok := out.(*os.File); ok {
		out = pipe.Pollable(f)
	}
	w.conn = pipe.New(in, out, &pipe.Options{Answer: w.answer, Notice: w.notice, MaxFrame: maxJobFrame, MaxCalls: 1})
	w.remote = newRemoteState(w.conn)
	return w.conn.Serve(context.Background())
}

// startGC is the percentage by which the heap of a worker may grow between two runs of Go's collector before the first script
// runs: what is made till then stays.
const startGC = 400

// maxJobFrame bounds what a worker takes, which comes from a process that it can trust.
const maxJobFrame = 1 << 30

type worker struct {
	conn       *pipe.Conn
	remote     *remoteState
	extensions []*runtime.Extension

	soft, hard   context.Context
	cancel, kill context.CancelCauseFunc
	interrupts   chan struct{} // of a conversation
}

func (w *worker) notice(m *pipe.Message) {
	switch m.Kind {
	case msgKill:
		w.kill(errStopped)
		fallthrough
	case msgCancel:
		w.cancel(errStopped)
	case msgInterrupt:
		select {
		case w.interrupts <- struct{}{}:
		default:
		}
	}
}

func (w *worker) answer(_ context.Context, m *pipe.Message) *pipe.Message {
	var job jobData
	if err := json.Unmarshal(m.Head, &job); err != nil {
		return &pipe.Message{Head: jsonOf(answerData{encodeError(err)})}
	}
	switch m.Kind {
	case msgDeploy:
		return w.deploy(&job, m.Body)
	case msgPlan:
		p, err := w.plan(&job, m.Body)
		return &pipe.Message{Head: jsonOf(planData{p, encodeError(err)})}
	case msgJob:
		return w.job(&job, m.Body)
	case msgRun:
		opts := &SessionOptions{Options: w.options(&job), broker: w.remote, bundled: confine(&job)}
		opts.Observe = w.observe
		if job.Converses {
			job.Script.With = w.conversation()
		}
		report, err := runHere(w.soft, w.hard, opts, job.Script)
		return &pipe.Message{Head: jsonOf(resultData{Report: encodeReport(report), Error: encodeError(err)})}
	}
	return &pipe.Message{Head: jsonOf(answerData{encodeError(fmt.Errorf("a worker cannot do %q", m.Kind))})}
}

// options are those of a job. What is asked and told crosses to the other side.
func (w *worker) options(job *jobData) Options {
	opts := Options{Dir: job.Dir, Cache: job.Cache, Settings: job.Settings, Seed: job.Seed, Extensions: w.extensions, Console: w.console}
	if job.Confirms {
		opts.Confirm = w.confirm
	}
	return opts
}

// confine returns what confines this process to what a job may use.
func confine(job *jobData) func() error {
	return func() error {
		debug.SetGCPercent(100)
		return sandbox.Enter(&job.Limits)
	}
}

// given reads a model and what a state holds.
func given(job *jobData, body [][]byte) (*Model, *replayed, error) {
	if len(body) < 2 {
		return nil, nil, errors.New("there is no model and no snapshot")
	}
	last, err := decodeReplayed(job, body[1], body[2:])
	return &Model{File: job.File, Data: body[0]}, last, err
}

func (w *worker) deploy(job *jobData, body [][]byte) *pipe.Message {
	result := &scripted{}
	model, last, err := given(job, body)
	if err == nil {
		d := &scripting{
			opts: w.options(job), model: model, last: last, key: job.Key, side: w.remote, observe: w.observe, confine: confine(job),
		}
		result, err = d.run(w.soft, w.hard)
	}
	data := &resultData{Report: encodeReport(result.report), Given: result.given}
	out := &pipe.Message{Kind: msgDeploy}
	if result.graph != nil {
		snapshot, saveErr := serialize.EncodeSnapshot(result.graph)
		if saveErr != nil {
			err = errors.Join(err, fmt.Errorf("save: %w", saveErr))
		} else {
			data.Graph, out.Body = true, [][]byte{snapshot}
		}
	}
	data.Error = encodeError(err)
	out.Head = jsonOf(data)
	return out
}

func (w *worker) plan(job *jobData, body [][]byte) (*Plan, error) {
	model, last, err := given(job, body)
	if err != nil {
		return nil, err
	}
	return planHere(w.soft, &SessionOptions{Options: w.options(job), broker: w.remote, bundled: confine(job)}, model, last.graph)
}

// encodeReplayed turns what the state holds into parts: the snapshot, and records of what no checkpoint covers.
func encodeReplayed(last *replayed, job *jobData) ([][]byte, error) {
	snapshot, err := serialize.EncodeSnapshot(last.graph)
	if err != nil {
		return nil, err
	}
	job.Incarnation, job.LastEffect = last.incarnation, last.lastEffect
	return append([][]byte{snapshot}, parts(effectRecords(last.effects))...), nil
}

func decodeReplayed(job *jobData, snapshot []byte, effects [][]byte) (*replayed, error) {
	graph := &objectstore.Graph{}
	var err error
	if len(snapshot) > 0 {
		if graph, err = serialize.DecodeSnapshot(snapshot); err != nil {
			return nil, err
		}
	}
	group, err := records(effects)
	if err != nil {
		return nil, err
	}
	r := newReplayer(&objectstore.Graph{}, 0)
	for _, record := range group {
		if err := r.apply(record); err != nil {
			return nil, err
		}
	}
	return &replayed{graph: graph, incarnation: job.Incarnation, lastEffect: job.LastEffect, effects: r.uncovered()}, nil
}

func (w *worker) console(level, text string) {
	_ = w.conn.Tell(&pipe.Message{Kind: msgConsole, Head: jsonOf(consoleData{level, text})}) // without a listener, nothing is heard
}

func (w *worker) observe(e Event) {
	_ = w.conn.Tell(&pipe.Message{Kind: msgEvent, Head: jsonOf(eventData{e, encodeError(e.Err)})})
}

func (w *worker) confirm(ctx context.Context, p *Plan) error {
	if err := w.remote.ask(ctx, &pipe.Message{Kind: msgConfirm, Head: jsonOf(p)}); err != nil {
		return &refusal{err.Error()}
	}
	return nil
}
