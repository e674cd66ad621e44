package cli

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/sextongc/sexton"
	"github.com/sextongc/sexton/internal/render"
)

func (a *app) historyCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "history [N]",
		Short: "says what each deployment did, newest first",
		Long: `History says what each deployment did, or the last N of them, newest first. A deployment that was
stopped hard is not there: what it did is part of the one after it.`,
		Example: examples(
			"sexton history",
			"sexton history 1 -v",
			"sexton history --env staging --json",
		),
		Args: cobra.MaximumNArgs(1),
		RunE: a.verb(func(_ *cobra.Command, args []string) error { return a.history(args) }),
	}
}

// deployedJSON is a sexton.HistoryRecord as --json prints it. All lists are there, empty or not.
type deployedJSON struct {
	Began     time.Time `json:"began"`
	Model     string    `json:"model"`
	Error     string    `json:"error,omitempty"`
	Created   []string  `json:"created"`
	Changed   []string  `json:"changed"`
	Destroyed []string  `json:"destroyed"`
	Failed    []string  `json:"failed"`
	Blocked   []string  `json:"blocked"`
}

func (a *app) history(args []string) error {
	n := -1
	if len(args) > 0 {
		var err error
		if n, err = strconv.Atoi(args[0]); err != nil || n < 1 {
			return usage(fmt.Errorf("history %s: want a number of at least 1", args[0]))
		}
	}
	e, err := a.open(a.options())
	if err != nil {
		return err
	}
	records, err := e.History(n)
	if err != nil {
		return err
	}
	if a.flags.json {
		for _, r := range records {
			a.emit(&event{Event: "deployed", DurationMS: milliseconds(r.Duration), Deployed: &deployedJSON{
				Began: r.Time, Model: r.Model, Error: r.Error,
				Created: orEmpty(r.Created), Changed: orEmpty(r.Changed), Destroyed: orEmpty(r.Destroyed),
				Failed: orEmpty(r.Failed), Blocked: orEmpty(r.Blocked),
			}})
		}
		a.emitted = true // a history without deployments has an end, too
		return nil
	}
	if len(records) == 0 {
		a.say("%s: nothing was deployed yet", e.Name())
	}
	for i := range records {
		a.printDeployment(&records[i])
	}
	return nil
}

func (a *app) printDeployment(r *sexton.HistoryRecord) {
	style := a.style()
	head := r.Time.UTC().Format(time.RFC3339) + "  " + render.Clean(r.Model)
	if took := render.Duration(r.Duration); took != "" {
		head += " (" + took + ")"
	}
	changes := []struct {
		ids  []string
		mark mark
		verb string
	}{
		{r.Created, created, "created"}, {r.Changed, changed, "changed"}, {r.Destroyed, destroyed, "destroyed"},
		{r.Failed, failed, "failed"}, {r.Blocked, failed, "blocked"},
	}
	var counts, lines []string
	for _, c := range changes {
		if len(c.ids) == 0 {
			continue
		}
		counts = append(counts, render.Number(len(c.ids))+" "+c.verb)
		ids := enumerate(c.ids)
		if a.flags.verbose {
			ids = strings.Join(c.ids, ", ")
		}
		lines = append(lines, fmt.Sprintf("  %s %-9s %s\n", style.Paint(c.mark.colour, c.mark.text), c.verb, render.Clean(ids)))
	}
	if len(counts) == 0 {
		counts = append(counts, "nothing changed")
	}
	fmt.Fprintln(a.Stdout, style.Paint(render.Bold, head+": "+strings.Join(counts, ", ")))
	fmt.Fprint(a.Stdout, strings.Join(lines, ""))
	if r.Error != "" {
		fmt.Fprintf(a.Stdout, "  %s %s\n", style.Paint(render.Red, "error:"), cleanLines(r.Error))
	}
}
