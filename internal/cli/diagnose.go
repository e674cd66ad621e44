package cli

import (
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
	Message string     `json:"message"`
	Name    string     `json:"name,omitempty"`   // of what a script threw
	Phase   string     `json:"phase,omitempty"`  // of the deployment
	Object  string     `json:"object,omitempty"` // whose method failed: "Network net"
	File    string     `json:"file,omitempty"`
	Line    int        `json:"line,omitempty"`
	Column  int        `json:"column,omitempty"`
	Source  string     `json:"source,omitempty"`  // the line
	Stack   []string   `json:"stack,omitempty"`   // "at Network.deploy (index.ts:9:13)", innermost first
	Details string     `json:"details,omitempty"` // further properties of what a script threw
	Cause   *problem   `json:"cause,omitempty"`
	Errors  []*problem `json:"errors,omitempty"` // of an AggregateError, or what else is wrong with the sources
	Count   int        `json:"count,omitempty"`  // of all of these, if there are more
	Hint    string     `json:"hint,omitempty"`
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
		phase  *sexton.PhaseError
		object *objectError
		model  *serialize.Error
		build  *runtime.BuildError
		script *runtime.ScriptError
	)
	switch {
	case errors.As(err, &phase):
		p.Phase, p.Object = phase.Phase, phase.Object
	case errors.As(err, &object):
		p.Object = object.object
	}
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
		a.placeBuild(p, build)
		for _, more := range build.More[:min(len(build.More), maxErrors)] {
			inner := &problem{Message: more.Error()}
			a.placeBuild(inner, more)
			p.Errors = append(p.Errors, inner)
		}
		if len(build.More) > maxErrors {
			p.Count = len(build.More)
		}
	case errors.As(err, &script):
		a.placeScript(p, script)
		switch {
		case p.Hint != "":
		case a.asks && denied(script):
			p.Hint = allowPackage
		case script.Phase == "unhandled rejection":
			p.Hint = "await the promise where it is made, or say what to do with catch()"
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

// maxErrors is how many errors are shown that one error consists of.
const maxErrors = 10

// placeBuild says where a source is wrong.
func (a *app) placeBuild(p *problem, e *runtime.BuildError) {
	if e.Line == 0 {
		return
	}
	source := e.Source
	if source == "" {
		source = a.sourceLine(filepath.Join(a.pkgDir, filepath.FromSlash(e.File)), e.Line)
	}
	p.place(e.File, e.Line, e.Column, source)
	p.File = a.sourceName(e.File)
}

// placeScript says where a script failed, with the stack, and the same of what caused it: the place is the innermost
// call whose source can be shown.
func (a *app) placeScript(p *problem, e *runtime.ScriptError) {
	p.Message = strings.Replace(p.Message, e.Error(), thrown(e), 1)
	p.Name, p.Details = e.Name, e.Details
	frames := userFrames(e.Stack)
	for _, f := range frames {
		name := f.File
		if f.File != "" {
			f.File = a.sourceName(f.File)
			if p.Source == "" {
				source := a.sourceLine(filepath.Join(a.pkgDir, filepath.FromSlash(name)), f.Line)
				if p.File == "" || source != "" {
					p.place(f.File, f.Line, f.Column, source)
				}
			}
		}
		p.Stack = append(p.Stack, "at "+f.String())
	}
	inner := func(e *runtime.ScriptError) *problem {
		p := &problem{Message: e.Error()}
		a.placeScript(p, e)
		return p
	}
	for _, one := range e.Errors {
		p.Errors = append(p.Errors, inner(one))
	}
	if e.ErrorCount > len(e.Errors) {
		p.Count = e.ErrorCount
	}
	var cause *runtime.ScriptError
	if errors.As(e.Cause, &cause) {
		p.Cause = inner(cause)
	}
}

// thrown is the text of an error with all of its lines.
func thrown(e *runtime.ScriptError) string {
	switch {
	case e.Name == "":
		return e.Message
	case e.Message == "":
		return e.Name
	}
	return e.Name + ": " + e.Message
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

// objectError is an error of an object's destructor or handler.
type objectError struct {
	object string // "Network net"
	err    error
}

func (e *objectError) Error() string { return e.err.Error() }
func (e *objectError) Unwrap() error { return e.err }
