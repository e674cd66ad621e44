package cli

import (
	"bufio"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/sextongc/sexton"
	"github.com/sextongc/sexton/internal/render"
	"github.com/sextongc/sexton/serialize"
)

// app is one command line under way.
type app struct {
	*State
	mask    *sexton.Mask // of what is printed
	flags   flags
	stdin   *bufio.Reader
	began   bool   // the command line was understood, and a verb runs
	emitted bool   // an event was printed
	pkgDir  string // for errors: what their positions are relative to
	asks    bool   // the package asks for permissions that it does not get
	source  string // of a script on the command line
	explain bool   // which permissions effects use
}

// Main runs a command line and returns the exit code.
func Main(s *State) int {
	mask, masked := sexton.NewMask(), *s
	masked.Stdout, masked.Stderr = mask.Writer(s.Stdout), mask.Writer(s.Stderr)
	a := &app{State: &masked, mask: mask, stdin: bufio.NewReader(s.Stdin)}
	s = a.State
	root := a.command()
	root.SetArgs(s.Args)
	root.SetIn(s.Stdin)
	root.SetOut(s.Stdout)
	root.SetErr(s.Stderr)
	err := root.Execute()
	if err != nil && !a.began {
		err = usage(err)
	}
	code := exitCode(err)
	var shown *shownError
	if err != nil && !errors.As(err, &shown) {
		a.showError(err)
	}
	if a.emitted {
		a.emit(&event{Event: "end", Exit: &code})
	}
	return code
}

// shownError is an error that was printed already, where it belongs.
type shownError struct{ err error }

func (e *shownError) Error() string { return e.err.Error() }
func (e *shownError) Unwrap() error { return e.err }

func (a *app) command() *cobra.Command {
	root := &cobra.Command{
		Use:   "sexton",
		Short: "deploys object graphs and destroys what they drop, in order",
		Long: `Sexton deploys graphs of objects whose classes, written in JavaScript or TypeScript, own real
resources, and destroys in order what leaves the graph.

A global flag that is not given is taken from the variable SEXTON_<FLAG> (--on-destroy-error from
SEXTON_ON_DESTROY_ERROR), then from "sexton" in package.json.

Exit codes: 0 done, 1 failed, 2 usage (the command line, package.json or the model is wrong), 3 changes
(plan --detailed-exitcode, snapshot diff --exit-code), 4 script error, 5 test failed, 6 destruction incomplete, 7 limit or time-out,
8 locked, 9 corrupt state or snapshot, 130 interrupted.`,
		SilenceErrors: true,
		SilenceUsage:  true,
		PersistentPreRunE: func(cmd *cobra.Command, _ []string) error {
			return a.flags.fromEnvironment(cmd.Flags(), a.LookupEnv)
		},
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return nil
			}
			var verbs []string
			for _, c := range cmd.Commands() {
				verbs = append(verbs, c.Name())
			}
			return fmt.Errorf("unknown command %q for %q%s; sexton --help lists them", args[0], cmd.Name(), serialize.DidYouMean(args[0], verbs))
		},
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	root.SetFlagErrorFunc(misspelt)
	a.flags.add(root.PersistentFlags())
	root.AddCommand(a.initCommand(), a.planCommand(), a.explains(a.deployCommand()), a.explains(a.destroyCommand()), a.explains(a.runCommand()), a.replCommand(), a.testCommand(),
		a.snapshotCommand(), a.stateCommand(), a.historyCommand(), a.typesCommand(), a.versionCommand())
	for _, c := range root.Commands() {
		c.DisableFlagsInUseLine = true
	}
	return root
}

// misspelt adds the nearest flag to the error about one that does not exist.
func misspelt(cmd *cobra.Command, err error) error {
	var unknown *pflag.NotExistError
	if !errors.As(err, &unknown) {
		return err
	}
	var names []string
	cmd.Flags().VisitAll(func(f *pflag.Flag) { names = append(names, f.Name) })
	return fmt.Errorf("%w%s; %s --help lists them", err, serialize.DidYouMean(unknown.GetSpecifiedName(), names), cmd.CommandPath())
}

// verb makes the function of a command: from here on errors are not about the command line, unless they
// say so.
func (a *app) verb(run func(cmd *cobra.Command, args []string) error) func(*cobra.Command, []string) error {
	return func(cmd *cobra.Command, args []string) error {
		a.began = true
		return run(cmd, args)
	}
}

// examples indents lines as help texts have them.
func examples(lines ...string) string { return "  " + strings.Join(lines, "\n  ") }

// style is that of a stream that a terminal shows.
func (a *app) style() render.Style {
	_, no := a.LookupEnv("NO_COLOR")
	return render.Style{Color: a.StdoutTerminal && !no && !a.flags.json}
}
