package runtime

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// What the globals of the web and of Node do is what Node 20 does with the same snippets: testdata/standard/*.txt
// has them with Node's results.
func TestStandardAsInNode(t *testing.T) {
	show, err := os.ReadFile(filepath.Join("testdata", "standard", "show.js"))
	require.NoError(t, err)
	files, err := filepath.Glob(filepath.Join("testdata", "standard", "*.txt"))
	require.NoError(t, err)
	require.NotEmpty(t, files)
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			data, err := os.ReadFile(file)
			require.NoError(t, err)
			var snippets, want []string
			lines := strings.Split(string(data), "\n")
			for i, line := range lines {
				if snippet, ok := strings.CutPrefix(line, "> "); ok {
					snippets, want = append(snippets, snippet), append(want, lines[i+1])
				}
			}
			list, err := json.Marshal(snippets)
			require.NoError(t, err)
			_, show, _ := strings.Cut(string(show), "\nasync") // without its comment
			var got []string
			result, err := evalStandard(t, &Options{Unhandled: func(*ScriptError, any) {}},
				"const show = async"+strings.TrimSpace(show)+";\nconst list = [];\nfor (const snippet of "+string(list)+") list.push(await show(snippet));\nexport const result = list;")
			require.NoError(t, err)
			require.NoError(t, json.Unmarshal([]byte(result), &got))
			require.Len(t, got, len(want))
			for i := range want {
				if want[i] != got[i] {
					t.Errorf("%s\n  Node: %s\n  here: %s", snippets[i], want[i], got[i])
				}
			}
		})
	}
}

// The same for async generators, which goja does not have, and the build lowers.
func TestAsyncGeneratorsAsInNode(t *testing.T) {
	read := func(name string) string {
		data, err := os.ReadFile(filepath.Join("testdata", "standard", name))
		require.NoError(t, err)
		return string(data)
	}
	var printed strings.Builder
	_, err := evalStandard(t, &Options{Console: func(_, text string) { printed.WriteString(text + "\n") }}, read("generators.js")+"\nexport const result = 1;")
	require.NoError(t, err)
	require.Equal(t, read("generators.out"), printed.String())
}

// evalStandard runs a module and returns what it exports as result, as JSON.
func evalStandard(t *testing.T, opts *Options, source string) (string, error) {
	t.Helper()
	if opts == nil {
		opts = &Options{}
	}
	rt, err := New(opts)
	require.NoError(t, err)
	defer func() { require.NoError(t, rt.Close()) }()
	b, err := Build(context.Background(), &BuildOptions{Extensions: opts.Extensions, Entries: []Entry{{Name: "main.js", Source: source}}})
	require.NoError(t, err)
	var result []byte
	err = rt.Run(context.Background(), func(task *Task) error {
		exports, err := rt.Load(task, b)
		if err != nil {
			return err
		}
		result, err = json.Marshal(exports["main.js"].Get("result").Export())
		return err
	})
	return string(result), err
}

// Scripts that change built-ins before they use a global of the library change nothing for it.
func TestStandardIsNotAltered(t *testing.T) {
	result, err := evalStandard(t, nil, `
		const Failure = Error, broken = () => { throw new Failure("altered"); };
		for (const Class of [Array, String, Map, Promise, Function, Object.getPrototypeOf(Uint8Array), ArrayBuffer, DataView]) {
			for (const key of Reflect.ownKeys(Class.prototype)) {
				const d = Object.getOwnPropertyDescriptor(Class.prototype, key);
				if (!d.configurable || key === "constructor" || key === Symbol.hasInstance) continue;
				if (Class === Array && (key === "push" || key === Symbol.iterator)) continue; // for the test itself
				Object.defineProperty(Class.prototype, key, "value" in d ? { value: broken } : { get: broken });
			}
		}
		Array.prototype.push = function (v) { this[this.length] = v; };
		for (const name of ["Map", "Uint8Array", "Error", "TypeError", "ArrayBuffer"]) globalThis[name] = broken;
		Reflect.apply = Reflect.ownKeys = Reflect.defineProperty = Object.create = JSON.parse = Math.floor = broken;


		const u = new URL("/x?b=1&a=2", "http://h");
		u.searchParams.sort();
		u.searchParams.append("c", "d");
		const controller = new AbortController();
		let heard = 0;
		AbortSignal.any([controller.signal]).addEventListener("abort", () => heard++, { once: true });
		controller.abort();
		export const result = [
			u.href, heard, controller.signal.reason.name, new TextDecoder().decode(new TextEncoder().encode("é")), atob(btoa("x")),
			crypto.randomUUID().length, (await crypto.subtle.digest("SHA-1", new TextEncoder().encode("a"))) !== undefined, performance.now() >= 0,
			Buffer.concat([Buffer.from("é"), Buffer.alloc(2, "x")]).toString("base64"), Buffer.from("\u0001\u0002").readUInt16LE(), new Headers({ b: "1", A: "2" }).get("a"),
		];`)
	require.NoError(t, err)
	require.JSONEq(t, `["http://h/x?a=2&b=1&c=d", 1, "AbortError", "é", "x", 36, true, true, "w6l4eA==", 513, "2"]`, result)
}

