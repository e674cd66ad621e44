package cli

import (
	"errors"
	"fmt"
	"io/fs"
	"os"

	"github.com/spf13/cobra"

	"github.com/sextongc/sexton"
)

func (a *app) deployCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "deploy [model]",
		Short: "makes the environment what the model says",
		Long: `Deploy makes the environment what the model says: it destroys what the model drops, runs the hooks
and deploy(), destroys what the environment no longer holds, and saves. Without a model it takes
model.json or model.yaml of the package.

The first interrupt (Ctrl-C, SIGTERM, the end of the terminal) lets what runs finish, starts nothing new
and saves. The second stops at once, and ends the programs that scripts have started. --timeout does the
first when its time is over, and the second after a tenth of that, or a minute. The next deployment goes
on from what is recorded.`,
		Example: examples(
			"sexton deploy --allow-package",
			"sexton deploy model.json --env staging --allow-run=netctl --allow-read=config",
			"sexton deploy --dir shop --allow-package --yes --json",
			"sexton deploy --allow-write --explain-permissions",
		),
		Args: cobra.MaximumNArgs(1),
		RunE: a.verb(func(_ *cobra.Command, args []string) error {
			return a.deploy("deploy", func(e *sexton.Environment) (*sexton.Model, error) { return a.model(e, args) })
		}),
	}
}

// deploy deploys what model returns; nil destroys everything.
func (a *app) deploy(verb string, model func(*sexton.Environment) (*sexton.Model, error)) error {
	opts := a.options()
	found, err := a.open(opts)
	if err != nil {
		return err
	}
	if _, err := os.Stat(found.StateDir()); model == nil && errors.Is(err, fs.ErrNotExist) {
		a.log("warning", fmt.Sprintf("%s: nothing was ever deployed there: there is no %s", found.Name(), found.StateDir()))
	}
	var m *sexton.Model
	if model != nil {
		if m, err = model(found); err != nil {
			return err
		}
	}
	p := a.newProgress(verb, found.Name())
	defer p.stop()
	opts.Observe, opts.Console, opts.Confirm, opts.Audit = p.observe, p.console, a.confirm(p), p.used
	e, err := a.open(opts)
	if err != nil {
		return err
	}
	ctx, kill, stop := a.interruptible(p.note, interruptsDeployment)
	defer stop()
	var report *sexton.Report
	if m == nil {
		report, err = e.Destroy(ctx, kill)
	} else {
		report, err = e.Deploy(ctx, kill, m)
	}
	stop()
	return p.end(report, resumable(err))
}

// resumable adds to the error about an interruption, among those that were joined, what comes next.
func resumable(err error) error {
	if err == nil {
		return nil
	}
	errs := split(err)
	for i, e := range errs {
		var timeout *sexton.TimeoutError
		switch {
		case errors.As(e, &timeout):
			errs[i] = &hintedError{e, "the next deployment goes on with what is left; --timeout gives it more time"}
		case errors.Is(e, sexton.ErrInterrupted):
			errs[i] = &hintedError{e, "the next deployment goes on with what is left"}
		}
	}
	return errors.Join(errs...)
}
