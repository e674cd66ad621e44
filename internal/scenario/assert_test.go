package scenario

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// Each row runs a statement, which may use await; want is the error's title, empty if it must pass.
// Expectations are those of Node's assert/strict.
var assertions = []struct{ source, want string }{
	{`assert(1)`, ``},
	{`assert(0)`, `AssertionError: The expression evaluated to a falsy value: 0`},
	{`assert.ok("")`, `AssertionError: The expression evaluated to a falsy value: ''`},
	{`assert()`, "AssertionError: No value argument passed to `assert.ok()`"},
	{`assert(null, "why")`, `AssertionError: why`},
	{`assert(false, new RangeError("mine"))`, `RangeError: mine`},
	{`assert.fail()`, `AssertionError: Failed`},
	{`assert.fail("no")`, `AssertionError: no`},

	{`assert.equal(NaN, NaN)`, ``},
	{`assert.equal(1, "1")`, "AssertionError: Expected values to be strictly equal:\n\n1 !== '1'"},
	{`assert.strictEqual(0, -0)`, "AssertionError: Expected values to be strictly equal:\n\n0 !== -0"},
	{`assert.equal(1, 2, "counts")`, `AssertionError: counts`},
	{`assert.equal({ a: 1 }, { a: 1 })`, "AssertionError: Values have same structure but are not reference-equal:\n\n{\n  a: 1\n}"},
	{`assert.equal(1)`, `TypeError: assert.strictEqual: the "actual" and "expected" arguments must be given`},
	{`assert.equal("a\nb\nc", "a\nx\nc")`, "AssertionError: Expected values to be strictly equal:\n+ actual - expected\n\n  'a\\n' +\n+   'b\\n' +\n-   'x\\n' +\n    'c'"},
	{`assert.notEqual(1, 2)`, ``},
	{`assert.notStrictEqual(1, 1)`, "AssertionError: Expected \"actual\" to be strictly unequal to:\n\n1"},

	{`assert.deepEqual([1, { a: new Set([{ b: 1 }, 2]) }], [1, { a: new Set([2, { b: 1 }]) }])`, ``},
	{`assert.deepEqual(new Map([[{ k: 1 }, [1]], ["a", 2]]), new Map([["a", 2], [{ k: 1 }, [1]]]))`, ``},
	{`assert.deepEqual({ a: 1, b: 2 }, { b: 2, a: 1 })`, ``},
	{`assert.deepEqual([new Date(5), /x/g, new Uint8Array([1]), 5n, Symbol.iterator], [new Date(5), /x/g, new Uint8Array([1]), 5n, Symbol.iterator])`, ``},
	{`const a = { x: 1 }, b = { x: 1 }; a.self = a; b.self = b; assert.deepEqual(a, b)`, ``},
	{`let a = {}, b = {}; for (let k = 0; k < 5000; k++) { a = { a }; b = { a: b }; } assert.deepEqual(a, b)`, ``},
	{`assert.deepEqual([1], ["1"])`, "AssertionError: Expected values to be strictly deep-equal:\n+ actual - expected\n\n  [\n+   1\n-   '1'\n  ]"},
	{`assert.deepStrictEqual({}, [])`, "AssertionError: Expected values to be strictly deep-equal:\n\n{} !== []"},
	{`assert.deepEqual([0], [-0])`, "AssertionError: Expected values to be strictly deep-equal:\n+ actual - expected\n\n  [\n+   0\n-   -0\n  ]"},
	{`assert.deepEqual([,], [undefined])`, "AssertionError: Expected values to be strictly deep-equal:\n+ actual - expected\n\n  [\n+   <1 empty item>\n-   undefined\n  ]"},
	{`assert.deepEqual({ a: undefined }, {})`, "AssertionError: Expected values to be strictly deep-equal:\n+ actual - expected\n\n+ {\n+   a: undefined\n+ }\n- {}"},
	{`class A {}; class B {}; assert.deepEqual(new A(), new B())`, "AssertionError: Expected values to be strictly deep-equal:\n\nA {} !== B {}"},
	{`class A {}; const B = class A {}; assert.deepEqual(new A(), new B())`, "AssertionError: Expected values to be strictly deep-equal: they look the same and differ in what is not shown (classes, depth)\n\nA {}"},
	{`assert.deepEqual(new Map([[{ k: 1 }, 1]]), new Map([[{ k: 1 }, 2]]))`, "AssertionError: Expected values to be strictly deep-equal:\n+ actual - expected\n\n  Map(1) {\n    {\n      k: 1\n+   } => 1\n-   } => 2\n  }"},
	{`assert.deepEqual(new Error("a"), new Error("b"))`, "AssertionError: Expected values to be strictly deep-equal:\n\n[Error: a] !== [Error: b]"},
	{`assert.deepEqual(new Error("a", { cause: 1 }), new Error("a", { cause: 2 }))`, "AssertionError: Expected values to be strictly deep-equal:\n+ actual - expected\n\n  [Error: a] {\n+   [cause]: 1\n-   [cause]: 2\n  }"},
	{`assert.deepEqual(() => {}, () => {})`, "AssertionError: Expected values to be strictly deep-equal: they look the same and differ in what is not shown (classes, depth)\n\n[Function (anonymous)]"},
	{`assert.deepEqual(new WeakMap(), new WeakMap())`, "AssertionError: Expected values to be strictly deep-equal: they look the same and differ in what is not shown (classes, depth)\n\nWeakMap {}"},
	{`assert.notDeepEqual([1], [2])`, ``},
	{`assert.notDeepStrictEqual({ a: [1] }, { a: [1] })`, "AssertionError: Expected \"actual\" not to be strictly deep-equal to:\n\n{\n  a: [\n    1\n  ]\n}"},

	{`assert.throws(() => { throw new TypeError("bad"); })`, ``},
	{`assert.throws(() => { throw new TypeError("bad"); }, TypeError)`, ``},
	{`assert.throws(() => { throw new TypeError("bad"); }, /^TypeError: bad$/)`, ``},
	{`assert.throws(() => { throw new TypeError("bad"); }, { name: "TypeError", message: /ba/ })`, ``},
	{`assert.throws(() => { throw new TypeError("bad"); }, new TypeError("bad"))`, ``},
	{`assert.throws(() => { throw new TypeError("bad"); }, (e) => e.message === "bad")`, ``},
	{`assert.throws(() => {})`, `AssertionError: Missing expected exception.`},
	{`assert.throws(() => {}, TypeError, "so")`, `AssertionError: Missing expected exception (TypeError): so`},
	{`assert.throws(() => {}, "so")`, `AssertionError: Missing expected exception: so`},
	{`assert.throws(() => { throw new Error("bad"); }, TypeError)`, "AssertionError: The error is expected to be an instance of \"TypeError\". Received \"Error\"\n\nError message:\n\nbad"},
	{`assert.throws(() => { throw new Error("bad"); }, /good/)`, "AssertionError: The input did not match the regular expression /good/. Input:\n\n'Error: bad'"},
	{`assert.throws(() => { throw new Error("bad"); }, { message: "good", code: 5 })`, "AssertionError: Expected values to be strictly deep-equal:\n+ actual - expected\n\n  {\n+   message: 'bad'\n-   code: 5,\n-   message: 'good'\n  }"},
	{`assert.throws(() => { throw new Error("bad"); }, () => false)`, "AssertionError: The validation function is expected to return \"true\". Received false\n\nCaught error:\n\n[Error: bad]"},
	{`assert.throws(() => { throw new Error("bad"); }, "bad")`, `TypeError: assert.throws: the second argument is a message; "bad" is the error's own. To check it, pass { message: … } or a RegExp`},
	{`assert.throws(() => { throw new Error("bad"); }, {})`, `TypeError: assert.throws: the "error" argument must not be an empty object`},
	{`assert.throws("no")`, `TypeError: assert.throws: the "fn" argument must be a function, got 'no'`},
	{`assert.throws(() => {}, 5)`, `TypeError: assert.throws: the "error" argument must be a function, a class, a RegExp, an object or an Error, got 5`},
	{`assert.doesNotThrow(() => {})`, ``},
	{`assert.doesNotThrow(() => { throw new Error("bad"); }, "so")`, "AssertionError: Got unwanted exception: so\nActual message: \"bad\""},
	{`assert.doesNotThrow(() => { throw new Error("bad"); }, TypeError)`, `Error: bad`},

	{`await assert.rejects(Promise.reject(new TypeError("bad")), TypeError)`, ``},
	{`await assert.rejects(async () => { throw new TypeError("bad"); }, { message: "bad" })`, ``},
	{`await assert.rejects(async () => {})`, `AssertionError: Missing expected rejection.`},
	{`await assert.rejects(() => 5)`, `TypeError: assert.rejects: the function must return a promise, got 5`},
	{`await assert.rejects(5)`, `TypeError: assert.rejects: the "promiseFn" argument must be a function or a promise, got 5`},
	{`await assert.doesNotReject(async () => {})`, ``},
	{`await assert.doesNotReject(Promise.reject(new Error("bad")))`, "AssertionError: Got unwanted rejection.\nActual message: \"bad\""},

	{`assert.match("abc", /b/)`, ``},
	{`assert.match("abc", /x/)`, "AssertionError: The input did not match the regular expression /x/. Input:\n\n'abc'"},
	{`assert.match(5, /x/)`, `AssertionError: The "string" argument must be of type string, got 5`},
	{`assert.match("abc", "b")`, `TypeError: assert.match: the "regexp" argument must be a RegExp, got 'b'`},
	{`assert.doesNotMatch("abc", /b/)`, "AssertionError: The input was expected to not match the regular expression /b/. Input:\n\n'abc'"},
	{`assert.ifError(null); assert.ifError(undefined)`, ``},
	{`assert.ifError(new Error("bad"))`, `AssertionError: ifError got unwanted exception: bad`},

	{`assert.order(["a", "x", "b", "a"], ["a", "b", "a"])`, ``},
	{`assert.order([], [])`, ``},
	{`assert.order(["destroy net", "destroy vm1"], ["destroy vm1", "destroy net"])`, "AssertionError: \"destroy net\" came before \"destroy vm1\", not after it\n\nExpected in this order:\n  * destroy vm1\n  > destroy net\n\nThe events (* as expected):\n    1   destroy net\n    2 * destroy vm1"},
	{`assert.order(["a"], ["a", "b"])`, "AssertionError: \"b\" is missing\n\nExpected in this order:\n  * a\n  > b\n\nThe events (* as expected):\n    1 * a"},
	{`assert.order(["a"], ["a", "a"])`, "AssertionError: \"a\" did not occur again after \"a\"\n\nExpected in this order:\n  * a\n  > a\n\nThe events (* as expected):\n    1 * a"},
	{`assert.order([], ["a"])`, "AssertionError: \"a\" is missing\n\nExpected in this order:\n  > a\n\nThere were no events."},
	{`assert.order([], ["a"], "so")`, `AssertionError: so`},
	{`assert.order("a", ["a"])`, `TypeError: assert.order: expected an array of events, got 'a'`},

	{`setState("vm1", "destroyed"); setState("vm2", "gone"); assert.destroyed("vm1", { $id: "vm2" })`, ``},
	{`setState("vm1", "live"); assert.alive("vm1", { $id: "vm1" })`, ``},
	{`setState("vm1", "live"); assert.destroyed("vm1")`, `AssertionError: Expected vm1 to be destroyed: it is live`},
	{`setState("vm1", "doomed"); assert.destroyed("vm1")`, `AssertionError: Expected vm1 to be destroyed: it is doomed`},
	{`setState("vm1", "gone"); assert.alive("vm1")`, `AssertionError: Expected vm1 to be alive: it is gone`},
	{`assert.destroyed("vm7")`, `AssertionError: Expected vm7 to be destroyed: there never was an object of this id`},
	{`assert.alive({})`, `TypeError: assert.alive: expected managed objects or ids, got {}`},
	{`assert.alive()`, `TypeError: assert.alive: at least one object or id must be given`},

	{`assert.strict.equal(1, 2, "s")`, `AssertionError: s`},
	{`throw new assert.AssertionError({ message: "m" })`, `AssertionError: m`},
	{`new assert.AssertionError()`, `TypeError: AssertionError: options must be an object`},
	{`try { assert.equal(1, 2); } catch (e) {
		assert.deepEqual(Object.entries(e), [["generatedMessage", true], ["code", "ERR_ASSERTION"], ["actual", 1], ["expected", 2], ["operator", "strictEqual"]]);
		assert(e instanceof Error && e instanceof assert.AssertionError && String(e).startsWith("AssertionError [ERR_ASSERTION]: Exp")); }`, ``},
}

