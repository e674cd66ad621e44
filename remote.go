package sexton

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/sextongc/sexton/internal/effect"
	"github.com/sextongc/sexton/internal/pipe"
	"github.com/sextongc/sexton/internal/sandbox"
	"github.com/sextongc/sexton/internal/state"
)

// The messages between the two sides when they are in two processes. The state side has the script side
// deploy; everything else goes the other way.
const (
	msgDeploy  byte = 'd' // call: jobData, model, snapshot, uncovered records → resultData, snapshot
	msgPlan    byte = 'p' // call: jobData, model, snapshot → planData
	msgRun     byte = 'r' // call: jobData → resultData
	msgJob     byte = 'j' // call: jobData, data → doneData
	msgCancel  byte = 'c' // notice: start nothing new
	msgKill    byte = 'k' // notice: interrupt scripts
	msgDo      byte = 'e' // call: effect.Request → effect.Outcome
	msgAppend  byte = 'a' // call: covered effects, records → answerData
	msgConfirm byte = 'q' // call: Plan → answerData
	msgEvent   byte = 'o' // notice: eventData
	msgConsole byte = 'l' // notice: consoleData
	msgTold    byte = 't' // notice: hook.Job.Told
	msgAsked   byte = 'x' // call: hook.Job.Asked
	msgTurn    byte = 'u' // call: turnData → Typed

	msgInterrupt byte = 'i' // notice: of Conversation.Interrupts
)

// jobData is what the script side needs to know.
type jobData struct {
	Dir         string         `json:"dir"`
	Cache       string         `json:"cache,omitempty"`
	Settings    Settings       `json:"settings"`
	Seed        uint64         `json:"seed,omitempty"`
	File        string         `json:"file"`
	Key         string         `json:"key"`
	Incarnation uint64         `json:"incarnation"`
	LastEffect  uint64         `json:"lastEffect"`
	Confirms    bool           `json:"confirms"`
	Limits      sandbox.Limits `json:"limits"`
	Script      *Script        `json:"script,omitempty"`
	Converses   bool           `json:"converses,omitempty"` // the script is typed
	Job         string         `json:"job,omitempty"`       // of hook.Jobs
}

// planData is what came of a plan.
type planData struct {
	Plan  *Plan      `json:"plan,omitempty"`
	Error *errorData `json:"error,omitempty"`
}

// resultData is what came of it.
type resultData struct {
	Report *reportData `json:"report,omitempty"`
	Given  uint64      `json:"given"`
	Graph  bool        `json:"graph"` // the snapshot counts
	Error  *errorData  `json:"error,omitempty"`
}

// answerData is nothing, or an error.
type answerData struct {
	Error *errorData `json:"error,omitempty"`
}

type consoleData struct {
	Level string `json:"level"`
	Text  string `json:"text"`
}

type eventData struct {
	Event
	Err *errorData `json:"err,omitempty"`
}

// reportData is a Report with what it does not export.
type reportData struct {
	Report
	Took     []time.Duration `json:"took"`
	Troubles []troubleData   `json:"troubles"`
	Troubled map[string]int  `json:"troubled"`
}

type troubleData struct {
	Object Object        `json:"object"`
	Err    string        `json:"err"`
	By     string        `json:"by"`
	Took   time.Duration `json:"took"`
}

func encodeReport(r *Report) *reportData {
	if r == nil {
		return nil
	}
	d := &reportData{Report: *r, Took: r.took, Troubled: r.troubled}
	for _, t := range r.troubles {
		d.Troubles = append(d.Troubles, troubleData{t.object, t.err, t.by, t.took})
	}
	return d
}

func (d *reportData) report() *Report {
	if d == nil {
		return nil
	}
	r := &d.Report
	r.took = d.Took
	for _, t := range d.Troubles {
		r.troubles = append(r.troubles, trouble{object: t.Object, err: t.Err, by: t.By, took: t.Took})
	}
	r.troubled = map[string]int{}
	for id, i := range d.Troubled {
		if i >= 0 && i < len(r.troubles) {
			r.troubled[id] = i
		}
	}
	return r
}

// records and parts turn records into parts of a message and back: kind and payload in turns.
func parts(group []state.Record) [][]byte {
	body := make([][]byte, 0, 2*len(group))
	for _, r := range group {
		body = append(body, []byte(r.Kind), r.Payload)
	}
	return body
}

func records(body [][]byte) ([]state.Record, error) {
	if len(body)%2 != 0 {
		return nil, errors.New("a record without payload")
	}
	group := make([]state.Record, 0, len(body)/2)
	for i := 0; i < len(body); i += 2 {
		group = append(group, state.Record{Kind: state.Kind(body[i]), Payload: body[i+1]})
	}
	return group, nil
}

// maxRemoteEffects is how many effects a worker asks for at once. The other side takes some more calls, so that there
// is always room for those that it must hear of.
const maxRemoteEffects = 1000

// remoteState is the stateSide in another process.
type remoteState struct {
	conn    *pipe.Conn
	effects chan struct{} // has an element for each effect under way
}

func newRemoteState(conn *pipe.Conn) *remoteState {
	return &remoteState{conn, make(chan struct{}, maxRemoteEffects)}
}

// Do implements effect.Broker. An effect whose ctx is done is ended by the other side, which then says how it ended.
func (r *remoteState) Do(ctx context.Context, req *effect.Request) *effect.Outcome {
	select {
	case r.effects <- struct{}{}:
		defer func() { <-r.effects }()
	case <-ctx.Done():
		return notPerformed(effect.CodeAborted, ctx.Err())
	}
	outcome := &effect.Outcome{}
	answer, err := r.conn.CallToEnd(ctx, &pipe.Message{Kind: msgDo, Head: jsonOf(req)})
	if err == nil {
		err = json.Unmarshal(answer.Head, outcome)
	}
	if err != nil {
		return notPerformed("ERR_CLOSED", err)
	}
	return outcome
}

func notPerformed(code string, err error) *effect.Outcome {
	return &effect.Outcome{Error: &effect.Error{Name: "Error", Code: code, Message: fmt.Sprintf("the effect was not performed: %v", err)}}
}

// Append implements stateSide.
func (r *remoteState) Append(ctx context.Context, covered []uint64, group ...state.Record) error {
	return r.ask(ctx, &pipe.Message{Kind: msgAppend, Head: jsonOf(covered), Body: parts(group)})
}

// Commit is for the other side alone.
func (r *remoteState) Commit(_, _, _ []byte) error {
	return errors.New("the side of scripts does not commit")
}

func (r *remoteState) ask(ctx context.Context, m *pipe.Message) error {
	answer, err := r.conn.Call(ctx, m)
	if err != nil {
		return err
	}
	var a answerData
	if err := json.Unmarshal(answer.Head, &a); err != nil {
		return err
	}
	return decodeError(a.Error, nil)
}
