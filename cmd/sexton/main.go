// Command sexton deploys object graphs, and destroys in order what leaves them.
package main

import (
	"fmt"
	"os"

	"github.com/sextongc/sexton/internal/cli"
)

func main() {
	s, err := cli.Process()
	if err != nil {
		fmt.Fprintln(os.Stderr, "error:", err)
		os.Exit(1)
	}
	os.Exit(cli.Main(s))
}
