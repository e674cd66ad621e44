package cli

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/sextongc/sexton"
	"github.com/sextongc/sexton/internal/render"
)

// alarming says what about a plan has to be confirmed; empty: nothing.
func alarming(p *sexton.Plan) string {
	var protected []string
	for _, d := range p.Destroy {
		if d.Protect {
			protected = append(protected, label(&d.Object))
		}
	}
	var why []string
	if 2*len(p.Destroy) > p.Total && p.Total > 0 {
		why = append(why, fmt.Sprintf("%s of %s would be destroyed", render.Number(len(p.Destroy)), render.Count(p.Total, "object")))
	}
	if len(protected) > 0 {
		why = append(why, "protected objects would be destroyed: "+enumerate(protected))
	}
	return strings.Join(why, "; ")
}

// enumerate lists names, the first few of them.
func enumerate(names []string) string {
	const most = 10
	if n := len(names) - most; n > 0 {
		return strings.Join(names[:most], ", ") + " and " + render.Number(n) + " more"
	}
	return strings.Join(names, ", ")
}

// confirm is sexton.Options.Confirm: it asks on a terminal, and wants --yes elsewhere.
func (a *app) confirm(p *progress) func(ctx context.Context, plan *sexton.Plan) error {
	if a.flags.yes {
		return nil
	}
	return func(ctx context.Context, plan *sexton.Plan) error {
		why := alarming(plan)
		if why == "" {
			return nil
		}
		if !a.StdinTerminal || !a.StdoutTerminal || a.flags.json {
			return usage(errors.New(why + "; nothing was changed. If that is meant, say --yes"))
		}
		names := make([]string, len(plan.Destroy))
		for i, d := range plan.Destroy {
			names[i] = label(&d.Object)
		}
		p.pause(func() {
			fmt.Fprintf(a.Stderr, "%s:\n  %s\nGo on? [y/N] ", why, enumerate(names))
		})
		defer p.resume()
		return a.answer(ctx)
	}
}

// answer reads the answer to a question; all but yes refuses.
func (a *app) answer(ctx context.Context) error {
	answer := make(chan string, 1)
	go func() { // a read cannot be cancelled; the process ends soon if it is left behind
		line, _ := a.stdin.ReadString('\n')
		answer <- line
	}()
	select {
	case <-ctx.Done():
		return context.Cause(ctx)
	case line := <-answer:
		switch strings.ToLower(strings.TrimSpace(line)) {
		case "y", "yes":
			return nil
		}
		return errRefused
	}
}
