package state_test

import (
	"bytes"
	"errors"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sextongc/sexton/internal/state"
	"github.com/sextongc/sexton/internal/state/simdisk"
)

// small makes a state of one generation with history and three groups behind its snapshot. It returns what was
// acknowledged after each step.
func small(t testing.TB) (*simdisk.Disk, []content) {
	t.Helper()
	disk := simdisk.New()
	d, err := state.Open(simDir, &state.Options{FS: disk, Create: true})
	require.NoError(t, err)
	var contents []content
	for _, s := range []step{
		commits(state.Commit{Snapshot: []byte("{}"), History: []byte("h")}),
		commits(state.Commit{Snapshot: []byte("[]"), Meta: []byte("m"), History: []byte("i")}),
		appends(record(state.Plan, "p")),
		appends(record(state.Intent, "one"), record(state.Checkpoint, "two")),
		appends(record(state.Destroyed, "d")),
	} {
		require.NoError(t, s(d))
		_, c, err := read(disk, true)
		require.NoError(t, err)
		contents = append(contents, c)
	}
	require.NoError(t, d.Close())
	return disk, contents
}

var stateFiles = []string{"journal", "snapshot.json", "history", "mark"}

func fileOf(t *testing.T, disk *simdisk.Disk, name string) []byte {
	t.Helper()
	data, err := disk.ReadFile(simDir + "/" + name)
	require.NoError(t, err)
	return data
}

// altered is a copy of the disk with another content of one file; nil removes it.
func altered(disk *simdisk.Disk, name string, data []byte) *simdisk.Disk {
	c := disk.Clone()
	c.Put(simDir+"/"+name, data)
	return c
}

// mutations calls f with every file changed in every single bit and cut at every byte.
func mutations(t *testing.T, disk *simdisk.Disk, f func(text, name string, changed *simdisk.Disk)) {
	t.Helper()
	for _, name := range stateFiles {
		data := fileOf(t, disk, name)
		for bit := range 8 * len(data) {
			flipped := bytes.Clone(data)
			flipped[bit/8] ^= 1 << (bit % 8)
			f(fmt.Sprintf("%s bit %d", name, bit), name, altered(disk, name, flipped))
		}
		for size := range data {
			f(fmt.Sprintf("%s cut at %d", name, size), name, altered(disk, name, data[:size]))
		}
		f(name+" missing", name, altered(disk, name, nil))
	}
}

// P8, T7: no single change of a file is accepted. What the journal or another copy makes good is.
func TestEveryChangeIsDetected(t *testing.T) {
	disk, contents := small(t)
	last := contents[len(contents)-1]
	refused := 0
	mutations(t, disk, func(text, name string, changed *simdisk.Disk) {
		before := changed.Clone()
		_, c, err := read(changed, false)
		if err == nil {
			require.Equal(t, last, c, text)
			require.Contains(t, []string{"history", "mark"}, name, text)
			return
		}
		refused++
		require.True(t, errors.Is(err, state.ErrCorrupt) || errors.Is(err, state.ErrNewerVersion), "%s: %v", text, err)
		for _, name := range stateFiles {
			was, _ := before.ReadFile(simDir + "/" + name)
			is, _ := changed.ReadFile(simDir + "/" + name)
			require.Equal(t, was, is, "%s: a damaged state is not written to", text)
		}
		require.NotEmpty(t, state.Check(simDir, changed), text)
	})
	require.Greater(t, refused, 5000)
}

// P8 without the mark, as when power was lost before it got to the disk: a change is detected or looks like a
// crash before the last group was acknowledged; that group only.
func TestChangesWithoutMark(t *testing.T) {
	disk, contents := small(t)
	disk.Put(simDir+"/mark", []byte{})
	allowed := contents[len(contents)-2:]
	shorter := 0
	for _, name := range stateFiles[:2] {
		data := fileOf(t, disk, name)
		for bit := range 8 * len(data) {
			flipped := bytes.Clone(data)
			flipped[bit/8] ^= 1 << (bit % 8)
			changed := altered(disk, name, flipped)
			d, c, err := read(changed, true)
			if err != nil {
				require.True(t, errors.Is(err, state.ErrCorrupt) || errors.Is(err, state.ErrNewerVersion), "bit %d of %s: %v", bit, name, err)
				continue
			}
			require.Equal(t, allowed[0], c, "bit %d of %s", bit, name)
			require.NotNil(t, d.Tail())
			shorter++
		}
	}
	require.Positive(t, shorter)
}

