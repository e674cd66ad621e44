package cli

import (
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"github.com/spf13/cobra"

	"github.com/sextongc/sexton"
	"github.com/sextongc/sexton/internal/render"
)

func (a *app) stateRecoverCommand() *cobra.Command {
	opts := &sexton.RecoverOptions{}
	cmd := &cobra.Command{
		Use:   "recover",
		Short: "writes what is intact of a damaged state to a new place",
		Long: `Recover reads what is intact of a state that no verb accepts any more, verifies it, and writes it to a
new state directory: the old one's name with ".recovered", or what --out names. It lists what is lost,
object by object where the damaged files still name them; whatever those stand for is left to you. The
damaged files are not changed.

With --replace it asks, copies the damaged files to a new directory, the old one's name with
".damaged-<n>", and puts what is recovered into their place. Of a state that is intact there is nothing
to recover.`,
		Example: examples(
			"sexton deploy && sexton state recover",
			"sexton deploy && rm .sexton/default/journal && sexton state recover --replace --yes",
			"sexton deploy && rm .sexton/default/journal && sexton state recover -o saved --json",
		),
		Args: cobra.NoArgs,
		RunE: a.verb(func(*cobra.Command, []string) error {
			e, err := a.open(a.options())
			if err != nil {
				return err
			}
			if opts.Out != "" && opts.Replace {
				return usage(errors.New("--out and --replace exclude each other"))
			}
			if opts.Out != "" {
				opts.Out = a.path(opts.Out)
			}
			ctx, _, stop := a.interruptible(func(string) {}, "")
			defer stop()
			if opts.Replace {
				opts.Confirm = func(r *sexton.Recovery) error {
					what := fmt.Sprintf("%s would replace the damaged state, %s lost", render.Count(len(r.Objects), "recovered object"), render.Number(len(r.Lost)))
					return a.agree(ctx, what, objectLabels(append(r.Lost, r.Objects...)))
				}
			}
			r, err := e.Recover(opts)
			switch {
			case errors.Is(err, fs.ErrExist):
				return usage(&hintedError{err, "nothing was changed; move that away, or name another directory with --out"})
			case errors.Is(err, sexton.ErrNoState) && !errors.Is(err, sexton.ErrCorrupt):
				return usage(err)
			case errors.Is(err, sexton.ErrCorrupt):
				return &hintedError{err, "nothing was changed; what is left of its file history names what was deployed. Move the directory away, then import an export, or deploy anew"}
			case err != nil:
				return err
			}
			return a.tellRecovered(e, r)
		}),
	}
	cmd.Flags().StringVarP(&opts.Out, "out", "o", "", "write to this new `directory`")
	cmd.Flags().BoolVar(&opts.Replace, "replace", false, "put it into the place of what is damaged")
	return cmd
}

// recoveredJSON is a sexton.Recovery as --json prints it.
type recoveredJSON struct {
	Intact    bool            `json:"intact"`
	Dir       string          `json:"dir,omitempty"`
	Damaged   string          `json:"damaged,omitempty"`
	File      string          `json:"file,omitempty"`
	Problems  []string        `json:"problems"`
	Objects   []sexton.Object `json:"objects"`
	Lost      []sexton.Object `json:"lost"`
	Effects   int             `json:"effects"`
	Stale     bool            `json:"stale"`
	NewTokens bool            `json:"newTokens"`
}

func (a *app) tellRecovered(e *sexton.Environment, r *sexton.Recovery) error {
	problems := make([]string, len(r.Problems))
	for i, f := range r.Problems {
		problems[i] = findingText(&f)
	}
	if a.flags.json {
		a.emit(&event{Event: "recovered", Recovered: &recoveredJSON{
			r.Intact, a.shortPath(r.Dir), a.shortPath(r.Damaged), r.File, problems, orEmpty(r.Objects), orEmpty(r.Lost), r.Effects, r.Stale, r.NewTokens,
		}})
		return nil
	}
	if r.Intact {
		found, err := e.Check()
		if err != nil {
			return err
		}
		for _, f := range found {
			if !f.Harmless { // an older snapshot, which nothing needs
				a.log("warning", findingText(&f)+"; the state does without it")
			}
		}
		a.say("%s: it is intact, there is nothing to recover", a.shortPath(e.StateDir()))
		return nil
	}
	for _, text := range problems {
		a.log("warning", text)
	}
	if r.Stale {
		a.log("warning", "the journal's beginning or the newest snapshot cannot be read, so objects may be older than they were")
	}
	if r.NewTokens {
		a.log("warning", "the environment's id cannot be read: objects get other tokens")
	}
	for i := range r.Lost {
		a.say("! lost      %s", strings.TrimSpace(label(&r.Lost[i])))
	}
	text := fmt.Sprintf("%s: %s recovered, %s lost", a.shortPath(r.Dir), render.Number(len(r.Objects)), render.Number(len(r.Lost)))
	if r.Effects > 0 {
		text += fmt.Sprintf("; %s to recover", render.Count(r.Effects, "effect"))
	}
	a.say("%s", a.style().Paint(render.Bold, text))
	state := a.shortPath(e.StateDir())
	if r.Damaged != "" {
		a.log("note", fmt.Sprintf("the damaged files are in %s", a.shortPath(r.Damaged)))
	} else {
		a.log("note", fmt.Sprintf("to use it: mv %s %s.damaged && mv %s %s", state, state, a.shortPath(r.Dir), state))
	}
	return nil
}
