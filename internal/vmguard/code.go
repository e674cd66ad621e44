package vmguard

import (
	"fmt"

	"github.com/dop251/goja"
)

func (g *guard) code() error {
	if err := g.call(func(name string, call *goja.FunctionCall) { g.source(name, call.Argument(0)) }, "eval"); err != nil {
		return err
	}
	if err := g.construct(g.newFunction, "Function"); err != nil {
		return err
	}
	for _, kind := range []string{"async function () {}", "function* () {}"} {
		v, err := g.r.RunString("(" + kind + ").constructor")
		if err != nil {
			return err
		}
		o := v.(*goja.Object)
		f, c := g.l.function(o), g.l.constructor(o)
		if f == nil || *f == nil || *c == nil {
			return fmt.Errorf("the constructor of %s is no native one", kind)
		}
		call, make := *f, *c
		*f = func(c goja.FunctionCall) goja.Value {
			c.Arguments = g.newFunction("Function", c.Arguments)
			return call(c)
		}
		*c = func(args []goja.Value, newTarget *goja.Object) *goja.Object {
			return make(g.newFunction("Function", args), newTarget)
		}
	}
	return nil
}

// newFunction makes strings of the arguments, once.
func (g *guard) newFunction(name string, args []goja.Value) []goja.Value {
	for i, v := range args {
		if o, ok := v.(*goja.Object); ok {
			v = g.text(o)
			args = set(args, i, v)
		}
		g.source(name, v)
	}
	return args
}

func (g *guard) source(name string, v goja.Value) {
	s, ok := v.(goja.String)
	if !ok {
		return
	}
	if int64(s.Length()) > g.SourceSize {
		g.exceeded(SourceSize, "%s gets %s of code", name, amount(int64(s.Length())))
	}
	if s.Length() > Brackets {
		if what := Deep(s.String()); what != "" {
			g.exceeded(Nesting, "%s gets code with %s", name, what)
		}
	}
}

// maxRun is how many operators and words an expression may have without any of , ; and brackets.
const maxRun = 20_000

// Deep says in which respect code would need too much stack to be parsed, "" if in none. It knows nothing of strings and
// comments, which seldom hold a thousand brackets that are never closed.
func Deep(code string) string {
	depth, run, word := 0, 0, false
	for i := range len(code) {
		switch c := code[i]; c {
		case '(', '[', '{':
			if depth++; depth > Brackets {
				return fmt.Sprintf("more than %d nested brackets", Brackets)
			}
			run, word = 0, false
		case ')', ']', '}':
			depth = max(0, depth-1)
			word = false
		case ',', ';':
			run, word = 0, false
		case ' ', '\t', '\r', '\n':
			word = false
		case '+', '-', '*', '/', '%', '=', '!', '~', '?', ':', '&', '|', '^', '<', '>', '.', '`':
			run++
			word = false
		default:
			if !word {
				run++
			}
			word = true
		}
		if run > maxRun {
			return fmt.Sprintf("an expression of more than %d parts", maxRun)
		}
	}
	return ""
}
