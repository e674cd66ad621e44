package sexton_test

import (
	"context"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sextongc/sexton"
	"github.com/sextongc/sexton/internal/hook"
	"github.com/sextongc/sexton/internal/state"
	"github.com/sextongc/sexton/internal/state/simdisk"
	"github.com/sextongc/sexton/objectstore"
	"github.com/sextongc/sexton/runtime"
)

// gc 1.2: incarnations are never used again, not even those of objects that no checkpoint has seen.
func TestIncarnationsAreNotReused(t *testing.T) {
	e := newEnv(t, script(`deploy() {
		const t = this.make("a");
		log("token", GC.token(t));
		if (mode.fails("throw")) throw 1;
	}`))
	disk := simdisk.New()
	tokens := map[string]bool{}
	for i, how := range []string{"kill", "", "throw", "kill", "kill", ""} {
		ctx, kill := context.WithCancel(context.Background())
		e.fails = map[string]bool{how: true}
		hook.WithFS(&e.opts, disk)
		e.opts.State = "/state"
		e.hook = func(line string) {
			token, ok := strings.CutPrefix(line, "token ")
			if !ok {
				return
			}
			require.False(t, tokens[token], "deployment %d", i)
			tokens[token] = true
			if how == "kill" {
				kill()
			}
		}
		_, err := e.deployWith(context.Background(), ctx, app)
		require.Equal(t, how != "", err != nil, "deployment %d: %v", i, err)
		kill()
	}
	require.Len(t, tokens, 6)
}

// A journal that does not fit is an error that says what and where, and changes nothing.
func TestCorruptJournal(t *testing.T) {
	const a = `{ "?": { "id": "a", "type": "app/Node", "incarnation": 2 } }`
	for _, c := range []struct {
		name   string
		commit *state.Commit
		group  []state.Record
		text   string
	}{
		{"unknown kind", nil, []state.Record{{Kind: "news", Payload: []byte(`{}`)}}, "journal: record 1 (news): unknown kind; the state was written by a newer version"},
		{"no checkpoint", nil, []state.Record{{Kind: state.Checkpoint, Payload: []byte(`{`)}}, "journal: record 1 (checkpoint): unexpected end of JSON input"},
		{"no entry", nil, []state.Record{
			{Kind: state.Reserved, Payload: []byte(`{"incarnation": 9}`)},
			{Kind: state.Checkpoint, Payload: []byte(`{"phase": "x", "root": "a", "changed": [{"?": {"id": "a"}}]}`)},
		}, "journal: record 2 (checkpoint): entry:1:7: a header needs an id and a type"},
		{"plan of what is not there", nil, []state.Record{{Kind: state.Plan, Payload: []byte(`{"doomed": ["z"]}`)}}, `journal: record 1 (plan): object "z" is not in the state`},
		{"no plan", nil, []state.Record{{Kind: state.Plan, Payload: []byte(`[]`)}}, "journal: record 1 (plan): json: cannot unmarshal array"},
		{"notified that is not there", nil, []state.Record{{Kind: state.Notified, Payload: []byte(`{"id": "z"}`)}}, `record 1 (notified): object "z" is not`},
		{"no notification", nil, []state.Record{{Kind: state.Notified, Payload: []byte(`7`)}}, `record 1 (notified): json: `},
		{"settled that is not there", nil, []state.Record{{Kind: state.Destroyed, Payload: []byte(`{"id": "z", "state": "destroyed"}`)}}, `record 1 (destroyed): object "z" is not`},
		{"nothing settled", nil, []state.Record{{Kind: state.Destroyed, Payload: []byte(`x`)}}, `record 1 (destroyed): invalid character`},
		{"no reservation", nil, []state.Record{{Kind: state.Reserved, Payload: []byte(`"x"`)}}, `record 1 (reserved): json: `},
		{"dangling", nil, []state.Record{
			{Kind: state.Checkpoint, Payload: []byte(`{"phase": "x", "root": "a", "changed": [` + a + `, { "?": { "id": "b", "type": "app/Node", "owner": "z" } }]}`)},
		}, `journal: after its 1 records object "b" names "z", which is not in the state`},
		{"snapshot", &state.Commit{Snapshot: []byte(`{}`)}, nil, "snapshot: "},
		{"meta", &state.Commit{Snapshot: []byte(`{}`), Meta: []byte(`x`)}, nil, "meta: invalid character"},
	} {
		t.Run(c.name, func(t *testing.T) {
			e := newEnv(t, classes)
			dir, err := state.Open(e.open().StateDir(), &state.Options{Create: true})
			require.NoError(t, err)
			if c.commit != nil {
				c.commit.Seq = dir.Seq()
				require.NoError(t, dir.Commit(c.commit))
			}
			require.NoError(t, dir.Append(context.Background(), c.group...))
			require.NoError(t, dir.Close())
			ctx := context.Background()
			model := &sexton.Model{Data: []byte(apps())}
			for range 2 {
				_, err = e.open().Deploy(ctx, ctx, model)
				require.ErrorIs(t, err, sexton.ErrCorrupt)
				require.ErrorContains(t, err, c.text)
				_, err = e.open().Plan(ctx, model)
				require.ErrorIs(t, err, sexton.ErrCorrupt)
				_, err = e.open().Snapshot()
				require.ErrorIs(t, err, sexton.ErrCorrupt)
				require.ErrorContains(t, err, c.text)
			}
		})
	}
}

