package pipe

import (
	"bytes"
	"context"
	"errors"
	"io"
	"testing"

	"github.com/stretchr/testify/require"
)

// Whatever is sent is frames or is refused, and what is read as frames is what was sent.
func FuzzServe(f *testing.F) {
	var sent bytes.Buffer
	c := New(nil, &sent, nil)
	require.NoError(f, c.Tell(&Message{Kind: 'e', Head: []byte(`{"a":1}`), Body: [][]byte{nil, []byte("body"), {0}}}))
	f.Add(sent.Bytes())
	require.NoError(f, c.Tell(&Message{Kind: 'c'}))
	f.Add(sent.Bytes())
	f.Add([]byte{0, 0, 0, 11, 0, 0, 0, 0, 0, 0, 0, 0, 1, 'e', 0, 0, 0, 0, 11, 3, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0}) // a call, taken back
	f.Add([]byte{0, 0, 0, 10, 9, 0, 0, 0, 0, 0, 0, 0, 0, 0})
	f.Add([]byte{0xff, 0xff, 0xff, 0xff})
	f.Add([]byte{0, 0, 0, 11, 2, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0x80})
	f.Fuzz(func(t *testing.T, data []byte) {
		var heard []*Message
		err := New(bytes.NewReader(data), io.Discard, &Options{
			MaxFrame: 1 << 20, Notice: func(m *Message) { heard = append(heard, m) },
			Answer: func(_ context.Context, m *Message) *Message { return m },
		}).Serve(t.Context())
		if err != nil && !errors.Is(err, ErrFrame) {
			require.ErrorIs(t, err, io.ErrUnexpectedEOF)
		}
		var again bytes.Buffer
		out := New(nil, &again, nil)
		for _, m := range heard {
			require.NoError(t, out.Tell(m))
		}
		at := 0
		require.NoError(t, New(&again, io.Discard, &Options{Notice: func(m *Message) {
			require.Equal(t, heard[at].Kind, m.Kind)
			require.Equal(t, string(heard[at].Head), string(m.Head))
			require.Equal(t, len(heard[at].Body), len(m.Body))
			for i := range m.Body {
				require.Equal(t, string(heard[at].Body[i]), string(m.Body[i]))
			}
			at++
		}}).Serve(t.Context()))
		require.Len(t, heard, at)
	})
}
