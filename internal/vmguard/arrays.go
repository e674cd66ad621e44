package vmguard

import (
	"slices"

	"github.com/dop251/goja"
)

func (g *guard) arrays() error {
	var walks, copies []string
	for _, name := range []string{
		"indexOf", "lastIndexOf", "includes", "reverse", "shift", "unshift", "copyWithin", "fill", "forEach", "some",
		"every", "reduce", "reduceRight", "find", "findIndex", "findLast", "findLastIndex", "filter", "flatMap",
	} {
		walks = append(walks, "Array.prototype."+name)
	}
	for _, name := range []string{"map", "toReversed", "toSpliced", "with"} {
		copies = append(copies, "Array.prototype."+name)
	}
	for _, install := range []error{
		g.call(g.walk, walks...),
		g.call(g.copy, copies...),
		g.call(g.splice, "Array.prototype.splice"),
		g.call(g.slice, "Array.prototype.slice"),
		g.call(g.concat, "Array.prototype.concat"),
		g.call(g.flat, "Array.prototype.flat"),
		g.call(g.from, "Array.from"),
		g.replace(g.join, "Array.prototype.join", "Array.prototype.toLocaleString"),
		g.replace(g.sort, "Array.prototype.sort"),
		g.call(g.sorted, "Array.prototype.toSorted"),
	} {
		if install != nil {
			return install
		}
	}
	return nil
}

func (g *guard) walk(name string, call *goja.FunctionCall) {
	g.steps(name, g.lengthOf(call.This), Steps)
}

func (g *guard) copy(name string, call *goja.FunctionCall) {
	n := g.lengthOf(call.This)
	g.steps(name, n, Steps)
	g.items(name, n)
}

func (g *guard) splice(name string, call *goja.FunctionCall) {
	if g.l.dense(call.This) == nil {
		g.walk(name, call)
	}
}

// A part of a long array is only as long as the part.
func (g *guard) slice(name string, call *goja.FunctionCall) {
	if g.l.dense(call.This) != nil {
		return
	}
	n := g.lengthOf(call.This)
	if n <= Steps {
		return
	}
	at := func(i int, none float64) float64 {
		if goja.IsUndefined(call.Argument(i)) {
			return none
		}
		f := g.number(call, i)
		if f < 0 {
			f += float64(n)
		}
		return min(max(f, 0), float64(n))
	}
	g.steps(name, clamp(at(1, float64(n))-at(0, 0)), Steps)
}

func (g *guard) concat(name string, call *goja.FunctionCall) {
	n := g.lengthOf(call.This)
	for _, v := range call.Arguments {
		switch o, ok := v.(*goja.Object); {
		case !ok:
			n++
		case g.l.dense(o) != nil:
			n += int64(len(g.l.dense(o)))
		case o.ClassName() == "Array" || o.GetSymbol(goja.SymIsConcatSpreadable) != nil:
			n += g.lengthOf(o)
		default:
			n++
		}
	}
	g.steps(name, n, Steps)
	g.items(name, n)
}

// flat follows an array that holds itself for ever, on Go's stack.
func (g *guard) flat(name string, call *goja.FunctionCall) {
	g.walk(name, call)
	depth := 1.0
	if !goja.IsUndefined(call.Argument(0)) {
		depth = g.number(call, 0)
	}
	if depth > Brackets {
		call.Arguments = set(call.Arguments, 0, g.r.ToValue(Brackets))
	}
	count := int64(0)
	type level struct {
		rest  []goja.Value
		depth int
	}
	pending := []level{{g.l.dense(call.This), 0}}
	for len(pending) > 0 {
		l := pending[len(pending)-1]
		pending = pending[:len(pending)-1]
		for i, v := range l.rest {
			if count++; count > g.Items {
				g.items(name, count)
			}
			if inner := g.l.dense(v); inner != nil && float64(l.depth) < depth {
				if l.depth+1 >= Brackets {
					g.exceeded(Nesting, "%s nests more than %d levels", name, Brackets)
				}
				pending = append(pending, level{l.rest[i+1:], l.depth}, level{inner, l.depth + 1})
				break
			}
		}
	}
}

// What has an iterator is asked for one element after the other, by code that can be interrupted.
func (g *guard) from(name string, call *goja.FunctionCall) {
	if o, ok := call.Argument(0).(*goja.Object); ok && o.GetSymbol(goja.SymIterator) == nil {
		n := g.lengthOf(o)
		g.steps(name, n, Steps)
		g.items(name, n)
	} else if ok && g.l.dense(o) != nil {
		g.items(name, int64(len(g.l.dense(o))))
	}
}

