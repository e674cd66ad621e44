package vmheap

import (
	_ "embed"
	"fmt"

	"github.com/dop251/goja"
	"github.com/dop251/goja/unistring"
)

//go:embed prelude.js
var preludeSource string

// InstallPrelude replaces Function.prototype.bind, WeakMap and WeakSet of the runtime
// by versions in JavaScript whose references Find can follow. The replaced properties
// can be neither written nor configured. It must run before any other script.
func (h *Heap) InstallPrelude() error {
	v, err := h.r.RunScript("sexton:prelude", preludeSource)
	if err != nil {
		return fmt.Errorf("vmheap: prelude: %w", err)
	}
	install, ok := goja.AssertFunction(v)
	if !ok {
		return fmt.Errorf("vmheap: prelude is no function")
	}
	if _, err := install(goja.Undefined(), h.r.ToValue(h.loosen)); err != nil {
		return fmt.Errorf("vmheap: prelude: %w", err)
	}
	return nil
}

// loosen makes the prototype property of a class configurable, which JavaScript
// cannot: a bound constructor has none.
func (h *Heap) loosen(call goja.FunctionCall) goja.Value {
	if o, ok := call.Argument(0).(*goja.Object); ok {
		if w, p := h.impl(o); p != nil {
			values := *at[map[unistring.String]goja.Value](w.data, h.l.baseValues)
			v := values["prototype"]
			if d := (*words)(ptr(&v)); v != nil && d.tab == h.l.propertyTab {
				*at[bool](d.data, h.l.propConfigurable) = true
			}
		}
	}
	return goja.Undefined()
}
