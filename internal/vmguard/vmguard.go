// Package vmguard puts checks in front of those built-ins of goja that allocate, run or recurse without bound and
// hear no interrupt meanwhile: 'x'.repeat(2**40) ends the process, [].indexOf.call({length: 2**53-1}) never
// returns, a million brackets in JSON.parse overflow Go's stack.
//
// A check is put into the function object itself, in the place of the Go function that it calls. So a built-in
// stays the same object: its name, its properties, what `new` makes of it, what goja compares it with, and every
// reference that scripts or libraries took before. What goja does without calling a function has no check:
// operators (1n << 2n ** 40n, string + string), spread, direct eval.
//
// It is no sandbox: what it bounds is what one call of one built-in can do.
package vmguard

import (
	"fmt"
	"strings"

	"github.com/dop251/goja"
)

// The names of limits as Options.Exceeded hears them.
const (
	Memory     = "memory"
	BuiltIn    = "builtin" // Steps, Arguments and RegExpTime
	SourceSize = "sourceSize"
	Nesting    = "nesting"
)

// What one call of a built-in may do at most, beside Options.
const (
	Steps      = 1 << 23 // elements that it goes through
	SortSteps  = 1 << 20 // elements that it sorts where it cannot be interrupted
	Arguments  = 1 << 20 // of a call
	Brackets   = 1000    // levels of source code
	Prototypes = 1000    // length of a chain
)

// Options say what is too much.
type Options struct {
	Bytes      int64 // of a string or a buffer that one call makes
	Items      int64 // of a list that one call makes
	SourceSize int64 // bytes of code
	Nesting    int   // levels of data
	// Exceeded makes what is thrown. limit is one of the names above, what says what the script asked for.
	Exceeded func(limit, what string) goja.Value
}

type function = func(goja.FunctionCall) goja.Value
type constructor = func(args []goja.Value, newTarget *goja.Object) *goja.Object

type guard struct {
	Options
	r     *goja.Runtime
	l     *layout
	depth int // of built-ins that call themselves
	poll  function
}

// Install puts the checks into the built-ins of r. No script of a user has run yet.
func Install(r *goja.Runtime, opts *Options) error {
	l, err := layoutOf()
	if err != nil {
		return err
	}
	g := &guard{Options: *opts, r: r, l: l}
	noop, err := r.RunString("(() => {})")
	if err != nil {
		return err
	}
	g.poll, _ = noop.Export().(function)
	for _, install := range []func() error{g.strings, g.arrays, g.typedArrays, g.numbers, g.functions, g.objects, g.code, g.json, g.regExps} {
		if err := install(); err != nil {
			return fmt.Errorf("vmguard: %w", err)
		}
	}
	return nil
}

// find returns the object at a path from the global object. A part that begins with @@ is a well-known symbol, ^ is
// the prototype of what stands before it.
func (g *guard) find(path string) (*goja.Object, error) {
	o := g.r.GlobalObject()
	for part := range strings.SplitSeq(path, ".") {
		var v goja.Value
		switch {
		case part == "^":
			v = o.Prototype()
		case strings.HasPrefix(part, "@@"):
			v = o.GetSymbol(symbols[part])
		default:
			v = o.Get(part)
		}
		next, ok := v.(*goja.Object)
		if !ok || next == nil {
			return nil, fmt.Errorf("goja has no %s", path)
		}
		o = next
	}
	return o, nil
}

var symbols = map[string]*goja.Symbol{
	"@@match": goja.SymMatch, "@@matchAll": goja.SymMatchAll, "@@replace": goja.SymReplace, "@@search": goja.SymSearch,
	"@@split": goja.SymSplit, "@@iterator": goja.SymIterator,
}

// call puts a check in front of functions. It may change the call's receiver and arguments.
func (g *guard) call(check func(name string, call *goja.FunctionCall), paths ...string) error {
	return g.replace(func(name string, f function) function {
		return func(call goja.FunctionCall) goja.Value {
			check(name, &call)
			return f(call)
		}
	}, paths...)
}

