package runtime

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/dop251/goja"
	"github.com/stretchr/testify/require"

	"github.com/sextongc/sexton/internal/effect"
)

// fakeBroker answers with what the test says and keeps the requests.
type fakeBroker struct {
	answer   func(ctx context.Context, req *effect.Request) *effect.Outcome
	requests chan *effect.Request
}

func newFakeBroker(answer func(context.Context, *effect.Request) *effect.Outcome) *fakeBroker {
	return &fakeBroker{answer, make(chan *effect.Request, 100)}
}

func (b *fakeBroker) Do(ctx context.Context, req *effect.Request) *effect.Outcome {
	b.requests <- req
	return b.answer(ctx, req)
}

func resultOf(json string) func(context.Context, *effect.Request) *effect.Outcome {
	return func(context.Context, *effect.Request) *effect.Outcome {
		return &effect.Outcome{Result: []byte(json)}
	}
}

const importEffects = `
import { exec, spawn, kill, alive, env, PermissionDenied } from "sexton/process";
import * as fs from "sexton/fs";
import process from "sexton/process";
const caught = async (fn) => { try { await fn(); } catch (e) { return e; } throw new Error("nothing was thrown"); };
`

// evalEffects runs source, a module that exports result, and returns that as JSON.
func evalEffects(t *testing.T, opts *Options, source string) string {
	t.Helper()
	opts.Extensions = []*Extension{Process(), Files()}
	result, err := evalStandard(t, opts, importEffects+source)
	require.NoError(t, err)
	return result
}

// What scripts pass, and what the broker is asked.
func TestEffectRequests(t *testing.T) {
	for _, c := range []struct {
		source, answer, op, args, result string
	}{
		{`await exec("netctl", ["create", "10.0.0.0/24"])`, `{"stdout":"net-1\n","stderr":"","exitCode":0,"signal":null}`,
			"process.exec", `{"command":"netctl","args":["create","10.0.0.0/24"]}`, `{"exitCode":0,"stderr":"","stdout":"net-1\n"}`},
		{`await exec("p", undefined, { cwd: "d", env: { A: "1", B: undefined }, input: "in", timeout: 50 })`, `{"stdout":"","stderr":"","exitCode":0,"signal":null}`,
			"process.exec", `{"command":"p","args":[],"cwd":"d","env":{"A":"1"},"input":"in","timeout":50}`, ""},
		{`Array.from((await process.exec("p", [], { encoding: "buffer", input: new Uint8Array([1, 2]) })).stdout)`, `{"stdout":"/wA=","stderr":"","exitCode":0,"signal":null}`,
			"process.exec", `{"command":"p","args":[],"encoding":"base64","input":"AQI=","inputEncoding":"base64"}`, `[255,0]`},
		{`await spawn("p", ["a"], { detached: true, stdout: "log", stderr: "ignore" })`, `{"pid":7,"startTime":"x/1"}`,
			"process.spawn", `{"command":"p","args":["a"],"detached":true,"stdout":"log"}`, `{"pid":7,"startTime":"x/1"}`},
		{`await kill({ pid: 7, startTime: "x", more: 1 }, { signal: "SIGINT", timeout: Infinity })`, `{"killed":false}`,
			"process.kill", `{"pid":7,"startTime":"x","signal":"SIGINT"}`, `false`},
		{`await alive({ pid: 7, startTime: "x" })`, `{"alive":true}`, "process.alive", `{"pid":7,"startTime":"x"}`, `true`},
		{`[await env("HOME")]`, `null`, "process.env", `{"name":"HOME"}`, `[null]`},
		{`await fs.readFile("f", "utf8")`, `"text"`, "fs.readFile", `{"path":"f","encoding":"utf8"}`, `"text"`},
		{`await fs.readFile("f", { encoding: "utf-8" })`, `"text"`, "fs.readFile", `{"path":"f","encoding":"utf8"}`, `"text"`},
		{`Array.from(await fs.readFile("f"))`, `"AQI="`, "fs.readFile", `{"path":"f","encoding":"base64"}`, `[1,2]`},
		{`[await fs.writeFile("f", "x")]`, `null`, "fs.writeFile", `{"path":"f","data":"x","append":false}`, `[null]`},
		{`[await fs.writeFile("f", "\ud800x")]`, `null`, "fs.writeFile", `{"path":"f","data":"` + "\uFFFD" + `x","append":false}`, `[null]`},
		{`await fs.writeFile("f", new Uint8Array([1, 2, 3, 4]).subarray(1, 3), { flag: "wx" })`, `null`,
			"fs.writeFile", `{"path":"f","data":"AgM=","encoding":"base64","append":false,"exclusive":true}`, ""},
		{`await fs.appendFile("f", "x", "utf8")`, `null`, "fs.writeFile", `{"path":"f","data":"x","append":true}`, ""},
		{`await fs.mkdir("d", { recursive: true })`, `null`, "fs.mkdir", `{"path":"d","recursive":true}`, ""},
		{`await fs.rm("d", { recursive: true, force: false })`, `null`, "fs.rm", `{"path":"d","recursive":true,"force":false}`, ""},
		{`(s => [s.isFile(), s.isDirectory(), s.size, s.mtimeMs, s.mtime.toISOString()])(await fs.stat("f"))`, `{"type":"file","size":3,"mtimeMs":1000}`,
			"fs.stat", `{"path":"f"}`, `[true,false,3,1000,"1970-01-01T00:00:01.000Z"]`},
		{`await fs.readdir("d")`, `[{"name":"a","type":"file"},{"name":"b","type":"directory"}]`, "fs.readdir", `{"path":"d"}`, `["a","b"]`},
		{`(await fs.default.readdir("d", { withFileTypes: true })).map(e => [e.name, e.isFile(), e.isDirectory(), e.isSymbolicLink()])`,
			`[{"name":"b","type":"directory"}]`, "fs.readdir", `{"path":"d"}`, `[["b",false,true,false]]`},
		{`await fs.rename("a", "b")`, `null`, "fs.rename", `{"from":"a","to":"b"}`, ""},
	} {
		t.Run(c.source, func(t *testing.T) {
			broker := newFakeBroker(resultOf(c.answer))
			result := evalEffects(t, &Options{Broker: broker}, "export const result = "+c.source)
			if c.result != "" {
				require.JSONEq(t, c.result, result)
			}
			require.Len(t, broker.requests, 1)
			req := <-broker.requests
			require.Equal(t, c.op, req.Op)
			require.JSONEq(t, c.args, string(req.Args))
		})
	}
}

