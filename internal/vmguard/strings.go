package vmguard

import (
	"strings"

	"github.com/dop251/goja"
)

func (g *guard) strings() error {
	for _, install := range []error{
		g.call(g.repeat, "String.prototype.repeat"),
		g.call(g.pad, "String.prototype.padStart", "String.prototype.padEnd"),
		g.call(g.split, "String.prototype.split"),
		g.call(g.replacement, "String.prototype.replace", "String.prototype.replaceAll"),
		g.call(g.scan, "String.prototype.normalize"),
		g.call(g.encode, "encodeURIComponent", "encodeURI", "decodeURIComponent", "decodeURI", "escape", "unescape"),
	} {
		if install != nil {
			return install
		}
	}
	return nil
}

// receiver makes a string of the call's receiver, once, so that a check and the built-in see the same. It
// returns nil for what has no string; the built-in throws then.
func (g *guard) receiver(call *goja.FunctionCall) goja.String {
	if s, ok := call.This.(goja.String); ok {
		return s
	}
	if call.This == nil || goja.IsUndefined(call.This) || goja.IsNull(call.This) {
		return nil
	}
	if _, ok := call.This.(*goja.Symbol); ok {
		return nil
	}
	s := g.text(call.This)
	call.This = s
	return s
}

// text converts a value that is no symbol.
func (g *guard) text(v goja.Value) goja.String {
	v = v.ToString()
	s, ok := v.(goja.String)
	if !ok { // ToString of a number is the number
		s, _ = g.r.ToValue(v.String()).(goja.String)
	}
	return s
}

// number does the same for an argument.
func (g *guard) number(call *goja.FunctionCall, i int) float64 {
	v := call.Argument(i)
	if _, ok := v.(*goja.Object); ok {
		v = v.ToNumber()
		call.Arguments = set(call.Arguments, i, v)
	}
	if _, ok := v.(*goja.Symbol); ok {
		return 0
	}
	return v.ToFloat()
}

// clamp makes a count of a number.
func clamp(f float64) int64 {
	switch {
	case !(f > 0):
		return 0
	case f > 1<<53:
		return 1 << 53
	}
	return int64(f)
}

// times multiplies without overflow.
func times(a, b int64) int64 {
	if a != 0 && b > (1<<62)/a {
		return 1 << 62
	}
	return a * b
}

func (g *guard) repeat(name string, call *goja.FunctionCall) {
	if s := g.receiver(call); s != nil {
		g.bytes(name, times(int64(s.Length()), clamp(g.number(call, 0))))
	}
}

func (g *guard) pad(name string, call *goja.FunctionCall) {
	if g.receiver(call) != nil {
		g.bytes(name, clamp(g.number(call, 0)))
	}
}

// long is from which length on strings are looked at more closely.
const long = 1 << 16

func (g *guard) split(name string, call *goja.FunctionCall) {
	s, ok := call.This.(goja.String)
	if !ok || int64(s.Length()) < min(g.Items, long) {
		return
	}
	n := int64(s.Length()) + 1
	if sep, ok := call.Argument(0).(goja.String); ok && sep.Length() > 0 {
		n = int64(strings.Count(s.String(), sep.String())) + 1
	}
	if limit := call.Argument(1); !goja.IsUndefined(limit) {
		n = min(n, clamp(g.number(call, 1)))
	}
	g.items(name, n)
}

// replacement bounds what many replacements make of a long string, or a short string of long ones. A function that
// makes them is interrupted like any other.
func (g *guard) replacement(name string, call *goja.FunctionCall) {
	s, ok := call.This.(goja.String)
	with, okWith := call.Argument(1).(goja.String)
	if !ok || !okWith {
		return
	}
	length := int64(s.Length())
	each := int64(with.Length())
	if each > 1 { // $& and the like put in parts of the string
		each += times(int64(strings.Count(with.String(), "$")), length)
	}
	if length+times(length+1, each) <= g.Bytes {
		return
	}
	n := int64(1)
	switch pattern := call.Argument(0).(type) {
	case goja.String:
		if name == "String.prototype.replaceAll" {
			n = length + 1
			if pattern.Length() > 0 {
				n = int64(strings.Count(s.String(), pattern.String()))
			}
		}
	case *goja.Object:
		n = length + 1
		if g.l.isRegExp(pattern) {
			if global := pattern.Get("global"); global == nil || !global.ToBoolean() {
				n = 1
			} else if found, ok := g.matches(s, pattern); ok {
				n = found
			}
		}
	}
	g.bytes(name, length+times(n, each))
}

// matches counts the matches of a global regular expression.
func (g *guard) matches(s goja.String, pattern *goja.Object) (int64, bool) {
	match, ok := pattern.GetSymbol(goja.SymMatch).(*goja.Object)
	if !ok {
		return 0, false
	}
	f, ok := match.Export().(function)
	if !ok {
		return 0, false
	}
	found, ok := f(goja.FunctionCall{This: pattern, Arguments: []goja.Value{s}}).(*goja.Object)
	if !ok {
		return 0, true
	}
	return g.lengthOf(found), true
}

// Normalisation takes a tenth of a microsecond for each character, and several times the memory.
func (g *guard) scan(name string, call *goja.FunctionCall) {
	if s := g.receiver(call); s != nil {
		g.steps(name, int64(s.Length()), Steps/4)
		g.bytes(name, 4*int64(s.Length()))
	}
}

func (g *guard) encode(name string, call *goja.FunctionCall) {
	if s, ok := call.Argument(0).(goja.String); ok {
		g.steps(name, int64(s.Length()), Steps)
		g.bytes(name, 3*int64(s.Length()))
	}
}
