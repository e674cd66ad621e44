package vmguard

import (
	"time"

	"github.com/dlclark/regexp2/v2"
	"github.com/dop251/goja"
)

// RegExpTime is what one call may take that matches a regular expression. Those with back-references and
// look-around, and those that go on from a lastIndex, are matched by trying, which can take for ever.
const RegExpTime = time.Second

// goja takes a match that was given up for none. So every call that took as long as giving up takes is an error,
// whatever came of it. Expressions are compiled with modules, before there is a runtime.
func init() { regexp2.DefaultMatchTimeout = RegExpTime }

// maxPattern is how long a regular expression may be.
const maxPattern = 1 << 16

func (g *guard) regExps() error {
	if err := g.construct(g.newRegExp, "RegExp"); err != nil {
		return err
	}
	compile := func(name string, call *goja.FunctionCall) { call.Arguments = g.newRegExp(name, call.Arguments) }
	if err := g.call(compile, "RegExp.prototype.compile"); err != nil {
		return err
	}
	pattern := func(name string, call *goja.FunctionCall) {
		if s, ok := call.Argument(0).(goja.String); ok {
			g.pattern(name, s)
		}
	}
	if err := g.call(pattern, "String.prototype.match", "String.prototype.matchAll", "String.prototype.search"); err != nil {
		return err
	}
	if err := g.replace(g.timed, "RegExp.prototype.exec", "RegExp.prototype.test", "RegExp.prototype.@@match",
		"RegExp.prototype.@@replace", "RegExp.prototype.@@search", "RegExp.prototype.@@split"); err != nil {
		return err
	}
	next, err := g.r.RunString("Object.getPrototypeOf(''.matchAll(/a/g)).next")
	if err != nil {
		return err
	}
	return g.replaceIn(next.(*goja.Object), "RegExp.prototype.@@matchAll", g.timed)
}

func (g *guard) newRegExp(name string, args []goja.Value) []goja.Value {
	v := argument(args, 0)
	if o, ok := v.(*goja.Object); ok {
		if g.l.isRegExp(o) || o.GetSymbol(goja.SymMatch) != nil {
			return args
		}
		v = g.text(o)
		args = set(args, 0, v)
	}
	if s, ok := v.(goja.String); ok {
		g.pattern(name, s)
	}
	return args
}

func (g *guard) pattern(name string, s goja.String) {
	if s.Length() <= Brackets {
		return
	}
	if s.Length() > maxPattern {
		g.exceeded(BuiltIn, "%s gets a pattern of %d characters, of %d at most", name, s.Length(), maxPattern)
	}
	depth := 0
	for _, c := range s.String() {
		switch c {
		case '(', '[':
			if depth++; depth > Brackets {
				g.exceeded(Nesting, "%s gets more than %d nested brackets", name, Brackets)
			}
		case ')', ']':
			depth = max(0, depth-1)
		}
	}
}

// timed measures what a function takes without the code of scripts that it calls for replacements.
func (g *guard) timed(name string, f function) function {
	return func(call goja.FunctionCall) goja.Value {
		var others time.Duration
		if replacer, ok := call.Argument(1).(*goja.Object); ok {
			if make, ok := replacer.Export().(function); ok {
				call.Arguments = set(call.Arguments, 1, g.r.ToValue(func(inner goja.FunctionCall) goja.Value {
					began := time.Now()
					defer func() { others += time.Since(began) }()
					return make(inner)
				}))
			}
		}
		began := time.Now()
		result := f(call)
		if time.Since(began)-others >= RegExpTime-50*time.Millisecond {
			g.exceeded(BuiltIn, "%s took %v, which is all that matching may take", name, RegExpTime)
		}
		return result
	}
}