func TestAssertions(t *testing.T) {
	for _, tt := range assertions {
		t.Run(tt.source, func(t *testing.T) {
			h := newFakeHost(t)
			h.load(t, "x.test.js", `test("t", async () => { `+tt.source+` });`)
			h.run(t, nil)
			last := h.events[len(h.events)-1]
			if tt.want == "" {
				require.Nil(t, last.Error)
				require.Equal(t, TypePass, last.Type)
				return
			}
			require.NotNil(t, last.Error)
			require.Equal(t, tt.want, last.Error.Title())
		})
	}
}

func TestErrorsAsData(t *testing.T) {
	h := newFakeHost(t)
	h.load(t, "x.test.js", `
function helper() { assert.deepEqual({ a: 1 }, { a: 2 }); }
test("t", () => helper());
test("hostile", () => { const e = new Error("x"); Object.defineProperty(e, "message", { get() { throw new Error("no"); } }); e.code = { toString() { throw 1; } }; throw e; });
test("long", () => { throw new Error("x".repeat(30000)); });
test("causes", () => { let e; for (let k = 0; k < 20; k++) e = new Error(String(k), { cause: e }); throw e; });`)
	h.run(t, nil)
	errors := map[string]*Error{}
	for _, e := range h.events {
		if e.Type == TypeFail {
			errors[e.Name] = e.Error
		}
	}
	require.Equal(t, &Error{
		Name: "AssertionError", Code: "ERR_ASSERTION", Operator: "deepStrictEqual",
		Message: "Expected values to be strictly deep-equal:\n+ actual - expected\n\n  {\n+   a: 1\n-   a: 2\n  }\n",
		Actual:  "{\n  a: 1\n}", Expected: "{\n  a: 2\n}",
		Stack: []string{"at helper (x.test.js:2:37)", "at x.test.js:3:23"},
	}, errors["t"])
	require.Equal(t, "Error: [message throws: no]", errors["hostile"].Title())
	require.Contains(t, errors["hostile"].Code, "toString: [Function: toString]")
	require.True(t, strings.HasSuffix(errors["long"].Message, "x\n... 10000 more characters"))
	require.Len(t, chain(errors["causes"]), 6)
}

