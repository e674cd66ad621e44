package gcext_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sextongc/sexton"
	"github.com/sextongc/sexton/objectstore"
)

// ends is a journal that keeps what is settled, one batch after the other.
type ends struct{ batches [][]string }

func (j *ends) Planned([]*objectstore.Object, bool) error                         { return nil }
func (j *ends) Notified(*objectstore.Object, *objectstore.Subscribed, bool) error { return nil }
func (j *ends) Decided(_, _ []*objectstore.Object) error                          { return nil }
func (j *ends) Checkpoint(string, *objectstore.Graph, bool) error                 { return nil }

func (j *ends) Settled(objects []*objectstore.Object) error {
	var batch []string
	for _, o := range objects {
		batch = append(batch, o.ID)
	}
	j.batches = append(j.batches, batch)
	return nil
}

// However many objects are ready at once, their ends are recorded on the way: a crash repeats few of them.
func TestEndsAreRecordedOnTheWay(t *testing.T) {
	e := newEnv(t, `
		class S extends A { destroy() {} }
		export default async (root) => { for (let i = 0; i < 1000; i++) make("o" + i, S); log(await destroyed()); };`)
	j := &ends{}
	e.journal = j
	require.Equal(t, "1000", e.run(sexton.Settings{})[2000], "after two events of each")
	largest, settled := 0, map[string]bool{}
	for _, batch := range j.batches {
		largest = max(largest, len(batch))
		for _, id := range batch {
			require.False(t, settled[id], id)
			settled[id] = true
		}
	}
	require.Len(t, settled, 1000)
	require.LessOrEqual(t, largest, 256)
	require.LessOrEqual(t, len(j.batches), 4)
}
