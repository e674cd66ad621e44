package cli

import (
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"sync"

	"github.com/spf13/cobra"

	"github.com/sextongc/sexton"
	"github.com/sextongc/sexton/internal/render"
	"github.com/sextongc/sexton/objectstore"
	"github.com/sextongc/sexton/serialize"
)

func (a *app) stateCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "state",
		Short: "looks into the state of the environment, and repairs it",
		Long: `State looks into the state directory: what is deployed, what was left unfinished, and whether the files
are intact. List, show and check take no lock, change nothing, and may run beside a deployment. The other
verbs change the state, and never a resource.`,
		Example: examples(
			"sexton state list",
			"sexton state check",
		),
		Args: cobra.NoArgs,
		RunE: a.verb(func(cmd *cobra.Command, _ []string) error { return cmd.Help() }),
	}
	cmd.AddCommand(a.stateListCommand(), a.stateShowCommand(), a.stateCheckCommand(), a.stateRmCommand(),
		a.stateRecoverCommand(), a.stateUnlockCommand())
	for _, c := range cmd.Commands() {
		c.DisableFlagsInUseLine = true
	}
	return cmd
}

func (a *app) stateListCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "list",
		Short: "lists the objects that are deployed",
		Long: `List prints each object with its state: live; doomed, failed or blocked if it should be destroyed and
is not; destroyed if something still refers to it. An object with effects that came after it was last
saved is interrupted: the next deployment calls its recover(effects) first.`,
		Example: examples(
			"sexton state list",
			"sexton state list --env staging --json",
		),
		Args: cobra.NoArgs,
		RunE: a.showing(func(_ []string, e *sexton.Environment, info *sexton.StateInfo) error {
			if a.flags.json {
				for i := range info.Objects {
					a.emit(&event{Event: "stored", Stored: newStoredJSON(&info.Objects[i])})
				}
				for _, s := range info.Stray {
					a.emit(&event{Event: "stray", Effect: newEffectJSON(&s)})
				}
				a.emitted = true // an empty state has an end, too
				return nil
			}
			a.printState(e.Name(), info)
			return nil
		}),
	}
}

func (a *app) stateShowCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "show ID",
		Short: "shows all that is saved of an object",
		Long: `Show prints the header of an object, its properties, who subscribed to its destruction, and the effects
that came after it was last saved. Secrets are printed as ***, and with --json as they are sealed.`,
		Example: examples(
			"sexton deploy && sexton state show shop",
			"sexton deploy && sexton state show a --json",
		),
		Args:              cobra.ExactArgs(1),
		ValidArgsFunction: a.completeIDs,
		RunE: a.showing(func(args []string, e *sexton.Environment, info *sexton.StateInfo) error {
			for i := range info.Objects {
				o := &info.Objects[i]
				if o.ID != args[0] {
					continue
				}
				if a.flags.json {
					out := newStoredJSON(o)
					if err := out.detail(o); err != nil {
						return err
					}
					a.emit(&event{Event: "stored", Stored: out})
					return nil
				}
				return a.printObject(o)
			}
			return usage(fmt.Errorf("%s: there is no object %q%s", e.Name(), args[0], didYouMeanID(args[0], info)))
		}),
	}
}

func didYouMeanID(id string, info *sexton.StateInfo) string {
	ids := make([]string, len(info.Objects))
	for i, o := range info.Objects {
		ids[i] = o.ID
	}
	return serialize.DidYouMean(id, ids)
}

func (a *app) storedState() (*sexton.Environment, *sexton.StateInfo, error) {
	e, err := a.open(a.options())
	if err != nil {
		return nil, nil, err
	}
	info, err := e.State()
	return e, info, err
}

// showing is a verb that shows the state. Of a damaged one it shows what can be read, and fails.
func (a *app) showing(show func(args []string, e *sexton.Environment, info *sexton.StateInfo) error) func(*cobra.Command, []string) error {
	return a.verb(func(_ *cobra.Command, args []string) error {
		e, info, damage := a.storedState()
		if errors.Is(damage, sexton.ErrCorrupt) {
			left, found, err := e.Readable()
			if err != nil {
				return damage
			}
			info = left
			text := fmt.Sprintf("%s is damaged; this is what can be read of it", a.shortPath(e.StateDir()))
			if found.Stale {
				text += ", and it may be older than what was deployed last"
			}
			if len(found.Lost) > 0 {
				text += "; lost: " + strings.Join(objectLabels(found.Lost), ", ")
			}
			a.log("warning", text)
		} else if damage != nil {
			return damage
		}
		if err := show(args, e, info); err != nil {
			return err
		}
		return damage
	})
}

// storedJSON is a sexton.StoredObject as --json prints it.
type storedJSON struct {
	sexton.Object
	State     string          `json:"state"`
	Failure   string          `json:"failure,omitempty"`
	BlockedBy string          `json:"blockedBy,omitempty"`
	Effects   []effectJSON    `json:"effects,omitempty"`
	Saved     json.RawMessage `json:"saved,omitempty"` // as in a snapshot; for show only
}

// effectJSON is a sexton.StoredEffect as --json prints it.
type effectJSON struct {
	Object  string          `json:"object"`
	Op      string          `json:"op"`
	Token   string          `json:"token,omitempty"`
	Ended   string          `json:"ended"`             // "done", "failed" or "unknown"
	Args    json.RawMessage `json:"args,omitempty"`    // for show only
	Outcome json.RawMessage `json:"outcome,omitempty"` // for show only
}

