package cli

import (
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/sextongc/sexton"
	"github.com/sextongc/sexton/internal/render"
)

func (a *app) stateCheckCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "check",
		Short: "verifies the state of the environment",
		Long: `Check verifies the files of the state directory, the snapshot, the journal's records applied to it, and
the history, and lists all that is wrong. What a crash left behind, and the next deployment puts right,
is a warning; damage is an error, and makes the exit code 9.`,
		Example: examples(
			"sexton state check",
			"sexton state check --env default --json",
		),
		Args: cobra.NoArgs,
		RunE: a.verb(func(*cobra.Command, []string) error { return a.checkState() }),
	}
}

func (a *app) checkState() error {
	e, err := a.open(a.options())
	if err != nil {
		return err
	}
	found, err := e.Check()
	if errors.Is(err, sexton.ErrNoState) {
		return usage(err)
	} else if err != nil {
		return err
	}
	damaged := 0
	for _, f := range found {
		level := "warning"
		if !f.Harmless {
			level = "error"
			damaged++
		}
		text := findingText(&f)
		if a.flags.json {
			a.emit(&event{Event: "finding", Level: level, Text: text})
		}
		a.log(level, text)
	}
	if damaged > 0 {
		err := fmt.Errorf("%s: %w: %s", a.shortPath(e.StateDir()), sexton.ErrCorrupt, render.Count(damaged, "problem"))
		return &hintedError{err, "nothing was changed; the snapshots of the deployments before are beside it, as snapshot.<n>.json"}
	}
	if a.flags.json {
		a.emitted = true
		return nil
	}
	a.say("%s: all is well", a.shortPath(e.StateDir()))
	return nil
}

func findingText(f *sexton.Finding) string {
	if f.File != "" && !strings.HasPrefix(f.Problem, f.File) {
		return f.File + ": " + f.Problem
	}
	return f.Problem
}
