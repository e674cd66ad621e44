//go:build unix

package state

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// P7: whoever takes the lock's file away lets a second writer in. The first one is refused from then on, and
// what the second one writes is whole.
func TestWriterThatLostItsLock(t *testing.T) {
	for name, take := range map[string]func(t *testing.T, lock string){
		"removed": func(t *testing.T, lock string) { require.NoError(t, os.Remove(lock)) },
		"replaced": func(t *testing.T, lock string) {
			require.NoError(t, os.WriteFile(lock+".other", nil, 0o600))
			require.NoError(t, os.Rename(lock+".other", lock))
		},
	} {
		t.Run(name, func(t *testing.T) {
			path := t.TempDir()
			first, err := Open(path, &Options{Create: true})
			require.NoError(t, err)
			require.NoError(t, first.Append(t.Context(), Record{Kind: Checkpoint, Payload: []byte(`"first"`)}))
			take(t, filepath.Join(path, lockFile))
			second, err := Open(path, nil)
			require.NoError(t, err)
			require.NoError(t, second.Append(t.Context(), Record{Kind: Checkpoint, Payload: []byte(`"second"`)}))

			err = first.Append(t.Context(), Record{Kind: Checkpoint, Payload: []byte(`"stale"`)})
			require.ErrorIs(t, err, ErrFailed)
			require.ErrorContains(t, err, "the lock is lost")
			require.ErrorIs(t, first.Commit(&Commit{Seq: first.Seq(), Snapshot: []byte("stale")}), ErrFailed)
			require.NoError(t, first.Close())

			require.NoError(t, second.Append(t.Context(), Record{Kind: Checkpoint, Payload: []byte(`"third"`)}))
			require.NoError(t, second.Close())
			after, err := Open(path, &Options{ReadOnly: true})
			require.NoError(t, err)
			var payloads []string
			for _, r := range after.Records() {
				payloads = append(payloads, string(r.Payload))
			}
			require.Equal(t, []string{`"first"`, `"second"`, `"third"`}, payloads)
			require.NoError(t, after.Close())
		})
	}
}

// A journal that is not where the next Open looks for it acknowledges nothing more.
func TestWriterThatLostItsJournal(t *testing.T) {
	path := t.TempDir()
	d, err := Open(path, &Options{Create: true})
	require.NoError(t, err)
	require.NoError(t, d.Append(t.Context(), Record{Kind: Checkpoint, Payload: []byte(`"first"`)}))
	require.NoError(t, os.Remove(filepath.Join(path, journalFile)))
	err = d.Append(t.Context(), Record{Kind: Checkpoint, Payload: []byte(`"nowhere"`)})
	require.ErrorIs(t, err, ErrFailed)
	require.ErrorIs(t, err, ErrTaken)
	require.ErrorContains(t, err, "the journal is lost")
	require.ErrorIs(t, d.Commit(&Commit{Seq: d.Seq()}), ErrFailed)
	require.NoError(t, d.Close())
}
