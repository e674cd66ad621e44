package cli

import (
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/sextongc/sexton"
	"github.com/sextongc/sexton/internal/render"
)

func (a *app) snapshotDiffCommand() *cobra.Command {
	var exit bool
	cmd := &cobra.Command{
		Use:   "diff A [B]",
		Short: "compares two snapshots, or one with what is deployed",
		Long: `Diff says what differs between two snapshots: objects that came and went, and of those in both, which
properties, owners, subscriptions and states changed. A and B are files, snapshots or exports; @N is the
snapshot of an earlier generation of which the state directory keeps a copy (snapshot.<N>.json); @ is
what is deployed, and B if that is left out. Secrets are compared and printed as they are sealed.`,
		Example: examples(
			"sexton snapshot diff staging.json",
			"sexton deploy && sexton snapshot diff @1 @ --json",
			"sexton snapshot diff staging.json staging.json --exit-code    # 0: the same, 3: they differ",
		),
		Args: cobra.RangeArgs(1, 2),
		RunE: a.verb(func(_ *cobra.Command, args []string) error {
			if len(args) == 1 {
				args = append(args, "@")
			}
			var data [2][]byte
			for i, name := range args {
				var err error
				if data[i], err = a.snapshotNamed(name); err != nil {
					return err
				}
			}
			d, err := sexton.Compare(data[0], data[1])
			if err != nil {
				return err
			}
			if a.flags.json {
				a.emit(&event{Event: "difference", Difference: d})
			} else if !a.flags.quiet {
				a.printDifference(d)
			}
			if exit && !d.Empty() {
				return &shownError{errDiffer}
			}
			return nil
		}),
	}
	cmd.Flags().BoolVar(&exit, "exit-code", false, "exit with 3 if they differ")
	return cmd
}

// snapshotNamed reads what an argument of diff stands for, and verifies it.
func (a *app) snapshotNamed(name string) ([]byte, error) {
	generation, ours := strings.CutPrefix(name, "@")
	if !ours {
		data, err := os.ReadFile(a.path(name))
		if err != nil {
			return nil, usage(err)
		}
		if _, err := sexton.Compare(data, data); err != nil {
			return nil, fmt.Errorf("%w: %w", errSnapshot, inFile(err, name))
		}
		return data, nil
	}
	e, err := a.open(a.options())
	if err != nil {
		return nil, err
	}
	if generation == "" {
		return e.Snapshot()
	}
	n, err := strconv.ParseUint(generation, 10, 64)
	if err != nil {
		return nil, usage(fmt.Errorf("%s: want @ and the number of a generation, or a file", name))
	}
	data, err := e.SnapshotOf(n)
	if errors.Is(err, sexton.ErrNoGeneration) {
		return nil, usage(err)
	} else if err != nil {
		return nil, err
	}
	if _, err := sexton.Compare(data, data); err != nil {
		return nil, fmt.Errorf("%w: %w", errSnapshot, inFile(err, name))
	}
	return data, nil
}

func (a *app) printDifference(d *sexton.Difference) {
	style := a.style()
	line := func(m mark, o *sexton.Object, note string) {
		text := style.Paint(m.colour, m.text) + " " + label(o)
		if note != "" {
			text += "  " + style.Paint(render.Faint, note)
		}
		a.say("%s", text)
	}
	for i := range d.Removed {
		line(destroyed, &d.Removed[i], "")
	}
	for i := range d.Changed {
		c := &d.Changed[i]
		note := ""
		if c.Replaced {
			note = "another object of this id"
		}
		line(changed, &c.Object, note)
		for _, f := range c.Fields {
			name := f.Name
			if f.Header {
				name = "?." + name
			}
			a.say("    %s: %s", render.Clean(name), render.Clean(change(f.Old, f.New)))
		}
	}
	for i := range d.Added {
		line(created, &d.Added[i], "")
	}
	a.say("%s", style.Paint(render.Bold, fmt.Sprintf("%s added, %s removed, %s changed, %s the same",
		render.Number(len(d.Added)), render.Number(len(d.Removed)), render.Number(len(d.Changed)), render.Number(d.Same))))
}

// change shows a value that became another one.
func change(before, after []byte) string {
	text := func(value []byte) string {
		if value == nil {
			return "(none)"
		}
		return string(value)
	}
	return text(before) + " → " + text(after)
}
