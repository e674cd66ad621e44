package sexton

// SetCheckpointShare sets how large an environment has a checkpoint with each object that is settled, until
// restore is called.
func SetCheckpointShare(n int) (restore func()) {
	old := checkpointShare
	checkpointShare = n
	return func() { checkpointShare = old }
}
