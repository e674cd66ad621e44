package runtime

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	"github.com/dop251/goja"
)

// standardScript is a script of the library that makes globals as the web and Node have them.
type standardScript struct {
	globals []string
	host    func(rt *Runtime) map[string]any // what the script needs of Go; nil: nothing
}

// standardScripts are run when one of their globals is used for the first time, or when another one of them needs
// what they export: most programs use few.
var standardScripts map[string]standardScript

func init() { // of standardScripts: what it refers to refers to it
	standardScripts = map[string]standardScript{
		"events": {
			[]string{"Event", "EventTarget", "CustomEvent", "DOMException", "AbortController", "AbortSignal"},
			func(rt *Runtime) map[string]any {
				return map[string]any{"origin": rt.lib.origin, "now": rt.monotonic, "deadline": rt.scheduleDeadline}
			},
		},
		"url": {[]string{"URL", "URLSearchParams"}, func(rt *Runtime) map[string]any {
			return map[string]any{"parse": rt.parseURL, "change": rt.changeURL, "parseQuery": rt.parseQuery, "formatQuery": rt.formatQuery}
		}},
		"encoding": {[]string{"TextEncoder", "TextDecoder", "atob", "btoa"}, func(rt *Runtime) map[string]any {
			return map[string]any{
				"className": rt.className, "encode": rt.encodeUTF8, "encoding": rt.encodingName, "decode": rt.decodeText,
				"atob": rt.decodeBinary, "btoa": rt.encodeBinary,
			}
		}},
		"crypto": {[]string{"crypto", "Crypto", "SubtleCrypto"}, func(rt *Runtime) map[string]any {
			return map[string]any{"random": rt.randomBytes, "uuid": rt.randomUUID, "digest": rt.digest}
		}},
		"buffer": {[]string{"Buffer"}, func(rt *Runtime) map[string]any {
			return map[string]any{
				"className": rt.className, "toBytes": rt.bufferBytes, "byteLength": rt.bufferByteLength, "toText": rt.bufferText,
				"compare": rt.compareBytes, "indexOf": rt.indexOfBytes, "lastIndexOf": rt.lastIndexOfBytes, "swap": rt.swapBytes,
			}
		}},
		"fetch": {[]string{"fetch", "Headers", "Request", "Response"}, func(rt *Runtime) map[string]any {
			shared, err := effectsOf(rt)
			if err != nil {
				panic(err)
			}
			return map[string]any{"perform": shared.Get("perform"), "check": shared.Get("check"), "buffer": shared.Get("buffer")}
		}},
		"performance": {[]string{"performance", "Performance"}, func(rt *Runtime) map[string]any {
			return map[string]any{"origin": rt.lib.origin, "now": rt.monotonic}
		}},
	}
}

// defineStandard makes the globals of standardScripts, as accessors that run their script.
func (rt *Runtime) defineStandard() error {
	rt.lib.standard, rt.lib.origin = map[string]*goja.Object{}, rt.monotonic(goja.FunctionCall{})
	lazy, err := rt.script("lazy", map[string]any{"global": rt.vm.GlobalObject(), "load": func(call goja.FunctionCall) goja.Value {
		return rt.standard(call.Argument(0).String()).Get(call.Argument(1).String())
	}})
	if err != nil {
		return err
	}
	define, _ := goja.AssertFunction(lazy.Get("define"))
	for _, name := range slices.Sorted(maps.Keys(standardScripts)) { // scripts see the order
		for _, global := range standardScripts[name].globals {
			if _, err := define(goja.Undefined(), rt.vm.ToValue(name), rt.vm.ToValue(global)); err != nil {
				return err
			}
		}
	}
	return nil
}

// standard returns what one of standardScripts exports. A script that calls for it for the first time pays for it,
// and may be interrupted in it; then it runs again the next time.
func (rt *Runtime) standard(name string) *goja.Object {
	if made := rt.lib.standard[name]; made != nil {
		return made
	}
	host := map[string]any{"use": rt.useStandard}
	if more := standardScripts[name].host; more != nil {
		for key, v := range more(rt) {
			host[key] = v
		}
	}
	made, err := rt.runStandard(name, host)
	if err != nil {
		panic(err) // it goes on to the script, whatever it is
	}
	rt.lib.standard[name] = made
	return made
}

// useStandard is host.use(name): the same for scripts of the library.
func (rt *Runtime) useStandard(call goja.FunctionCall) goja.Value {
	return rt.standard(call.Argument(0).String())
}

// tellStandard is host.tell(name, value): what a script that has run tells of one of its objects; undefined of others.
func (rt *Runtime) tellStandard(call goja.FunctionCall) goja.Value {
	made := rt.lib.standard[call.Argument(0).String()]
	if made == nil {
		return goja.Undefined()
	}
	tell, _ := goja.AssertFunction(made.Get("tell"))
	told, err := tell(goja.Undefined(), call.Argument(1))
	if err != nil {
		panic(err)
	}
	return told
}

func (rt *Runtime) runStandard(name string, host map[string]any) (*goja.Object, error) {
	object, err := rt.hostObject(host)
	if err != nil {
		return nil, err
	}
	program, err := compileLibrary(name, librarySource(name))
	if err != nil {
		return nil, err
	}
	fn, err := rt.vm.RunProgram(program)
	if err != nil {
		return nil, err
	}
	call, _ := goja.AssertFunction(fn)
	made, err := call(goja.Undefined(), object, rt.lib.primordials)
	if err != nil {
		return nil, err
	}
	return made.(*goja.Object), nil
}

// claim throws if a string or buffer of n bytes is more than one call may make: as vmguard has it for the built-ins
// of the language.
func (rt *Runtime) claim(what string, n int64) {
	memory := cmp.Or(rt.opts.Limits.Memory, defaultMemory)
	if n > memory/bufferShare {
		panic(rt.rangeError(&LimitError{Limit: "memory", Value: Bytes(memory), What: fmt.Sprintf("%s makes %d bytes", what, n)}))
	}
}

// arrayBuffer makes an ArrayBuffer of data, which it takes over.
func (rt *Runtime) arrayBuffer(data []byte) goja.Value {
	return rt.vm.ToValue(rt.vm.NewArrayBuffer(data))
}

// bytesArgument returns the bytes of an argument that is a Uint8Array: its own memory, no copy.
func bytesArgument(v goja.Value) []byte {
	if obj, ok := v.(*goja.Object); ok {
		if data, ok := obj.Export().([]byte); ok {
			return data
		}
	}
	return nil
}

// stringArray makes an array of strings.
func (rt *Runtime) stringArray(list ...string) goja.Value {
	values := make([]any, len(list))
	for i, s := range list {
		values[i] = s
	}
	return rt.vm.NewArray(values...)
}
