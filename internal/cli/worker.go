package cli

import (
	"github.com/spf13/cobra"

	"github.com/sextongc/sexton"
)

// workerCommand is what deployments start for their scripts.
func (a *app) workerCommand() *cobra.Command {
	return &cobra.Command{
		Use:                   "worker",
		Short:                 "runs the scripts of a deployment for the process that starts it",
		Hidden:                true,
		Args:                  cobra.NoArgs,
		DisableFlagsInUseLine: true,
		RunE: a.verb(func(*cobra.Command, []string) error {
			return sexton.Worker(a.Stdin, a.pipe, nil)
		}),
	}
}
