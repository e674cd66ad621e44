package vmheap

import (
	"runtime"
	"strings"
	"testing"
	"weak"

	"github.com/dop251/goja"
	"github.com/stretchr/testify/require"
)

// matrix runs one case of the stale matrix: what goja keeps of finished work must
// not keep objects alive, and what is alive must not be missed.
type matrix struct {
	r      *goja.Runtime
	h      *Heap
	seen   map[string]weak.Pointer[goja.Object]
	fails  []string
	checks int
}

const matrixPrelude = `
class A {
  #p; n = 1;
  constructor(k) { this.k = k; track(k, this); }
  m() { return this.n }
  call(f) { f(); return this.n }
  arrow() { return () => this }
  setPriv(v) { this.#p = v }
  get val() { return this._v } set val(v) { this._v = v }
  get self() { return this }
}
class AThrow { constructor(k) { track(k, this); throw new Error('ctor') } }
class B extends A { extra = [1]; constructor(k) { super(k); this.z = 1; } }
class C extends B { m() { return super.m() + 1 } }
`

func newMatrix(t testing.TB) *matrix {
	m := &matrix{r: goja.New(), seen: map[string]weak.Pointer[goja.Object]{}}
	h, err := New(m.r)
	require.NoError(t, err)
	require.NoError(t, h.InstallPrelude())
	m.h = h
	require.NoError(t, m.r.Set("track", func(c goja.FunctionCall) goja.Value {
		m.seen[c.Argument(0).String()] = weak.Make(c.Argument(1).(*goja.Object))
		return goja.Undefined()
	}))
	check := func(live bool) func(goja.FunctionCall) goja.Value {
		return func(c goja.FunctionCall) goja.Value {
			h.scrub()
			h.trace(nil, nil)
			runtime.GC()
			for _, a := range c.Arguments {
				p, ok := m.seen[a.String()]
				if !ok {
					panic(m.r.NewTypeError("no object " + a.String()))
				}
				m.checks++
				switch got := p.Value() != nil; {
				case got && !live:
					m.fails = append(m.fails, "retains "+a.String())
				case live && !got:
					m.fails = append(m.fails, "LOST "+a.String())
				}
			}
			return m.r.ToValue(0)
		}
	}
	require.NoError(t, m.r.Set("dead", check(false)))
	require.NoError(t, m.r.Set("live", check(true)))
	_, err = m.r.RunString(matrixPrelude)
	require.NoError(t, err)
	return m
}

// run enters the case as script, as function, as callback of native functions
// within a function, or after an await.
func (m *matrix) run(t testing.TB, source, entry string) {
	var v goja.Value
	var err error
	switch entry {
	case "script":
		_, err = m.r.RunString("'use strict';" + source)
	case "function":
		v, err = m.r.RunString("(function(){" + source + "\n})")
		require.NoError(t, err)
		f, _ := goja.AssertFunction(v)
		_, err = f(goja.Undefined())
	case "nested":
		_, err = m.r.RunString("(function(){ let q1=1,q2=2; [1].map(function(q3){ return [q3].some(function(q4){" + source + "\n}) }) })()")
	case "async":
		v, err = m.r.RunString("(async function(){ await 0; " + source + "\n})()")
		require.NoError(t, err)
		p := v.Export().(*goja.Promise)
		require.Equal(t, goja.PromiseStateFulfilled, p.State(), "%v", p.Result())
	}
	require.NoError(t, err)
}

// gc 2.2, and 2.7 for what only native frames hold. Whatever a case retains stands in
// its table entry; a new goja that retains less or more fails here.
func TestStaleMatrix(t *testing.T) {
	for _, c := range staleCases {
		for _, entry := range []string{"script", "function", "nested", "async"} {
			if c.async && entry != "async" {
				continue
			}
			t.Run(c.name+"/"+entry, func(t *testing.T) {
				m := newMatrix(t)
				m.run(t, c.js, entry)
				require.NotZero(t, m.checks)
				require.Equal(t, c.retains, strings.Join(m.fails, ", "))
			})
		}
	}
}