// replace puts what wrap makes in the place of functions.
func (g *guard) replace(wrap func(name string, f function) function, paths ...string) error {
	for _, path := range paths {
		o, err := g.find(path)
		if err != nil {
			return err
		}
		if err := g.replaceIn(o, path, wrap); err != nil {
			return err
		}
	}
	return nil
}

func (g *guard) replaceIn(o *goja.Object, path string, wrap func(name string, f function) function) error {
	f := g.l.function(o)
	if f == nil || *f == nil {
		return fmt.Errorf("%s is no native function", path)
	}
	*f = wrap(strings.TrimPrefix(path, "Uint8Array.^."), *f)
	return nil
}

// construct puts a check in front of constructors, as functions and with new.
func (g *guard) construct(check func(name string, args []goja.Value) []goja.Value, paths ...string) error {
	for _, path := range paths {
		o, err := g.find(path)
		if err != nil {
			return err
		}
		f, c := g.l.function(o), g.l.constructor(o)
		if f == nil || *c == nil {
			return fmt.Errorf("%s is no native constructor", path)
		}
		name, make := path, *c
		*c = func(args []goja.Value, newTarget *goja.Object) *goja.Object {
			return make(check(name, args), newTarget)
		}
		if call := *f; call != nil {
			*f = func(c goja.FunctionCall) goja.Value {
				c.Arguments = check(name, c.Arguments)
				return call(c)
			}
		}
	}
	return nil
}

// exceeded throws.
func (g *guard) exceeded(limit, format string, args ...any) {
	panic(g.Exceeded(limit, fmt.Sprintf(format, args...)))
}

// bytes throws if n is more than a string or buffer may have.
func (g *guard) bytes(name string, n int64) {
	if n > g.Bytes || n < 0 {
		g.exceeded(Memory, "%s asks for %s", name, amount(n))
	}
}

// items throws if n is more than a new list may have.
func (g *guard) items(name string, n int64) {
	if n > g.Items || n < 0 {
		g.exceeded(Memory, "%s asks for %s elements", name, amount(n))
	}
}

// steps throws if n is more than a built-in may go through.
func (g *guard) steps(name string, n, most int64) {
	if n > most {
		g.exceeded(BuiltIn, "%s goes through %s elements, of %d at most", name, amount(n), most)
	}
}

// amount writes a large number so that its order shows.
func amount(n int64) string {
	if n < 0 {
		return "more than 2**63"
	}
	unit := ""
	v := float64(n)
	for _, u := range []string{"Ki", "Mi", "Gi", "Ti", "Pi", "Ei"} {
		if v < 1024 {
			break
		}
		v, unit = v/1024, u
	}
	return strings.TrimSuffix(fmt.Sprintf("%.1f", v), ".0") + unit
}

// nested runs f as one more level of a built-in that calls itself without a frame on goja's call stack.
func (g *guard) nested(name string, f func() goja.Value) goja.Value {
	if g.depth++; g.depth > Brackets {
		g.depth--
		g.exceeded(Nesting, "%s nests more than %d levels", name, Brackets)
	}
	defer func() { g.depth-- }()
	return f()
}

// interruptible lets an interrupt strike.
func (g *guard) interruptible() { g.poll(goja.FunctionCall{This: goja.Undefined()}) }

// argument returns the i-th argument; undefined if there is none.
func argument(args []goja.Value, i int) goja.Value {
	if i < len(args) {
		return args[i]
	}
	return goja.Undefined()
}

// set returns args with the i-th replaced; the slice that the interpreter owns stays as it is.
func set(args []goja.Value, i int, v goja.Value) []goja.Value {
	out := append([]goja.Value(nil), args...)
	out[i] = v
	return out
}

// lengthOf returns how long a string, an array or what looks like one is; 0 for other values. Code of the script
// runs only if the length is an accessor or the object a proxy.
func (g *guard) lengthOf(v goja.Value) int64 {
	switch v := v.(type) {
	case goja.String:
		return int64(v.Length())
	case *goja.Object:
		if n, ok := g.l.arrayLength(v); ok {
			return n
		}
		if n := v.Get("length"); n != nil {
			return n.ToInteger()
		}
	}
	return 0
}