func TestInspect(t *testing.T) {
	tests := []struct{ source, want string }{
		{`-0`, `-0`},
		{`"it's"`, `it's`}, // a text is an event as it is
		{`["it's", "a\n\u0001"]`, `[ "it's", 'a\n\x01' ]`},
		{`[undefined, null, 10n, Symbol("s")]`, `[ undefined, null, 10n, Symbol(s) ]`},
		{`[() => {}, function f() {}, class {}, class A extends Map {}, async () => {}]`, `[
  [Function (anonymous)],
  [Function: f],
  [class (anonymous)],
  [class A extends Map],
  [AsyncFunction (anonymous)]
]`},
		{`({ a: 1, "b-c": { d: [] }, [Symbol("s")]: 2 })`, `{ a: 1, 'b-c': { d: [] }, [Symbol(s)]: 2 }`},
		{`new (class A { x = 1; get y() { throw new Error("no getter runs"); } })()`, `A { x: 1 }`},
		{`({ get a() { throw 1; }, set a(v) {}, get b() { throw 1; }, set c(v) {} })`, `{ a: [Getter/Setter], b: [Getter], c: [Setter] }`},
		{`Object.create(null)`, `[Object: null prototype] {}`},
		{`Object.create({ get [Symbol.toStringTag]() { throw 1; } })`, `{}`},
		{`[new Map([[1, { a: 2 }]]), new Set(["x"])]`, `[ Map(1) { 1 => { a: 2 } }, Set(1) { 'x' } ]`},
		{`[new Date(0), new Date(NaN), /a/g, new Uint8Array([1, 2]), new ArrayBuffer(3)]`, `[
  1970-01-01T00:00:00.000Z,
  Invalid Date,
  /a/g,
  Uint8Array(2) [ 1, 2 ],
  ArrayBuffer(3) {}
]`},
		{`[new Number(-0), Object("s"), Object(1n)]`, `[ [Number: -0], [String: 's'], [BigInt: 1n] ]`},
		{`[, 1, , ,]`, `[ <1 empty item>, 1, <2 empty items> ]`},
		{`Array.from({ length: 300 }, (_, k) => k).length`, `300`},
		{`Object.assign(new TypeError("bad", { cause: "c" }), { code: 5 })`, `[TypeError: bad] { [cause]: 'c', code: 5 }`},
		{`(() => { const a = { b: {} }; a.b.a = a; return a; })()`, `<ref *1> { b: { a: [Circular *1] } }`},
		{`({ a: { b: { c: { d: { e: 1 }, f: [1] } } } })`, `{ a: { b: { c: { d: [Object], f: [Array] } } } }`},
		{`({ vm: Object.assign(new (class Vm {})(), { $id: "vm1", owner: {} }) })`, `{ vm: [Vm vm1] }`},
		{`new Proxy({}, { ownKeys() { throw new Error("trap"); } })`, `[cannot be shown: trap]`},
		{`(() => { let a = {}; for (let k = 0; k < 3000; k++) a = [a]; return a; })()`, `[ [ [ [ [Array] ] ] ] ]`},
	}
	for _, tt := range tests {
		t.Run(tt.source, func(t *testing.T) {
			h := newFakeHost(t)
			h.load(t, "x.test.js", `test("t", (t) => { trace(`+tt.source+`); log(t.events[0]); });`)
			h.run(t, nil)
			require.Equal(t, tt.want, h.log[1])
		})
	}

	h := newFakeHost(t)
	h.load(t, "x.test.js", `test("t", () => assert.equal(Array.from({ length: 300 }, (_, k) => ({ k })), 0));
test("u", () => { let wide = {}; for (let d = 0; d < 6; d++) wide = Array.from({ length: 150 }, () => wide); assert.equal(wide, 0); });`)
	h.run(t, nil)
	require.Contains(t, h.events[2].Error.Actual, "... 100 more items")
	require.Less(t, len(h.events[4].Error.Actual), 20100) // what is shown of a large graph is bounded
}

