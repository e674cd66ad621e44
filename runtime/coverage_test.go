package runtime_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sextongc/sexton/runtime"
)

// TestCoverage runs code in which "// 3" stands behind a line with a statement that runs three times, "// -" behind
// one without any.
func TestCoverage(t *testing.T) {
	const source = `interface Machine { name: string }             // -
enum Size { small, large }                     // 1
class Base { kind = "base"; static made = 0; } // 1
export class Machines extends Base {           // 1
  #all: Machine[] = [];
  add = (name: string) => { this.#all.push({ name }); return this; }; // 3
  constructor() {
    super();                                   // 1
    Base.made++;                               // 1
  }
  get names() { return this.#all.map((m) => m.name); } // 2
  never() {
    console.log("never");                      // 0
  }
  async *stream() {                            // 1
    for (const m of this.#all) {               // 1
      await null;                              // 3
      yield m.name;                            // 3
    }
  }
}
function unused() { return 1; }                // 0
const size = Size.large;                       // 1
const machines = new Machines();               // 1
machines.add("a").add("b").add("c");           // 1
if (machines.names.length > 5) console.log(1); // 1
else console.log(machines.names.join());       // 1
outer: for (let i = 0; i < 3; i++) {           // 1
  for (;;) {                                   // 3
    if (i == 1) continue outer;                // 3
    break;                                     // 2
  }
}
switch (size) {                                // 1
  case Size.small:
    console.log("small");                      // 0
    break;                                     // 0
  default:
    console.log("large");                      // 1
}
try {                                          // 1
  throw new Error("x");                        // 1
} catch {
  console.log("caught");                       // 1
} finally {
  console.log("finally");                      // 1
}
for await (const name of machines.stream()) console.log(name); // 3
console.log(Base.made, new Base().kind);       // 1
export default unused;                         // 1
`
	h := newHost(t, nil)
	dir := write(t, "\n-- a.ts --\n"+source+"-- other.js --\nexport const x = () => 1;\nx();\n-- b.js --\nimport './a.js'; import './other.js';\n")
	b, err := runtime.Build(t.Context(), &runtime.BuildOptions{
		Dir: dir, Entries: []runtime.Entry{{Name: "b", Path: "b.js"}}, Coverage: func(file string) bool { return file == "a.ts" },
	})
	require.NoError(t, err)
	require.NoError(t, h.Run(t.Context(), func(task *runtime.Task) error {
		_, err := h.Load(task, b)
		return err
	}))
	require.Equal(t, "a,b,c large caught finally a b c 1 base", strings.Join(h.lines, " "))

	all := h.Coverage()
	require.Len(t, all, 1)
	require.Equal(t, "a.ts", all[0].File)
	counts := map[int]int{}
	for _, c := range all[0].Statements {
		counts[c.Line] = max(counts[c.Line], c.Count)
	}
	var got strings.Builder
	for i, line := range strings.Split(strings.TrimSuffix(source, "\n"), "\n") {
		text, _, marked := strings.Cut(line, "//")
		got.WriteString(text)
		if n, ok := counts[i+1]; ok {
			fmt.Fprintf(&got, "// %d", n)
		} else if marked {
			got.WriteString("// -")
		}
		got.WriteString("\n")
	}
	require.Equal(t, source, got.String())

	var functions []string
	for _, f := range all[0].Functions {
		functions = append(functions, fmt.Sprintf("%d %s %d", f.Line, f.Name, f.Count))
	}
	require.Equal(t, []string{
		"6 add 3", "7 constructor 1", "11 names 2", "11  6", "12 never 0", "15 stream 1", "22 unused 0",
	}, functions)
}

// TestCoverageChangesNothing runs code that would notice.
func TestCoverageChangesNothing(t *testing.T) {
	const source = `
function strict() { "use strict"; return this; }
const f = function () { return 1; }, arrow = (a, b = 2) => a + b, named = { method() {}, get x() { return 1; } };
class A { field = 1; static { A.s = 2; } static s; m() { return super.toString; } }
class B extends A { constructor(...args) { super(...args); this.own = new.target === B; } }
class C extends B { c = () => new.target; }
function* g() { const got = yield 1; try { yield got; } finally { yield 3; } }
const it = g();
const nested = () => () => { if (true) return "deep"; else return; };
let order = "";
async function wait() { order += "a"; await null; order += "b"; return order; }
console.log(String(f), String(arrow), String(A), String(B), String(g), String(wait), String(nested));
console.log(f.name, arrow.name, arrow.length, named.method.name, (() => {}).name, nested().name === "", strict());
console.log(JSON.stringify(new B()), new C().c(), Object.keys(new C()).join(), A.s);
console.log(JSON.stringify([it.next(), it.next(5), it.return(7), it.next()]));
wait().then(console.log);
order += "c";
try { null.x; } catch (e) { console.log(e.stack.split("\n")[1].replace(/\(\d+\)$/, "")); }
try { new (class extends A { constructor() { } })(); } catch (e) { console.log(e.name); }
const deep = (n) => n === 0 ? 0 : 1 + deep(n - 1);
console.log(deep(300), eval("1; if (1) 5;"), typeof hoisted, hoisted());
{ function hoisted2() { return 1; } console.log(hoisted2()); }
function hoisted() { return "up"; }
label: { if (order) break label; console.log("not here"); }
do order += "d"; while (order.length < 6);
for (const k in { a: 1 }) for (const v of [1]) console.log(k, v);
`
	dir := write(t, "\n-- a.mjs --\n"+source)
	run := func(coverage func(string) bool) []string {
		h := newHost(t, nil)
		b, err := runtime.Build(t.Context(), &runtime.BuildOptions{
			Dir: dir, Entries: []runtime.Entry{{Name: "a", Path: "a.mjs"}}, Coverage: coverage,
		})
		require.NoError(t, err)
		require.NoError(t, h.Run(t.Context(), func(task *runtime.Task) error {
			_, err := h.Load(task, b)
			return err
		}))
		require.Equal(t, coverage != nil, len(h.Coverage()) > 0)
		return h.lines
	}
	plain := run(nil)
	require.GreaterOrEqual(t, len(plain), 10)
	require.Equal(t, plain, run(func(string) bool { return true }))
}
