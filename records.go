package sexton

import "encoding/json"

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

// planRecord is the payload of a plan: the doomed objects in the order of their destruction.
type planRecord struct {
	Doomed []string `json:"doomed"`
}

// notifiedRecord says that an object's subscribers have been told.
type notifiedRecord struct {
	ID string `json:"id"`
}

// settledRecord says what became of a doomed object: destroyed, failed, or live again.
type settledRecord struct {
	ID        string   `json:"id"`
	State     string   `json:"state"`
	Failure   string   `json:"failure,omitempty"`
	Completed []string `json:"completed,omitempty"`
}

// reservedRecord says that incarnations up to this one may have been given out.
type reservedRecord struct {
	Incarnation uint64 `json:"incarnation"`
}
