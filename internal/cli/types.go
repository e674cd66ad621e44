package cli

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/sextongc/sexton/internal/scaffold"
)

func (a *app) typesCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "types [file]",
		Short: "writes sexton.d.ts for editors and type checkers",
		Long: `Types writes the declarations of all that scripts can use, to sexton.d.ts in the package or to another
file; "-" prints them. What that file contained is replaced.`,
		Example: examples(
			"sexton types",
			"sexton types - >other.d.ts",
		),
		Args: cobra.MaximumNArgs(1),
		RunE: a.verb(func(_ *cobra.Command, args []string) error {
			file := filepath.Join(a.path(a.flags.dir), scaffold.TypesFile)
			if len(args) > 0 {
				if args[0] == "-" {
					_, err := a.Stdout.Write([]byte(scaffold.Types))
					return err
				}
				file = a.path(args[0])
			}
			before, err := os.ReadFile(file)
			if err != nil && !errors.Is(err, fs.ErrNotExist) {
				return err
			}
			if err == nil && string(before) == scaffold.Types {
				a.say("%s is up to date", a.shortPath(file))
				return nil
			}
			if err := os.WriteFile(file, []byte(scaffold.Types), 0o644); err != nil {
				return err
			}
			a.say("wrote %s", a.shortPath(file))
			return nil
		}),
	}
}
