package sexton

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/sextongc/sexton/internal/pipe"
	"github.com/sextongc/sexton/internal/sandbox"
	"github.com/sextongc/sexton/internal/state"
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
	w := &worker{extensions: extensions}
	_ = time.Now().Local().String() // reads the time zone, which is a file
	w.soft, w.cancel = context.WithCancelCause(context.Background())
	w.hard, w.kill = context.WithCancelCause(context.Background())
	w.conn = pipe.New(in, out, &pipe.Options{Answer: w.answer, Notice: w.notice, MaxFrame: maxJobFrame, MaxCalls: 1})
	return w.conn.Serve(context.Background())
}

// maxJobFrame bounds what a worker takes, which comes from a process that it can trust.
const maxJobFrame = 1 << 30

type worker struct {
	conn       *pipe.Conn
	extensions []*runtime.Extension

	soft, hard   context.Context
	cancel, kill context.CancelCauseFunc
}

func (w *worker) notice(m *pipe.Message) {
	switch m.Kind {
	case msgKill:
		w.kill(errStopped)
		fallthrough
	case msgCancel:
		w.cancel(errStopped)
	}
}

func (w *worker) answer(_ context.Context, m *pipe.Message) *pipe.Message {
	if m.Kind != msgDeploy {
		return &pipe.Message{Head: jsonOf(answerData{encodeError(fmt.Errorf("a worker cannot do %q", m.Kind))})}
	}
	result, err := w.deploy(m)
	data := &resultData{Report: encodeReport(result.report), Given: result.given}
	out := &pipe.Message{Kind: msgDeploy}
	if result.graph != nil {
		snapshot, saveErr := serialize.EncodeSnapshot(result.graph)
		if saveErr != nil {
			err = errors.Join(err, fmt.Errorf("save: %w", saveErr))
		} else {
			data.Graph = true
			out.Body = [][]byte{snapshot}
		}
	}
	data.Error = encodeError(err)
	out.Head = jsonOf(data)
	return out
}

func (w *worker) deploy(m *pipe.Message) (*scripted, error) {
	var job jobData
	if err := json.Unmarshal(m.Head, &job); err != nil {
		return &scripted{}, err
	}
	if len(m.Body) < 2 {
		return &scripted{}, errors.New("there is no model and no snapshot")
	}
	last, err := decodeReplayed(&job, m.Body[1], m.Body[2:])
	if err != nil {
		return &scripted{}, err
	}
	d := &scripting{
		opts:  Options{Dir: job.Dir, Settings: job.Settings, Seed: job.Seed, Extensions: w.extensions, Console: w.console},
		model: &Model{File: job.File, Data: m.Body[0]}, last: last, key: job.Key, side: &remoteState{w.conn},
		observe: w.observe, confine: func() error { return sandbox.Enter(&job.Limits) },
	}
	if job.Confirms {
		d.opts.Confirm = w.confirm
	}
	return d.run(w.soft, w.hard)
}

// encodeReplayed turns what the state holds into parts: the snapshot, and records of what no checkpoint covers.
func encodeReplayed(last *replayed, job *jobData) ([][]byte, error) {
	snapshot, err := serialize.EncodeSnapshot(last.graph)
	if err != nil {
		return nil, err
	}
	job.Incarnation, job.LastEffect = last.incarnation, last.lastEffect
	var group []state.Record
	for _, e := range last.effects {
		group = append(group, e.records()...)
	}
	return append([][]byte{snapshot}, parts(group)...), nil
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
	if err := (&remoteState{w.conn}).ask(ctx, &pipe.Message{Kind: msgConfirm, Head: jsonOf(p)}); err != nil {
		return &refusal{err.Error()}
	}
	return nil
}
