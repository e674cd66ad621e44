package runtime_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestInspect(t *testing.T) {
	for expression, want := range map[string]string{
		`"text"`:                                `text`,
		`"a %s b %d", "x", 1.5, "rest"`:         `a x b 1.5 rest`,
		`"100%", 1`:                             `100% 1`,
		`"%% %i %j", 3.7, {a:1}`:                `% 3 { a: 1 }`,
		`1, -0, 1n, true, null, undefined`:      `1 -0 1n true null undefined`,
		`Symbol("s"), Symbol.iterator`:          `Symbol(s) Symbol(Symbol.iterator)`,
		`["a", 'it\'s', "\n", 1]`:               `[ 'a', "it's", '\n', 1 ]`,
		`[], {}, [[]]`:                          `[] {} [ [] ]`,
		`[1, , 3], new Array(3)`:                `[ 1, <1 empty item>, 3 ] [ <3 empty items> ]`,
		`Object.assign([1], {x: 2})`:            `[ 1, x: 2 ]`,
		`{ a: 1, "b-c": [1, { d: {} }] }`:       `{ a: 1, 'b-c': [ 1, { d: {} } ] }`,
		`{ a: { b: { c: { d: 1 } } } }`:         `{ a: { b: { c: [Object] } } }`,
		`{ a: { b: { c: [[1]] } } }`:            `{ a: { b: { c: [Array] } } }`,
		`new Map([["k", { v: 1 }]])`:            `Map(1) { 'k' => { v: 1 } }`,
		`new Set([1, "x"]), new Set()`:          `Set(2) { 1, 'x' } Set(0) {}`,
		`new (class Vm { name = "a" })()`:       `Vm { name: 'a' }`,
		`new (class Vm { #secret = 1 })()`:      `Vm {}`,
		`Object.create(null)`:                   `[Object: null prototype] {}`,
		`{ get a() { throw 1 }, set b(x) {} }`:  `{ a: [Getter], b: [Setter] }`,
		`{ get a() { return 1 }, set a(x) {} }`: `{ a: [Getter/Setter] }`,
		`function f() {}`:                       `[Function: f]`,
		`() => 1`:                               `[Function (anonymous)]`,
		`async () => 1`:                         `[AsyncFunction (anonymous)]`,
		`function* g() {}`:                      `[GeneratorFunction: g]`,
		`class A {}`:                            `[class A]`,
		`class B extends Map { static x = 1 }`:  `[class B extends Map] { x: 1 }`,
		`new Date(0), new Date(NaN)`:            `1970-01-01T00:00:00.000Z Invalid Date`,
		`/a\/b/gi`:                              `/a\/b/gi`,
		`new Uint8Array([1, 2])`:                `Uint8Array(2) [ 1, 2 ]`,
		`new URLSearchParams("a=1&b=it's")`:     `URLSearchParams { 'a' => '1', 'b' => "it's" }`,
		`new URL("http://u@a:1/b?x=y#z")`: `URL {
  href: 'http://u@a:1/b?x=y#z',
  origin: 'http://a:1',
  protocol: 'http:',
  username: 'u',
  password: '',
  host: 'a:1',
  hostname: 'a',
  port: '1',
  pathname: '/b',
  search: '?x=y',
  searchParams: URLSearchParams { 'x' => 'y' },
  hash: '#z'
}`,
		`[new AbortController(), AbortSignal.abort()]`:        "[\n  AbortController { signal: AbortSignal { aborted: false } },\n  AbortSignal { aborted: true }\n]",
		`new Headers({ "X-Y": "1", b: "2" })`:                 `Headers { b: '2', 'x-y': '1' }`,
		`Object.assign(new (class URL {})(), { a: 1 })`:       `URL { a: 1 }`,
		`Object.assign(new Headers({ a: "1" }), { more: 2 })`: `Headers { a: '1', more: 2 }`,
		`new Response("x", { status: 404 })`: `Response {
  status: 404,
  statusText: '',
  headers: Headers { 'content-type': 'text/plain;charset=UTF-8' },
  bodyUsed: false,
  ok: false,
  redirected: false,
  type: 'default',
  url: ''
}`,
		`[Buffer.from([1, 255]), Buffer.alloc(0)]`:                 `[ <Buffer 01 ff>, <Buffer > ]`,
		`Buffer.alloc(51, 7).subarray(0)`:                          `<Buffer` + strings.Repeat(" 07", 50) + ` ... 1 more byte>`,
		`new ArrayBuffer(8)`:                                       `ArrayBuffer { byteLength: 8 }`,
		`Promise.resolve(1), new Promise(() => {})`:                `Promise { <fulfilled> } Promise { <pending> }`,
		`new Proxy({}, { get() { throw 1 } })`:                     `[Proxy]`,
		`new Number(1), new String("x")`:                           `[Number: 1] [String: 'x']`,
		`{ [Symbol("s")]: 1 }`:                                     `{ [Symbol(s)]: 1 }`,
		`(() => { const a = { n: 1 }; a.self = a; return [a] })()`: `[ <ref *1> { n: 1, self: [Circular *1] } ]`,
		`Array.from({ length: 102 }, (_, i) => i).slice(99)`:       `[ 99, 100, 101 ]`,
		`new Proxy(class {}, {})`:                                  `[Proxy]`,
		`{ constructor: 1, x: 2 }`:                                 `{ constructor: 1, x: 2 }`,
	} {
		t.Run(expression, func(t *testing.T) {
			got, err := newHost(t, nil).run(`console.log(` + expression + `)`)
			require.NoError(t, err)
			require.Equal(t, want, got)
		})
	}
}

