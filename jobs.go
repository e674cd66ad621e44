package sexton

import (
	"context"
	"errors"
	"fmt"

	"github.com/sextongc/sexton/internal/hook"
	"github.com/sextongc/sexton/internal/pipe"
)

func init() { hook.Isolate = isolate }

// doneData is what came of a job of another package.
type doneData struct {
	Data  []byte     `json:"data"`
	Error *errorData `json:"error,omitempty"`
}

// isolate has a process of its own do a job of another package.
func isolate(ctx context.Context, options any, job *hook.Job) ([]byte, error) {
	opts := options.(*Options)
	pkg, err := LoadPackage(opts.Dir)
	if err != nil {
		return nil, err
	}
	data := opts.job(opts.settings(pkg))
	data.Job = job.Name
	p := &workerProcess{opts: opts, job: job}
	var done doneData
	m := &pipe.Message{Kind: msgJob, Head: jsonOf(data), Body: [][]byte{job.Data}}
	known, _, err := p.unrecorded(&stopping{soft: ctx, hard: ctx}, pkg, m, &done)
	if known == nil {
		return nil, err
	}
	return done.Data, errors.Join(decodeError(done.Error, known), err)
}

// job does a job of another package.
func (w *worker) job(job *jobData, body [][]byte) *pipe.Message {
	do := hook.Jobs[job.Job]
	if do == nil || len(body) != 1 {
		return &pipe.Message{Head: jsonOf(doneData{Error: encodeError(fmt.Errorf("a worker cannot do the job %q", job.Job))})}
	}
	data, err := do(w.hard, &hook.Worker{
		Session: &SessionOptions{Options: w.options(job), broker: w.remote, bundled: confine(job)}, Data: body[0],
		Tell: func(data []byte) { _ = w.conn.Tell(&pipe.Message{Kind: msgTold, Head: data}) }, // without a listener, nothing is heard
		Ask: func(data []byte) ([]byte, error) {
			answer, err := w.conn.Call(w.hard, &pipe.Message{Kind: msgAsked, Head: data})
			if err != nil {
				return nil, err
			}
			return answer.Head, nil
		},
	})
	return &pipe.Message{Head: jsonOf(doneData{data, encodeError(err)})}
}
