// Package scenario is the JavaScript test runner: the module "sexton/test" that test files import, the
// results that it produces, the stored values that tests compare with, and the reporters that print.
//
//	js/         the runner itself: the tree of tests, hooks, assertions, mocks
//	bind.go     connects it to a program, which supplies environments, timers and a clock as a Host. Everything
//	            that crosses between the two is text, numbers and functions
//	host.go     that Host, with a session of package sexton
//	file.go     one test file: here, or in a process of its own (isolated.go)
//	runner.go   many files at once; output.go has them speak in turn
//	result.go   events: what files tell; reporter*.go print them
//	golden.go   stored values
//	coverage.go adds up what runtime/coverage.go has counted
//
// It knows nothing of terminals (Color is the caller's choice), and does not watch files: package cli does.
package scenario
