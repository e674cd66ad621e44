package cli

import (
	"cmp"
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
		Long: `History says what each deployment did, or the last N of them, newest first. With -v it names all
objects, and says how long each destroy() took. Of a deployment that was stopped hard it says what the
journal knows; the newest may be one that still runs.`,
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
	Number    uint64           `json:"number,omitempty"`
	Began     time.Time        `json:"began"`
	Model     string           `json:"model"`
	Digest    string           `json:"digest,omitempty"`
	Outcome   sexton.Outcome   `json:"outcome,omitempty"`
	Phase     string           `json:"phase,omitempty"`
	Error     string           `json:"error,omitempty"`
	Created   []deployedObject `json:"created"`
	Changed   []deployedObject `json:"changed"`
	Kept      int              `json:"kept"`
	Destroyed []deployedObject `json:"destroyed"`
	Failed    []deployedObject `json:"failed"`
	Blocked   []deployedObject `json:"blocked"`
	Ignored   []deployedObject `json:"ignored"`
	Handlers  []handlerJSON    `json:"handlers"`
	Notified  int              `json:"notified"`
	Warnings  []string         `json:"warnings"`

	Permissions []sexton.HistoryPermission `json:"permissions"` // that were exercised, then refused

	Verb      string           `json:"verb,omitempty"` // of what an operator did, and only that has the rest
	Reason    string           `json:"reason,omitempty"`
	Forgotten []deployedObject `json:"forgotten,omitempty"`
	Imported  []deployedObject `json:"imported,omitempty"`
	Lost      []deployedObject `json:"lost,omitempty"`
}

// deployedObject is an object in a deployedJSON.
type deployedObject struct {
	ID          string    `json:"id"`
	Type        string    `json:"type,omitempty"`
	Name        string    `json:"name,omitempty"`
	Error       string    `json:"error,omitempty"`
	By          string    `json:"by,omitempty"`
	DurationsMS []float64 `json:"durationsMs,omitempty"` // of each attempt at its destruction
}

