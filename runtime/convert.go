package runtime

import (
	"errors"
	"net/url"
	"strings"
	"time"

	"github.com/dop251/goja"

	"github.com/sextongc/sexton/internal/render"
)

const (
	maxText      = 64 << 10    // bytes of a message, or of a line on the console
	maxCauses    = 8           // length of a chain of causes
	describeTime = time.Second // for turning a thrown value into text; so much that a busy machine does not cut it short
	internalName = "sexton:"   // begins the file names of the library's own scripts
)

// convert makes a *ScriptError of an exception; other errors stay as they are.
func (rt *Runtime) convert(err error) error {
	var ex *goja.Exception
	if err == nil || !errors.As(err, &ex) {
		return err
	}
	return rt.describeException(ex, maxCauses)
}

// scriptError makes one of a thrown value or the reason of a rejection.
func (rt *Runtime) scriptError(v goja.Value) *ScriptError { return rt.describe(v, maxCauses) }

func (rt *Runtime) describe(v goja.Value, causes int) *ScriptError {
	if obj, ok := v.(*goja.Object); ok && obj.ClassName() == "Error" {
		// Throwing it again is how goja hands out the stack that the error object keeps.
		return rt.describeException(rt.vm.Try(func() { panic(obj) }), causes)
	}
	return rt.describeValue(v, nil, causes)
}

func (rt *Runtime) describeException(ex *goja.Exception, causes int) *ScriptError {
	e := rt.describeValue(ex.Value(), ex, causes)
	e.Stack = rt.frames(ex.Stack())
	return e
}

// describeValue reads a thrown value. Properties are read without running getters where that is
// possible; whatever code of the script runs all the same has describeTime.
func (rt *Runtime) describeValue(v goja.Value, ex *goja.Exception, causes int) *ScriptError {
	e := &ScriptError{Message: "a value that cannot be described"}
	if v == nil {
		v = goja.Undefined()
	}
	var cause goja.Value
	var goErr error
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
			goErr = s.err
		} else if ex != nil {
			goErr = ex.Unwrap() // a GoError
		}
		return nil
	}
	rt.watch.only(func() {
		// What the error says must not depend on the machine: where it stood still, a second look helps.
		if _, expired, _ := rt.protect(describeTime, read); expired {
			_, _, _ = rt.protect(describeTime, read)
		}
	})
	e.Name, e.Message = clip(e.Name), clip(e.Message)
	switch {
	case goErr != nil:
		e.Cause = goErr
		if e.Name == "GoError" {
			e.Name = "Error"
		}
	case cause != nil && causes > 0:
		e.Cause = rt.describe(cause, causes-1)
	}
	return e
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
func (rt *Runtime) frames(stack []goja.StackFrame) []Frame {
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

// stamp connects an error object with the Go error that it stands for. Scripts cannot reach it.
type stamp struct{ err error }

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
	v, callErr := rt.lib.makeError(goja.Undefined(), rt.vm.ToValue(name), rt.vm.ToValue(message), rt.vm.ToValue(&stamp{err}))
	if callErr != nil { // interrupted
		return rt.vm.NewTypeError("%s", message)
	}
	return v.(*goja.Object)
}