// Messages name function, argument and what it got; nothing is asked of the broker.
func TestEffectArguments(t *testing.T) {
	for source, want := range map[string]string{
		`exec()`:                                   "exec: command must be a string, got undefined",
		`exec("p", [], { signal: {} })`:            "exec: signal must be an AbortSignal, got an object",
		`fetch("http://a", { of: 1 })`:             "fetch: of must be a managed object, got number 1",
		`exec("p", "a")`:                           `exec: args must be an array of strings, got string "a"`,
		`exec("p", { cwd: "x" })`:                  "exec: args must be an array of strings, got an object",
		`exec("p", ["a", 5])`:                      "exec: args[1] must be a string, got number 5",
		`exec("p", [], { shell: true })`:           "exec: unknown option shell: there are cwd, env, input, timeout, encoding, signal, of",
		`exec("p", [], [])`:                        "exec: options must be an object, got an array",
		`exec("p", [], { env: { A: 1 } })`:         "exec: env.A must be a string, got number 1",
		`exec("p", [], { timeout: "1" })`:          `exec: timeout must be a number of milliseconds, got string "1"`,
		`exec("p", [], { timeout: NaN })`:          "exec: timeout must be a number of milliseconds, got number NaN",
		`exec("p", [], { encoding: "latin1" })`:    `exec: encoding must be "utf8" or "buffer", got string "latin1"`,
		`exec("p", [], { input: 1 })`:              "exec: input must be a string or a Uint8Array, got number 1",
		`exec("p", [], { of: "net" })`:             `exec: of must be a managed object, got string "net"`,
		`spawn("p", [], { detached: 1 })`:          "spawn: detached must be true or false, got number 1",
		`kill(7)`:                                  "kill: process must be { pid, startTime } as spawn returned it, got number 7",
		`kill({ pid: 7 })`:                         "kill: process must be { pid, startTime } as spawn returned it, got an object",
		`fs.readFile(Symbol("x"))`:                 "readFile: path must be a string, got symbol",
		`fs.readFile("f", "latin1")`:               `readFile: encoding must be "utf8", got string "latin1"`,
		`fs.writeFile("f", [1])`:                   "writeFile: data must be a string or a Uint8Array, got an array",
		`fs.writeFile("f", new Uint16Array(1))`:    "writeFile: data must be a string or a Uint8Array, got an object",
		`fs.writeFile("f", "x", { flag: "r" })`:    `writeFile: flag must be "w", "a" or "wx", got string "r"`,
		`fs.rm("f", { recursive: "yes" })`:         `rm: recursive must be true or false, got string "yes"`,
		`fs.mkdir("f".repeat(50) && null)`:         "mkdir: path must be a string, got null",
		`fs.rename("a", "b".repeat(50), "x" && 1)`: "rename: options must be an object, got number 1",
	} {
		broker := newFakeBroker(resultOf(`null`))
		result := evalEffects(t, &Options{Broker: broker}, "export const result = await caught(() => "+source+").then(e => [e.constructor === TypeError, e.message])")
		expected, err := json.Marshal([]any{true, want})
		require.NoError(t, err)
		require.JSONEq(t, string(expected), result, source)
		require.Empty(t, broker.requests, source)
	}
}

