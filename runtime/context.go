package runtime

import "time"

// WithContext runs fn in the async context v. Whatever fn starts has that context for good: what comes
// after its awaits, callbacks of promises, timers and microtasks, tasks. v should not hold values of the
// interpreter: while anything is pending that has the context, they are reachable.
func (rt *Runtime) WithContext(v any, fn func()) {
	outer := rt.async
	rt.async = v
	defer func() { rt.async = outer }()
	fn()
}

// Context is the present async context; nil outside of any.
func (rt *Runtime) Context() any { return rt.async }

// asyncTracker has goja carry the context from where a promise job is requested to where it runs.
type asyncTracker struct{ rt *Runtime }

func (a asyncTracker) Grab() any { return a.rt.async }

func (a asyncTracker) Resumed(v any) {
	a.rt.asyncOuter = append(a.rt.asyncOuter, a.rt.async)
	a.rt.async = v
	a.rt.jobLimit = a.rt.watch.begin(a.rt.limitOf(v))
}

func (a asyncTracker) Exited() {
	a.rt.endJobLimit()
	last := len(a.rt.asyncOuter) - 1
	a.rt.async = a.rt.asyncOuter[last]
	a.rt.asyncOuter[last] = nil
	a.rt.asyncOuter = a.rt.asyncOuter[:last]
}

// limitOf is how long the loop lets code run in the async context v at a stretch; 0: no limit.
func (rt *Runtime) limitOf(v any) time.Duration {
	if rt.opts.JobLimit == nil {
		return 0
	}
	return rt.opts.JobLimit(v)
}

// endJobLimit ends the limit of the promise job that runs, or was interrupted.
func (rt *Runtime) endJobLimit() {
	rt.watch.end(rt.jobLimit)
	rt.jobLimit = nil
}
