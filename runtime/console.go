package runtime

import (
	"regexp"
	"strings"
	"sync"
	"time"

	"github.com/dop251/goja"
)

// print is host.print(level, text).
func (rt *Runtime) print(call goja.FunctionCall) goja.Value {
	text := clip(rt.mask(call.Argument(1).String()))
	rt.printed += int64(len(text)) + 1
	if most := rt.opts.Limits.Output; most > 0 && rt.printed > most {
		panic(rt.rangeError(&LimitError{Limit: "output", Value: Bytes(most), What: "console prints more"}))
	}
	if rt.opts.Console != nil {
		rt.opts.Console(call.Argument(0).String(), text)
	}
	return goja.Undefined()
}

func (rt *Runtime) mask(text string) string {
	if rt.opts.Mask == nil {
		return text
	}
	return rt.opts.Mask(text)
}

// monotonic is host.now(): milliseconds on the runtime's clock, with fractions.
func (rt *Runtime) monotonic(goja.FunctionCall) goja.Value {
	return rt.vm.ToValue(float64(rt.opts.Clock.Now().UnixNano()) / float64(time.Millisecond))
}

// stackText is host.stack(error?): the frames of an error, or of the caller, each on a new line.
func (rt *Runtime) stackText(call goja.FunctionCall) goja.Value {
	var frames []Frame
	if obj, ok := call.Argument(0).(*goja.Object); ok {
		if ex := rt.vm.Try(func() { panic(obj) }); ex != nil {
			frames = rt.frames(ex.Stack())
		}
	} else {
		frames = rt.frames(rt.vm.CaptureCallStack(0, nil))
	}
	var b strings.Builder
	for _, f := range frames {
		b.WriteString("\n    at " + f.String())
	}
	return rt.vm.ToValue(b.String())
}

// promiseState is host.promiseState(promise).
func (rt *Runtime) promiseState(call goja.FunctionCall) goja.Value {
	state := "pending"
	if obj, ok := call.Argument(0).(*goja.Object); ok {
		if p := promiseOf(obj); p != nil {
			switch p.State() {
			case goja.PromiseStateFulfilled:
				state = "fulfilled"
			case goja.PromiseStateRejected:
				state = "rejected"
			}
		}
	}
	return rt.vm.ToValue(state)
}

// functionKinds are the functions that are no ordinary ones, by how their source begins.
var functionKinds = sync.OnceValue(func() []functionKind {
	return []functionKind{
		{regexp.MustCompile(`^async\s*(function\s*)?\*`), "AsyncGeneratorFunction"},
		{regexp.MustCompile(`^async\b`), "AsyncFunction"},
		{regexp.MustCompile(`^(function\s*)?\*`), "GeneratorFunction"},
	}
})

type functionKind struct {
	source *regexp.Regexp
	kind   string
}

// functionKind is host.functionKind(source).
func (rt *Runtime) functionKind(call goja.FunctionCall) goja.Value {
	source := call.Argument(0).String()
	for _, k := range functionKinds() {
		if k.source.MatchString(source[:min(len(source), 100)]) {
			return rt.vm.ToValue(k.kind)
		}
	}
	return rt.vm.ToValue("Function")
}
