package runtime

import (
	"errors"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/dop251/goja"

	"github.com/sextongc/sexton/internal/render"
)

const (
	maxText      = 64 << 10    // bytes of a message, or of a line on the console
	maxDetails   = 4 << 10     // bytes of an error's other properties
	maxCauses    = 8           // length of a chain of causes
	maxTold      = 20          // causes and errors in errors, together
	describeTime = time.Second // for turning a thrown value into text; so much that a busy machine does not cut it short
	internalName = "sexton:"   // begins the file names of the library's own scripts
)

// convert makes a *ScriptError of an exception; other errors stay as they are.
func (rt *Runtime) convert(err error) error {
	var ex *goja.Exception
	if err == nil || !errors.As(err, &ex) {
		return err
	}
	return rt.describeException(ex, &description{})
}

// scriptError makes one of a thrown value or the reason of a rejection.
func (rt *Runtime) scriptError(v goja.Value) *ScriptError { return rt.describe(v, &description{}) }

// description is what was met while an error is described: causes and the errors of AggregateErrors may lead anywhere.
type description struct {
	around []goja.Value // the errors that led to the present one
	told   int
}

// inner describes the cause of an error, or one of its errors; nil if there have been enough.
func (rt *Runtime) inner(v goja.Value, d *description) *ScriptError {
	for _, outer := range d.around {
		if outer == v {
			return &ScriptError{Message: "[Circular]"}
		}
	}
	if d.told++; d.told > maxTold || len(d.around) > maxCauses {
		return nil
	}
	return rt.describe(v, d)
}

func (rt *Runtime) describe(v goja.Value, d *description) *ScriptError {
	if obj, ok := v.(*goja.Object); ok && obj.ClassName() == "Error" {
		// Throwing it again is how goja hands out the stack that the error object keeps.
		return rt.describeException(rt.vm.Try(func() { panic(obj) }), d)
	}
	return rt.describeValue(v, nil, d)
}

func (rt *Runtime) describeException(ex *goja.Exception, d *description) *ScriptError {
	return rt.describeValue(ex.Value(), ex, d)
}

// describeValue reads a thrown value. Properties are read without running getters where that is
// possible; whatever code of the script runs all the same has describeTime.
func (rt *Runtime) describeValue(v goja.Value, ex *goja.Exception, d *description) *ScriptError {
	e := &ScriptError{Message: "a value that cannot be described"}
	if v == nil {
		v = goja.Undefined()
	}
	var cause goja.Value
	var inner []goja.Value
	var goErr error
	derived := false
	read := func() error {
		d, err := rt.lib.describe(goja.Undefined(), v)
		if err != nil {
			return err
		}
		parts := d.(*goja.Object)
		e.Name, e.Message = text(parts.Get("0")), rt.mask(text(parts.Get("1")))
		if c := parts.Get("2"); c != nil && !goja.IsUndefined(c) {
			cause = c
		}
		if s, ok := parts.Get("3").Export().(*stamp); ok {
			goErr, e.Object = s.err, s.object
		}
		if goErr == nil && ex != nil {
			goErr = ex.Unwrap() // a GoError
		}
		if more, ok := parts.Get("4").(*goja.Object); ok {
			e.Details, derived = rt.mask(text(more.Get("details"))), more.Get("derived").ToBoolean()
			e.ErrorCount = int(more.Get("errorCount").ToInteger())
			list := more.Get("errors").(*goja.Object) // made by values.js
			inner = make([]goja.Value, list.Get("length").ToInteger())
			for i := range inner {
				inner[i] = list.Get(strconv.Itoa(i))
			}
		}
		return nil
	}
	rt.watch.only(func() {
		// What the error says must not depend on the machine: where it stood still, a second look helps.
		if _, expired, _ := rt.protect(describeTime, read); expired {
			_, _, _ = rt.protect(describeTime, read)
		}
	})
	e.Name, e.Message, e.Details = clip(e.Name), clip(e.Message), render.Clip(e.Details, maxDetails)
	if ex != nil {
		e.Stack = rt.errorFrames(ex.Stack(), derived)
	}
	d.around = append(d.around, v)
	defer func() { d.around = d.around[:len(d.around)-1] }()
	switch {
	case goErr != nil:
		e.Cause = goErr
		if e.Name == "GoError" {
			e.Name = "Error"
		}
	case cause != nil:
		if c := rt.inner(cause, d); c != nil {
			e.Cause = c
		}
	}
	for _, v := range inner {
		if i := rt.inner(v, d); i != nil {
			e.Errors = append(e.Errors, i)
		}
	}
	return e
}