// A URL that would be too long says so, and stays what it was.
func TestLongURL(t *testing.T) {
	result, err := evalStandard(t, nil, `
		const u = new URL("http://h/?a=1");
		const fails = (f) => { try { f(); return false; } catch (e) { return e instanceof TypeError; } };
		const long = "x".repeat(65_530);
		export const result = [fails(() => { u.search = long; }), fails(() => u.searchParams.append("b", long)), fails(() => { u.hash = long + long; }),
			u.href, fails(() => new URL("http://h/" + long)), URL.canParse("http://h/" + long)];
	`)
	require.NoError(t, err)
	require.JSONEq(t, `[true, true, true, "http://h/?a=1", true, false]`, result)
}

// Globals are made when they are first used, and belong to scripts as others do.
func TestStandardGlobals(t *testing.T) {
	result, err := evalStandard(t, nil, `
		const before = Object.getOwnPropertyDescriptor(globalThis, "URL");
		const made = URL, after = Object.getOwnPropertyDescriptor(globalThis, "URL");
		globalThis.atob = "mine";
		delete globalThis.btoa;
		export const result = [
			typeof before.get, before.enumerable, after.value === made, after.writable, after.configurable, after.enumerable, atob, typeof btoa,
			Object.keys(globalThis).includes("URL"), URL === made,
		];`)
	require.NoError(t, err)
	require.JSONEq(t, `["function", false, true, true, true, false, "mine", "undefined", false, true]`, result)
}

// What one call makes is bounded as for the built-ins of the language.
func TestStandardLimits(t *testing.T) {
	for _, source := range []string{
		`new TextEncoder().encode(long)`, `new TextEncoder().encodeInto(long + long, new Uint8Array(9 << 20))`, `btoa(long)`, `atob(long)`,
		`Buffer.from(long)`, `Buffer.alloc(1e9)`, `Buffer.alloc(7 << 20).toString("hex")`, `new Buffer(2 ** 40)`,
		`Buffer.concat([Buffer.alloc(5 << 20), Buffer.alloc(5 << 20)])`, `Buffer.from({ length: 2 ** 40 })`,
		`new URLSearchParams(long)`, `new URLSearchParams({ a: "%".repeat(3 << 20) }).toString()`,
	} {
		result, err := evalStandard(t, &Options{Limits: Limits{Memory: 32 << 20}}, `
			let long = "x".repeat(5 << 20);
			long += long;
			const caught = (f) => { try { f(); return "none"; } catch (e) { return e.name + ": " + e.message.slice(0, 29); } };
			export const result = caught(() => `+source+`);`)
		require.NoError(t, err, source)
		require.JSONEq(t, `"RangeError: limit exceeded: memory (32M):"`, result, source)
	}
	result, err := evalStandard(t, nil, `export const result = [URL.canParse("http://a/" + "x".repeat(1 << 20)), new URL("http://a/" + "é".repeat(10000)).href.length]`)
	require.NoError(t, err)
	require.JSONEq(t, `[false, 60009]`, result)
}

// Methods of Buffer take no other arrays than those of bytes.
func TestBufferMethodsOfOtherArrays(t *testing.T) {
	result, err := evalStandard(t, nil, `
		const other = [new Float64Array(8), new Uint8ClampedArray(8)], { indexOf, includes, lastIndexOf, swap16 } = Buffer.prototype;
		const refused = (f, array) => { try { f.call(array, 1, 3); return false; } catch (error) { return error.code === "ERR_INVALID_ARG_TYPE"; } };
		export const result = [indexOf, includes, lastIndexOf, swap16].every((f) => other.every((array) => refused(f, array)));`)
	require.NoError(t, err)
	require.JSONEq(t, `true`, result)
}

// A listener that throws has no caller that could hear of it.
func TestListenersThatThrow(t *testing.T) {
	var heard []string
	result, err := evalStandard(t, &Options{Unhandled: func(err *ScriptError, _ any) { heard = append(heard, err.Error()) }}, `
		const target = new EventTarget();
		let more = false;
		target.addEventListener("x", () => { throw new Error("first"); });
		target.addEventListener("x", () => { more = true; });
		export const result = [target.dispatchEvent(new Event("x")), more];
		await undefined;`)
	require.NoError(t, err)
	require.JSONEq(t, `[true, true]`, result)
	require.Len(t, heard, 1)
	require.Contains(t, heard[0], "first")
}

// AbortSignal.timeout keeps nothing waiting; whatever else there is waits for it.
func TestTimeoutSignals(t *testing.T) {
	clock := NewVirtualClock(time.UnixMilli(0))
	clock.Advance(time.Hour, func() {})
	result, err := evalStandard(t, &Options{Clock: clock}, `
		AbortSignal.timeout(1e9);
		const signal = AbortSignal.timeout(1000);
		const at = await new Promise((resolve) => { signal.onabort = () => resolve(performance.now()); setTimeout(() => resolve("late"), 2000); });
		export const result = [at, signal.reason.name];`)
	require.NoError(t, err)
	require.JSONEq(t, `[1000, "TimeoutError"]`, result)
}
