package sexton

import "github.com/sextongc/sexton/internal/state"

// WithFS has the state of an environment on another file system.
func WithFS(opts *Options, fs state.FS) { opts.fs = fs }

// SetCheckpointShare sets how large an environment has a checkpoint with each object that is settled, until
// restore is called.
func SetCheckpointShare(n int) (restore func()) {
	old := checkpointShare
	checkpointShare = n
	return func() { checkpointShare = old }
}