// Blame says, of what a method of an object threw, which object that was ("Network net"). The first one counts.
func (rt *Runtime) Blame(thrown goja.Value, object string) {
	rt.watch.only(func() {
		_, _, _ = rt.protect(describeTime, func() error { // a failure leaves the error without an object
			v, err := rt.lib.stampOf(goja.Undefined(), thrown, rt.vm.ToValue(&stamp{}))
			if err != nil {
				return err
			}
			if s, ok := v.Export().(*stamp); ok && s.object == "" {
				s.object = object
			}
			return nil
		})
	})
}

func text(v goja.Value) string {
	if s, ok := v.(goja.String); ok {
		return s.String()
	}
	return ""
}

// clip bounds s to maxText bytes.
func clip(s string) string { return render.Clip(s, maxText) }

// frames converts a stack: positions in the sources, without the library's own frames.
func (rt *Runtime) frames(stack []goja.StackFrame) []Frame { return rt.errorFrames(stack, false) }

// errorFrames is frames for the stack of an error. If a script's own class made that, the innermost calls are those of
// constructors for the built-in class: the error arose where the outermost of them was called.
func (rt *Runtime) errorFrames(stack []goja.StackFrame, derived bool) []Frame {
	var frames []Frame
	for i := range stack {
		s := &stack[i]
		f := Frame{Func: s.FuncName()}
		if f.Func == "<anonymous>" || f.Func == "<native>" {
			f.Func = ""
		}
		p := s.Position()
		switch {
		case p.Filename == "":
			if f.Func == "" || strings.Contains(f.Func, ".") { // Go's name of a host function
				continue
			}
		case strings.HasPrefix(p.Filename, internalName), p.Filename == bundleName: // nothing of the user's
			continue
		default:
			f.File, f.Line, f.Column = sourceName(p.Filename), p.Line, p.Column
			if strings.TrimPrefix(f.Func, evalNamespace+":") == f.File { // the function around a CommonJS module
				f.Func = ""
			}
			if rt.callers != nil {
				name, super := rt.callers.at(position{f.File, f.Line, f.Column})
				if derived && super && len(frames) == 0 {
					continue
				}
				if name != "" {
					f.Func = name
				}
			}
		}
		frames = append(frames, f)
	}
	return frames
}

// sourceName undoes the escaping that goja does to the names in a source map.
func sourceName(name string) string {
	if plain, err := url.PathUnescape(name); err == nil {
		name = plain
	}
	return strings.TrimPrefix(name, evalNamespace+":")
}

// stamp connects an error object with the Go error that it stands for, or with the object whose method threw it.
// Scripts cannot reach it.
type stamp struct {
	err    error
	object string
}

// ErrorValue makes the error object that stands for err in scripts; a host function throws it by
// panicking with it, a host promise is rejected with it. If it comes back to Go in a *ScriptError, err
// is that error's cause.
//
// The object is an instance of the built-in error class that has the error's name, else an Error with
// that name: the one of a *ScriptError, "Error" for others. The caller may add properties.
func (rt *Runtime) ErrorValue(err error) *goja.Object {
	name, message := "Error", err.Error()
	if e, ok := err.(*ScriptError); ok {
		name, message = e.Name, e.Message
	}
	v, callErr := rt.lib.makeError(goja.Undefined(), rt.vm.ToValue(name), rt.vm.ToValue(message), rt.vm.ToValue(&stamp{err: err}))
	if callErr != nil { // interrupted
		return rt.vm.NewTypeError("%s", message)
	}
	return v.(*goja.Object)
}
