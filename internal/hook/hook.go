// Package hook is how tests of other packages of this module reach what package sexton does not export.
// Package sexton fills it in when it is loaded.
package hook

// WithFS has the state of an environment on another file system: options is a *sexton.Options, fsys a
// state.FS.
var WithFS func(options, fsys any)

// KeepSession has the deployments of an environment that is opened with these options, a *sexton.Options, run one
// after another in one session: the first one loads the package. What it returns returns that
// *sexton.Session, nil before. The caller closes it.
var KeepSession func(options any) (session func() any)
