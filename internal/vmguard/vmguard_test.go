package vmguard_test

import (
	"fmt"
	"testing"

	"github.com/dop251/goja"
	"github.com/stretchr/testify/require"

	"github.com/sextongc/sexton/internal/vmguard"
)

func newVM(t testing.TB) *goja.Runtime {
	r := goja.New()
	r.SetMaxCallStackSize(500)
	require.NoError(t, vmguard.Install(r, &vmguard.Options{
		Bytes: 256 << 20, Items: 16 << 20, SourceSize: 1 << 20, Nesting: 10_000,
		Exceeded: func(limit, what string) goja.Value {
			ctor := r.GlobalObject().Get("RangeError")
			e, err := r.New(ctor, r.ToValue("limit "+limit+": "+what))
			if err != nil {
				panic(err)
			}
			return e
		},
	}))
	return r
}

// Each of these would end the process, or not return for seconds.
var hostile = map[string]string{
	`'x'.repeat(2**40)`: "memory: String.prototype.repeat asks for 1Ti",
	`String.prototype.repeat.call({toString() { return 'xy' }}, {valueOf() { return 2**30 }})`: "memory",
	`'x'.padStart(2**40)`:                                                                     "memory",
	`'x'.padEnd(2**31, 'ab')`:                                                                 "memory",
	`'a'.repeat(2**25).split('')`:                                                             "memory: String.prototype.split asks for 32Mi elements",
	`const s = 'a'.repeat(1e5); s.replace(/a/g, s)`:                                           "memory: String.prototype.replace",
	`const s = 'a'.repeat(1e5); s.replaceAll('a', s)`:                                         "memory: String.prototype.replaceAll",
	`const s = 'a'.repeat(1e5); s.replaceAll('a', '$&$` + "`" + `')`:                          "memory",
	`'a'.repeat(6e7).normalize('NFC')`:                                                        "builtin: String.prototype.normalize",
	`encodeURIComponent('a'.repeat(5e7))`:                                                     "builtin",
	`Array.prototype.indexOf.call({length: 2**53-1}, 1)`:                                      "builtin: Array.prototype.indexOf goes through 8Pi elements",
	`Array.prototype.includes.call({length: 2**53-1}, 1)`:                                     "builtin",
	`Array.prototype.lastIndexOf.call({length: 2**53-1}, 1)`:                                  "builtin",
	`Array.prototype.reverse.call({length: 2**53-1})`:                                         "builtin",
	`Array.prototype.shift.call({length: 2**53-1})`:                                           "builtin",
	`Array.prototype.join.call({length: 2**53-1})`:                                            "builtin",
	`Array.prototype.fill.call({length: 2**53-1}, 1)`:                                         "builtin",
	`Array.prototype.copyWithin.call({length: 2**53-1}, 1, 0)`:                                "builtin",
	`Array.prototype.forEach.call({length: 2**53-1}, () => {})`:                               "builtin",
	`Array.prototype.slice.call({length: 2**53-1})`:                                           "builtin",
	`Array.prototype.concat.call([], {length: 2**50, [Symbol.isConcatSpreadable]: true})`:     "builtin",
	`Array.prototype.sort.call({length: 2**40})`:                                              "builtin",
	`new Array(2**32-1).join('xxxxxxxx')`:                                                     "builtin",
	`new Array(1e6).fill('y'.repeat(300)).join('xxxxxxxx')`:                                   "memory",
	`new Array(1e9).fill(0)`:                                                                  "builtin",
	`new Array(2**32-1).map(x => x)`:                                                          "builtin",
	`Array.from({length: 2**53-1})`:                                                           "builtin",
	`const a = []; a[0] = a; a.flat(Infinity)`:                                                "nesting: Array.prototype.flat",
	`const a = [1]; a[1] = a[2] = a; a.flat(30)`:                                              "memory",
	`const p = new Proxy([], { get: (t, k) => k === 'length' ? 1 : p }); [p].flat(Infinity)`:  "",
	`let a = []; for (let i = 0; i < 1e5; i++) a = [a]; String(a)`:                            "nesting: Array.prototype.join",
	`new Uint8Array(2**40)`:                                                                   "memory: Uint8Array asks for 1Ti",
	`new Float64Array(2**33)`:                                                                 "memory",
	`new BigUint64Array({length: 2**40})`:                                                     "memory",
	`new ArrayBuffer(2**40)`:                                                                  "memory",
	`Float64Array.from({length: 2**40})`:                                                      "builtin",
	`new Uint8Array(2**21).sort()`:                                                            "builtin",
	`Math.max.apply(null, {length: 2**31-1})`:                                                 "builtin: Function.prototype.apply",
	`Reflect.apply(Math.max, null, {length: 2**40})`:                                          "builtin",
	`Reflect.construct(Date, {length: 2**40})`:                                                "builtin",
	`BigInt('9'.repeat(1e7))`:                                                                 "builtin: BigInt gets 10000000 digits",
	`(1n << 100000000n).toString()`:                                                           "builtin",
	`BigInt.asUintN(2**53-1, -1n)`:                                                            "builtin",
	`JSON.parse('['.repeat(1e7))`:                                                             "nesting: JSON.parse gets more than 10000",
	`JSON.parse('[' + '1,'.repeat(3e7) + '1]')`:                                               "memory",
	`let o = {}; for (let i = 0; i < 1e5; i++) o = {o}; JSON.stringify(o)`:                    "nesting: JSON.stringify",
	`let a = []; for (let i = 0; i < 1e5; i++) a = [a]; JSON.stringify(a)`:                    "nesting: JSON.stringify",
	`let a = [1]; for (let i = 0; i < 40; i++) a = [a, a]; JSON.stringify(a)`:                 "builtin: JSON.stringify",
	`(0, eval)('('.repeat(1e6))`:                                                              "nesting: eval gets code with more than 1000 nested brackets",
	`(0, eval)('x=1;'.repeat(2e7))`:                                                           "sourceSize",
	`(0, eval)('1' + '+1'.repeat(4e5))`:                                                       "nesting: eval gets code with an expression",
	`(0, eval)('a=>'.repeat(3e5) + '1')`:                                                      "nesting",
	`(0, eval)('!'.repeat(1e6) + '1')`:                                                        "nesting",
	`Function('['.repeat(1e6))`:                                                               "nesting",
	`new Function('a', '{'.repeat(1e6))`:                                                      "nesting",
	`(async function () {}).constructor('('.repeat(1e6))`:                                     "nesting",
	`new (function* () {}).constructor('('.repeat(1e6))`:                                      "nesting",
	`new RegExp('('.repeat(5e4))`:                                                             "nesting",
	`new RegExp('a'.repeat(1e6))`:                                                             "builtin",
	`'a'.match('('.repeat(5e4))`:                                                              "nesting",
	`/(a+)+\1b/.test('a'.repeat(40))`:                                                         "builtin: RegExp.prototype.test took 1s",
	`'a'.repeat(40).replace(/(a+)+\1b/g, '')`:                                                 "builtin",
	`[...'a'.repeat(40).matchAll(/(a+)+\1b/g)]`:                                               "builtin",
	`'a'.repeat(40).split(/(a+)+\1b/)`:                                                        "builtin",
	`const a = Object.create(null), p = new Proxy(a, {}); Object.setPrototypeOf(a, p); a.zzz`: "Cyclic",
	`const a = {}, p = new Proxy({__proto__: null}, {}), q = new Proxy(a, {}); a.__proto__ = Object.create(q)`: "Cyclic",
	`let p = {}; for (let i = 0; i < 1e6; i++) p = new Proxy(p, {})`:                                           "nesting: Proxy",
	`let p = {}; for (let i = 0; i < 1e6; i++) p = Object.create(p)`:                                           "nesting: Object.create",
}