// A journal that ends anywhere is what a crash leaves; what is in front of it is read. T7
func TestTornTailAtEveryByte(t *testing.T) {
	disk, contents := small(t)
	disk.Put(simDir+"/mark", nil)
	journal := fileOf(t, disk, "journal")
	i, opened := 0, 0
	for size := range len(journal) + 1 {
		cut := altered(disk, "journal", journal[:size])
		_, _, err := read(cut, true)
		if err != nil {
			require.ErrorIs(t, err, state.ErrCorrupt, "the first group is never torn")
			require.Zero(t, opened)
			continue
		}
		opened++
		d, c, err := read(cut, false)
		require.NoError(t, err)
		for c != contents[1+i] {
			i++ // grows with size
			require.Less(t, 1+i, len(contents), "cut at %d: %s", size, c)
		}
		tail := d.Tail()
		if tail != nil {
			require.EqualValues(t, size, tail.Offset+tail.Size)
		}
		require.NoError(t, d.Append(ctx, record(state.Phase, "again")))
		require.NoError(t, d.Close())
		d, again, err := read(cut, true)
		require.NoError(t, err)
		require.Equal(t, c+" phase:again", again)
		require.Nil(t, d.Tail())
	}
	require.Equal(t, len(contents)-2, i)
}

// P8: files and blocks of other times and other environments.
func TestStaleAndSwapped(t *testing.T) {
	disk, _ := small(t)
	other, _ := small(t)
	old := disk.Clone()
	d, _, err := read(disk, false)
	require.NoError(t, err)
	require.NoError(t, d.Append(ctx, record(state.Destroyed, "e")))
	appended := disk.Clone()
	require.NoError(t, commits(state.Commit{Snapshot: []byte("new"), History: []byte("j")})(d))
	require.NoError(t, d.Close())

	from := func(source *simdisk.Disk, target *simdisk.Disk, names ...string) *simdisk.Disk {
		c := target.Clone()
		for _, name := range names {
			c.Put(simDir+"/"+name, fileOf(t, source, name))
		}
		return c
	}
	swappedLines := func() []byte {
		lines := bytes.SplitAfter(fileOf(t, disk.Clone(), "journal"), []byte("\n"))
		return bytes.Join(append([][]byte{lines[0], lines[2], lines[1]}, lines[3:]...), nil)
	}
	lines := bytes.SplitAfter(fileOf(t, old, "journal"), []byte("\n"))
	group := len(lines) - 3 // the last one has a record and an end, and Split adds an empty line
	removed := bytes.Join(append(append([][]byte{}, lines[:group-3]...), lines[group:]...), nil)
	for text, c := range map[string]*simdisk.Disk{
		"snapshot of an earlier generation":                        from(old, disk, "snapshot.json"),
		"journal of an earlier generation":                         from(old, disk, "journal"),
		"journal and snapshot of an earlier generation":            from(old, disk, "journal", "snapshot.json"),
		"journal and snapshot of an earlier generation, mark lost": altered(from(old, disk, "journal", "snapshot.json"), "mark", nil),
		"shorter journal of the same generation":                   from(old, appended, "journal"),
		"snapshot of another environment, other bytes":             altered(disk, "snapshot.json", []byte("{\"a\":1}")),
		"journal of another environment":                           from(other, disk, "journal"),
		"journal and snapshot of another environment":              from(other, old, "journal", "snapshot.json"),
		"the same, mark lost":                                      altered(from(other, old, "journal", "snapshot.json"), "mark", nil),
		"history of another environment":                           from(other, old, "history"),
		"mark of another environment":                              from(other, old, "mark"),
		"two lines swapped":                                        altered(disk, "journal", swappedLines()),
		"a group removed":                                          altered(old, "journal", removed),
		"a group removed, mark lost":                               altered(altered(old, "journal", removed), "mark", nil),
	} {
		_, _, err := read(c, false)
		require.ErrorIs(t, err, state.ErrCorrupt, text)
	}
	// The record that a history of one generation ago lacks is in the journal.
	_, c, err := read(from(old, disk, "history"), false)
	require.NoError(t, err)
	require.Contains(t, c, `history ["j" "i" "h"]`)
}

