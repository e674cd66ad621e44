package vmguard

import (
	"math/big"

	"github.com/dop251/goja"
)

var elementSizes = map[string]int64{
	"ArrayBuffer": 1, "Int8Array": 1, "Uint8Array": 1, "Uint8ClampedArray": 1, "Int16Array": 2, "Uint16Array": 2,
	"Int32Array": 4, "Uint32Array": 4, "Float32Array": 4, "Float64Array": 8, "BigInt64Array": 8, "BigUint64Array": 8,
}

func (g *guard) typedArrays() error {
	for name := range elementSizes {
		if err := g.construct(g.newBuffer, name); err != nil {
			return err
		}
	}
	if err := g.call(g.from, "Uint8Array.^.from"); err != nil {
		return err
	}
	return g.call(g.sorted, "Uint8Array.^.prototype.sort", "Uint8Array.^.prototype.toSorted")
}

func (g *guard) newBuffer(name string, args []goja.Value) []goja.Value {
	switch v := argument(args, 0).(type) {
	case *goja.Object:
		if n := g.l.dense(v); n != nil {
			g.bytes(name, times(int64(len(n)), elementSizes[name]))
			return args
		}
		if name == "ArrayBuffer" {
			n := v.ToNumber()
			g.bytes(name, clamp(n.ToFloat()))
			return set(args, 0, n)
		}
		if v.ClassName() != "ArrayBuffer" {
			g.bytes(name, times(clamp(float64(g.lengthOf(v))), elementSizes[name]))
		}
	case *goja.Symbol:
	default:
		g.bytes(name, times(clamp(v.ToFloat()), elementSizes[name]))
	}
	return args
}

// maxBits bounds what becomes a decimal number, which takes time that is quadratic, and bits that a script asks for.
const maxBits = 1 << 20

func (g *guard) numbers() error {
	if err := g.replace(g.bigInt, "BigInt"); err != nil {
		return err
	}
	if err := g.call(g.bigText, "BigInt.prototype.toString", "BigInt.prototype.toLocaleString"); err != nil {
		return err
	}
	return g.replace(g.bits, "BigInt.asIntN", "BigInt.asUintN")
}

func (g *guard) bigInt(name string, f function) function {
	return func(call goja.FunctionCall) goja.Value {
		v := call.Argument(0)
		if o, ok := v.(*goja.Object); ok && g.lengthOf(o) > 0 {
			v = g.text(o)
			call.Arguments = set(call.Arguments, 0, v)
		}
		if s, ok := v.(goja.String); ok && s.Length() > maxBits/4 {
			g.exceeded(BuiltIn, "%s gets %d digits, of %d at most", name, s.Length(), maxBits/4)
		}
		return f(call)
	}
}

func (g *guard) bigText(name string, call *goja.FunctionCall) {
	if n, ok := call.This.Export().(*big.Int); ok && n.BitLen() > maxBits {
		g.exceeded(BuiltIn, "%s gets %d bits, of %d at most", name, n.BitLen(), maxBits)
	}
}

// bits answers by itself where goja would make a number of as many bits.
func (g *guard) bits(name string, f function) function {
	return func(call goja.FunctionCall) goja.Value {
		n := clamp(g.number(&call, 0))
		if n <= maxBits {
			return f(call)
		}
		v, ok := call.Argument(1).Export().(*big.Int)
		if !ok || int64(v.BitLen()) >= n-1 || name == "BigInt.asUintN" && v.Sign() < 0 {
			g.exceeded(BuiltIn, "%s asks for %s bits, of %d at most", name, amount(n), maxBits)
		}
		return call.Argument(1)
	}
}
