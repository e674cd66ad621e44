package sexton

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/dop251/goja"

	"github.com/sextongc/sexton/gcext"
	"github.com/sextongc/sexton/objectstore"
	"github.com/sextongc/sexton/runtime"
)

// recover lets interrupted objects look after what they did since they were saved, before anything else
// happens to them: recover(effects) of each that has it, in creation order, doomed ones included. What an
// object without it did is told as a warning, because its properties may not know of it. What objects did that
// cannot be loaded stays recorded until they can, or are gone.
func (d *deploying) recover(t *runtime.Task) error {
	if len(d.interrupted) == 0 {
		return nil
	}
	d.phase("recover")
	store := d.s.store
	byObject := map[incarnation][]*recordedEffect{}
	for _, e := range d.interrupted {
		byObject[e.of()] = append(byObject[e.of()], e)
	}
	waits := map[incarnation]bool{}
	for _, o := range store.Objects() {
		key := incarnation{o.ID, o.Incarnation}
		effects := byObject[key]
		delete(byObject, key)
		switch {
		case len(effects) == 0:
		case o.Broken() != "":
			waits[key] = true
		case !store.HasMethod(o, "recover"):
			d.warn(fmt.Sprintf("%s was interrupted after %s; its class has no recover(effects)", o, operations(effects)))
		default:
			if err := d.callRecover(t, o, effects); err != nil {
				return &PhaseError{Phase: "recover()", Object: o.String(), Err: err}
			}
		}
	}
	d.warnOfStrays(byObject)
	var done, waiting []*recordedEffect
	for _, e := range d.interrupted {
		if waits[e.of()] {
			waiting = append(waiting, e)
		} else {
			done = append(done, e)
		}
	}
	d.recovered(done)
	d.interrupted = waiting
	return d.unhandled("recover()")
}

// incarnation is which object an effect was made for: an id may come back as another one (gc 1.2).
type incarnation struct {
	id     string
	number uint64
}

func (e *recordedEffect) of() incarnation { return incarnation{e.intent.Object, e.intent.Incarnation} }

// warnOfStrays tells of effects that nobody can look after: modules made them, or objects that are gone. What
// an object did that is destroyed is of no concern, unless it did not wait for the end.
func (d *deploying) warnOfStrays(byObject map[incarnation][]*recordedEffect) {
	for _, e := range d.interrupted {
		if _, stray := byObject[e.of()]; !stray || e.outcome != nil {
			continue
		}
		who := "a module of the package"
		if e.intent.Object != "" {
			who = fmt.Sprintf("object %q, which is gone,", e.intent.Object)
		}
		d.warn(fmt.Sprintf("%s was interrupted after %s; nothing looks after that", who, operations([]*recordedEffect{e})))
	}
}

func (d *deploying) callRecover(t *runtime.Task, o *objectstore.Object, effects []*recordedEffect) error {
	var result goja.Value
	var err error
	d.s.rt.WithContext(&gcext.Context{Object: o}, func() {
		err = d.s.rt.Try(d.settings.HandlerTimeout, func() (err error) {
			object := o.Value().(*goja.Object)
			f, _ := goja.AssertFunction(object.Get("recover"))
			result, err = f(object, effectsValue(d.s.rt.Goja(), effects))
			return err
		})
	})
	if err == nil {
		_, err = t.AwaitFor(result, d.settings.HandlerTimeout)
	}
	return err
}

func operations(effects []*recordedEffect) string {
	ops := make([]string, len(effects))
	for i, e := range effects {
		ops[i] = e.intent.Op
		if e.outcome == nil {
			ops[i] += " (outcome unknown)"
		}
	}
	return strings.Join(ops, ", ")
}

// effectsValue is what recover() gets: [{ op, args, token, outcome }], the outcome { result } or
// { error: { name, code, message } }, or null if it is not known.
func effectsValue(vm *goja.Runtime, effects []*recordedEffect) goja.Value {
	items := make([]any, len(effects))
	for i, e := range effects {
		var outcome any
		if o := e.outcome; o != nil && o.Error != nil {
			outcome = map[string]any{"error": map[string]any{"name": o.Error.Name, "code": o.Error.Code, "message": o.Error.Message}}
		} else if o != nil {
			outcome = map[string]any{"result": decoded(o.Result)}
		}
		items[i] = scriptValue(vm, map[string]any{
			"op": e.intent.Op, "args": decoded(e.intent.Args), "token": e.intent.Token, "outcome": outcome,
		})
	}
	return vm.NewArray(items...)
}

func decoded(data json.RawMessage) any {
	var v any
	if json.Unmarshal(data, &v) != nil {
		return nil // nothing was returned
	}
	return v
}

// scriptValue makes plain objects and arrays of what encoding/json decodes, keys sorted.
func scriptValue(vm *goja.Runtime, v any) goja.Value {
	switch v := v.(type) {
	case nil:
		return goja.Null()
	case []any:
		items := make([]any, len(v))
		for i, e := range v {
			items[i] = scriptValue(vm, e)
		}
		return vm.NewArray(items...)
	case map[string]any:
		o := vm.NewObject()
		for _, key := range slices.Sorted(maps.Keys(v)) {
			if err := o.DefineDataProperty(key, scriptValue(vm, v[key]), goja.FLAG_TRUE, goja.FLAG_TRUE, goja.FLAG_TRUE); err != nil {
				panic(err) // a new object takes everything
			}
		}
		return o
	}
	return vm.ToValue(v)
}