func newDeployedJSON(r *sexton.HistoryRecord) *deployedJSON {
	objects := func(list []sexton.HistoryObject) []deployedObject {
		out := make([]deployedObject, len(list))
		for i, o := range list {
			out[i] = deployedObject{ID: o.ID, Type: o.Type, Name: o.Name, Error: o.Error, By: o.By}
			for _, d := range o.Attempts {
				out[i].DurationsMS = append(out[i].DurationsMS, milliseconds(d))
			}
		}
		return out
	}
	d := &deployedJSON{
		Number: r.Number, Began: r.Time, Model: r.Model, Digest: r.Digest, Outcome: r.Outcome, Phase: r.Phase, Error: r.Error,
		Created: objects(r.Created), Changed: objects(r.Changed), Kept: r.Kept, Destroyed: objects(r.Destroyed),
		Failed: objects(r.Failed), Blocked: objects(r.Blocked), Ignored: objects(r.Ignored),
		Handlers: []handlerJSON{}, Notified: r.Notified, Warnings: orEmpty(r.Warnings),
		Permissions: orEmpty(r.Permissions), Verb: r.Verb, Reason: r.Reason, Forgotten: objects(r.Forgotten), Imported: objects(r.Imported), Lost: objects(r.Lost),
	}
	for _, h := range r.Handlers {
		d.Handlers = append(d.Handlers, handlerJSON(h))
	}
	return d
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
			a.emit(&event{Event: "deployed", DurationMS: milliseconds(r.Duration), Deployed: newDeployedJSON(&r)})
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

// did is a list of a HistoryRecord, with what became of its objects.
type did struct {
	objects []sexton.HistoryObject
	mark    mark
	verb    string
}

// operations are what an operator typed, by the verb of the record.
var operations = map[string]string{"rm": "state rm", "import": "snapshot import", "recover": "state recover"}

func (a *app) printDeployment(r *sexton.HistoryRecord) {
	style := a.style()
	head := r.Time.UTC().Format(time.RFC3339) + "  " + strings.TrimSpace(operations[r.Verb]+" "+render.Clean(r.Model))
	if took := render.Duration(r.Duration); took != "" {
		head += " (" + took + ")"
	}
	var counts []string
	var lists []did
	for _, d := range []did{
		{r.Created, created, "created"}, {r.Changed, changed, "changed"}, {r.Destroyed, destroyed, "destroyed"},
		{r.Failed, failed, "failed"}, {r.Blocked, failed, "blocked"}, {r.Ignored, failed, "ignored"},
		{r.Imported, created, "imported"}, {r.Forgotten, destroyed, "forgotten"}, {r.Lost, failed, "lost"},
	} {
		if len(d.objects) > 0 {
			counts = append(counts, render.Number(len(d.objects))+" "+d.verb)
			lists = append(lists, d)
		}
	}
	switch {
	case len(counts) > 0:
	case r.Verb == "recover":
		counts = append(counts, "nothing lost")
	default:
		counts = append(counts, "nothing changed")
	}
	fmt.Fprintln(a.Stdout, style.Paint(render.Bold, head+": "+ending(r)+strings.Join(counts, ", ")))
	if a.flags.verbose && r.Verb == "" {
		a.printDetails(r)
	}
	for _, d := range lists {
		a.printDid(&d)
	}
	if a.flags.verbose {
		for _, h := range r.Handlers {
			a.historyLine(failed, "handler", h.Error)
		}
		for _, text := range r.Warnings {
			fmt.Fprintf(a.Stdout, "  %s %s\n", style.Paint(render.Yellow, "warning:"), cleanLines(text))
		}
	}
	if r.Reason != "" {
		fmt.Fprintf(a.Stdout, "  reason: %s\n", cleanLines(r.Reason))
	}
	if r.Error != "" {
		fmt.Fprintf(a.Stdout, "  %s %s\n", style.Paint(render.Red, "error:"), cleanLines(r.Error))
	}
}

// ending is how a deployment ended, where that does not follow from the rest.
func ending(r *sexton.HistoryRecord) string {
	during := ""
	if r.Phase != "" {
		during = " (" + render.Clean(r.Phase) + ")"
	}
	switch r.Outcome {
	case sexton.Interrupted:
		return "interrupted; "
	case sexton.Stopped:
		return "stopped" + during + "; "
	case sexton.Unfinished:
		return "not finished" + during + ": it runs, or was stopped; "
	}
	return ""
}

func (a *app) printDetails(r *sexton.HistoryRecord) {
	if r.Number > 0 {
		fmt.Fprintf(a.Stdout, "    generation %d, model %s\n", r.Number, cmp.Or(r.Digest, "that destroys everything"))
	}
	for _, p := range r.Permissions {
		text := fmt.Sprintf("%s %s%s", p.Kind, p.Grant, p.Asked)
		if p.Grant == "" {
			text += " refused"
		}
		fmt.Fprintf(a.Stdout, "    permission: %s, %s\n", render.Clean(text), render.Count(p.Count, "time"))
	}
	if r.Kept+r.Notified > 0 {
		fmt.Fprintf(a.Stdout, "    %s kept, %s called\n", render.Count(r.Kept, "object"), render.Count(r.Notified, "handler"))
	}
}

// printDid prints a list: some of its ids on one line, or with -v each object on one of its own.
func (a *app) printDid(d *did) {
	if !a.flags.verbose {
		ids := make([]string, len(d.objects))
		for i, o := range d.objects {
			ids[i] = o.ID
		}
		a.historyLine(d.mark, d.verb, enumerate(ids))
		return
	}
	for _, o := range d.objects {
		text := o.ID
		if o.Type != "" {
			text = shortType(o.Type) + " " + o.ID
		}
		if o.Name != "" && o.Name != o.ID {
			text += " " + strconv.Quote(o.Name)
		}
		if len(o.Attempts) > 0 {
			took := make([]string, len(o.Attempts))
			for i, d := range o.Attempts {
				took[i] = cmp.Or(render.Duration(d), d.Round(10*time.Microsecond).String())
			}
			text += " (" + strings.Join(took, ", ") + ")"
		}
		switch {
		case o.Error != "":
			text += ": " + o.Error
		case o.By != "":
			text += ": it waits for " + o.By
		}
		a.historyLine(d.mark, d.verb, text)
	}
}

func (a *app) historyLine(m mark, verb, text string) {
	fmt.Fprintf(a.Stdout, "  %s %-9s %s\n", a.style().Paint(m.colour, m.text), verb, render.Clean(text))
}