func TestHostile(t *testing.T) {
	for source, want := range hostile {
		t.Run(source, func(t *testing.T) {

			r := newVM(t)
			_, err := r.RunString(source)
			if want != "" {
				require.ErrorContains(t, err, want)
			}
			var thrown *goja.Exception
			if err != nil {
				require.ErrorAs(t, err, &thrown)
			}
			// It can be caught, and the runtime goes on.
			v, err := r.RunString(`[3, 1, 2].sort().join()`)
			require.NoError(t, err)
			require.Equal(t, "1,2,3", v.String())
		})
	}
}

// With checks, ordinary code gives what it gives without.
func TestOrdinary(t *testing.T) {
	for _, source := range []string{
		`'ab'.repeat(3) + 'x'.padStart(4, 'ab') + 'x'.padEnd(3)`,
		`String.prototype.repeat.call(12, '2')`,
		`'a,b,c'.split(',', 2) + 'abc'.split('') + 'a1b2'.split(/\d/)`,
		`'aXbX'.replace('X', '$&$&') + 'aXbX'.replaceAll('X', x => x + 1) + 'aab'.replace(/a/g, (m, i) => m + i)`,
		`'a\u0301'.normalize('NFC') + encodeURIComponent('ä b')`,
		`[1, , 3].indexOf(undefined) + [1, NaN].includes(NaN) + [[1, [2, [3]]]].flat(Infinity) + [1, 2].concat([3], 4)`,
		`[3, undefined, 1, , 20].sort()`, `[3, undefined, 1, 20].sort((a, b) => b - a)`, `['b', undefined, 'a', 10, 9, 'ä', '\u{1F600}'].sort()`,
		`Array.from({length: 50}, (_, i) => [i * 7 % 10, i]).sort((a, b) => a[0] - b[0]).join(';')`,
		`[5, 3].sort(() => NaN) + [2, 1].sort((a, b) => a > b) + '' + [].sort()`,
		`Array.prototype.sort.call({length: 3, 0: 'c', 1: 'a', 2: 'b'})[0]`,
		`try { [1, 2].sort(1) } catch (e) { e.message }`,
		`[3, 1, 2].toSorted().concat([1, 2].toReversed(), [1, 2].with(0, 9))`,
		`String([[1, [2]], {}, null]) + [1, [2, 3]].toLocaleString()`,
		`Array.prototype.slice.call({length: 2 ** 40, 5: 1}, 5, 6)[0]`,
		`Array.from('abc').concat(Array.from(new Set([1, 1])), Array.from({length: 2}))`,
		`class A extends Array { sum() { return this.reduce((a, b) => a + b) } } const a = A.from([1, 2]); a.map(x => x * 2).sum() + (a instanceof A) + a.concat([1]).constructor.name`,
		`class B extends Uint8Array {} const b = new B(3); b.fill(300); b + b.constructor.name + new Float64Array([1.5, 2]).map(x => x * 2)`,
		`new Uint16Array(new Uint8Array([1, 2]).buffer)[0] + new Uint8Array(new Set([1, 2])).length + Uint8Array.from([3, 1]).sort()`,
		`new ArrayBuffer('8').byteLength + new Uint8Array().length`,
		`Math.max.apply(null, [1, 3, 2]) + Reflect.apply(String.prototype.at, 'abc', {length: 1, 0: 1}) + Reflect.construct(Date, [0]).getTime()`,
		`(function () { return [].slice.call(arguments, 1).length }).apply(null, [1, 2, 3])`,
		`BigInt('0x10') + BigInt(5) + BigInt.asUintN(8, 257n) + ''`, `(2n ** 64n).toString(16)`,
		`try { BigInt('x') } catch (e) { e.name + e.message }`,
		`JSON.stringify({a: [1, {b: new Date(0)}], c: undefined, d: 'x'}, null, 1) + JSON.stringify(undefined) + JSON.stringify('x')`,
		`const o = {}; o.o = o; try { JSON.stringify(o) } catch (e) { e.name }`,
		`JSON.stringify(JSON.parse('{"a": [1, "]", "\\\\\\"["]}')) + JSON.parse({toString: () => '[1]'})`,
		`(() => { let x = 5; return eval('x + 1') })() + (0, eval)('typeof x') + new Function('a', 'b', 'return a + b')(1, 2)`,
		`/(?<y>\d+)-(?=x)/.exec('12-x').groups.y + 'aba'.match(/a/g).length + [...'a1b2'.matchAll(/\d/g)].join() + 'abc'.search(/c/)`,
		`new RegExp('a+', 'gi').flags + RegExp(/x/y).source + 'aBc'.replace(/b/i, m => m.toUpperCase())`,
		`class R extends RegExp { exec(s) { return super.exec(s + 'x') } } new R('x$').test('')`,
		`const p = new Proxy({a: 1}, {ownKeys: () => ['a'], get: (t, k) => k}); Object.keys(p) + p.zz + Object.getPrototypeOf(Object.create(p)).q`,
		`const a = {}; a.__proto__ = {x: 1}; Object.setPrototypeOf(a, {y: 2}).y + Reflect.setPrototypeOf(a, null)`,
		`try { const a = {}; a.__proto__ = Object.create(a) } catch (e) { e.name + e.message }`,
		`Object.entries(Object.getOwnPropertyDescriptor(String.prototype, 'repeat')).join() + [].sort.name + [].sort.length + Array.name + Array.length + new Uint8Array(2)[Symbol.toStringTag]`,
		`try { new ('x'.repeat)() } catch (e) { e.name }`, `try { Uint8Array(1) } catch (e) { e.message }`,
		`try { Symbol.prototype.toString.call(1) } catch (e) { e.name }`, `try { ''.repeat(Symbol()) } catch (e) { e.name }`,
		`try { ''.repeat.call(null) } catch (e) { e.name }`, `try { 'x'.repeat(-1) } catch (e) { e.name }`, `try { new Array(-1) } catch (e) { e.name }`,
		`Object.getOwnPropertyNames(Array.prototype).join() + Object.keys(RegExp.prototype)`,
	} {
		plain, errPlain := goja.New().RunString(source)
		guarded, err := newVM(t).RunString(source)
		if errPlain != nil {
			require.EqualError(t, err, errPlain.Error(), source)
			continue
		}
		require.NoError(t, err, source)
		require.Equal(t, plain.String(), guarded.String(), source)
	}
}