// A journal can be whole and yet not the one that was acknowledged. P8
func TestOtherTimelines(t *testing.T) {
	left, _ := small(t)
	right := left.Clone()
	before := left.Clone()
	for disk, text := range map[*simdisk.Disk]string{left: "l", right: "r"} {
		d, _, err := read(disk, false)
		require.NoError(t, err)
		require.NoError(t, d.Append(ctx, record(state.Plan, "%s", text)))
		require.NoError(t, d.Append(ctx, record(state.Plan, "%s", text)))
		require.NoError(t, d.Close())
	}
	compacted := before.Clone()
	d, _, err := read(compacted, false)
	require.NoError(t, err)
	require.NoError(t, commits(state.Commit{Snapshot: []byte("new")})(d))
	require.NoError(t, d.Close())

	journal := fileOf(t, before, "journal")
	size := (len(fileOf(t, left, "journal")) - len(journal)) / 2 // of each of the two groups
	stale := append(bytes.Clone(journal), fileOf(t, left, "journal")[len(journal):][:size]...)
	stale = append(stale, fileOf(t, right, "journal")[len(journal)+size:]...)
	repeated := append(bytes.Clone(fileOf(t, left, "journal")), fileOf(t, left, "journal")[len(journal):]...)
	compacted.Put(simDir+"/journal", journal)
	compacted.Put(simDir+"/snapshot.json", fileOf(t, before, "snapshot.json"))
	first := before.Clone()
	d, err = state.Open("/first", &state.Options{FS: first, Create: true})
	require.NoError(t, err)
	require.NoError(t, d.Close())
	first.Put("/first/snapshot.json", []byte("{}"))
	_, err = state.Open("/first", &state.Options{FS: first})
	require.ErrorIs(t, err, state.ErrCorrupt)

	for text, c := range map[string]struct {
		disk   *simdisk.Disk
		offset int
		reason string
	}{
		"another journal of the same size": {
			altered(left, "journal", fileOf(t, right, "journal")), len(stale), "the .* bytes that were acknowledged are not there"},
		"a group is of another journal, mark lost": {
			altered(altered(left, "journal", stale), "mark", nil), len(stale) - 121, "the records in front of this one are not those that were written"},
		"groups repeated": {
			altered(left, "journal", repeated), len(stale), "record .* follows record"},
		"the generation is older than the mark": {
			compacted, -1, "it is of generation 2, but generation 3 was acknowledged"},
		"last group altered": {
			altered(left, "journal", append(bytes.Clone(stale[:len(stale)-1]), ' ')), len(stale) - 121, "checksum does not match"},
	} {
		_, _, err := read(c.disk, false)
		var e *state.CorruptError
		require.ErrorAs(t, err, &e, text)
		require.Equal(t, "journal", e.File, text)
		require.EqualValues(t, c.offset, e.Offset, "%s: %v", text, err)
		require.Regexp(t, c.reason, e.Reason, text)
	}
}

// Either slot of the mark convicts a journal that lost more than the last group.
func TestTornMarkLeavesTheOtherSlot(t *testing.T) {
	disk, _ := small(t)
	mark, journal := fileOf(t, disk, "mark"), fileOf(t, disk, "journal")
	end := bytes.Index(journal, []byte(" plan "))
	shorter := altered(disk, "journal", journal[:bytes.LastIndexByte(journal[:end], '\n')+1])
	for slot := range 2 {
		torn := bytes.Clone(mark)
		torn[slot*512]++
		_, _, err := read(altered(shorter, "mark", torn), true)
		require.ErrorIs(t, err, state.ErrCorrupt, "slot %d", slot)
	}
	_, _, err := read(altered(shorter, "mark", nil), true)
	require.NoError(t, err)
}
