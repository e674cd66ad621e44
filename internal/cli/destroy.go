package cli

import "github.com/spf13/cobra"

func (a *app) destroyCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "destroy",
		Short: "destroys everything in the environment, in order",
		Long: `Destroy deploys nothing: everything in the environment is destroyed, in order. What that is, and the
order, "sexton plan --destroy" shows. Interrupts and --timeout are those of deploy.`,
		Example: examples(
			"sexton destroy --allow-package",
			"sexton destroy --allow-package --yes --on-destroy-error=continue",
			"sexton destroy --env staging --allow-package --concurrency=1 --yes",
		),
		Args: cobra.NoArgs,
		RunE: a.verb(func(*cobra.Command, []string) error { return a.deploy("destroy", nil) }),
	}
}
