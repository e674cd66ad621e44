package sexton_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/sextongc/sexton"
	"github.com/sextongc/sexton/internal/state"
)

func (e *env) history(n int) []sexton.HistoryRecord {
	e.t.Helper()
	records, err := e.open().History(n)
	require.NoError(e.t, err)
	return records
}

func historyIDs(objects []sexton.HistoryObject) []string {
	var out []string
	for _, o := range objects {
		out = append(out, o.ID)
	}
	return out
}

func TestHistory(t *testing.T) {
	e := newEnv(t, classes)
	began := time.Now().Add(-time.Second)
	e.must(apps(node("a"), node("b"), node("c", `"after": ["b"]`)), "create a", "create b", "create c")
	e.must(apps(node("a"), node("c")), "told c of b", "destroy b")
	records := e.history(-1)
	require.Len(t, records, 2)
	last, first := records[0], records[1]
	require.Equal(t, []string{"b"}, historyIDs(last.Destroyed))
	require.Equal(t, "app/Node", last.Destroyed[0].Type)
	require.Len(t, last.Destroyed[0].Attempts, 1)
	require.Positive(t, last.Destroyed[0].Attempts[0])
	require.Equal(t, sexton.Done, last.Outcome)
	require.Equal(t, 1, last.Notified)
	require.Equal(t, 1, last.Kept)
	require.Equal(t, uint64(2), last.Number)

	require.Equal(t, []string{"root", "a", "b", "c"}, historyIDs(first.Created))
	require.Equal(t, "model.json", first.Model)
	require.Regexp(t, "^sha256:[0-9a-f]{64}$", first.Digest)
	require.True(t, first.Time.After(began))
	require.Positive(t, first.Duration)
	require.Equal(t, records[:1], e.history(1))

	_, err := e.open().Destroy(context.Background(), context.Background())
	require.NoError(t, err)
	require.Empty(t, e.history(1)[0].Digest)
}

// Attempts that fail, what waits for them, what is passed over, and handlers.
func TestHistoryOfFailures(t *testing.T) {
	e := newEnv(t, classes)
	e.must(apps(node("bad"), node("box", `"nodes": [`+node("inner", `"after": ["bad"]`)+`]`)), "create bad", "create box", "create inner")
	e.fails["bad"] = true
	_, err := e.deploy(apps())
	require.ErrorIs(t, err, sexton.ErrIncomplete)
	h := e.history(1)[0]
	require.Equal(t, sexton.Incomplete, h.Outcome)
	require.Equal(t, []string{"bad"}, historyIDs(h.Failed))
	require.Len(t, h.Failed[0].Attempts, 2) // before and after deploy()
	require.Contains(t, h.Failed[0].Error, "bad resists")
	require.Equal(t, map[string]string{"inner": "bad", "box": "bad"}, map[string]string{h.Blocked[0].ID: h.Blocked[0].By, h.Blocked[1].ID: h.Blocked[1].By})
	require.Empty(t, h.Destroyed)

	e.opts.Settings.OnDestroyError = "continue"
	_, err = e.deploy(apps())
	require.NoError(t, err)
	h = e.history(1)[0]
	require.Equal(t, sexton.Done, h.Outcome)
	require.Equal(t, []string{"bad", "inner", "box"}, historyIDs(h.Destroyed))
	require.Len(t, h.Destroyed[0].Attempts, 1)
	require.Equal(t, []string{"bad"}, historyIDs(h.Ignored))
	require.Contains(t, h.Ignored[0].Error, "bad resists")
	require.Empty(t, h.Failed)
}

// Records of earlier versions have ids only.
func TestHistoryOfEarlierVersions(t *testing.T) {
	e := newEnv(t, classes)
	e.must(apps(node("a")), "create a")
	dir, err := state.Open(e.open().StateDir(), nil)
	require.NoError(t, err)
	old := `{"time":"2026-01-02T03:04:05Z","duration":7,"model":"m.json","error":"x","created":["a","b"],"destroyed":["c"],"blocked":["d"]}`
	require.NoError(t, dir.Commit(&state.Commit{Seq: dir.Seq(), Snapshot: dir.Snapshot(), History: []byte(old)}))
	require.NoError(t, dir.Close())
	h := e.history(1)[0]
	require.Equal(t, sexton.HistoryRecord{
		Time: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC), Duration: 7, Model: "m.json", Error: "x",
		Created: []sexton.HistoryObject{{ID: "a"}, {ID: "b"}}, Destroyed: []sexton.HistoryObject{{ID: "c"}}, Blocked: []sexton.HistoryObject{{ID: "d"}},
	}, h)
}
