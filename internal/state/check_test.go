package state_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sextongc/sexton/internal/state"
	"github.com/sextongc/sexton/internal/state/simdisk"
)

func TestCheck(t *testing.T) {
	disk, _ := small(t)
	require.Empty(t, state.Check(simDir, disk))
	require.NotEmpty(t, state.Check("/elsewhere", disk))

	journal := fileOf(t, disk, "journal")
	torn := altered(disk, "journal", append(journal[:len(journal):len(journal)], "torn"...))
	for text, c := range map[string]struct {
		disk     *simdisk.Disk
		file     string
		harmless bool
	}{
		"tail":                  {torn, "journal", true},
		"mark":                  {altered(disk, "mark", nil), "mark", true},
		"last history record":   {altered(disk, "history", fileOf(t, disk, "history")[:50]), "history", true},
		"kept snapshot altered": {altered(disk, "snapshot.1.json", []byte("x")), "snapshot.1.json", false},
		"kept snapshot missing": {altered(disk, "snapshot.1.json", nil), "snapshot.1.json", true},
		"snapshot altered":      {altered(disk, "snapshot.json", []byte("x")), "snapshot.json", false},
		"journal missing":       {altered(disk, "journal", nil), "journal", false},
	} {
		found := state.Check(simDir, c.disk)
		require.Len(t, found, 1, text)
		require.Equal(t, c.file, found[0].File, text)
		require.Equal(t, c.harmless, found[0].Harmless, text)
		require.NotEmpty(t, found[0].Problem, text)
	}
}

func TestSalvage(t *testing.T) {
	disk, _ := small(t)
	snapshot, kept := []byte("[]"), []byte("{}")
	journal := fileOf(t, disk, "journal")
	damaged := append([]byte{}, journal...)
	damaged[len(damaged)-140] ^= 1 // in the last group

	whole, err := state.Salvage(simDir, disk)
	require.NoError(t, err)
	require.Empty(t, whole.Lost)
	require.Equal(t, snapshot, whole.Snapshot)
	require.Equal(t, "m", string(whole.Meta))
	require.Len(t, whole.Records, 4)

	for text, c := range map[string]struct {
		disk       *simdisk.Disk
		snapshot   []byte
		file       string
		generation uint64
		verified   bool
		records    int
	}{
		"last group":               {altered(disk, "journal", damaged), snapshot, "snapshot.json", 2, true, 3},
		"snapshot":                 {altered(disk, "snapshot.json", []byte("x")), kept, "snapshot.1.json", 1, true, 0},
		"snapshot missing":         {altered(disk, "snapshot.json", nil), kept, "snapshot.1.json", 1, true, 0},
		"journal missing":          {altered(disk, "journal", nil), snapshot, "snapshot.json", 0, false, 0},
		"journal, snapshot":        {altered(altered(disk, "journal", nil), "snapshot.json", nil), kept, "snapshot.1.json", 1, false, 0},
		"snapshot, kept snapshots": {altered(altered(disk, "snapshot.json", []byte("x")), "snapshot.1.json", nil), []byte("x"), "snapshot.json", 0, false, 0},
	} {
		s, err := state.Salvage(simDir, c.disk)
		require.NoError(t, err, text)
		require.Equal(t, c.snapshot, s.Snapshot, text)
		require.Equal(t, c.file, s.File, text)
		require.Equal(t, c.generation, s.Generation, text)
		require.Equal(t, c.verified, s.Verified, text)
		require.Len(t, s.Records, c.records, text)
		require.NotEmpty(t, s.Lost, text)
	}
	_, err = state.Salvage("/elsewhere", disk)
	require.Error(t, err)
}

// Decoders never fail but by an error.
func FuzzOpen(f *testing.F) {
	disk, _ := small(f)
	for _, name := range stateFiles {
		data, err := disk.ReadFile(simDir + "/" + name)
		require.NoError(f, err)
		f.Add(data, name)
	}
	f.Fuzz(func(t *testing.T, data []byte, name string) {
		c := altered(disk, name, data)
		if _, _, err := read(c, true); err != nil {
			require.NotEmpty(t, state.Check(simDir, c))
		}
		_, _ = state.Salvage(simDir, c)
	})
}