// join calls itself for arrays in arrays, without a frame.
func (g *guard) join(name string, f function) function {
	return func(call goja.FunctionCall) goja.Value {
		n := g.lengthOf(call.This)
		g.steps(name, n, Steps)
		separator := int64(1)
		if s, ok := call.Argument(0).(goja.String); ok {
			separator = int64(s.Length())
		}
		total := times(separator, n)
		for _, v := range g.l.dense(call.This) {
			if s, ok := v.(goja.String); ok {
				total += int64(s.Length())
			}
		}
		g.bytes(name, total)
		return g.nested(name, func() goja.Value { return f(call) })
	}
}

func (g *guard) sorted(name string, call *goja.FunctionCall) {
	g.steps(name, g.lengthOf(call.This), SortSteps)
}

// sort sorts a copy. goja sorts the array itself, and panics if the comparison makes it shorter; it hears no interrupt
// while it compares by itself.
func (g *guard) sort(name string, f function) function {
	return func(call goja.FunctionCall) goja.Value {
		values := g.l.dense(call.This)
		compare, ok := g.comparison(call.Argument(0))
		if values == nil || !ok || compare == nil && hasSymbol(values) { // it makes a copy, or throws
			g.steps(name, g.lengthOf(call.This), SortSteps)
			return f(call)
		}
		o := call.This.(*goja.Object)
		sorted := g.sortValues(values, compare)
		if now := g.l.dense(o); len(now) == len(sorted) {
			copy(now, sorted)
			return o
		}
		for i, v := range sorted { // the comparison changed it
			if err := o.Set(g.r.ToValue(i).String(), v); err != nil {
				panic(err)
			}
		}
		return o
	}
}

// comparison returns how to compare, nil for as strings; false if v is no comparison.
func (g *guard) comparison(v goja.Value) (function, bool) {
	if goja.IsUndefined(v) {
		return nil, true
	}
	o, ok := v.(*goja.Object)
	if !ok {
		return nil, false
	}
	f, ok := o.Export().(function)
	return f, ok
}

func hasSymbol(values []goja.Value) bool {
	return slices.ContainsFunc(values, func(v goja.Value) bool { _, ok := v.(*goja.Symbol); return ok })
}

// element is one that is sorted, with its text if it is sorted by that.
type element struct {
	value goja.Value
	text  goja.String
}

// sortValues returns a stable order of values: undefined last.
func (g *guard) sortValues(values []goja.Value, compare function) []goja.Value {
	values = append([]goja.Value(nil), values...)
	work := make([]element, 0, len(values))
	for i, v := range values {
		if goja.IsUndefined(v) {
			continue
		}
		e := element{value: v}
		if compare == nil {
			e.text = g.text(v)
			if i%1024 == 1023 {
				g.interruptible()
			}
		}
		work = append(work, e)
	}
	compared := 0
	after := func(x, y element) bool {
		if compare == nil {
			if compared++; compared%4096 == 0 {
				g.interruptible()
			}
			return x.text.CompareTo(y.text) > 0
		}
		// In this order, as goja and others ask: functions that return true or false depend on it.
		return compare(goja.FunctionCall{This: goja.Undefined(), Arguments: []goja.Value{y.value, x.value}}).ToFloat() < 0
	}
	sorted := mergeSort(work, make([]element, len(work)), after)
	for i := range values {
		if i < len(sorted) {
			values[i] = sorted[i].value
		} else {
			values[i] = goja.Undefined()
		}
	}
	return values
}

// mergeSort sorts work with the help of other, which is as long, and returns the one that is sorted then.
func mergeSort(work, other []element, after func(x, y element) bool) []element {
	const run = 8
	for lo := 0; lo < len(work); lo += run {
		for i := lo + 1; i < min(lo+run, len(work)); i++ {
			e, j := work[i], i
			for ; j > lo && after(work[j-1], e); j-- {
				work[j] = work[j-1]
			}
			work[j] = e
		}
	}
	for width := run; width < len(work); width *= 2 {
		for lo := 0; lo < len(work); lo += 2 * width {
			mid, hi := min(lo+width, len(work)), min(lo+2*width, len(work))
			i, j, k := lo, mid, lo
			for ; i < mid && j < hi; k++ {
				if after(work[i], work[j]) {
					other[k] = work[j]
					j++
				} else {
					other[k] = work[i]
					i++
				}
			}
			k += copy(other[k:hi], work[i:mid])
			copy(other[k:hi], work[j:hi])
		}
		work, other = other, work
	}
	return work
}
