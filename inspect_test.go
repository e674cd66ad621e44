package sexton_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sextongc/sexton"
	"github.com/sextongc/sexton/internal/state"
)

// gc 5.6: what waits for a failed object is found out from the state alone, and as the report has it:
// over owners, dependencies and live objects.
func TestStateOfBlockedObjects(t *testing.T) {
	e := newEnv(t, classes)
	e.fails["bad"] = true
	_, err := e.deploy(apps(
		node("keep", `"after": ["bad"]`), node("bad"), node("last", `"after": ["keep"]`),
		node("box", `"nodes": [`+node("inner", `"after": ["bad"]`)+`, `+node("free")+`]`), node("ok")))
	require.NoError(t, err)
	r, err := e.deploy(apps(node("keep")))
	require.ErrorIs(t, err, sexton.ErrIncomplete)
	blocked := map[string]string{}
	for _, b := range r.Blocked {
		blocked[b.ID] = b.By
	}
	require.Len(t, blocked, 3)

	info, err := e.open().State()
	require.NoError(t, err)
	states := map[string]string{}
	for _, o := range info.Objects {
		states[o.ID] = o.State
		require.Equal(t, blocked[o.ID], o.BlockedBy, o.ID)
		require.Equal(t, o.ID == "bad", o.Failure != "", o.ID)
		require.Equal(t, o.ID, o.Entry.ID)
	}
	require.Equal(t, map[string]string{
		"root": "live", "keep": "live", "bad": "failed", "last": "blocked", "box": "blocked", "inner": "blocked", "free": "destroyed",
	}, states)
	require.Empty(t, info.Stray)
}

func TestNothingToInspect(t *testing.T) {
	e := newEnv(t, classes).open()
	info, err := e.State()
	require.NoError(t, err)
	require.Empty(t, info.Objects)
	records, err := e.History(-1)
	require.NoError(t, err)
	require.Empty(t, records)
	_, err = e.Check()
	require.ErrorIs(t, err, sexton.ErrNoState)
	require.NoDirExists(t, e.StateDir())
}

// Files that are intact, and what they hold is not.
func TestCheckMeaning(t *testing.T) {
	for text, c := range map[string]struct {
		damage  func(t *testing.T, dir *state.Dir)
		problem string
		stray   bool
	}{
		"nothing": {damage: func(*testing.T, *state.Dir) {}},
		"journal": {damage: func(t *testing.T, dir *state.Dir) {
			require.NoError(t, dir.Append(t.Context(), state.Record{Kind: state.Notified, Payload: []byte(`{"id":"nobody"}`)}))
		}, problem: `record 1 (notified): object "nobody" is not in the state`},
		"owners": {damage: func(t *testing.T, dir *state.Dir) {
			changed := `{"phase":"","root":"root","changed":[{ "?": { "id": "a", "type": "app/Node", "owner": "a", "incarnation": 2 } }]}`
			require.NoError(t, dir.Append(t.Context(), state.Record{Kind: state.Checkpoint, Payload: []byte(changed)}))
		}, problem: "owns itself"},
		"snapshot": {damage: func(t *testing.T, dir *state.Dir) {
			require.NoError(t, dir.Commit(&state.Commit{Seq: dir.Seq(), Snapshot: []byte("{}")}))
		}, problem: "snapshot"},
		"history": {damage: func(t *testing.T, dir *state.Dir) {
			require.NoError(t, dir.Commit(&state.Commit{Seq: dir.Seq(), Snapshot: dir.Snapshot(), Meta: dir.Meta(), History: []byte("[]")}))
		}, problem: "history: record 1 from the end"},
		"an effect of nobody": {damage: func(t *testing.T, dir *state.Dir) {
			require.NoError(t, dir.Append(t.Context(), state.Record{Kind: state.Intent, Payload: []byte(`{"n":1,"object":"gone","op":"process.exec","args":{}}`)}))
		}, stray: true},
	} {
		t.Run(text, func(t *testing.T) {
			e := newEnv(t, classes)
			e.must(apps(node("a")), "create a")
			dir, err := state.Open(e.open().StateDir(), nil)
			require.NoError(t, err)
			c.damage(t, dir)
			require.NoError(t, dir.Close())

			before := contents(t, e.open().StateDir())
			found, err := e.open().Check()
			require.NoError(t, err)
			if c.problem == "" {
				require.Empty(t, found)
				info, err := e.open().State()
				require.NoError(t, err)
				require.Equal(t, c.stray, len(info.Stray) == 1)
			} else {
				require.Len(t, found, 1)
				require.False(t, found[0].Harmless)
				require.Contains(t, found[0].Problem, c.problem)
			}
			require.Equal(t, before, contents(t, e.open().StateDir()))
		})
	}
}

// contents returns the files of a directory.
func contents(t *testing.T, dir string) map[string]string {
	entries, err := os.ReadDir(dir)
	require.NoError(t, err)
	files := map[string]string{}
	for _, entry := range entries {
		data, err := os.ReadFile(filepath.Join(dir, entry.Name()))
		require.NoError(t, err)
		files[entry.Name()] = string(data)
	}
	return files
}
