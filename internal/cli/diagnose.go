package cli

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/sextongc/sexton"
	"github.com/sextongc/sexton/internal/render"
	"github.com/sextongc/sexton/internal/state"
	"github.com/sextongc/sexton/runtime"
	"github.com/sextongc/sexton/serialize"
)

// problem is an error as people read it: what happened, where, what to do.
type problem struct {
	Message string   `json:"message"`
	File    string   `json:"file,omitempty"`
	Line    int      `json:"line,omitempty"`
	Column  int      `json:"column,omitempty"`
	Source  string   `json:"source,omitempty"` // the line
	Stack   []string `json:"stack,omitempty"`
	Hint    string   `json:"hint,omitempty"`
}

// split returns the errors that were joined. It leaves those alone that say something themselves.
func split(err error) []error {
	if shown, ok := err.(*shownError); ok {
		return split(shown.err)
	}
	joined, ok := err.(interface{ Unwrap() []error })
	if !ok {
		return []error{err}
	}
	texts := make([]string, 0, 2)
	for _, e := range joined.Unwrap() {
		texts = append(texts, e.Error())
	}
	if err.Error() != strings.Join(texts, "\n") {
		return []error{err}
	}
	var all []error
	for _, e := range joined.Unwrap() { // as deep as Go code nests joins
		all = append(all, split(e)...)
	}
	return all
}

// problem describes one error.
func (a *app) problem(err error) *problem {
	p := &problem{Message: err.Error(), Hint: hint(err)}
	var (
		model  *serialize.Error
		build  *runtime.BuildError
		script *runtime.ScriptError
	)
	switch {
	case errors.As(err, &model):
		if model.Line > 0 {
			source := ""
			if !model.Secret {
				source = a.sourceLine(a.path(model.File), model.Line)
			}
			p.place(model.File, model.Line, model.Column, source)
		}
	case errors.As(err, &build):
		if build.Line > 0 {
			source := build.Source
			if source == "" {
				source = a.sourceLine(filepath.Join(a.pkgDir, filepath.FromSlash(build.File)), build.Line)
			}
			p.place(build.File, build.Line, build.Column, source)
			p.File = a.sourceName(build.File)
		}
		for _, more := range build.More {
			p.Stack = append(p.Stack, "and "+more.Error())
		}
	case errors.As(err, &script):
		a.placeScript(p, script)
		if p.Hint == "" && a.asks && denied(script) {
			p.Hint = allowPackage
		}
	}
	return p
}

// allowPackage is what to do about a missing permission that package.json may ask for.
const allowPackage = "--allow-package grants everything that package.json asks for"

// denied reports whether e, or what caused it, is about a permission.
func denied(e *runtime.ScriptError) bool {
	for found := true; found; found = errors.As(e.Cause, &e) {
		if e.Name == "PermissionDenied" {
			return true
		}
	}
	return false
}

func (p *problem) place(file string, line, column int, source string) {
	p.Message = strings.Replace(p.Message, fmt.Sprintf("%s:%d:%d: ", file, line, column), "", 1)
	p.File, p.Line, p.Column = file, line, column
	p.Source = strings.TrimRight(source, "\r")
}

// placeScript says where a script failed: the innermost call that is in a file of the user, and the
// stack with those of its causes.
func (a *app) placeScript(p *problem, e *runtime.ScriptError) {
	const causes = 10
	for i := 0; e != nil && i < causes; i++ {
		if i > 0 {
			p.Stack = append(p.Stack, "caused by "+e.Error())
		}
		for _, f := range userFrames(e.Stack) {
			if p.File == "" && f.File != "" {
				p.place(a.sourceName(f.File), f.Line, f.Column, a.sourceLine(filepath.Join(a.pkgDir, filepath.FromSlash(f.File)), f.Line))
			}
			if f.File != "" {
				f.File = a.sourceName(f.File)
			}
			p.Stack = append(p.Stack, "at "+f.String())
		}
		var cause *runtime.ScriptError
		if !errors.As(e.Cause, &cause) {
			return
		}
		e = cause
	}
}

// userFrames leaves away the native calls that called the outermost function of the user: they are the
// runtime's own.
func userFrames(stack []runtime.Frame) []runtime.Frame {
	for len(stack) > 0 && stack[len(stack)-1].File == "" {
		stack = stack[:len(stack)-1]
	}
	return stack
}

// sourceName turns the name of a source, relative to the package, into a path to be clicked on.
func (a *app) sourceName(file string) string {
	path := filepath.Join(a.pkgDir, filepath.FromSlash(file))
	if _, err := os.Stat(path); err != nil {
		return file // a script on the command line
	}
	return a.shortPath(path)
}

// sourceLine reads a line of a file; empty if that cannot be done.
func (a *app) sourceLine(path string, line int) string {
	if a.source != "" && filepath.Base(path) == "script" {
		return render.Line(a.source, line)
	}
	const most = 1 << 20
	if info, err := os.Stat(path); err != nil || !info.Mode().IsRegular() || info.Size() > most {
		return ""
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return ""
	}
	return strings.TrimRight(render.Line(string(data), line), "\r")
}