func TestDiffIsFoldedAndBounded(t *testing.T) {
	h := newFakeHost(t)
	h.load(t, "x.test.js", `const n = (k, f) => Array.from({ length: k }, (_, i) => f(i));
test("one line of many", () => assert.deepEqual(n(150, (i) => i), n(150, (i) => i === 70 ? -1 : i)));
test("nothing in common", () => assert.deepEqual(n(200, (i) => i), n(200, (i) => -i - 1)));
test("much text", () => assert.equal(n(3000, (i) => i).join("\n"), n(3000, (i) => i * 2).join("\n")));`)
	h.run(t, nil)
	require.Equal(t, `AssertionError: Expected values to be strictly deep-equal:
+ actual - expected

  ...
    68,
    69,
+   70,
-   -1,
    71,
    72,
  ...`, h.events[2].Error.Title())
	for _, e := range h.events[3:] {
		if e.Type == TypeFail {
			require.LessOrEqual(t, strings.Count(e.Error.Message, "\n"), 130)
			require.Contains(t, e.Error.Message, "more lines")
		}
	}
}

func TestStoredValues(t *testing.T) {
	source := `
test("stores", () => {
  assert.snapshot({ b: [1], a: "x" });
  assert.snapshot("plain\ntext");
  assert.snapshot(5, "by name");
  trace(globalThis.changed ? assert.snapshot("other", "by name") : "");
});`
	h := newFakeHost(t)
	h.update = true
	h.load(t, "x.test.js", source)
	h.run(t, nil)
	require.Equal(t, TypePass, h.events[2].Type)
	want := map[string]string{
		"x.test.js: stores > 1":       "{\n  a: 'x',\n  b: [\n    1\n  ]\n}",
		"x.test.js: stores > 2":       "plain\ntext",
		"x.test.js: stores > by name": "5",
	}
	require.Equal(t, want, h.stored)

	again := newFakeHost(t)
	again.stored = want
	require.NoError(t, again.vm.Set("changed", true))
	again.load(t, "x.test.js", source)
	again.run(t, nil)
	require.Equal(t, "AssertionError: Expected the value to be as stored:\n+ actual - expected\n\n+ other\n- 5", again.events[2].Error.Title())
}
