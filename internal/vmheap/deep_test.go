package vmheap

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// Whatever the program nests, nothing here recurses.
func TestDeepChains(t *testing.T) {
	long := map[string]bool{"properties": true, "array elements": true, "closures": true, "map values": true, "one map": true, "scopes in scopes": true}
	for name, c := range map[string]struct{ build, last string }{
		"properties":       {`for (let i = 0; i < N; i++) link = {next: link}`, `let n = 0; for (let o = this.link; o.next; o = o.next) n++; log(n)`},
		"array elements":   {`for (let i = 0; i < N; i++) link = [link]`, `let n = 0; for (let o = this.link; o[0]; o = o[0]) n++; log(n)`},
		"closures":         {`for (let i = 0; i < N; i++) { const next = link; link = () => next }`, `let n = 0; for (let o = this.link; typeof o === 'function'; o = o()) n++; log(n)`},
		"map values":       {`for (let i = 0; i < N; i++) link = new Map([[1, link]])`, `let n = 0; for (let o = this.link; o.size; o = o.get(1)) n++; log(n)`},
		"one map":          {`const m = new Map(); for (let i = 0; i < N; i++) m.set({i}, i); link = m`, `log(this.link.size)`},
		"map keys":         {`for (let i = 0; i < N; i++) link = new Map([[link, 1]])`, `let n = 0; for (let o = this.link; o.size; o = [...o.keys()][0]) n++; log(n)`},
		"map iterators":    {`const m = new Map(); for (let i = 0; i < N; i++) m.set(i, i); link = m.keys(); for (let i = 0; i < N - 1; i++) link.next()`, `log(this.link.next().value + 1)`},
		"prototypes":       {`for (let i = 0; i < 1000; i++) link = Object.create(link); for (let i = 0; i < N - 1000; i++) link = {next: link}`, `let n = 1000; for (let o = this.link; o.next; o = o.next) n++; log(n)`},
		"private fields":   {`const L = class { #n; constructor(n) { this.#n = n } get next() { return this.#n } }; for (let i = 0; i < N; i++) link = new L(link)`, `let n = 0; for (let o = this.link; o.next; o = o.next) n++; log(n)`},
		"bound functions":  {`for (let i = 0; i < N; i++) link = (x => x).bind(null, link)`, `let n = 0; for (let o = this.link; typeof o === 'function'; o = o()) n++; log(n)`},
		"getters":          {`for (let i = 0; i < N; i++) { const next = link; link = {get next() { return next }} }`, `let n = 0; for (let o = this.link; o.next; o = o.next) n++; log(n)`},
		"scopes in scopes": {`let f = () => ({}); for (let i = 0; i < N; i++) f = (g => { let x = i; return () => (x, g) })(f); link = f`, `let n = 0; for (let o = this.link; typeof o === 'function'; o = o()) n++; log(n - 1)`},
		"generators":       {`for (let i = 0; i < N; i++) { const g = (function* (next) { yield 0; yield next })(link); g.next(); link = g }`, `let n = 0; for (let o = this.link; o.next; ) { o = o.next().value; n++ } log(n)`},
		"arguments":        {`const f = Function('return arguments'); for (let i = 0; i < N; i++) link = f(link)`, `let n = 0; for (let o = this.link; o[0]; o = o[0]) n++; log(n)`},
		"mapped arguments": {`const f = Function('a', 'return arguments'); for (let i = 0; i < N; i++) link = f(link)`, `let n = 0; for (let o = this.link; o[0]; o = o[0]) n++; log(n)`},
		"proxies":          {`for (let i = 0; i < N; i++) link = new Proxy({next: link}, {})`, `let n = 0; for (let o = this.link; o.next; o = o.next) n++; log(n)`},
		"weak maps":        {`const w = new WeakMap(); for (let i = 0; i < N; i++) { const next = link; link = {}; w.set(link, next) } link.w = w`, `const w = this.link.w; let n = 0; for (let o = this.link; w.get(o); o = w.get(o)) n++; log(n)`},
		"managed objects":  {`for (let i = 0; i < N; i++) { const x = new Node(i); x.destroy = undefined; x.next = link; link = x }`, `let n = 0; for (let o = this.link; o.next; o = o.next) n++; log(n)`},
	} {
		t.Run(name, func(t *testing.T) {
			n := "20000"
			if long[name] && !testing.Short() {
				n = "100000"
			}
			s := newStore(t)
			s.run(`(function(){ const N = ` + n + `; (function(){ let link = {}; ` + c.build + `; const a = new Node('A'); a.link = link; a.destroy = function(){ ` + c.last + ` } })(); GC.collect() })()`)
			require.Equal(t, []string{n}, s.log)
		})
	}
}
