package state_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/sextongc/sexton/internal/state"
)

var ctx = context.Background()

func record(kind state.Kind, format string, args ...any) state.Record {
	return state.Record{Kind: kind, Payload: fmt.Appendf(nil, format, args...)}
}

func open(t *testing.T, dir string, opts *state.Options) *state.Dir {
	t.Helper()
	d, err := state.Open(dir, opts)
	require.NoError(t, err)
	return d
}

func TestRoundTrip(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "a", "b")
	_, err := state.Open(dir, nil)
	require.ErrorIs(t, err, state.ErrNoState)
	require.NoDirExists(t, dir)

	d := open(t, dir, &state.Options{Create: true})
	require.Zero(t, d.Generation())
	require.Nil(t, d.Snapshot())
	require.Nil(t, d.Meta())
	env := d.Environment()
	id, err := uuid.Parse(env)
	require.NoError(t, err)
	require.EqualValues(t, 7, id.Version())

	group := []state.Record{record(state.Intent, `{"op":"exec"}`), {Kind: state.Outcome, Payload: []byte{}}}
	require.NoError(t, d.Append(ctx, group...))
	require.NoError(t, d.Close())

	d = open(t, dir, nil)
	require.Equal(t, env, d.Environment())
	require.Equal(t, group, d.Records())
	require.Nil(t, d.Tail())
	carry := []state.Record{record(state.Intent, "open")}
	require.NoError(t, d.Commit(&state.Commit{
		Seq: d.Seq(), Snapshot: []byte("one\n"), Meta: []byte(`{"next":7}`), History: []byte(`{"n":1}`), Carry: carry,
	}))
	require.Empty(t, d.Records())
	require.NoError(t, d.Append(ctx, record(state.Checkpoint, "c")))
	require.NoError(t, d.Close())

	for _, readOnly := range []bool{true, false} {
		d = open(t, dir, &state.Options{ReadOnly: readOnly})
		require.EqualValues(t, 1, d.Generation())
		require.Equal(t, "one\n", string(d.Snapshot()))
		require.JSONEq(t, `{"next":7}`, string(d.Meta()))
		require.Equal(t, append(carry, record(state.Checkpoint, "c")), d.Records())
		history, err := d.History(-1)
		require.NoError(t, err)
		require.Equal(t, [][]byte{[]byte(`{"n":1}`)}, history)
		require.NoError(t, d.Close())
	}
	data, err := os.ReadFile(filepath.Join(dir, "snapshot.json"))
	require.NoError(t, err)
	require.Equal(t, "one\n", string(data))
}

func TestCommitKeepsThreeSnapshots(t *testing.T) {
	dir := t.TempDir()
	d := open(t, dir, &state.Options{Create: true})
	for i := 1; i <= 6; i++ {
		require.NoError(t, d.Commit(&state.Commit{Seq: d.Seq(), Snapshot: fmt.Appendf(nil, "snapshot %d", i), History: fmt.Appendf(nil, "%d", i)}))
	}
	// The same snapshot again takes no place, and a commit without a record leaves the history alone.
	require.NoError(t, d.Commit(&state.Commit{Seq: d.Seq(), Snapshot: []byte("snapshot 6")}))
	history, err := d.History(2)
	require.NoError(t, err)
	require.Equal(t, [][]byte{[]byte("6"), []byte("5")}, history)
	require.NoError(t, d.Close())

	require.Equal(t, map[string]string{
		"snapshot.json": "snapshot 6", "snapshot.5.json": "snapshot 5", "snapshot.4.json": "snapshot 4", "snapshot.3.json": "snapshot 3",
	}, snapshots(t, dir))
	d = open(t, dir, nil)
	require.EqualValues(t, 7, d.Generation())
	require.NoError(t, d.Close())
}

func snapshots(t *testing.T, dir string) map[string]string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "snapshot*"))
	require.NoError(t, err)
	content := map[string]string{}
	for _, f := range files {
		data, err := os.ReadFile(f)
		require.NoError(t, err)
		content[filepath.Base(f)] = string(data)
	}
	return content
}

func TestRefusals(t *testing.T) {
	dir := t.TempDir()
	d := open(t, dir, &state.Options{Create: true})
	for _, kind := range []state.Kind{"", "Plan", "header", "meta", "history", "end", "a b"} {
		require.Error(t, d.Append(ctx, state.Record{Kind: kind}), "kind %q", kind)
		require.Error(t, d.Commit(&state.Commit{Seq: d.Seq(), Carry: []state.Record{{Kind: kind}}}), "kind %q", kind)
	}
	cancelled, cancel := context.WithCancel(ctx)
	cancel()
	require.ErrorIs(t, d.Append(cancelled, record(state.Plan, "")), context.Canceled)
	require.NoError(t, d.Append(ctx))

	seq := d.Seq()
	require.NoError(t, d.Append(ctx, record(state.Plan, "p")))
	require.ErrorIs(t, d.Commit(&state.Commit{Seq: seq, Snapshot: []byte("s")}), state.ErrMoved)
	require.NoError(t, d.Append(ctx, record(state.Plan, "q")), "ErrMoved is no failure")

	reader := open(t, dir, &state.Options{ReadOnly: true})
	require.Len(t, reader.Records(), 2)
	require.ErrorIs(t, reader.Append(ctx, record(state.Plan, "")), state.ErrReadOnly)
	require.ErrorIs(t, reader.Commit(&state.Commit{}), state.ErrReadOnly)
	require.NoError(t, reader.Close())

	require.NoError(t, d.Close())
	require.NoError(t, d.Close())
	require.ErrorIs(t, d.Append(ctx, record(state.Plan, "")), state.ErrClosed)
	require.ErrorIs(t, d.Commit(&state.Commit{}), state.ErrClosed)
}

func TestSecondWriterIsToldWhoHasTheLock(t *testing.T) {
	dir := t.TempDir()
	d := open(t, dir, &state.Options{Create: true})
	_, err := state.Open(dir, nil)
	require.ErrorIs(t, err, state.ErrLocked)
	var locked *state.LockedError
	require.ErrorAs(t, err, &locked)
	host, err := os.Hostname()
	require.NoError(t, err)
	require.Equal(t, os.Getpid(), locked.Owner.PID)
	require.Equal(t, host, locked.Owner.Host)
	require.Contains(t, locked.Error(), fmt.Sprintf("locked by pid %d on %s since 20", os.Getpid(), host))
	require.NoError(t, d.Close())

	d = open(t, dir, nil)
	require.NoError(t, d.Close())
}

func TestLockFileOfADeadProcessIsNoObstacle(t *testing.T) {
	owner, err := json.Marshal(state.Owner{PID: 1 << 22, Host: "gone"})
	require.NoError(t, err)
	for _, content := range [][]byte{owner, nil, []byte("garbage")} {
		dir := t.TempDir()
		require.NoError(t, os.WriteFile(filepath.Join(dir, "lock"), append([]byte{0}, content...), 0o600))
		d := open(t, dir, &state.Options{Create: true})
		require.NoError(t, d.Close())
	}
}
