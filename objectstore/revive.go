package objectstore

import (
	"fmt"
	"math/big"
	"slices"

	"github.com/dop251/goja"
)

// box is a value that scripts can change in place, as it was made from plain data.
type box struct {
	o      *goja.Object
	stored Value        // an array, Record, Map, Set, Date or Bytes
	elems  []goja.Value // of a container: what it holds, a Map's keys and values by turns
}

// toScript makes a fresh JavaScript value of plain data, and notes in boxes, if not nil, what of it
// can be changed in place. References become the objects of the current store; a dangling one panics,
// because graphs are checked before they are loaded. It recurses as deep as the data nests, which
// maxNesting bounds for all that was saved.
func (g *Registry) toScript(v Value, boxes *[]box) goja.Value {
	switch v := v.(type) {
	case nil:
		return goja.Null()
	case Undefined:
		return goja.Undefined()
	case bool, float64, string:
		return g.vm.ToValue(v)
	case Secret:
		if g.secrets != nil {
			g.secrets.Learn(string(v)) // a text with a secret of somebody else: it stays sealed as long as it stays
		}
		return g.vm.ToValue(string(v))
	case Sealed:
		panic("objectstore: a sealed secret was not opened")
	case *big.Int:
		return g.vm.ToValue(new(big.Int).Set(v))
	case Ref:
		o := g.store.byID[string(v)]
		if o == nil {
			panic(fmt.Sprintf("objectstore: dangling reference %q", v))
		}
		return o.Value()
	}
	b := g.box(v, boxes)
	if boxes != nil {
		*boxes = append(*boxes, b)
	}
	return b.o
}

func (g *Registry) box(v Value, boxes *[]box) box {
	b := box{stored: v}
	add := func(e Value) { b.elems = append(b.elems, g.toScript(e, boxes)) }
	switch v := v.(type) {
	case Date:
		b.o = g.lib.must("date", g.vm.ToValue(float64(v))).(*goja.Object)
	case Bytes:
		b.o = g.lib.must("bytes", g.vm.ToValue(g.vm.NewArrayBuffer(slices.Clone(v)))).(*goja.Object)
	case []Value:
		for _, e := range v {
			add(e)
		}
		b.o = g.array(b.elems)
	case *Record:
		b.o = g.vm.NewObject()
		for i, f := range v.Fields {
			add(f.Value)
			g.set(b.o, f.Name, b.elems[i])
		}
	case *Map:
		b.o = g.lib.must("map").(*goja.Object)
		for _, e := range v.Entries {
			add(e.Key)
			add(e.Value)
		}
		g.lib.must("mapFill", b.o, g.array(b.elems))
	case *Set:
		b.o = g.lib.must("set").(*goja.Object)
		for _, e := range v.Items {
			add(e)
		}
		g.lib.must("setFill", b.o, g.array(b.elems))
	default:
		panic(fmt.Sprintf("objectstore: %T is no Value", v))
	}
	return b
}

func (g *Registry) array(elems []goja.Value) *goja.Object {
	items := make([]any, len(elems))
	for i, e := range elems {
		items[i] = e
	}
	return g.vm.NewArray(items...)
}
