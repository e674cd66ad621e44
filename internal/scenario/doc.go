// Package scenario is the JavaScript test runner: the module "sexton/test" that test files import, the
// results that it produces, the stored values that tests compare with, and the reporters that print.
//
// The runner itself (the tree of tests, hooks, assertions, mocks) is JavaScript, in the folder js; Bind
// connects it to a program, which supplies environments, timers and a clock as a Host. Everything that
// crosses between the two is text, numbers and functions.
//
// It does not find or bundle test files, and knows nothing of terminals: Color is the caller's choice.
package scenario