// A comparison that shortens the array ends goja with a Go panic.
func TestSortWhileChanging(t *testing.T) {
	v, err := newVM(t).RunString(`
		const a = Array.from({length: 1000}, (_, i) => 1000 - i);
		a.sort((x, y) => { a.length = 0; return x - y });
		const b = Array.from({length: 3}, (_, i) => 3 - i);
		b.sort((x, y) => { b[0] = 9; return x - y });
		a.length + ' ' + a[0] + ' ' + b`)
	require.NoError(t, err)
	require.Equal(t, "1000 1 1,2,3", v.String())
	v, err = newVM(t).RunString(`BigInt.asIntN(2 ** 40, -5n) + BigInt.asUintN(2 ** 40, 6n)`)
	require.NoError(t, err)
	require.Equal(t, "1", v.String())
}

// Sorting hears interrupts also where no code of the script runs.
func TestSortIsInterruptible(t *testing.T) {
	r := newVM(t)
	_, err := r.RunString(`const a = Array.from({length: 1000000}, (_, i) => i * 7919 % 1000003)`)
	require.NoError(t, err)
	r.Interrupt("enough")
	_, err = r.RunString(`a.sort()`)
	var interrupted *goja.InterruptedError
	require.ErrorAs(t, err, &interrupted)
}

