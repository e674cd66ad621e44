package cli

import (
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/sextongc/sexton/internal/scaffold"
)

func (a *app) initCommand() *cobra.Command {
	var ts, js bool
	cmd := &cobra.Command{
		Use:   "init [directory]",
		Short: "makes a package to begin with",
		Long: `Init writes a package that works: one class that owns something real, a model, a test, and what editors
need. Without a directory it takes the working directory. Files that are there are not overwritten.`,
		Example: examples(
			"sexton init garden",
			"sexton init garden --js",
		),
		Args: cobra.MaximumNArgs(1),
		RunE: a.verb(func(_ *cobra.Command, args []string) error {
			language := scaffold.TypeScript
			if js {
				language = scaffold.JavaScript
			}
			dir := a.flags.dir
			if len(args) > 0 {
				if dir != "" {
					return usage(errors.New("the directory is named twice: as an argument, and by --dir"))
				}
				dir = args[0]
			}
			return a.init(dir, language)
		}),
	}
	cmd.Flags().BoolVar(&ts, "ts", false, "write TypeScript (the default)")
	cmd.Flags().BoolVar(&js, "js", false, "write JavaScript")
	cmd.MarkFlagsMutuallyExclusive("ts", "js")
	return cmd
}

// init makes a package and says how to go on.
func (a *app) init(dir string, language scaffold.Language) error {
	at := a.path(dir)
	files, err := scaffold.Write(at, scaffold.PackageName(at), language)
	if errors.Is(err, scaffold.ErrExists) {
		return usage(fmt.Errorf("%s: %w", a.shortPath(at), err))
	} else if err != nil {
		return err
	}
	a.say("wrote %s to %s", strings.Join(files, ", "), a.shortPath(at))
	a.say("\nnext:")
	if at != a.Dir {
		a.say("  cd %s", quoteShell(a.shortPath(at)))
	}
	a.say("  sexton test                              # needs no permission")
	a.say("  sexton plan                              # says what would happen")
	a.say("  sexton deploy --allow-package            # may write where package.json says")
	a.say("  sexton destroy --allow-package --yes     # removes it again")
	return nil
}

// quoteShell quotes a path where a shell needs it.
func quoteShell(path string) string {
	if strings.IndexFunc(path, func(r rune) bool {
		return !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune(`-_./\:`, r))
	}) < 0 {
		return path
	}
	return "'" + strings.ReplaceAll(path, "'", `'\''`) + "'"
}