// A checkpoint after an effect can come between the end of a destroy() and the record of it, and have taken the
// object out of the state already.
func TestEndAfterACheckpoint(t *testing.T) {
	e := newEnv(t, classes)
	dir, err := state.Open(e.open().StateDir(), &state.Options{Create: true})
	require.NoError(t, err)
	for _, r := range []state.Record{
		{Kind: state.Checkpoint, Payload: []byte(`{"phase": "x", "root": "", "changed": [{ "?": { "id": "a", "type": "app/Node", "incarnation": 2 } }]}`)},
		{Kind: state.Plan, Payload: []byte(`{"doomed": ["a"]}`)},
		{Kind: state.Checkpoint, Payload: []byte(`{"phase": "effect", "root": "", "removed": ["a"]}`)},
		{Kind: state.Destroyed, Payload: []byte(`{"id": "a", "state": "destroyed"}`)},
	} {
		require.NoError(t, dir.Append(context.Background(), r))
	}
	require.NoError(t, dir.Close())
	info, err := e.open().State()
	require.NoError(t, err)
	require.Empty(t, info.Objects)
	found, err := e.open().Check()
	require.NoError(t, err)
	require.Empty(t, found)
	_, err = e.deploy(empty)
	require.NoError(t, err)
}

// What a deployment gets as the last state stays as it was, and objects without an incarnation get one
// without being new.
func TestLastStateIsNotChanged(t *testing.T) {
	e := newEnv(t, classes)
	s, err := sexton.NewSession(&sexton.SessionOptions{Options: e.opts})
	require.NoError(t, err)
	defer func() { require.NoError(t, s.Close()) }()
	entry := func(id string, properties ...objectstore.Field) *objectstore.Entry {
		return &objectstore.Entry{ID: id, Type: "app/Node", Version: "1.0.0", Owner: "root", Properties: append([]objectstore.Field{
			{Name: "nodes", Value: []objectstore.Value{}}, {Name: "after", Value: []objectstore.Value{}}, {Name: "size", Value: 1.0},
		}, properties...)}
	}
	last := &objectstore.Graph{Root: "root", Objects: []*objectstore.Entry{
		{ID: "root", Type: "Environment", Properties: []objectstore.Field{{Name: "applications", Value: []objectstore.Value{objectstore.Ref("a")}}}},
		entry("a", objectstore.Field{Name: "made", Value: "m"}, objectstore.Field{Name: "kept", Value: []objectstore.Value{objectstore.Ref("b")}}),
		entry("b"),
	}}
	require.NoError(t, s.Run(context.Background(), func(task *runtime.Task) error {
		require.NoError(t, s.Load(context.Background(), task))
		n := uint64(0)
		report, graph, err := s.Deploy(context.Background(), task, &sexton.Deployment{
			Model: []byte(apps(node("a"))), Last: last, Stateful: true,
			Incarnation: func() uint64 { n++; return n },
		})
		require.NoError(t, err)
		require.Equal(t, []string{"root", "a", "b"}, ids(report.Kept))
		for i, e := range graph.Objects {
			require.Equal(t, uint64(i+1), e.Incarnation)
			require.Zero(t, last.Objects[i].Incarnation)
		}
		return nil
	}))
}
