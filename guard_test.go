package sexton

import (
	"context"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sextongc/sexton/gcext"
	"github.com/sextongc/sexton/internal/effect"
	"github.com/sextongc/sexton/internal/pipe"
	"github.com/sextongc/sexton/internal/state"
	"github.com/sextongc/sexton/objectstore"
)

// heard is a stateSide that keeps what it gets.
type heard struct {
	requests []*effect.Request
	groups   [][]state.Record
}

func (h *heard) Do(_ context.Context, req *effect.Request) *effect.Outcome {
	h.requests = append(h.requests, req)
	return &effect.Outcome{Result: []byte("null")}
}

func (h *heard) Append(_ context.Context, _ []uint64, group ...state.Record) error {
	h.groups = append(h.groups, group)
	return nil
}

func (h *heard) Commit(_, _, _ []byte) error { return nil }

func newGuarded() (*guard, *heard) {
	h := &heard{}
	graph := &objectstore.Graph{Root: "root", Objects: []*objectstore.Entry{
		{ID: "root", Type: "Environment", Incarnation: 1},
		{ID: "a", Type: "app/A", Owner: "root", Incarnation: 2},
		{ID: "gone", Type: "app/A", Owner: "root", Incarnation: 3, Destroyed: true},
	}}
	return newGuard(h, "key", &replayed{graph: graph, incarnation: 3, lastEffect: 5}), h
}

func objectText(id, owner string, incarnation int, properties string) string {
	return fmt.Sprintf(`{"?":{"id":%q,"type":"app/A","owner":%q,"incarnation":%d}%s}`, id, owner, incarnation, properties)
}

func checkpointText(rest string) state.Record {
	return state.Record{Kind: state.Checkpoint, Payload: []byte(`{"phase":"p","root":"root"` + rest + `}`)}
}

// What a worker may not write is refused, and what may be goes on.
func TestGuardOfRecords(t *testing.T) {
	for name, group := range map[string][]state.Record{
		"an intent":           {{Kind: state.Intent, Payload: []byte(`{"n":9}`)}},
		"a phase":             {{Kind: state.Phase, Payload: []byte(`{}`)}},
		"another kind":        {{Kind: "header", Payload: []byte(`{}`)}},
		"no JSON":             {{Kind: state.Checkpoint, Payload: []byte(`{`)}},
		"a wrong object":      {checkpointText(`,"changed":[{"?":{}}]`)},
		"an unknown owner":    {checkpointText(`,"changed":[` + objectText("b", "nobody", 4, "") + `]`)},
		"a dangling property": {checkpointText(`,"changed":[` + objectText("b", "root", 4, `,"p":{"$ref":"nobody"}`) + `]`)},
		"an owner of itself":  {checkpointText(`,"changed":[` + objectText("b", "c", 4, "") + `,` + objectText("c", "b", 5, "") + `]`)},
		"a needed one goes":   {checkpointText(`,"removed":["root"]`)},
		"what is sealed":      {checkpointText(`,"changed":[` + objectText("b", "root", 4, `,"p":{"$sealed":"1:00000000:AAAA"}`) + `]`)},
		"an unknown end":      {{Kind: state.Destroyed, Payload: []byte(`{"id":"nobody","state":"destroyed"}`)}},
		"an unknown plan":     {{Kind: state.Plan, Payload: []byte(`{"doomed":["nobody"]}`)}},
		"a good and a bad":    {checkpointText(``), {Kind: state.Notified, Payload: []byte(`{"id":"nobody"}`)}},
	} {
		g, h := newGuarded()
		require.ErrorIs(t, g.Append(t.Context(), nil, group...), errUnfit, name)
		require.Empty(t, h.groups, name)
	}
	g, h := newGuarded()
	for _, group := range [][]state.Record{
		{{Kind: state.Reserved, Payload: []byte(`{"incarnation":100}`)}},
		{checkpointText(`,"changed":[` + objectText("b", "root", 4, `,"p":{"$ref":"c"}`) + `,` + objectText("c", "b", 5, "") + `]`)},
		{checkpointText(`,"changed":[` + objectText("b", "root", 4, `,"p":["$sealed",":"],"q":"\"$sealed\":"`) + `],"removed":["c"]`)},
		{{Kind: state.Plan, Payload: []byte(`{"doomed":["a"]}`)}},
		{{Kind: state.Destroyed, Payload: []byte(`{"id":"a","state":"destroyed"}`)}},
		{checkpointText(`,"removed":["a","gone"]`)},
	} {
		require.NoError(t, g.Append(t.Context(), nil, group...))
	}
	require.Len(t, h.groups, 6)
	require.Equal(t, uint64(100), g.given(1000), "as many as were reserved")
	require.Equal(t, uint64(7), g.given(7))
	require.Equal(t, uint64(100), g.given(2), "not fewer than objects have")
}

// An effect is for an object that is there, under a number of its own, with the token that is its.
func TestGuardOfEffects(t *testing.T) {
	for name, c := range map[string]struct {
		req effect.Request
		ok  bool
	}{
		"of an object":       {effect.Request{ID: 6, Op: "fs.rm", Object: "a", Incarnation: 2, Token: "forged"}, true},
		"of none":            {effect.Request{ID: 6, Op: "fs.rm", Token: "forged"}, true},
		"of another life":    {effect.Request{ID: 6, Op: "fs.rm", Object: "a", Incarnation: 3}, false},
		"of nobody":          {effect.Request{ID: 6, Op: "fs.rm", Object: "nobody", Incarnation: 1}, false},
		"of a destroyed":     {effect.Request{ID: 6, Op: "fs.rm", Object: "gone", Incarnation: 3}, false},
		"with an old number": {effect.Request{ID: 5, Op: "fs.rm", Object: "a", Incarnation: 2}, false},
		"that only reads":    {effect.Request{ID: 1, Op: "fs.stat", Object: "nobody"}, true},
	} {
		g, h := newGuarded()
		outcome := g.Do(t.Context(), &c.req)
		require.Equal(t, c.ok, outcome.Error == nil, name)
		require.Equal(t, c.ok, len(h.requests) == 1, name)
		if c.ok && c.req.Object == "a" {
			require.Equal(t, gcext.Token("key", "a", 2), h.requests[0].Token)
		}
	}
	g, h := newGuarded()
	req := effect.Request{ID: 6, Op: "fs.rm"}
	require.Nil(t, g.Do(t.Context(), &req).Error)
	require.NotNil(t, g.Do(t.Context(), &req).Error, "the number was used")
	require.Len(t, h.requests, 1)
	require.Empty(t, h.requests[0].Token)
}

// A worker that tells of what it has no part in is not trusted any more, and does no harm.
func TestNoticesOfWorkers(t *testing.T) {
	for name, m := range map[string]*pipe.Message{
		"an event of a plan": {Kind: msgEvent, Head: []byte(`{}`)},
		"no event":           {Kind: msgEvent, Head: []byte(`[`)},
		"no text":            {Kind: msgConsole, Head: []byte(`[`)},
		"something else":     {Kind: msgCancel},
	} {
		p := &workerProcess{opts: &Options{}, reaped: true}
		p.notice(m)
		require.ErrorIs(t, p.wrong(), errProtocol, name)
	}
}
