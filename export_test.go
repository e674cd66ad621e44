package sexton

import "github.com/sextongc/sexton/internal/state"

// SetCheckpointShare sets how much more work than a checkpoint would be a collection records between two of
// them, until restore is called. 0: each group has one.
func SetCheckpointShare(n int) (restore func()) {
	old := checkpointShare
	checkpointShare = n
	return func() { checkpointShare = old }
}

// Replay reads an open state.
func Replay(dir *state.Dir) error {
	_, err := replay(dir)
	return err
}