func TestEffectErrors(t *testing.T) {
	for _, c := range []struct {
		err    effect.Error
		source string
		want   string
	}{
		{effect.Error{Name: "PermissionDenied", Code: "ERR_ACCESS_DENIED", Message: "no"}, `[e instanceof PermissionDenied, e instanceof fs.PermissionDenied, e instanceof Error, e.name, e.message, e.code]`,
			`[true,true,true,"PermissionDenied","no","ERR_ACCESS_DENIED"]`},
		{effect.Error{Name: "Error", Code: "ENOENT", Message: "ENOENT: x"}, `[e.constructor === Error, e.name, e.message, e.code, Object.keys(e)]`, `[true,"Error","ENOENT: x","ENOENT",["code"]]`},
		{effect.Error{Name: "TypeError", Message: "x"}, `[e.constructor === TypeError, e.name]`, `[true,"TypeError"]`},
		{effect.Error{Name: "AbortError", Code: "ABORT_ERR", Message: "x"}, `[e.constructor === Error, e.name, String(e)]`, `[true,"AbortError","AbortError: x"]`},
		{effect.Error{Name: "Error", Message: "p exited with code 3", Detail: []byte(`{"code":3,"exitCode":3,"signal":null,"stdout":"o","stderr":"e"}`)},
			`[e.code, e.exitCode, e.signal, e.stdout, e.stderr]`, `[3,3,null,"o","e"]`},
	} {
		broker := newFakeBroker(func(context.Context, *effect.Request) *effect.Outcome { return &effect.Outcome{Error: &c.err} })
		require.JSONEq(t, c.want, evalEffects(t, &Options{Broker: broker}, `const e = await caught(() => exec("p")); export const result = `+c.source))
	}
}

// The stack leads to the script's call, although the error was made long after it.
func TestEffectErrorsSayWhere(t *testing.T) {
	broker := newFakeBroker(func(context.Context, *effect.Request) *effect.Outcome {
		return &effect.Outcome{Error: &effect.Error{Name: "Error", Message: "broken"}}
	})
	rt, err := New(&Options{Broker: broker, Extensions: []*Extension{Process()}})
	require.NoError(t, err)
	defer func() { require.NoError(t, rt.Close()) }()
	b, err := Build(context.Background(), &BuildOptions{Extensions: []*Extension{Process()}, Entries: []Entry{
		{Name: "main.js", Source: "import { exec } from \"sexton/process\";\nasync function create() {\n  await exec(\"p\");\n}\nawait create();"}}})
	require.NoError(t, err)
	err = rt.Run(context.Background(), func(task *Task) error { _, err := rt.Load(task, b); return err })
	var e *ScriptError
	require.ErrorAs(t, err, &e)
	require.Equal(t, "broken", e.Message)
	require.NotEmpty(t, e.Stack)
	require.Equal(t, "create (main.js:3:9)", e.Stack[0].String())
}

func TestEffectDetailBuffers(t *testing.T) {
	broker := newFakeBroker(func(context.Context, *effect.Request) *effect.Outcome {
		return &effect.Outcome{Error: &effect.Error{Name: "Error", Message: "x", Detail: []byte(`{"stdout":"AQI=","stderr":""}`)}}
	})
	require.JSONEq(t, `[true,[1,2],0]`, evalEffects(t, &Options{Broker: broker},
		`const e = await caught(() => exec("p", [], { encoding: "buffer" }));
		export const result = [e.stdout instanceof Uint8Array, Array.from(e.stdout), e.stderr.length]`))
}

