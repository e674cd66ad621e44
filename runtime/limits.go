package runtime

import (
	"cmp"
	"fmt"
	"math"
	"strconv"
	"sync/atomic"
	"time"

	"github.com/dop251/goja"

	"github.com/sextongc/sexton/internal/vmguard"
)

// Limits bound what the scripts of a Runtime may use. A field that is 0 bounds nothing, but what a single call of a
// built-in makes or goes through is bounded always.
type Limits struct {
	Memory     int64         // bytes of the process's heap, on top of what it has when Run begins
	CPU        time.Duration // CPU time of the process while Run runs, all of them together
	Output     int64         // bytes of text for Options.Console
	Timers     int           // that are set at one time
	Promises   int           // host operations under way at one time
	SourceSize int64         // bytes of code that eval and Function get
	Nesting    int           // levels of arrays and objects in JSON; 0: 10,000
}

// LimitError says which limit a script exceeded. It ends the script, or is the cause of a RangeError that
// a script can catch.
type LimitError struct {
	Limit string // by its name in package.json: "memory"; "builtin": what one call of a built-in may do
	Value string // "512M"
	What  string // what the script did: "String.prototype.repeat asks for 1Ti"
	At    Frame  // where it did that; the zero Frame: not in a script, or not known
}

func (e *LimitError) Error() string {
	text := "limit exceeded: " + e.Limit
	if e.Value != "" {
		text += " (" + e.Value + ")"
	}
	if e.What != "" {
		text += ": " + e.What
	}
	if e.At.File != "" {
		text += ", at " + e.At.String()
	}
	return text
}

// Is reports whether target is a *LimitError about the same limit, or about none.
func (e *LimitError) Is(target error) bool {
	t, ok := target.(*LimitError)
	return ok && (t.Limit == "" || t.Limit == e.Limit)
}

const (
	defaultMemory = 4 << 30 // what one call of a built-in is bounded by if there is no Limits.Memory
	bufferShare   = 4       // one string or buffer is at most memory divided by this
)

// guardBuiltIns puts checks in front of what hears no interrupt.
func (rt *Runtime) guardBuiltIns() error {
	l := &rt.opts.Limits
	memory := cmp.Or(l.Memory, defaultMemory)
	return vmguard.Install(rt.vm, &vmguard.Options{
		Bytes: memory / bufferShare, Items: memory / 64, SourceSize: cmp.Or(l.SourceSize, math.MaxInt64), Nesting: cmp.Or(l.Nesting, 10_000),
		Exceeded: func(limit, what string) goja.Value {
			value := map[string]string{
				vmguard.Memory: Bytes(memory), vmguard.SourceSize: Bytes(l.SourceSize),
			}[limit]
			return rt.rangeError(&LimitError{Limit: limit, Value: value, What: what})
		},
	})
}

// rangeError makes what a script gets for going beyond a limit where it can be told: a RangeError.
func (rt *Runtime) rangeError(e *LimitError) *goja.Object {
	e.locate(rt.frames(rt.vm.CaptureCallStack(10, nil)))
	v, err := rt.lib.makeError(goja.Undefined(), rt.vm.ToValue("RangeError"), rt.vm.ToValue(e.Error()), rt.vm.ToValue(&stamp{err: e}))
	if err != nil { // interrupted
		return rt.vm.NewTypeError("%s", e.Error())
	}
	return v.(*goja.Object)
}

// RangeError returns an exception with the RangeError that stands for e in scripts: a host function panics with it.
func (rt *Runtime) RangeError(e *LimitError) error {
	v := rt.rangeError(e)
	if ex := rt.vm.Try(func() { panic(v) }); ex != nil {
		return ex
	}
	return e
}

// tooMany throws a RangeError.
func (rt *Runtime) tooMany(limit string, most int, what string) {
	panic(rt.rangeError(&LimitError{Limit: limit, Value: strconv.Itoa(most), What: what}))
}

// limitError is the error of a script that a limit has ended.
func limitError(e *LimitError, stack []Frame) *ScriptError {
	e.locate(stack)
	return &ScriptError{Name: "LimitError", Message: e.Error(), Stack: stack, Cause: e}
}

// locate sets where the limit was exceeded: the first place that is known.
func (e *LimitError) locate(stack []Frame) {
	for i := 0; i < len(stack) && e.At == (Frame{}); i++ {
		if stack[i].File != "" {
			e.At = stack[i]
		}
	}
}

// Bytes writes a number of bytes as package.json has it, if it is a round one: "512M".
func Bytes(n int64) string {
	for i, unit := range []string{"T", "G", "M", "K"} {
		if size := int64(1) << (40 - 10*i); n >= size && n%size == 0 {
			return fmt.Sprintf("%d%s", n/size, unit)
		}
	}
	return strconv.FormatInt(n, 10)
}

var abandoned atomic.Int64

// Abandoned is how many runtimes of this process have told Options.Stuck: each holds a goroutine, and the CPU and memory
// that its script takes, until the native function that it is in returns.
func Abandoned() int64 { return abandoned.Load() }
