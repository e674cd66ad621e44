package objectstore

import (
	"fmt"
	"math/big"
	"slices"
	"strconv"

	"github.com/dop251/goja"
)

// toScript makes a fresh JavaScript value of plain data. References become the objects of the
// current store; a dangling one panics, because graphs are checked before they are loaded.
func (g *Registry) toScript(v Value) goja.Value {
	switch v := v.(type) {
	case nil:
		return goja.Null()
	case Undefined:
		return goja.Undefined()
	case bool, float64, string:
		return g.vm.ToValue(v)
	case *big.Int:
		return g.vm.ToValue(new(big.Int).Set(v))
	case Ref:
		o := g.store.byID[string(v)]
		if o == nil {
			panic(fmt.Sprintf("objectstore: dangling reference %q", v))
		}
		return o.Value()
	case Date:
		return g.lib.must("date", g.vm.ToValue(float64(v)))
	case Bytes:
		return g.lib.must("bytes", g.vm.ToValue(g.vm.NewArrayBuffer(slices.Clone(v))))
	case []Value:
		items := make([]any, len(v))
		for i, e := range v {
			items[i] = g.toScript(e)
		}
		return g.vm.NewArray(items...)
	}
	var o *goja.Object
	switch v.(type) {
	case *Map:
		o = g.lib.must("map").(*goja.Object)
	case *Set:
		o = g.lib.must("set").(*goja.Object)
	default:
		o = g.vm.NewObject()
	}
	if err := g.refill(o, v); err != nil {
		panic(err) // a fresh container takes everything
	}
	return o
}

// refill gives a container exactly the content of v; the container stays the same one.
func (g *Registry) refill(o *goja.Object, v Value) error {
	switch v := v.(type) {
	case []Value:
		if err := o.Set("length", 0); err != nil {
			return err
		}
		for i, e := range v {
			if err := o.Set(strconv.Itoa(i), g.toScript(e)); err != nil {
				return err
			}
		}
	case *Record:
		for _, key := range o.Keys() {
			if err := o.Delete(key); err != nil {
				return err
			}
		}
		for _, f := range v.Fields {
			g.set(o, f.Name, g.toScript(f.Value))
		}
	case *Map:
		g.lib.must("mapClear", o)
		for _, e := range v.Entries {
			g.lib.must("mapSet", o, g.toScript(e.Key), g.toScript(e.Value))
		}
	case *Set:
		g.lib.must("setClear", o)
		for _, e := range v.Items {
			g.lib.must("setAdd", o, g.toScript(e))
		}
	}
	return nil
}
