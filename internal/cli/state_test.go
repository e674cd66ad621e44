package cli

import (
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// What changes a state asks first, and takes nothing but yes for an answer.
func TestOperatorsAreAsked(t *testing.T) {
	s := newSession(t, true, shop)
	require.Equal(t, exitDone, s.run("deploy"))
	require.Equal(t, exitDone, s.run("snapshot", "export", "shop.export"))
	for _, c := range []struct {
		question string
		args     []string
	}{
		{"2 objects would be forgotten and never destroyed:\n  Item a1, Item b\nGo on? [y/N] ", []string{"state", "rm", "a1", "b"}},
		{"5 objects would be imported:\n  Environment shop, Item a, Item a1, Item a2, Item b\nGo on? [y/N] ", []string{"snapshot", "import", "shop.export", "--env", "other"}},
	} {
		s.Stdin = strings.NewReader("no\n")
		require.Equal(t, exitFailed, s.run(c.args...))
		require.Contains(t, s.err.String(), c.question)
		require.Contains(t, s.err.String(), "error: not confirmed; nothing was changed\n")
		s.Stdin = strings.NewReader("y\n")
		require.Equal(t, exitDone, s.run(c.args...))
	}
	require.Equal(t, exitDone, s.run("state", "list", "--env", "other"))
	require.Contains(t, s.out.String(), "other: 5 objects: 5 live\n")
	require.Equal(t, exitDone, s.run("state", "list"))
	require.Contains(t, s.out.String(), "default: 3 objects: 3 live\n")

	journal := s.Dir + "/.sexton/default/journal"
	require.NoError(t, os.Remove(journal))
	s.Stdin = strings.NewReader("\n")
	require.Equal(t, exitFailed, s.run("state", "recover", "--replace"))
	require.Contains(t, s.err.String(), "3 recovered objects would replace the damaged state, 0 lost:\n")
	require.NoFileExists(t, journal)
	s.Stdin = strings.NewReader("y\n")
	require.Equal(t, exitDone, s.run("state", "recover", "--replace"))
	require.FileExists(t, journal)
}