func newStoredJSON(o *sexton.StoredObject) *storedJSON {
	out := &storedJSON{Object: o.Object, State: o.State, Failure: o.Failure, BlockedBy: o.BlockedBy}
	for i := range o.Effects {
		out.Effects = append(out.Effects, *newEffectJSON(&o.Effects[i]))
	}
	return out
}

func newEffectJSON(e *sexton.StoredEffect) *effectJSON {
	return &effectJSON{Object: e.Object, Op: e.Op, Token: e.Token, Ended: ended(e)}
}

// detail adds the values.
func (out *storedJSON) detail(o *sexton.StoredObject) (err error) {
	for i, e := range o.Effects {
		out.Effects[i].Args, out.Effects[i].Outcome = e.Args, e.Outcome
	}
	out.Saved, err = serialize.EncodeEntry(o.Entry)
	return err
}

func ended(e *sexton.StoredEffect) string {
	switch {
	case e.Outcome == nil:
		return "unknown"
	case e.Failed:
		return "failed"
	}
	return "done"
}

// effectText names an effect and says how it ended, if it did not end well.
func effectText(e *sexton.StoredEffect) string {
	switch ended(e) {
	case "unknown":
		return e.Op + " (outcome unknown)"
	case "failed":
		return e.Op + " (failed)"
	}
	return e.Op
}

// stateText is the state of an object in words, on one line.
func stateText(o *sexton.StoredObject) string {
	text := o.State
	switch {
	case o.Failure != "":
		first, _, _ := strings.Cut(o.Failure, "\n")
		text += ": " + first
	case o.BlockedBy != "":
		text += " by " + o.BlockedBy
	}
	if len(o.Effects) > 0 {
		names := make([]string, len(o.Effects))
		for i := range o.Effects {
			names[i] = effectText(&o.Effects[i])
		}
		text += "; interrupted after " + enumerate(names)
	}
	return render.Clean(text)
}

func (a *app) printState(name string, info *sexton.StateInfo) {
	style := a.style()
	var rows [][]string
	counts := map[string]int{}
	interrupted := 0
	for i := range info.Objects {
		o := &info.Objects[i]
		counts[o.State]++
		if len(o.Effects) > 0 {
			interrupted++
		}
		rows = append(rows, []string{render.Clean(o.ID), render.Clean(o.Type), render.Clean(o.Owner), stateText(o)})
	}
	if len(rows) > 0 {
		fmt.Fprint(a.Stdout, render.Table([]string{"ID", "TYPE", "OWNER", "STATE"}, rows, style)+"\n")
	}
	for i := range info.Stray {
		a.log("warning", fmt.Sprintf("%s is no longer there; its last effects: %s", info.Stray[i].Object, effectText(&info.Stray[i])))
	}
	summary := name + ": " + render.Count(len(rows), "object")
	separator := ": "
	for _, state := range []string{"live", "doomed", "failed", "blocked", "destroyed"} {
		if n := counts[state]; n > 0 {
			summary += separator + render.Number(n) + " " + state
			separator = ", "
		}
	}
	if interrupted > 0 {
		summary += "; " + render.Number(interrupted) + " interrupted"
	}
	fmt.Fprintln(a.Stdout, style.Paint(render.Bold, summary))
}

func (a *app) printObject(o *sexton.StoredObject) error {
	e := o.Entry
	style := a.style()
	section := func(title string, rows [][]string) {
		if len(rows) > 0 {
			fmt.Fprintf(a.Stdout, "%s\n%s", style.Paint(render.Bold, title), indent(columns(rows)))
		}
	}
	var head [][]string
	field := func(name, value string) {
		if value != "" {
			head = append(head, []string{name, value})
		}
	}
	field("type", strings.TrimSpace(e.Type+" "+e.Version))
	field("name", e.Name)
	field("owner", e.Owner)
	if e.Incarnation > 0 {
		field("incarnation", strconv.FormatUint(e.Incarnation, 10))
	}
	field("state", stateText(o))
	if e.Doomed && !e.Notified {
		field("subscribers", "not all told yet")
	}
	field("completed", strings.Join(e.Completed, ", "))
	if e.Protect {
		field("protect", "destroying it needs a confirmation")
	}
	section(label(&o.Object), head)

	var properties, subscribers, effects [][]string
	for _, f := range e.Properties {
		value, err := serialize.EncodeValue(objectstore.MapSecrets(f.Value, func(objectstore.Value) objectstore.Value { return "***" }))
		if err != nil {
			return err
		}
		properties = append(properties, []string{f.Name, string(value)})
	}
	section("Properties", properties)
	for _, s := range e.Subscriptions {
		handler := s.Handler
		if s.Count > 1 {
			handler += fmt.Sprintf(" (%d times)", s.Count)
		}
		subscribers = append(subscribers, []string{s.Subscriber, handler})
	}
	section("Subscribers to its destruction", subscribers)
	for i := range o.Effects {
		effect := &o.Effects[i]
		effects = append(effects, []string{effectText(effect), shown(effect.Args)})
		if effect.Outcome != nil {
			effects = append(effects, []string{"", shown(effect.Outcome)})
		}
	}
	section("Effects since it was last saved", effects)
	return nil
}

// shown is what an effect was given, or came to, without what is sealed of it.
func shown(data json.RawMessage) string {
	return sealedData().ReplaceAllString(string(data), `"***"`)
}

var sealedData = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\{"\$sealed":"[^"]*"\}`) })

// columns sets rows of two cells.
func columns(rows [][]string) string {
	for _, row := range rows {
		for i, cell := range row {
			row[i] = render.Clean(cell)
		}
	}
	_, text, _ := strings.Cut(render.Table([]string{"", ""}, rows, render.Style{}), "\n") // without the header
	return text
}
