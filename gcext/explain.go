package gcext

import (
	"fmt"

	"github.com/dop251/goja"

	"github.com/sextongc/sexton/objectstore"
)

// Step is one object of a plan, explained (gc 7.2, 7.3).
type Step struct {
	Object *objectstore.Object
	Level  int32
	Retry  bool // an earlier attempt failed or was not finished
	After  []Reason
}

// Reason says that a step waits for Object, because of a chain of ownership and dependencies.
type Reason struct {
	Object *objectstore.Object
	Text   string // "owned by net", "vm subscribed at app.js:14:5"
}

// Explain plans the destruction of the given objects, together with those that are doomed already, and
// carries nothing out. Steps are in the order of destruction.
func Explain(s *objectstore.Store, dead []*objectstore.Object) []Step {
	take := make(map[*objectstore.Object]bool, len(dead))
	for _, o := range dead {
		take[o] = true
	}
	p := planStore(s, func(o *objectstore.Object) bool { return take[o] || o.Held() })
	steps := make([]Step, len(p.Order))
	for k, i := range p.Order {
		step := Step{Object: p.object(i), Level: p.Level[i], Retry: p.object(i).Held()}
		for _, b := range p.After(i) {
			step.After = append(step.After, Reason{Object: p.object(b.Object), Text: p.reason(b)})
		}
		steps[k] = step
	}
	return steps
}

// reason tells the chain by which b goes first.
func (p *planned) reason(b *Before) string {
	text := ""
	for ; b.To != nil; b = b.To {
		if text != "" {
			text += ", "
		}
		first, then := p.object(b.Object), p.object(b.To.Object)
		if b.Dependency == Owned {
			text += fmt.Sprintf("%s is owned by %s", first.ID, then.ID)
			continue
		}
		text += fmt.Sprintf("%s subscribed to %s", then.ID, first.ID)
		if at := p.edges.Deps[b.Dependency].Via.At; at != "" {
			text += " at " + at
		}
	}
	return text
}

// plan is GC.plan(): what collect() would do now (gc 7.3).
func (m *Module) plan(goja.FunctionCall) goja.Value {
	s, vm := m.current(), m.rt.Goja()
	if s.Loading() {
		panic(m.typeError("GC.plan: constructors cannot plan while the environment is loaded; loaded() can"))
	}
	steps := Explain(s, OnDemand(s, First, 0))
	items := make([]any, len(steps))
	for k, step := range steps {
		why := "nothing reachable refers to it"
		if step.Retry {
			why = "an earlier attempt failed"
		}
		after := make([]any, len(step.After))
		for i, r := range step.After {
			after[i] = r.Object.ID
		}
		o := vm.NewObject()
		for _, f := range []struct {
			name  string
			value any
		}{
			{"id", step.Object.ID}, {"type", step.Object.Type()}, {"level", step.Level},
			{"why", why}, {"after", vm.NewArray(after...)},
		} {
			if err := o.Set(f.name, f.value); err != nil {
				panic(err)
			}
		}
		items[k] = o
	}
	return vm.NewArray(items...)
}
