package sexton

import (
	"encoding/json"
	"time"
)

// The payloads of the journal's records, but for those of effects.

// checkpointRecord is the payload of a checkpoint.
type checkpointRecord struct {
	Phase   string            `json:"phase"`
	Root    string            `json:"root"`
	Changed []json.RawMessage `json:"changed,omitempty"`
	Removed []string          `json:"removed,omitempty"`
	Effects []uint64          `json:"effects,omitempty"` // what they came to is in this checkpoint, or in one before
	Partial bool              `json:"partial,omitempty"` // of some new objects only
}

// planRecord is the payload of a plan: the doomed objects in the order of their destruction. Notified: nobody has to be
// told of any of them.
type planRecord struct {
	Doomed   []string `json:"doomed"`
	Notified bool     `json:"notified,omitempty"`
}

// phaseRecord says that a deployment has begun, that it goes on to its next phase, or, where its end
// is not the next snapshot, how it ended. It stands in front of what was recorded in that phase.
type phaseRecord struct {
	Begin   *beginning    `json:"begin,omitempty"`
	Phase   string        `json:"phase,omitempty"`
	After   time.Duration `json:"after"` // ns since the beginning
	Outcome Outcome       `json:"outcome,omitempty"`
	Error   string        `json:"error,omitempty"`
}

// notifiedRecord says that the handler of a subscription of an object has ended. All: every subscriber of
// the object has been told; so it is without a subscriber.
type notifiedRecord struct {
	ID         string `json:"id"`
	Subscriber string `json:"subscriber,omitempty"`
	Handler    string `json:"handler,omitempty"`
	All        bool   `json:"all,omitempty"`
}

// settledRecord says what became of a doomed object: destroyed, failed, or live again.
type settledRecord struct {
	ID        string   `json:"id"`
	State     string   `json:"state"`
	Failure   string   `json:"failure,omitempty"`
	Completed []string `json:"completed,omitempty"`

	Duration time.Duration `json:"duration,omitempty"` // of its destroy(), in ns
}

// reservedRecord says that incarnations up to this one may have been given out.
type reservedRecord struct {
	Incarnation uint64 `json:"incarnation"`
}
