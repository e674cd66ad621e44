package sexton

import "github.com/sextongc/sexton/internal/state"

// WithFS has the state of an environment on another file system.
func WithFS(opts *Options, fs state.FS) { opts.fs = fs }
