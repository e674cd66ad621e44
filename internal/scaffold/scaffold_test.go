package scaffold_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sextongc/sexton/internal/scaffold"
)

func TestPackageName(t *testing.T) {
	for dir, want := range map[string]string{
		"shop": "shop", "/srv/My Shop": "my-shop", "a/b_c.d": "b_c.d", ".hidden": "hidden", "Übung": "bung", "日本": "app", "/": "app",
	} {
		require.Equal(t, want, scaffold.PackageName(dir), dir)
	}
}

// Either all files are written or none, and a link that leads nowhere is in the way as well.
func TestWriteOverwritesNothing(t *testing.T) {
	dir := t.TempDir()
	require.NoError(t, os.Symlink("nowhere", filepath.Join(dir, "site.ts")))
	_, err := scaffold.Write(dir, "shop", scaffold.TypeScript)
	require.ErrorIs(t, err, scaffold.ErrExists)
	require.ErrorContains(t, err, "overwritten: site.ts")
	entries, err := os.ReadDir(dir)
	require.NoError(t, err)
	require.Len(t, entries, 1)
	require.NoError(t, os.WriteFile(filepath.Join(dir, "file"), nil, 0o600))
	_, err = scaffold.Write(filepath.Join(dir, "file"), "shop", scaffold.JavaScript)
	require.Error(t, err, "a file is no directory")
}
