package cli

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/sextongc/sexton"
	"github.com/sextongc/sexton/internal/render"
)

// explains gives a command the flag --explain-permissions.
func (a *app) explains(cmd *cobra.Command) *cobra.Command {
	cmd.Flags().BoolVar(&a.explain, "explain-permissions", false,
		"tell for each effect which permission allowed it or would have, and at the end which ones were needed")
	return cmd
}

// used is sexton.Options.Audit.
func (p *progress) used(u sexton.PermissionUse) {
	p.ledger.Note(&u)
	if !p.app.explain {
		return
	}
	p.locked(func() {
		p.view.clear()
		if p.app.flags.json {
			p.app.emit(&event{Event: "permission", Permission: &u})
			return
		}
		forWhom := ""
		if u.Object != "" {
			forWhom = " for " + u.Object
		}
		p.app.log("permission", fmt.Sprintf("%s%s: %s %s: %s", u.Op, forWhom, u.Kind, u.Asked, p.app.verdict(u.Kind, u.Grant, u.Needed)))
	})
}

// verdict says what allowed something, or what would have.
func (a *app) verdict(kind, grant, needed string) string {
	switch {
	case grant == "" && needed == "":
		return "refused"
	case grant == "":
		return "refused; " + flagOf(kind, needed) + " would allow it"
	case slices.Contains(*a.flags.permissions.List(kind), grant):
		return "allowed by " + flagOf(kind, grant)
	}
	return fmt.Sprintf("allowed by package.json, %s: %q", kind, grant)
}

func flagOf(kind, entry string) string {
	p := sexton.Permissions{}
	*p.List(kind) = []string{entry}
	return p.Flags()[0]
}

// showAudit tells at the end what permissions were used for: if that was asked for, and to programs.
func (p *progress) showAudit() {
	a, audit := p.app, p.ledger.Audit()
	switch {
	case len(audit.Entries) == 0:
		return
	case a.flags.json:
		a.emit(&event{Event: "audit", Audit: audit})
		return
	case !a.explain && !a.flags.verbose:
		return
	}
	if a.flags.verbose {
		for _, e := range audit.Entries {
			what := e.Kind + " " + e.Grant + e.Asked
			if e.Grant == "" {
				what += ": " + a.verdict(e.Kind, "", e.Needed)
			}
			a.log("permission", fmt.Sprintf("%s: %s by %s", what, render.Count(e.Count, "use"), strings.Join(e.Ops, ", ")))
		}
	}
	needed := strings.Join(audit.Used.Flags(), " ")
	if needed == "" {
		needed = "none"
	}
	a.log("permissions needed", needed)
	if refused := audit.Refused.Flags(); len(refused) > 0 {
		a.log("permissions refused", strings.Join(refused, " "))
	}
}
