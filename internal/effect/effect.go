// Package effect is the seam between the two sides of Sexton. The script side asks for effects with
// plain data (Request), the state side checks permissions, records, performs them, and answers with
// plain data (Outcome). In one process the seam is a function call; between two it is a pipe.
package effect

import (
	"context"
	"encoding/json"
)

// Request asks for one effect or one read of the outside world.
type Request struct {
	ID          uint64 `json:"id"`                    // of this request, unique in its runtime
	Op          string `json:"op"`                    // "process.exec", "fs.writeFile", …
	Object      string `json:"object,omitempty"`      // id of the managed object that it is for; empty: the root
	Incarnation uint64 `json:"incarnation,omitempty"` // of that object
	Token       string `json:"token,omitempty"`       // GC.token of that object
	// Epoch numbers the deployments of an environment: later ones have higher numbers. The state side sets it.
	Epoch uint64 `json:"epoch,omitempty"`
	// Secret: the arguments hold a secret. The script side sets it.
	Secret bool            `json:"secret,omitempty"`
	Args   json.RawMessage `json:"args"`
}

// Outcome is the answer to a Request. Exactly one of Result and Error is set.
type Outcome struct {
	Result json.RawMessage `json:"result,omitempty"`
	Error  *Error          `json:"error,omitempty"`
}

// Error is a failed effect as data; scripts see it as an Error with these properties.
type Error struct {
	Name    string `json:"name"`           // "Error", "PermissionDenied", …
	Code    string `json:"code,omitempty"` // "ENOENT", …
	Message string `json:"message"`
	// Detail has further properties for the script's error object, such as stdout and exitCode.
	Detail json.RawMessage `json:"detail,omitempty"`
	Limit  *Limit          `json:"limit,omitempty"` // the limit that was exceeded, if it is about one
}

// Limit is a limit that was exceeded, its value, and by what.
type Limit struct {
	Name  string `json:"name"`
	Value string `json:"value"`
	What  string `json:"what"`
}

func (e *Error) Error() string { return e.Message }

// Broker is the state side as the script side sees it. Do is safe for concurrent use and returns when
// the effect is finished, refused or cancelled; it never returns a nil Outcome.
type Broker interface {
	Do(ctx context.Context, req *Request) *Outcome
}
