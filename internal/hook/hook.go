// Package hook is how tests of other packages of this module reach what package sexton does not export.
// Package sexton fills it in when it is loaded.
package hook

// WithFS has the state of an environment on another file system: options is a *sexton.Options, fsys a
// state.FS.
var WithFS func(options, fsys any)
