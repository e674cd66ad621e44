// Package hostile has tests that deploy what is meant to do harm: the scripts and models of testdata/hostile. There
// is nothing in it to import.
//
// Each entry is deployed with its scripts in a process of their own and, where it says that it can be stopped there,
// in this one. It has to end as it says. Afterwards the host lives; the same environment, with its package repaired,
// deploys; an environment beside it, in this process, is what it was, and so are the prototypes that its scripts see. In
// the end no goroutine, process, file descriptor or temporary file is left.
//
//	entry_test.go      reads testdata/hostile; testdata/hostile/README.md says how its files are written
//	generate_test.go   inputs that are too large to be kept
//	outcome_test.go    how a deployment ended, in the words of the entries
//	hostile_test.go    deploys them
//	left_test.go       what is left behind
//
// Entries that are slow are for -all, and so are most deployments in this process; with -short it is a sample. How late deployments end after their limits is a figure, not an assertion:
//
//	go test ./internal/proof/hostile -all -v
//	go test ./internal/proof/hostile -run 'Hostile/.*/cpu/loop$' -v    # one entry, with what came of it
package hostile
