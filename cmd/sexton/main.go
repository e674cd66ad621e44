// Command sexton deploys object graphs, and destroys in order what leaves them.
package main

import (
	"os"

	"github.com/sextongc/sexton/internal/cli"
)

func main() { os.Exit(cli.Execute()) }
