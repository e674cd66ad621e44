package sexton

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"
	"sync"

	"github.com/sextongc/sexton/internal/effect"
	"github.com/sextongc/sexton/internal/state"
	"github.com/sextongc/sexton/objectstore"
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
	intent    intentRecord
	outcome   *effect.Outcome // nil: not known
	delivered bool            // the script has seen the outcome
}

// effectLog is a Broker that records effects around the one that performs them: an intent is durable
// before the effect starts, the outcome before the script sees it. Concurrent effects share syncs.
//
// It remembers the effects that the last checkpoint does not cover: what an object did after it was
// saved. Do is safe for concurrent use; the other methods are, too.
type effectLog struct {
	inner   effect.Broker
	append  func(ctx context.Context, group ...state.Record) error
	mu      sync.Mutex
	n       uint64
	open    map[uint64]*recordedEffect
	request map[uint64]uint64 // request to effect, while it is not delivered
}

// effectHooks connect a session to what records its effects.
type effectHooks struct {
	wrap      func(effect.Broker) effect.Broker
	introduce func(o *objectstore.Object) error // before an effect of o, on the loop
	delivered func(req *effect.Request)         // on the loop
}

// newEffectLog continues after the effects that a journal has already.
func newEffectLog(inner effect.Broker, dir *state.Dir, recorded []*recordedEffect, last uint64) *effectLog {
	l := &effectLog{inner: inner, append: dir.Append, n: last, open: map[uint64]*recordedEffect{}, request: map[uint64]uint64{}}
	for _, e := range recorded {
		l.open[e.intent.N] = e
	}
	return l
}

// Do implements effect.Broker.
func (l *effectLog) Do(ctx context.Context, req *effect.Request) *effect.Outcome {
	if !effect.IsEffect(req.Op) {
		return l.inner.Do(ctx, req)
	}
	e := l.begin(req)
	// What is on its way to the disk is not called back: the effect has not started.
	if err := l.append(context.WithoutCancel(ctx), record(state.Intent, e.intent)); err != nil {
		l.forget(req, e)
		return notRecorded("it was not started", err)
	}
	outcome := l.inner.Do(ctx, req)
	if err := l.append(context.WithoutCancel(ctx), record(state.Outcome, outcomeRecord{e.intent.N, *outcome})); err != nil {
		return notRecorded("how it ended is not known to the next deployment", err)
	}
	l.mu.Lock()
	e.outcome = outcome
	l.mu.Unlock()
	return outcome
}

func notRecorded(consequence string, err error) *effect.Outcome {
	return &effect.Outcome{Error: &effect.Error{
		Name: "Error", Code: "ERR_JOURNAL", Message: fmt.Sprintf("the effect could not be recorded, %s: %v", consequence, err),
	}}
}

func (l *effectLog) begin(req *effect.Request) *recordedEffect {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.n++
	e := &recordedEffect{intent: intentRecord{
		N: l.n, Object: req.Object, Incarnation: req.Incarnation, Op: req.Op, Token: req.Token, Args: recordable(req.Args),
	}}
	l.open[l.n] = e
	l.request[req.ID] = l.n
	return e
}

func (l *effectLog) forget(req *effect.Request, e *recordedEffect) {
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.open, e.intent.N)
	delete(l.request, req.ID)
}

// recordable bounds what the journal keeps of arguments.
func recordable(args json.RawMessage) json.RawMessage {
	if len(args) <= maxRecordedArgs {
		return args
	}
	sum := sha256.Sum256(args)
	return jsonOf(map[string]any{"$digest": "sha256:" + hex.EncodeToString(sum[:]), "size": len(args)})
}

// delivered says that the script has seen the outcome of a request: what it makes of it is in the next
// checkpoint.
func (l *effectLog) delivered(req *effect.Request) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if n, ok := l.request[req.ID]; ok {
		delete(l.request, req.ID)
		if e := l.open[n]; e != nil {
			e.delivered = true
		}
	}
}

// covered returns the effects that a checkpoint of this moment covers, in order, and drops them once
// drop is called: when the checkpoint is durable.
func (l *effectLog) covered() (effects []uint64, drop func()) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for n, e := range l.open {
		if e.delivered {
			effects = append(effects, n)
		}
	}
	slices.Sort(effects)
	return effects, func() {
		l.mu.Lock()
		defer l.mu.Unlock()
		for _, n := range effects {
			delete(l.open, n)
		}
	}
}

// recovered says that objects have looked after their uncovered effects, or have no method for that:
// a checkpoint of this moment covers them.
func (l *effectLog) recovered() {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, e := range l.open {
		e.delivered = true
	}
}

// carry returns the records of the effects that no checkpoint covers, for the journal of the next
// generation.
func (l *effectLog) carry() []state.Record {
	l.mu.Lock()
	defer l.mu.Unlock()
	numbers := make([]uint64, 0, len(l.open))
	for n := range l.open {
		numbers = append(numbers, n)
	}
	slices.Sort(numbers)
	var records []state.Record
	for _, n := range numbers {
		e := l.open[n]
		records = append(records, record(state.Intent, e.intent))
		if e.outcome != nil {
			records = append(records, record(state.Outcome, outcomeRecord{n, *e.outcome}))
		}
	}
	return records
}
