package sexton

import (
	"cmp"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/sextongc/sexton/internal/render"
	"github.com/sextongc/sexton/internal/state"
	"github.com/sextongc/sexton/objectstore"
)

// HistoryRecord is what the history keeps of a deployment, or of what an operator did to the state: all objects that it did something with, of each
// text and of the warnings the first part. Lists are in the order of Report's.
type HistoryRecord struct {
	Number   uint64        `json:"number,omitempty"` // of the generation of the state that it made
	Time     time.Time     `json:"time"`             // it began
	Duration time.Duration `json:"duration"`         // ns; of one that was stopped hard, as far as that is known
	Model    string        `json:"model"`            // file
	Digest   string        `json:"digest,omitempty"`
	Outcome  Outcome       `json:"outcome,omitempty"`
	Phase    string        `json:"phase,omitempty"` // that one was in which was stopped hard
	Error    string        `json:"error,omitempty"`

	Created   []HistoryObject  `json:"created,omitempty"`
	Changed   []HistoryObject  `json:"changed,omitempty"`
	Kept      int              `json:"kept,omitempty"`
	Destroyed []HistoryObject  `json:"destroyed,omitempty"`
	Failed    []HistoryObject  `json:"failed,omitempty"`
	Blocked   []HistoryObject  `json:"blocked,omitempty"`
	Ignored   []HistoryObject  `json:"ignored,omitempty"` // failures that onDestroyError "continue" passed over
	Handlers  []HistoryHandler `json:"handlers,omitempty"`
	Notified  int              `json:"notified,omitempty"` // handlers called
	Warnings  []string         `json:"warnings,omitempty"`
	// Permissions are those that scripts exercised, then those that they were refused.
	Permissions []HistoryPermission `json:"permissions,omitempty"`

	Operation
}

// Outcome says how a deployment ended.
type Outcome string

// The outcomes. Records of earlier versions have none.
const (
	Done        Outcome = "done"
	Incomplete  Outcome = "incomplete"  // something that should be destroyed is not
	Interrupted Outcome = "interrupted" // it finished what ran and began nothing more
	Failed      Outcome = "failed"
	Stopped     Outcome = "stopped"    // hard: by a second interrupt, a crash, kill -9
	Unfinished  Outcome = "unfinished" // it runs, or was stopped hard and nothing was deployed since
)

// HistoryObject is an object in a HistoryRecord.
type HistoryObject struct {
	ID    string `json:"id"`
	Type  string `json:"type,omitempty"`
	Name  string `json:"name,omitempty"`
	Error string `json:"error,omitempty"` // why its destroy() failed
	By    string `json:"by,omitempty"`    // id of the object that it waits for
	// Attempts are how long each attempt at its destruction took, in order, in ns.
	Attempts []time.Duration `json:"attempts,omitempty"`
}

// UnmarshalJSON also takes an id alone, which is what earlier versions wrote.
func (o *HistoryObject) UnmarshalJSON(data []byte) error {
	if len(data) > 0 && data[0] == '"' {
		return json.Unmarshal(data, &o.ID)
	}
	type plain HistoryObject
	return json.Unmarshal(data, (*plain)(o))
}

// HistoryHandler is a handler that failed.
type HistoryHandler struct {
	Publisher  string `json:"publisher"`
	Subscriber string `json:"subscriber"`
	Type       string `json:"type"` // of the subscriber
	Handler    string `json:"handler"`
	Error      string `json:"error"`
}

// What a record keeps of what may be of any size, without a limit of its own.
const (
	mostHistoryText     = 2000 // bytes
	mostHistoryWarnings = 100
)

// newHistoryRecord makes the record of a deployment that came to its end.
func newHistoryRecord(b *beginning, number uint64, took time.Duration, r *Report, err error) *HistoryRecord {
	h := b.record(took, err)
	h.Number = number
	if r == nil {
		return h
	}
	h.Created, h.Changed, h.Kept = historyObjects(r.Created), historyObjects(r.Changed), len(r.Kept)
	h.Destroyed = historyObjects(r.Destroyed)
	attempts := map[string][]time.Duration{} // that failed
	for _, t := range r.troubles {
		if t.by == "" {
			attempts[t.object.ID] = append(attempts[t.object.ID], t.took)
		}
	}
	for _, f := range r.Ignored {
		h.Ignored = append(h.Ignored, HistoryObject{ID: f.ID, Type: f.Type, Error: bounded(f.Error)})
		n := max(0, len(attempts[f.ID])-1) // the last one is the one that destroyed it
		attempts[f.ID] = attempts[f.ID][:n]
	}
	for i, d := range r.took {
		h.Destroyed[i].Attempts = append(slices.Clone(attempts[h.Destroyed[i].ID]), d)
	}
	for _, t := range r.standing() {
		o := historyObject(&t.object)
		if t.by != "" {
			o.By = t.by
			h.Blocked = append(h.Blocked, o)
			continue
		}
		o.Error, o.Attempts = bounded(t.err), attempts[o.ID]
		h.Failed = append(h.Failed, o)
	}
	for _, f := range r.Handlers {
		f.Error = bounded(f.Error)
		h.Handlers = append(h.Handlers, HistoryHandler(f))
	}
	h.Notified = r.Notified
	for i, text := range r.Warnings {
		if i == mostHistoryWarnings {
			h.Warnings = append(h.Warnings, fmt.Sprintf("and %d more", len(r.Warnings)-i))
			break
		}
		h.Warnings = append(h.Warnings, bounded(text))
	}
	return h
}

