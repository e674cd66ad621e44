// Package hook is how other packages of this module, and their tests, reach what package sexton does not export.
// Package sexton fills it in when it is loaded.
package hook

import "context"

// WithFS has the state of an environment on another file system: options is a *sexton.Options, fsys a
// state.FS.
var WithFS func(options, fsys any)

// KeepSession has the deployments of an environment that is opened with these options, a *sexton.Options, run one
// after another in one session: the first one loads the package. What it returns returns that
// *sexton.Session, nil before. The caller closes it.
var KeepSession func(options any) (session func() any)

// Job is work in a process of its own that package sexton does not know: the scripts of tests.
type Job struct {
	Name string // of Jobs
	Data []byte // what is to be done
	// Told hears what the process tells, in its order. An error says that no process of ours tells that, and ends it.
	Told func(data []byte) error
	// Asked answers the process, on another goroutine than Told. As there, an error ends it.
	Asked func(data []byte) ([]byte, error)
}

// Isolate has a process of its own do a job with options, a *sexton.Options, and returns what it answers. When ctx is
// done, the scripts are interrupted. The error is a *sexton.WorkerError if the process ended before its time.
var Isolate func(ctx context.Context, options any, job *Job) ([]byte, error)

// Worker is a job in the process that does it.
type Worker struct {
	Session any // *sexton.SessionOptions, to be completed: effects go to the other side
	Data    []byte
	Tell    func(data []byte)
	Ask     func(data []byte) ([]byte, error) // fails only if the other side is gone
}

// Jobs are what a worker can do, by name. Packages add theirs when they are loaded.
var Jobs = map[string]func(ctx context.Context, w *Worker) ([]byte, error){}