// hint says what to do about an error; empty if its message does.
func hint(err error) string {
	var hinted *hintedError
	if errors.As(err, &hinted) {
		return hinted.hint
	}
	var phase *sexton.PhaseError
	var corrupt *state.CorruptError
	var limit *sexton.LimitError
	switch {
	case errors.Is(err, sexton.ErrLocked):
		return "wait until that deployment has ended, and try again"
	case errors.As(err, &corrupt) && strings.HasPrefix(corrupt.File, "snapshot"):
		return "nothing was changed; the snapshots of the deployments before are beside it, as snapshot.<n>.json; `sexton state recover` saves what is intact"
	case errors.Is(err, state.ErrNewerVersion):
		return "nothing was changed; use that version of sexton, or a newer one"
	case errors.Is(err, sexton.ErrCorrupt):
		return "nothing was changed; `sexton state check` lists what is wrong, `sexton state recover` saves what is intact"
	case errors.Is(err, state.ErrTaken):
		return "what was recorded before is safe; see to it that nobody removes files there and that no other deployment runs, then deploy again"
	case errors.Is(err, sexton.ErrStateFailed):
		return "what was recorded before is safe; make the disk writable again, and the next deployment goes on from there"
	case errors.Is(err, sexton.ErrBroken):
		advice := "repair the class, or leave the object out of the model, and deploy again"
		if errors.As(err, &phase) && phase.Phase == "load" {
			advice = "nothing was changed; " + advice
		}
		return advice
	case errors.Is(err, sexton.ErrIncomplete):
		return "repair what failed and deploy again: what is destroyed stays so, the rest is tried again"
	case errors.As(err, &limit) && limit.Value != "":
		return fmt.Sprintf("--limit %s=… allows more, if the script needs it", limit.Limit)
	case errors.Is(err, runtime.ErrTimeLimit) && errors.As(err, &phase) && phase.Phase == "load":
		return "nothing was changed; --handler-timeout gives classes more time to load"
	case errors.Is(err, runtime.ErrDeadlock):
		return "look for an await of a promise that nobody resolves: no timer and no effect is left that could"
	case errors.As(err, &phase) && phase.Phase == "load":
		return "nothing was changed"
	case errors.Is(err, runtime.ErrTimeLimit) && errors.As(err, &phase) && phase.Phase == "deploy":
		return "--deploy-timeout gives it more time"
	case errors.Is(err, runtime.ErrTimeLimit):
		return "--destroy-timeout and --handler-timeout give destructors and handlers more time"
	}
	return ""
}

// hintedError is an error with what to do about it, where only the verb knows.
type hintedError struct {
	err  error
	hint string
}

func (e *hintedError) Error() string { return e.err.Error() }
func (e *hintedError) Unwrap() error { return e.err }

// showError prints an error for each reason that it has: to standard error, and as events with --json.
func (a *app) showError(err error) {
	for _, e := range split(err) {
		p := a.problem(e)
		if a.flags.json && a.began {
			a.emit(&event{Event: "error", Error: p})
		}
		a.logProblem("error", p)
	}
}

// log tells something on standard error.
func (a *app) log(level, text string) { a.logProblem(level, &problem{Message: text}) }

func (a *app) logProblem(level string, p *problem) {
	if level == "note" && a.flags.quiet {
		return
	}
	if a.flags.logFormat == "json" {
		line, err := json.Marshal(struct {
			V     int    `json:"v"`
			Level string `json:"level"`
			*problem
		}{eventVersion, level, p})
		if err != nil {
			panic(err) // a struct of strings and numbers
		}
		fmt.Fprintf(a.Stderr, "%s\n", line)
		return
	}
	style := a.style()
	colours := map[string]render.Colour{"error": render.Red, "warning": render.Yellow}
	prefix := ""
	if level != "note" {
		prefix = style.Paint(colours[level], level+":") + " "
	}
	fmt.Fprintf(a.Stderr, "%s%s\n", prefix, cleanLines(p.Message))
	if p.File != "" {
		fmt.Fprintf(a.Stderr, "  --> %s:%d:%d\n", p.File, p.Line, p.Column)
		fmt.Fprint(a.Stderr, indent(render.Excerpt(p.Source, p.Line, p.Column, style)))
	}
	for _, line := range p.Stack {
		fmt.Fprintf(a.Stderr, "    %s\n", cleanLines(line))
	}
	if p.Hint != "" {
		fmt.Fprintf(a.Stderr, "  %s %s\n", style.Paint(render.Bold, "help:"), p.Hint)
	}
}

// cleanLines makes text safe for a terminal, and keeps its lines.
func cleanLines(text string) string {
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		lines[i] = render.Clean(line)
	}
	return strings.Join(lines, "\n    ")
}

func indent(text string) string {
	if text == "" {
		return ""
	}
	return "  " + strings.ReplaceAll(strings.TrimSuffix(text, "\n"), "\n", "\n  ") + "\n"
}