func BenchmarkBuiltIns(b *testing.B) {
	for name, source := range map[string]string{
		"indexOf": `a.indexOf(7)`, "map": `a.map(x => x)`, "join": `a.join()`, "sort": `b.slice().sort((x, y) => x - y)`, "sort-text": `b.slice().sort()`,
		"repeat": `'ab'.repeat(5)`, "split": `'a,b,c,d'.split(',')`, "replace": `'a-b-c'.replace(/-/g, '+')`, "test": `/b+/.test('aabb')`,
		"apply": `Math.max.apply(null, a)`, "stringify": `JSON.stringify(o)`, "parse": `JSON.parse(j)`, "Uint8Array": `new Uint8Array(16)`, "create": `Object.create(o)`,
	} {
		for _, guarded := range []bool{false, true} {
			b.Run(fmt.Sprintf("%s/guarded=%v", name, guarded), func(b *testing.B) {
				r := goja.New()
				if guarded {
					r = newVM(b)
				}
				_, err := r.RunString(`const a = Array.from({length: 10}, (_, i) => i), b = Array.from({length: 100}, (_, i) => i * 37 % 100),
					o = {list: a, items: a.map(i => ({i, name: 'x' + i, on: true}))}, j = JSON.stringify(o);
					function run() { for (let i = 0; i < 100; i++) ` + source + ` }`)
				require.NoError(b, err)
				run, _ := goja.AssertFunction(r.Get("run"))
				for b.Loop() {
					_, _ = run(nil)
				}
			})
		}
	}
}

func BenchmarkInstall(b *testing.B) {
	for _, guarded := range []bool{false, true} {
		b.Run(fmt.Sprint("guarded=", guarded), func(b *testing.B) {
			for b.Loop() {
				if guarded {
					newVM(b)
				} else {
					goja.New()
				}
			}
		})
	}
}
