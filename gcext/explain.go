package gcext

import (
	"fmt"
	"slices"
	"strings"

	"github.com/dop251/goja"

	"github.com/sextongc/sexton/internal/vmheap"
	"github.com/sextongc/sexton/objectstore"
	"github.com/sextongc/sexton/runtime"
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

// why is GC.why(): the shortest chain of references that keeps an object alive (gc 7.1), as the
// expressions that lead to each managed object on the way.
func (m *Module) why(call goja.FunctionCall) goja.Value {
	s := m.current()
	var o *objectstore.Object
	if id, ok := call.Argument(0).(goja.String); ok {
		o = s.Lookup(id.String())
	} else {
		o = m.managed(call, "why", 0)
	}
	if o == nil {
		return goja.Null()
	}
	for i := range call.Arguments {
		call.Arguments[i] = goja.Undefined() // or o would be reachable for being asked about
	}
	chain := why(m.rt, s, o)
	if chain == nil {
		return goja.Null()
	}
	items := make([]any, len(chain))
	for i, text := range chain {
		items[i] = text
	}
	return m.rt.Goja().NewArray(items...)
}

// why returns the shortest chain of references that keeps o alive: for each managed object on it the
// expression that leads there. It returns nil if nothing does, and "host value" if only Go code holds o.
func why(rt *runtime.Runtime, s *objectstore.Store, o *objectstore.Object) []string {
	if o.Value() == goja.Undefined() {
		return nil
	}
	var roots []vmheap.NamedRoot
	if root := s.Root(); root != nil {
		roots = append(roots, vmheap.NamedRoot{Name: "root", Value: root.Value()})
	}
	roots = append(roots, vmheap.NamedRoot{Name: "timer", Value: rt.PendingTimers()})
	for _, v := range rt.ModuleVariables() {
		roots = append(roots, vmheap.NamedRoot{Name: "module variable " + v.Name, Value: v.Value})
	}
	for _, ref := range s.Roots() {
		if class, ok := ref.Data.(*objectstore.Class); ok {
			roots = append(roots, vmheap.NamedRoot{Name: "class " + class.Short(), Value: ref.Object()})
		}
	}
	steps := rt.Heap().Path(o.Ref(), roots)
	if steps == nil {
		return whyUntraced(s, o)
	}
	var chain []string
	expression := ""
	var from *objectstore.Object // the managed object before, if the step leaves it directly
	for i, step := range steps {
		var to *objectstore.Object
		if step.Object != nil {
			to, _ = step.Object.Data.(*objectstore.Object)
		}
		switch {
		case from != nil && to != nil && from.Owner() == to && !strings.HasPrefix(step.Name, "."):
			expression += ".$owner" // the private field that holds it has no name
		case expression == "" || strings.HasPrefix(step.Name, ".") || strings.HasPrefix(step.Name, "["):
			expression += step.Name
		default:
			expression += ", " + step.Name
		}
		if step.Object != nil || i == len(steps)-1 {
			chain = append(chain, expression)
		}
		from = to
	}
	return chain
}

// whyUntraced tells whether something that tracing does not see holds o.
func whyUntraced(s *objectstore.Store, o *objectstore.Object) []string {
	// All objects are asked about: those that are not would count as roots.
	if o.State() == objectstore.Destroyed || slices.Contains(s.Unreachable(s.Objects()), o) {
		return nil
	}
	return []string{"host value"}
}
