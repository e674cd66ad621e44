// Package cli is the command line of Sexton: it turns arguments into calls of package sexton, and
// events, reports and errors into text, JSON and exit codes.
//
//	State        what the program sees of the outside: arguments, environment, streams, clock, signals
//	Main         runs one command line
//	exitcodes.go what the exit codes mean, and which errors have which
//	<verb>.go    one file per verb
//	progress.go  what is shown while a deployment runs: treeView, lineView, eventView
//	diagnose.go  errors as people read them: what, where, what to do
//
// It has no state besides the State that it is given, and decides nothing about objects.
package cli