func TestEffectAttribution(t *testing.T) {
	type work struct{ id string }
	broker := newFakeBroker(resultOf(`{"stdout":"","stderr":"","exitCode":0}`))
	refuse := errors.New("no effects while loading")
	attribute := func(ctx any, of *goja.Object) (string, uint64, string, error) {
		if of != nil {
			return of.Get("id").String(), 2, "token-of", nil
		}
		if c, ok := ctx.(work); ok {
			return c.id, 1, "token-" + c.id, nil
		}
		return "", 0, "", refuse
	}
	var delivered []uint64
	rt, err := New(&Options{
		Broker: broker, Attribute: attribute, Extensions: []*Extension{Process()},
		Delivered: func(req *effect.Request) { delivered = append(delivered, req.ID) },
	})
	require.NoError(t, err)
	defer func() { require.NoError(t, rt.Close()) }()
	b, err := Build(context.Background(), &BuildOptions{Extensions: []*Extension{Process()}, Entries: []Entry{{Name: "m", Source: `
		import { exec } from "sexton/process";
		export async function work() { await exec("a"); await exec("b", [], { of: { id: "other" } }); await exec("c"); }`}}})
	require.NoError(t, err)
	err = rt.Run(context.Background(), func(task *Task) error {
		exports, err := rt.Load(task, b)
		require.NoError(t, err)
		fn := exports["m"].Get("work")
		rt.WithContext(work{"net"}, func() {
			p, err := rt.Call(fn, nil, 0)
			require.NoError(t, err)
			_, err = task.Await(p)
			require.NoError(t, err)
		})
		p, err := rt.Call(fn, nil, 0)
		require.NoError(t, err)
		_, err = task.Await(p)
		require.ErrorIs(t, err, refuse)
		return nil
	})
	require.NoError(t, err)
	want := []effect.Request{
		{ID: 1, Op: "process.exec", Object: "net", Incarnation: 1, Token: "token-net", Args: []byte(`{"args":[],"command":"a"}`)},
		{ID: 2, Op: "process.exec", Object: "other", Incarnation: 2, Token: "token-of", Args: []byte(`{"args":[],"command":"b"}`)},
		{ID: 3, Op: "process.exec", Object: "net", Incarnation: 1, Token: "token-net", Args: []byte(`{"args":[],"command":"c"}`)},
	}
	require.Equal(t, []uint64{1, 2, 3}, delivered)
	require.Len(t, broker.requests, len(want))
	for i := range want {
		require.Equal(t, &want[i], <-broker.requests)
	}
}

func TestEffectsWithoutBroker(t *testing.T) {
	require.JSONEq(t, `"effects are not available here"`, evalEffects(t, &Options{}, `export const result = (await caught(() => exec("p"))).message`))
}

// Pending effects count as host operations; closing the runtime cancels them and waits.
func TestEffectsPendingAndClose(t *testing.T) {
	started, ended := make(chan struct{}), false
	broker := newFakeBroker(func(ctx context.Context, _ *effect.Request) *effect.Outcome {
		close(started)
		<-ctx.Done()
		ended = true
		return &effect.Outcome{Error: &effect.Error{Name: "AbortError", Message: "cancelled"}}
	})
	rt, err := New(&Options{Broker: broker, Extensions: []*Extension{Process()}})
	require.NoError(t, err)
	b, err := Build(context.Background(), &BuildOptions{Extensions: []*Extension{Process()}, Entries: []Entry{{Name: "m", Source: `
		import { exec } from "sexton/process"; exec("p");`}}})
	require.NoError(t, err)
	require.NoError(t, rt.Run(context.Background(), func(task *Task) error {
		_, err := rt.Load(task, b)
		require.Equal(t, 1, rt.Operations())
		return err
	}))
	<-started
	require.NoError(t, rt.Close())
	require.True(t, ended)
}

// Modules and Performer together, on real files.
func TestEffectsOnFiles(t *testing.T) {
	p, err := effect.NewPerformer(&effect.PerformerOptions{Dir: t.TempDir(), Permissions: &effect.Permissions{Read: []string{"d"}, Write: []string{"d"}}})
	require.NoError(t, err)
	defer func() { require.NoError(t, p.Close()) }()
	require.JSONEq(t, `["hé!",[104,195,169,33],["f"],"ENOENT","write x is not permitted: run with --allow-write=x"]`, evalEffects(t, &Options{Broker: p}, `
		await fs.mkdir("d");
		await fs.writeFile("d/f", "hé");
		await fs.appendFile("d/f", new Uint8Array([33]));
		export const result = [
			await fs.readFile("d/f", "utf8"), Array.from(await fs.readFile("d/f")), await fs.readdir("d"),
			(await caught(() => fs.stat("d/x"))).code, (await caught(() => fs.writeFile("x", ""))).message,
		];`))
	data, err := os.ReadFile(filepath.Join(p.Dir, "d/f"))
	require.NoError(t, err)
	require.Equal(t, "hé!", string(data))
}

func TestPermissionDeniedIsOneClass(t *testing.T) {
	rt, err := New(&Options{Extensions: []*Extension{Files()}})
	require.NoError(t, err)
	defer func() { require.NoError(t, rt.Close()) }()
	class, err := PermissionDenied(rt)
	require.NoError(t, err)
	require.True(t, class.SameAs(rt.Module("sexton/fs").Get("PermissionDenied")))
}
