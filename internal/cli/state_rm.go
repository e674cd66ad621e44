package cli

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/sextongc/sexton"
	"github.com/sextongc/sexton/internal/render"
)

func (a *app) stateRmCommand() *cobra.Command {
	opts := &sexton.ForgetOptions{}
	cmd := &cobra.Command{
		Use:   "rm ID…",
		Short: "forgets objects, without destroying what they stand for",
		Long: `Rm takes objects out of the state. Nothing of theirs runs: their resources are left to you, and no later
deployment will destroy them; a model that still has them makes new ones. It asks, and the history
tells of it. That is the way out where destroy() cannot work any more, or a class is gone for good.

What an object owns goes with --recursive only. The root goes only together with everything. What others
than its owner refer to goes with --force only. The references become null, or leave the list, set, map
or plain object that they stand in. Where an object cannot do without one, forget that object as well.`,
		Example: examples(
			`sexton deploy && sexton state rm a --yes --reason "gone since the move"`,
			"sexton deploy && sexton state rm shop --recursive --yes --json",
		),
		Args:              cobra.MinimumNArgs(1),
		ValidArgsFunction: a.completeIDs,
		RunE: a.verb(func(_ *cobra.Command, args []string) error {
			e, err := a.open(a.options())
			if err != nil {
				return err
			}
			ctx, _, stop := a.interruptible(func(string) {}, "")
			defer stop()
			opts.Confirm = func(r *sexton.Removal) error {
				return a.agree(ctx, render.Count(len(r.Forgotten), "object")+" would be forgotten and never destroyed", objectLabels(r.Forgotten))
			}
			r, err := e.Forget(ctx, args, opts)
			if err != nil {
				return forgetError(err)
			}
			if a.flags.json {
				a.emit(&event{Event: "forgotten", Removal: newRemovalJSON(r)})
				return nil
			}
			a.printRemoval(e.Name(), r)
			return nil
		}),
	}
	cmd.Flags().BoolVarP(&opts.Recursive, "recursive", "r", false, "forget what the objects own as well")
	cmd.Flags().BoolVar(&opts.Force, "force", false, "take references to the objects out of what stays")
	cmd.Flags().StringVar(&opts.Reason, "reason", "", "`text` for the history")
	return cmd
}

// forgetError says what to do about what cannot be forgotten.
func forgetError(err error) error {
	switch {
	case errors.Is(err, sexton.ErrNoObject), errors.Is(err, sexton.ErrNoState):
		return usage(&hintedError{err, "nothing was changed; `sexton state list` lists the objects"})
	case errors.Is(err, sexton.ErrInUse):
		return usage(&hintedError{err, "nothing was changed; forget those as well, or: --recursive takes what is owned along, --force takes references out"})
	}
	return err
}

// removalJSON is a sexton.Removal as --json prints it.
type removalJSON struct {
	Objects []sexton.Object    `json:"objects"`
	Cut     []sexton.Reference `json:"cut"`
	Untold  []string           `json:"untold"`
}

func newRemovalJSON(r *sexton.Removal) *removalJSON {
	return &removalJSON{Objects: orEmpty(r.Forgotten), Cut: orEmpty(r.Cut), Untold: orEmpty(r.Untold)}
}

func (a *app) printRemoval(name string, r *sexton.Removal) {
	for i := range r.Forgotten {
		a.say("- forgotten %s", label(&r.Forgotten[i]))
	}
	for _, c := range r.Cut {
		a.say("~ changed   %s", render.Clean(c.From+"."+c.Property+": without "+c.To))
	}
	for _, id := range r.Untold {
		a.say("  not told  %s", render.Clean(id))
	}
	a.say("%s", a.style().Paint(render.Bold, fmt.Sprintf("%s: %s forgotten, %s left", name,
		render.Number(len(r.Forgotten)), render.Number(r.Total-len(r.Forgotten)))))
}

func objectLabels(objects []sexton.Object) []string {
	names := make([]string, len(objects))
	for i := range objects {
		names[i] = label(&objects[i])
	}
	return names
}

// agree asks on a terminal, and wants --yes elsewhere.
func (a *app) agree(ctx context.Context, what string, names []string) error {
	if a.flags.yes {
		return nil
	}
	if !a.StdinTerminal || !a.StdoutTerminal || a.flags.json {
		return usage(errors.New(what + "; nothing was changed. If that is meant, say --yes"))
	}
	fmt.Fprintf(a.Stderr, "%s:\n  %s\nGo on? [y/N] ", what, enumerate(names))
	return a.answer(ctx)
}

// completeIDs completes the ids of objects on a command line.
func (a *app) completeIDs(_ *cobra.Command, _ []string, _ string) ([]string, cobra.ShellCompDirective) {
	e, info, err := a.storedState()
	if err != nil {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	ids := make([]string, len(info.Objects))
	for i, o := range info.Objects {
		ids[i] = o.ID + "\t" + o.Type + " of " + e.Name()
	}
	return ids, cobra.ShellCompDirectiveNoFileComp
}
