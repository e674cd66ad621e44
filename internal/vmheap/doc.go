// Package vmheap finds out which JavaScript objects of a goja.Runtime nothing reaches
// any more, and hands them over intact, so that their destructors can run. It is the
// only package that knows goja's memory. It is not a collector: it knows neither
// owners nor order nor destruction.
//
// goja has no heap walker and no weak references, and Go frees what it finds dead. Find
// gets around both (each phase is a function):
//
//  1. Scrub: zero what finished calls left in the VM (scrub.go).
//  2. Trace what certainly lives: roots, globals, running frames (trace.go). Tracked
//     objects that are not met are suspects. None: done, without a Go collection.
//  3. Clone everything reachable from the suspects, up to what certainly lives
//     (clone.go). Keep a weak pointer to each original.
//  4. Drop every strong reference of the heap to an original (detach in find.go).
//  5. Collect: runtime.GC, a second time only if a suspect survived, because a word on
//     another goroutine's stack can look like a pointer for one cycle.
//  6. Revive: a suspect whose weak pointer still answers is held by something that only
//     Go sees; it gets its original back. For one that is gone the clone becomes the
//     object, its references to what lives are pointed there (repoint.go), and tables
//     that hash objects by address are made anew (omap.go).
//
// # Invariants
//
//   - Originals are never written, so that whatever still reaches one finds it as it
//     was. (Scrubbing writes only what the VM never reads again.)
//   - Between 4 and 6 nothing of this package reaches an original: neither a map of the
//     tracer nor a local variable. Hence the go:noinline boundaries.
//   - Nothing else touches the runtime meanwhile.
//   - A reference that this package does not understand makes a collection late, never
//     early: what it does not follow is not cloned but kept, and Go's collector has the
//     last word about everything that is kept.
//   - No recursion depends on what the program built: both walks keep lists of work.
//
// # Weak references
//
// What refers to an object weakly on behalf of a script keeps its Ref (Watch in weak.go), which follows the object into
// its clone and holds nothing. Collect empties them; Keep and LetGo are the standard's KeepDuringJob.
//
// # How goja's memory is read
//
// Every offset is derived by reflect from names and types (layout.go); nothing is
// written down. A plan (plan.go) says where the references in a type are; plans follow
// the types themselves, so that only what is special is named in code. Check compares
// all of it, field by field, with layout.txt and refuses a goja that differs. To move to
// another goja: run the tests with -update, look at the difference of layout.txt with
// the question whether a new field can refer to an object, and run the matrix in
// stale_test.go, which says what goja retains.
//
// # Pitfalls
//
//   - A closure of Go hides what it has captured. Those that goja makes all the time are
//     known (closure.go); bind, WeakMap and WeakSet are replaced (prelude.js). What is
//     left (Promise.all and finally of promises that never settle, host functions) keeps
//     what it refers to for as long as it is referred to itself, also in a cycle.
//   - A Go map or slice of the embedder with a *goja.Object in it is a root. Keep Refs.
//   - The value with which an await resumes lies in a Go frame until the job ends.
//   - A scope, a map or a buffer can be shared by something dead and something alive
//     without an object in between. Hence weak pointers for scopes and ordered maps too.
//   - runtime.GC costs what the heap of the whole process costs.
package vmheap