func historyObject(o *Object) HistoryObject {
	return HistoryObject{ID: o.ID, Type: o.Type, Name: o.Name}
}

func historyObjects(objects []Object) []HistoryObject {
	var out []HistoryObject
	for i := range objects {
		out = append(out, historyObject(&objects[i]))
	}
	return out
}

// bounded cuts a long text.
func bounded(text string) string { return render.Clip(text, mostHistoryText) }

// beginning is what the journal says of a deployment from its first record on.
type beginning struct {
	Time   time.Time `json:"time"`
	Model  string    `json:"model"`            // file
	Digest string    `json:"digest,omitempty"` // of the model's bytes; empty: everything is destroyed
}

func newBeginning(now time.Time, m *Model) *beginning {
	b := &beginning{Time: now.UTC(), Model: m.File}
	if m != emptyModel {
		b.Digest = fmt.Sprintf("sha256:%x", sha256.Sum256(m.Data))
	}
	return b
}

func (b *beginning) record(took time.Duration, err error) *HistoryRecord {
	h := &HistoryRecord{Time: b.Time, Model: b.Model, Digest: b.Digest, Duration: took, Outcome: outcomeOf(err)}
	if err != nil {
		h.Error = bounded(err.Error())
	}
	return h
}

func outcomeOf(err error) Outcome {
	switch {
	case err == nil:
		return Done
	case errors.Is(err, ErrInterrupted):
		return Interrupted
	case !slices.ContainsFunc(joined(err), func(e error) bool { return e != ErrIncomplete }):
		return Incomplete
	}
	return Failed
}

// openDeployment is a deployment of which the journal has the beginning and not the end: the process
// was stopped, or writes it at this moment.
type openDeployment struct {
	beginning
	phase    string
	after    time.Duration // since its beginning, when that phase began or all ended
	outcome  Outcome       // empty: nobody could say
	err      string
	before   *objectstore.Graph
	notified int // handlers called
	settled  []settledObject
}

// settledObject is an object that is destroyed, or whose destruction failed.
type settledObject struct {
	HistoryObject
	failed bool
}

// record says what an open deployment has done, where now is what it left. The outcome is for one that
// could not say how it ended.
func (d *openDeployment) record(number uint64, outcome Outcome, now *objectstore.Graph) (*HistoryRecord, error) {
	h := d.beginning.record(d.after, nil)
	h.Number, h.Outcome, h.Phase, h.Error = number, cmp.Or(d.outcome, outcome), d.phase, d.err
	r := &Report{}
	if err := r.compare(d.before, now); err != nil {
		return nil, err
	}
	h.Created, h.Changed, h.Kept, h.Notified = historyObjects(r.Created), historyObjects(r.Changed), len(r.Kept), d.notified
	last := map[string]int{}
	attempts := map[string][]time.Duration{}
	for i, s := range d.settled {
		last[s.ID] = i
		if s.failed {
			attempts[s.ID] = append(attempts[s.ID], s.Attempts...)
		}
	}
	for i, s := range d.settled {
		switch o := s.HistoryObject; {
		case !s.failed:
			o.Attempts = append(slices.Clone(attempts[o.ID]), o.Attempts...)
			h.Destroyed = append(h.Destroyed, o)
		case last[o.ID] == i:
			o.Attempts = attempts[o.ID]
			h.Failed = append(h.Failed, o)
		}
	}
	return h, nil
}

// History returns what the last n deployments did, newest first; all of them if n is negative. The
// newest may be Unfinished. It takes no lock. The error matches ErrCorrupt if the state is damaged.
func (e *Environment) History(n int) ([]HistoryRecord, error) {
	var records []HistoryRecord
	err := e.read(func(dir *state.Dir) error {
		open, err := openHistory(dir)
		if err != nil {
			return err
		}
		if open != nil && n > 0 {
			n--
		} else if open != nil && n == 0 {
			open = nil
		}
		if records, err = readHistory(dir, n); err == nil && open != nil {
			records = slices.Insert(records, 0, *open)
		}
		return err
	})
	if err != nil && !errors.Is(err, ErrNoState) {
		return nil, err
	}
	return records, nil
}

// openHistory is the record of the deployment that the journal has the beginning of; nil: there is none.
func openHistory(dir *state.Dir) (*HistoryRecord, error) {
	if len(dir.Records()) == 0 {
		return nil, nil
	}
	r, err := replay(dir)
	if err != nil || r.open == nil {
		return nil, err
	}
	return r.open.record(dir.Generation()+1, Unfinished, r.graph)
}

func readHistory(dir *state.Dir, n int) ([]HistoryRecord, error) {
	payloads, err := dir.History(n)
	if err != nil {
		return nil, err
	}
	records := make([]HistoryRecord, len(payloads))
	for i, payload := range payloads {
		if err := json.Unmarshal(payload, &records[i]); err != nil {
			return nil, fmt.Errorf("%w: history: record %d from the end: %w", ErrCorrupt, i+1, err)
		}
	}
	return records, nil
}
