package sexton

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"

	"github.com/sextongc/sexton/internal/effect"
	"github.com/sextongc/sexton/internal/state"
)

// maxRecordedArgs is how many bytes of an effect's arguments the journal keeps; of more it keeps a digest.
const maxRecordedArgs = 64 << 10

// intentRecord says that an effect is about to start.
type intentRecord struct {
	N           uint64          `json:"n"` // numbers the effects of a journal
	Object      string          `json:"object"`
	Incarnation uint64          `json:"incarnation,omitempty"`
	Op          string          `json:"op"`
	Token       string          `json:"token,omitempty"`
	Args        json.RawMessage `json:"args"`
}

// outcomeRecord says how an effect ended.
type outcomeRecord struct {
	N uint64 `json:"n"`
	effect.Outcome
}

// recordedEffect is an effect that no checkpoint covers.
type recordedEffect struct {
	intent  intentRecord
	outcome *effect.Outcome // nil: not known
}

// recordable bounds what the journal keeps of arguments.
func recordable(args json.RawMessage) json.RawMessage {
	if len(args) <= maxRecordedArgs {
		return args
	}
	sum := sha256.Sum256(args)
	return jsonOf(map[string]any{"$digest": "sha256:" + hex.EncodeToString(sum[:]), "size": len(args)})
}

// effectRecords are how the journal has effects.
func effectRecords(effects []*recordedEffect) (group []state.Record) {
	for _, e := range effects {
		group = append(group, record(state.Intent, e.intent))
		if e.outcome != nil {
			group = append(group, record(state.Outcome, outcomeRecord{e.intent.N, *e.outcome}))
		}
	}
	return group
}
