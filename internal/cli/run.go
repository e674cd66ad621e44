package cli

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/sextongc/sexton"
)

type runFlags struct {
	code     string
	keep     bool
	exposeGC bool
}

func (a *app) runCommand() *cobra.Command {
	f := &runFlags{}
	cmd := &cobra.Command{
		Use:   "run FILE | - | -e CODE [-- ARGUMENT...]",
		Short: "runs a script in a throwaway environment",
		Long: `Run runs a JavaScript or TypeScript file in an environment that is in memory only: the quick way to
try things. A default export that is a function is called with the root object. When timers and
effects have ended, what is left is destroyed in order. With - the script comes from standard input;
a file whose name ends in .cjs is a classic script, no module.

Arguments after -- are in process.argv, after the file, and alone in the global array scriptArgs. The package is the nearest directory with a
package.json, from that of the file upwards, unless --dir names it.`,
		Example: examples(
			`sexton run -e 'console.log(1 + 1)'`,
			`sexton run -e 'import { Resource } from "sexton"; class A extends Resource { destroy() { console.log("gone") } } new A({})'`,
			`sexton run script.ts --allow-read=. -- one two`,
			`sexton run --keep script.ts`,
		),
		RunE: a.verb(func(cmd *cobra.Command, args []string) error {
			script := &sexton.Script{Source: f.code, Keep: f.keep, ExposeGC: f.exposeGC, Args: args}
			if !cmd.Flags().Changed("eval") {
				if len(args) == 0 {
					return usage(errors.New("run needs a file, or a script after -e"))
				}
				script.Args = args[1:]
				if args[0] == "-" {
					code, err := io.ReadAll(a.Stdin)
					if err != nil {
						return fmt.Errorf("read the script from standard input: %w", err)
					}
					script.Source = string(code)
				} else {
					script.File = a.path(args[0])
				}
			}
			if script.File == "" && script.Source == "" {
				script.Source = ";"
			}
			return a.run(script)
		}),
	}
	cmd.Flags().StringVarP(&f.code, "eval", "e", "", "run this `code` instead of a file")
	cmd.Flags().BoolVar(&f.keep, "keep", false, "leave alone what is left at the end")
	cmd.Flags().BoolVar(&f.exposeGC, "expose-gc", false, "give scripts the global gc(), which runs the host's garbage collector")
	return cmd
}

func (a *app) run(script *sexton.Script) error {
	opts := a.options()
	if script.File != "" {
		if info, err := os.Stat(script.File); err != nil {
			return usage(err)
		} else if info.IsDir() {
			return usage(errors.New(script.File + " is a directory: name a file"))
		}
		if a.flags.dir == "" {
			opts.Dir = nearestPackage(filepath.Dir(script.File))
		}
	}
	if _, err := a.open(opts); err != nil {
		return err
	}
	p := a.newProgress("run", "run")
	defer p.stop()
	opts.Observe, opts.Console, opts.Audit = p.observe, p.console, p.used
	ctx, kill, stop := a.interruptible(p.note, interruptsScript)
	defer stop()
	a.source = script.Source
	report, err := sexton.Run(ctx, kill, opts, script)
	stop()
	return p.end(report, err)
}

// nearestPackage returns dir or the nearest directory above it that has a package.json; dir if none has.
func nearestPackage(dir string) string {
	for d := dir; ; d = filepath.Dir(d) {
		if _, err := os.Stat(filepath.Join(d, "package.json")); err == nil {
			return d
		}
		if d == filepath.Dir(d) {
			return dir
		}
	}
}
