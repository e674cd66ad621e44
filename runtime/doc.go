// Package runtime runs JavaScript and TypeScript in a Go program: modules, an event loop, tasks, limits,
// host modules. It is a goja interpreter with what an interpreter does not have.
//
//	Runtime      one JavaScript heap with its loop
//	Build, Load  modules and their imports, bundled into one script; their exports
//	Run          runs the loop until a task ends
//	Task         Go code that takes turns with the loop and can wait for promises
//	Call, Try    the way into scripts: with a limit, and errors as *ScriptError
//	Extension    a host module, written in Go, in JavaScript, or both
//	Promise      a promise that Go settles
//	Clock        the time that scripts see; VirtualClock is for tests
//
// One goroutine at a time runs: that of Run, or a task to which it has handed over. Only Enqueue may be
// called from others.
//
// It knows nothing of managed objects, of collections or of state; and it is no sandbox: a script can
// use up the memory of the process, and a native function that runs long ends late.
package runtime
