package cli

import (
	"fmt"

	"github.com/sextongc/sexton"
	"github.com/sextongc/sexton/internal/render"
)

// treeView draws for a terminal: the running destructors while they run, and at the end the tree of all
// objects by owner.
type treeView struct {
	*app
	live render.Live
}

// mostRunning is how many destructors are shown at once.
const mostRunning = 12

func (v *treeView) event(p *progress, e *sexton.Event) {
	if v.flags.verbose && e.Kind == "notify" {
		v.live.Clear()
		fmt.Fprintf(v.Stdout, "  notify %s: %s(%s)\n", label(e.Subscriber), e.Handler, e.Object.ID)
	}
	v.tick(p)
}

func (v *treeView) console(_ *progress, level, text string) {
	v.live.Clear()
	v.printConsole(level, text)
}

func (v *treeView) tick(p *progress) {
	status := p.phase
	if p.done > 0 {
		status += fmt.Sprintf(" (%s destroyed)", render.Number(p.done))
	}
	lines := []string{"… " + status}
	for i := range p.running {
		if i == mostRunning {
			lines = append(lines, fmt.Sprintf("  … and %s more", render.Number(len(p.running)-i)))
			break
		}
		lines = append(lines, "  - "+p.underWay(&p.running[i]))
	}
	v.live.Draw(lines...)
}

func (v *treeView) clear() { v.live.Clear() }

func (v *treeView) report(p *progress, r *sexton.Report) {
	fmt.Fprint(v.Stdout, render.Tree(reportTree(r, p.objects, v.flags.verbose), v.style()))
}

func (v *treeView) summary(text string) {
	fmt.Fprintln(v.Stdout, v.style().Paint(render.Bold, text))
}