func TestConsole(t *testing.T) {
	got, err := newHost(t, nil).run(`
		Array.prototype.join = String.prototype.slice = null; // does not matter
		console.info("i"); console.warn("w"); console.error("e"); console.debug("d");
		console.assert(true, "never"); console.assert(false, "no %s", "luck"); console.assert(false);
		console.group("g"); console.log("in\nside"); console.groupEnd(); console.log("out");
		console.count(); console.count(); console.countReset(); console.count("x");
		console.dir({ a: { b: { c: { d: {} } } } }, { depth: 5 });
		console.table([{ a: 1, b: "x" }, { a: 2 }, 3]);
		class NotFound extends Error { name = "NotFound"; code = 404 }
		function find() { return new NotFound("vm", { cause: new Error("deep") }) }
		console.log(find());
		console.log({ e: new Error("in") });
		function tracer() { console.trace("here") } tracer();`)
	require.NoError(t, err)
	require.Equal(t, strings.TrimPrefix(`
info: i
warn: w
error: e
debug: d
error: Assertion failed: no luck
error: Assertion failed
g
  in
  side
out
default: 1
default: 2
x: 1
{ a: { b: { c: { d: {} } } } }
┌─────────┬───┬─────┬────────┐
│ (index) │ a │ b   │ Values │
├─────────┼───┼─────┼────────┤
│ 0       │ 1 │ 'x' │        │
│ 1       │ 2 │     │        │
│ 2       │   │     │ 3      │
└─────────┴───┴─────┴────────┘
NotFound: vm
    at find (main.ts:10:28)
    at main.ts:11:15 {
  [cause]: Error: deep
      at find (main.ts:10:56)
      at main.ts:11:15,
  code: 404
}
{
  e: Error: in
      at main.ts:12:20
}
error: Trace: here
    at tracer (main.ts:13:31)
    at main.ts:13:47`, "\n"), got)
}

// A line is bounded, however large the value, and inspecting never takes long.
func TestConsoleBounds(t *testing.T) {
	for _, expression := range []string{
		`"x".repeat(1 << 20)`,
		`Array.from({ length: 1e4 }, () => "y".repeat(1000))`,
		`new Array(2 ** 32 - 1)`,
		`(() => { let o = {}; for (let i = 0; i < 1e5; i++) o = { o }; return o })()`,
		`(() => { let a = []; for (let i = 0; i < 100; i++) a = [a, a]; return a })()`,
		`Object.fromEntries(Array.from({ length: 1e4 }, (_, i) => ["k" + i, i]))`,
	} {
		got, err := newHost(t, nil).run(`console.log(` + expression + `); console.dir(` + expression + `, { depth: null })`)
		require.NoError(t, err)
		require.Less(t, len(got), 2*(64<<10)+100, expression)
	}
}

func TestStructuredClone(t *testing.T) {
	got, err := newHost(t, nil).run(`
		const shared = { s: 1 };
		const a: any = { n: 1, list: [1, , shared], map: new Map([[shared, new Set([shared])]]), date: new Date(5), re: /x/gi,
			bytes: new Uint8Array([1, 2]), big: 1n, error: new TypeError("e", { cause: "c" }), un: undefined };
		a.self = a;
		const b = structuredClone(a);
		console.log(b.self === b, b !== a, b.list[2] === [...b.map.keys()][0], [...b.map.values()][0].has(b.list[2]), 1 in b.list);
		console.log(b.date.getTime(), b.re, b.bytes, b.big, b.error instanceof TypeError, b.error.message, b.error.cause, "un" in b);
		console.log(structuredClone(new (class A { x = 1; m() {} })()), structuredClone("x"), structuredClone(null));
		for (const bad of [() => 1, Symbol("s"), { f() {} }, Promise.resolve(), new Proxy({}, {})]) {
			try { structuredClone(bad); console.log("cloned", bad) } catch (e) { console.log((e as Error).name) }
		}
		let deep: any = {}; for (let i = 0; i < 1e4; i++) deep = { deep };
		console.log(typeof structuredClone(deep));`)
	require.NoError(t, err)
	require.Equal(t, strings.TrimPrefix(`
true true true true false
5 /x/gi Uint8Array(2) [ 1, 2 ] 1n true e c true
{ x: 1 } x null
DataCloneError
DataCloneError
DataCloneError
DataCloneError
DataCloneError
object`, "\n"), got)
}
