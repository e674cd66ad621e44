// Package gcext is the collector: it decides in which order doomed objects are notified of and
// destroyed, carries that out, and gives scripts the GC object.
//
// It has three parts. The plan (plan.go, and frontier.go for walking along it) is pure: numbers in, order
// out, no JavaScript, no I/O, no clock. Execution calls handlers and destructors along a plan, and
// starts the next round when they left something to collect. The GC object is the collector as scripts
// see it.
//
// It does not find out who is dead: reachability of JavaScript objects is package vmheap's, that of
// stored ones belongs to whoever holds the stored graph. Nor does it save anything.
package gcext
