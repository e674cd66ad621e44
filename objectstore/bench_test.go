package objectstore_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/dop251/goja"
	"github.com/stretchr/testify/require"

	"github.com/sextongc/sexton/objectstore"
)

const benchClasses = `
	class Node extends Resource {
		static properties = { name: "string", count: { type: "number", default: 0 }, next: { type: "Node", optional: true }, tags: { type: ["string"], default: [] } };
		constructor(properties, owner, options) { super(properties, owner, options) }
	}
	class Plain {
		constructor(p) { this.name = p.name; this.count = 0; this.next = undefined; this.tags = [] }
	}
	const read = (o, n) => { let sum = 0; for (let i = 0; i < n; i++) { sum += o.count + o.tags.length; if (o.name === o.next) sum++ } return sum };
	const write = (o, n) => { for (let i = 0; i < n; i++) { o.count = i; o.name = "x" } };
	const make = (C, n) => { const p = { name: "a" }; for (let i = 0; i < n; i++) new C(p) };
`

// ratio times two functions alternately, and returns how much longer the first takes, by the fastest
// run of each.
func ratio(rounds int, managed, plain func()) float64 {
	best := [2]time.Duration{1 << 62, 1 << 62}
	for range rounds {
		for i, f := range []func(){managed, plain} {
			began := time.Now()
			f()
			best[i] = min(best[i], time.Since(began))
		}
	}
	return float64(best[0]) / float64(best[1])
}

// Property access must not cost more than on plain objects: at most 1.05.
func BenchmarkPropertyAccess(b *testing.B) {
	e := newEnv(b, benchClasses)
	managed, plain := e.run(`globalThis.m = new Node({ name: "a" })`), e.run(`globalThis.p = new Plain({ name: "a" })`)
	for _, name := range []string{"read", "write"} {
		b.Run(name, func(b *testing.B) {
			f, _ := goja.AssertFunction(e.run(name))
			run := func(v goja.Value) func() {
				return func() {
					_, err := f(goja.Undefined(), v, e.vm.ToValue(5_000))
					require.NoError(b, err)
				}
			}
			for b.Loop() {
				b.ReportMetric(ratio(300, run(managed), run(plain)), "x-plain")
			}
		})
	}
}

func BenchmarkNew(b *testing.B) {
	e := newEnv(b, benchClasses)
	f := func(class string) func() { return func() { e.run(`make(` + class + `, 5000)`) } }
	for b.Loop() {
		b.ReportMetric(ratio(20, f("Node"), f("Plain")), "x-plain")
	}
}

// chain is n objects, each the next one's owner, each in a property of its owner.
func chain(n int) *objectstore.Graph {
	g := &objectstore.Graph{Root: "n0"}
	for i := range n {
		e := &objectstore.Entry{ID: fmt.Sprint("n", i), Type: "shop/Node", Version: "1.0.0", Properties: []objectstore.Field{
			{"name", fmt.Sprint("node ", i)}, {"count", float64(i)}, {"next", objectstore.Ref(fmt.Sprint("n", i+1))}, {"tags", []objectstore.Value{"a", "b"}},
		}}
		if i > 0 {
			e.Owner = fmt.Sprint("n", i-1)
		}
		if i == n-1 {
			e.Properties = append(e.Properties[:2:2], e.Properties[3])
		}
		g.Objects = append(g.Objects, e)
	}
	return g
}

func BenchmarkLoad(b *testing.B) {
	for _, n := range []int{1e4, 1e5} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			e, g := newEnv(b, benchClasses), chain(n)
			for b.Loop() {
				e.open(nil)
				require.NoError(b, e.s.Load(g, plainly))
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(n), "ns/object")
		})
	}
}

func BenchmarkSnapshot(b *testing.B) {
	for _, n := range []int{1e4, 1e5} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			e := newEnv(b, benchClasses)
			require.NoError(b, e.s.Load(chain(n), plainly))
			for b.Loop() {
				e.snapshot()
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(n), "ns/object")
		})
	}
}
