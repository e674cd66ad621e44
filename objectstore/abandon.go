package objectstore

import "github.com/dop251/goja"

// Abandon drops an object whose constructor threw on `new`: it never was initialised, so it never
// existed, and no destroy() runs (gc 5.4). What is being restored is not meant; Load deals with that.
func (g *Registry) Abandon(v *goja.Object) {
	if o := g.Find(v); o != nil && o.store == g.store && o.stored == nil && o.state == Live {
		o.store.forget(o)
	}
}
