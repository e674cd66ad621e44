package objectstore

import (
	"fmt"
	"testing"
	"time"

	"github.com/dop251/goja"
	"github.com/stretchr/testify/require"
)

const benchClasses = `
	Node: class Node extends Resource {
		static properties = { name: "string", count: { type: "number", default: 0 }, next: { type: "Node", optional: true }, tags: { type: ["string"], default: [] } };
		constructor(properties, owner, options) { super(properties, owner, options) }
	},
	Plain: class Plain {
		constructor(p) { this.name = p.name; this.count = 0; this.next = undefined; this.tags = [] }
	},
	read: (o, n) => { let sum = 0; for (let i = 0; i < n; i++) { sum += o.count + o.tags.length; if (o.name === o.next) sum++ } return sum },
	write: (o, n) => { for (let i = 0; i < n; i++) { o.count = i; o.name = "x" } },
	make: (C, n) => { const p = { name: "a" }; for (let i = 0; i < n; i++) new C(p) },
`

// ratio times two functions alternately, and returns how much longer the first takes, by the fastest
// run of each.
func ratio(b *testing.B, rounds int, managed, plain func()) float64 {
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
			f, _ := goja.AssertFunction(e.vm.Get(name))
			run := func(v goja.Value) func() {
				return func() {
					_, err := f(goja.Undefined(), v, e.vm.ToValue(5_000))
					require.NoError(b, err)
				}
			}
			for b.Loop() {
				b.ReportMetric(ratio(b, 300, run(managed), run(plain)), "x-plain")
			}
		})
	}
}

func BenchmarkNew(b *testing.B) {
	for b.Loop() {
		var e *env
		f := func(class string) func() {
			return func() {
				e = newEnv(b, benchClasses)
				e.run(`make(` + class + `, 20000)`)
			}
		}
		b.ReportMetric(ratio(b, 3, f("Node"), f("Plain")), "x-plain")
	}
}

// chain is n objects, each the next one's owner, each in a property of its owner.
func chain(n int) *Graph {
	g := &Graph{Root: "n0"}
	for i := range n {
		e := &Entry{ID: fmt.Sprint("n", i), Type: "shop/Node", Version: "1.0.0", Properties: []Field{
			{"name", fmt.Sprint("node ", i)}, {"count", float64(i)}, {"next", Ref(fmt.Sprint("n", i+1))}, {"tags", []Value{"a", "b"}},
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
