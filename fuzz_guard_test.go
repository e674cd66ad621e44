package sexton

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sextongc/sexton/internal/state"
	"github.com/sextongc/sexton/serialize"
)

// Whatever records a worker sends, those that pass leave a state that can be read.
func FuzzGuard(f *testing.F) {
	kinds := []state.Kind{state.Checkpoint, state.Plan, state.Notified, state.Destroyed, state.Reserved, state.Intent}
	changed := `{"phase":"p","root":"root","changed":[` + objectText("b", "root", 4, `,"p":{"$ref":"c"}`) + `,` + objectText("c", "b", 5, "") + `]}`
	f.Add(byte(0), []byte(changed), byte(0), []byte(`{"phase":"p","root":"root","removed":["c"]}`))
	f.Add(byte(1), []byte(`{"doomed":["a"]}`), byte(3), []byte(`{"id":"a","state":"destroyed"}`))
	f.Add(byte(1), []byte(`{"doomed":["a"]}`), byte(3), []byte(`{"id":"a","state":"failed","error":"x","completed":["app/A"]}`))
	f.Add(byte(2), []byte(`{"id":"a"}`), byte(4), []byte(`{"incarnation":100}`))
	f.Add(byte(0), []byte(`{"phase":"p","root":"root","changed":[`+objectText("a", "gone", 18446744073709551, "")+`]}`), byte(0), []byte(`{"phase":"","root":""}`))
	f.Add(byte(0), []byte(`{"phase":"p","root":"a"}`), byte(0), []byte(`{"phase":"p","root":"root","changed":[`+objectText("root", "a", 1, "")+`]}`))
	f.Fuzz(func(t *testing.T, one byte, payload []byte, two byte, other []byte) {
		g, _ := newGuarded()
		for _, r := range []state.Record{{Kind: kinds[int(one)%len(kinds)], Payload: payload}, {Kind: kinds[int(two)%len(kinds)], Payload: other}} {
			if err := g.Append(t.Context(), nil, r); err != nil {
				require.ErrorIs(t, err, errUnfit)
				return
			}
		}
		graph := g.replica.graph()
		sweep(graph)
		require.NoError(t, closed(graph))
		saved, err := serialize.EncodeSnapshot(graph)
		require.NoError(t, err)
		_, err = serialize.DecodeSnapshot(saved)
		require.NoError(t, err)
	})
}
