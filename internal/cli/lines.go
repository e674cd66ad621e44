package cli

import (
	"fmt"
	"io"
	"strings"

	"github.com/sextongc/sexton"
	"github.com/sextongc/sexton/internal/render"
)

// lineView writes for logs: a line per finished object, and a sign of life while nothing finishes.
// What scripts print goes to standard error, each line after a bar.
type lineView struct {
	*app
	out io.Writer
}

func (v *lineView) println(format string, args ...any) {
	if !v.flags.quiet {
		fmt.Fprintf(v.out, format+"\n", args...)
	}
}

func (v *lineView) event(p *progress, e *sexton.Event) {
	switch e.Kind {
	case "destroyed":
		if took := render.Duration(e.Duration); took != "" {
			v.println("- destroyed %s (%s)", label(e.Object), took)
		} else {
			v.println("- destroyed %s", label(e.Object))
		}
	case "failed":
		if e.Subscriber != nil {
			v.println("! failed    %s: %s(%s)", label(e.Subscriber), e.Handler, e.Object.ID)
		} else {
			v.println("! failed    %s%s", label(e.Object), map[bool]string{true: " again"}[p.again])
		}
	case "blocked":
		if !p.again {
			v.println("! blocked   %s: it waits for %s", label(e.Object), label(e.By))
		}
	case "spared":
		v.println("= spared    %s", label(e.Object))
	}
	if !v.flags.verbose {
		return
	}
	switch e.Kind {
	case "phase":
		v.println("# %s", e.Text)
	case "plan":
		v.println("# %s to destroy", render.Count(e.Count, "object"))
	case "notify":
		v.println("  notify    %s: %s(%s)", label(e.Subscriber), e.Handler, e.Object.ID)
	case "destroy":
		v.println("  destroy   %s", label(e.Object))
	}
}

func (v *lineView) console(_ *progress, level, text string) {
	v.printConsole(level, text)
}

func (v *lineView) tick(p *progress) {
	if len(p.running) == 0 {
		v.println("… %s", p.phase)
		return
	}
	names := make([]string, len(p.running))
	for i := range p.running {
		names[i] = p.underWay(&p.running[i])
	}
	v.println("… destroying %s; %d done", enumerate(names), p.done)
}

func (v *lineView) clear() {}

func (v *lineView) report(_ *progress, r *sexton.Report) {
	for _, o := range r.Created {
		v.println("+ created   %s", label(&o))
	}
	for _, o := range r.Changed {
		v.println("~ changed   %s", label(&o))
	}
	if v.flags.verbose {
		for _, o := range r.Kept {
			v.println("= kept      %s", label(&o))
		}
	}
}

func (v *lineView) summary(text string) { v.println("%s", text) }

// printConsole writes what a script prints during a deployment.
func (a *app) printConsole(level, text string) {
	important := level == "warn" || level == "error"
	if !important && a.flags.quiet || level == "debug" && !a.flags.verbose {
		return
	}
	if a.flags.logFormat == "json" {
		a.log(level, text)
		return
	}
	for line := range strings.SplitSeq(text, "\n") {
		fmt.Fprintf(a.Stderr, "| %s\n", render.Clean(line))
	}
}

// scriptView is for `run`: the streams belong to the script, as it prints and nothing else, and what was
// destroyed at the end is told on standard error.
type scriptView struct{ lineView }

func (v *scriptView) event(p *progress, e *sexton.Event) {
	if e.Kind == "destroyed" && e.Object.Type == "Environment" && e.Object.Owner == "" {
		return // the root, which nobody made
	}
	if e.Kind == "destroyed" && p.phase == "script" && !v.flags.verbose {
		return // the script asked for it
	}
	v.lineView.event(p, e)
}

// replView is for `repl`, which tells what is destroyed when it is.
type replView struct{ scriptView }

func (v *replView) event(p *progress, e *sexton.Event) {
	if e.Kind != "destroyed" || e.Object.Type != "Environment" || e.Object.Owner != "" {
		v.lineView.event(p, e)
	}
}

func (v *scriptView) console(_ *progress, level, text string) {
	w := v.Stdout
	if level == "warn" || level == "error" {
		w = v.Stderr
	}
	fmt.Fprintln(w, text)
}

func (v *scriptView) tick(*progress) {}

func (v *scriptView) report(*progress, *sexton.Report) {}

func (v *scriptView) summary(string) {}
