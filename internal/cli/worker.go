package cli

import (
	"fmt"
	"os"

	"github.com/sextongc/sexton"
)

// Execute runs the command line of this process and returns the exit code.
func Execute() int {
	if len(os.Args) == 2 && os.Args[1] == "worker" { // what runs scripts for another process waits for nothing else
		return work()
	}
	s, err := Process()
	if err != nil {
		fmt.Fprintln(os.Stderr, "error:", err)
		return exitFailed
	}
	return Main(s)
}

// work is the verb that runs the scripts of the process that starts it.
func work() int {
	if err := sexton.Worker(os.Stdin, os.Stdout, nil); err != nil {
		fmt.Fprintln(os.Stderr, "error:", err)
		return exitFailed
	}
	return exitDone
}
