package runtime_test

import (
	"testing"

	"github.com/dop251/goja"
	"github.com/stretchr/testify/require"

	"github.com/sextongc/sexton/runtime"
)

// gc 5.4: whose constructor threw is made known, and nothing else changes for the script.
func TestAbandonedObjects(t *testing.T) {
	for name, c := range map[string]struct{ source, abandoned, printed string }{
		"no error":             {`new B(1)`, "", ""},
		"after super":          {`try { new B("x") } catch (e) { console.log(e.message) }`, "B", "x"},
		"before super":         {`try { new Early() } catch (e) { console.log(e.message) }`, "", "early"},
		"in a field":           {`try { new Field() } catch (e) { console.log(e.message) }`, "Field", "field"},
		"arguments of a field": {`console.log(new Kept(1, 2).both)`, "", "[ 1, 2 ]"},
		"in a base class":      {`try { new Sub("x") } catch (e) { console.log(e.message) }`, "Sub", "x"},
		"not in the language":  {`console.log(B.length, new B(0) instanceof A, B.name, new Early.ok(1).kind)`, "", "1 true B number"},
		"return in the middle": {`console.log(new Return().value)`, "", "7"},
	} {
		t.Run(name, func(t *testing.T) {
			h := newHost(t, nil)
			var abandoned []string
			h.OnAbandoned(func(o *goja.Object) {
				abandoned = append(abandoned, o.Get("constructor").(*goja.Object).Get("name").String())
			})
			printed, err := h.run(`
				class A { constructor(...args: any[]) { (this as any).both = args; } }
				class B extends A { constructor(x: any) { super(); if (x === "x") { const late = x; throw new Error(late); } } }
				class Sub extends B { extra = 1; }
				class Early extends A {
					static ok = class extends A { kind; constructor(x: any) { super(); var k = typeof x; function give() { return k } this.kind = give(); } };
					constructor() { throw new Error("early"); super(); }
				}
				class Field extends A { x = (() => { throw new Error("field") })(); }
				class Kept extends A { y = 1; }
				class Return extends A { value = 7; constructor() { super(); if (this.value) return; this.value = 8; } }
				` + c.source)
			require.NoError(t, err)
			require.Equal(t, c.printed, printed)
			want := []string(nil)
			if c.abandoned != "" {
				want = []string{c.abandoned}
			}
			require.Equal(t, want, abandoned)
		})
	}
}

// The position of what a constructor throws is that of the source.
func TestAbandonedPosition(t *testing.T) {
	h := newHost(t, nil)
	_, err := h.run("class A {}\nclass B extends A {\n  constructor() {\n    super();\n    throw new Error('here');\n  }\n}\nnew B();\nexport {};")
	var script *runtime.ScriptError
	require.ErrorAs(t, err, &script)
	require.Equal(t, "main.ts", script.Stack[0].File)
	require.Equal(t, 5, script.Stack[0].Line)
}
