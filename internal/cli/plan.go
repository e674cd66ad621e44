package cli

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"os"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/sextongc/sexton"
	"github.com/sextongc/sexton/internal/render"
)

type planFlags struct {
	out      string
	detailed bool
	destroy  bool
}

func (a *app) planCommand() *cobra.Command {
	f := &planFlags{}
	cmd := &cobra.Command{
		Use:   "plan [model]",
		Short: "says what a deployment would do, and changes nothing",
		Long: `Plan says what a deployment would create, change, keep and destroy, in which order it would destroy,
and why. It runs constructors and nothing else. What deploy() and destructors make or drop, it
cannot know.`,
		Example: examples(
			"sexton plan",
			"sexton plan --detailed-exitcode    # 0: nothing to do, 3: a deployment would change something",
			"sexton plan model.json -o plan.json",
			"sexton plan --destroy --json",
		),
		Args: cobra.MaximumNArgs(1),
		RunE: a.verb(func(_ *cobra.Command, args []string) error { return a.plan(f, args) }),
	}
	cmd.Flags().StringVarP(&f.out, "out", "o", "", "write the plan to this `file`")
	cmd.Flags().BoolVar(&f.detailed, "detailed-exitcode", false, "exit with 3 if a deployment would change something")
	cmd.Flags().BoolVar(&f.destroy, "destroy", false, "plan to destroy everything")
	return cmd
}

// planFile is what plan -o writes: the plan, and what it was made from.
type planFile struct {
	V           int          `json:"v"`
	Environment string       `json:"environment"`
	State       string       `json:"state"` // digest of the snapshot
	Model       string       `json:"model"` // digest of the model; empty: everything is destroyed
	Plan        *sexton.Plan `json:"plan"`
}

func digest(data []byte) string { return fmt.Sprintf("sha256:%x", sha256.Sum256(data)) }

func (a *app) plan(f *planFlags, args []string) error {
	opts := a.options()
	opts.Console = a.planConsole
	e, err := a.open(opts)
	if err != nil {
		return err
	}
	if f.destroy && len(args) > 0 {
		return usage(fmt.Errorf("plan --destroy takes no model"))
	}
	ctx, _, stop := a.interruptible(func(string) {}, "")
	defer stop()
	file := planFile{V: 1, Environment: e.Name()}
	before, err := e.Snapshot() // before the plan: if the state moves meanwhile, the plan counts as outdated
	if err != nil {
		return err
	}
	file.State = digest(before)
	if f.destroy {
		file.Plan, err = e.PlanDestroy(ctx)
	} else {
		var m *sexton.Model
		if m, err = a.model(e, args); err != nil {
			return err
		}
		file.Model = digest(m.Data)
		file.Plan, err = e.Plan(ctx, m)
	}
	if err != nil {
		return err
	}
	p := file.Plan
	p.Create, p.Change, p.Keep, p.Destroy = orEmpty(p.Create), orEmpty(p.Change), orEmpty(p.Keep), orEmpty(p.Destroy)
	if f.out != "" {
		data, err := json.MarshalIndent(&file, "", "  ")
		if err != nil {
			return err
		}
		if err := os.WriteFile(a.path(f.out), append(data, '\n'), 0o644); err != nil {
			return err
		}
	}
	if a.flags.json {
		a.emit(&event{Event: "planned", Environment: e.Name(), Plan: p})
	} else if !a.flags.quiet {
		a.printPlan(e.Name(), p)
	}
	if f.detailed && !p.Empty() {
		return &shownError{errChanges}
	}
	return nil
}

// planConsole is for what constructors print.
func (a *app) planConsole(level, text string) {
	if a.flags.json {
		a.emit(&event{Event: "console", Level: level, Text: text})
		return
	}
	a.printConsole(level, text)
}

func (a *app) printPlan(name string, p *sexton.Plan) {
	style := a.style()
	fmt.Fprint(a.Stdout, render.Tree(planTree(p, a.flags.verbose), style))
	if len(p.Destroy) > 0 {
		var rows [][]string
		for _, d := range p.Destroy {
			why := d.Why
			if d.Protect {
				why += " (protected)"
			}
			var after []string
			for _, r := range d.After {
				after = append(after, fmt.Sprintf("%s (%s)", r.ID, r.Why))
			}
			rows = append(rows, []string{strconv.Itoa(int(d.Level)), label(&d.Object), render.Clean(why), render.Clean(strings.Join(after, ", "))})
		}
		fmt.Fprint(a.Stdout, "\nOrder of destruction:\n"+indent(render.Table([]string{"LEVEL", "OBJECT", "WHY", "AFTER"}, rows, style)))
	}
	if len(p.Create)+len(p.Keep)+len(p.Change)+len(p.Destroy) > 0 {
		fmt.Fprintln(a.Stdout)
	}
	summary := "nothing to do"
	if !p.Empty() {
		summary = fmt.Sprintf("%d to create, %d to change, %d to keep, %d to destroy", len(p.Create), len(p.Change), len(p.Keep), len(p.Destroy))
	}
	if why := alarming(p); why != "" {
		summary += "; --yes needed: " + why
	}
	fmt.Fprintln(a.Stdout, style.Paint(render.Bold, name+": "+summary))
}
