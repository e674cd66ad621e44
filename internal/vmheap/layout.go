package vmheap

import (
	"fmt"
	"reflect"
	"unsafe"

	"github.com/dop251/goja"
)

// ptr and words are the vocabulary of this package: an address, and the two
// words of an interface value (its type table and its pointer).
type ptr = unsafe.Pointer

type words struct{ tab, data ptr }

type sliceWords struct {
	p        ptr
	len, cap int
}

// field is where a field of one of goja's structs is, and what it is.
type field struct {
	off uintptr
	typ reflect.Type
}

func at[T any](p ptr, f field) *T { return (*T)(unsafe.Add(p, f.off)) }

// layout holds every offset that this package uses by name. The rest of goja's
// structs is reached through plans, which follow the types themselves.
type layout struct {
	// runtime
	global, globalStash, globalObject, rtVM, jobQueue, toStringStack field
	// vm
	stack, sp, sb, args, prg, callStack, iterStack, refStack, tryStack field
	stash, newTarget, result, curAsync                                 field
	// context: a frame of the call stack
	ctxPrg, ctxSB, ctxArgs, ctxStash, ctxResult field
	context                                     reflect.Type
	// generators
	runnerGen, genCtx field
	// ordered maps
	omTable, omFirst, omLast, omSize         field
	entKey, entValue, entPrev, entNext, entH field
	oiMap, oiCur                             field
	orderedMap, mapEntry, orderedMapIter     reflect.Type
	// scopes
	stashType               reflect.Type
	stashValues, stashNames field
	// objects
	baseVal, baseValues, basePrototype, baseSymbols, basePrivate field
	baseObject                                                   reflect.Type
	// what only an instance reveals
	genState, genGen  field
	generatorTab      ptr
	genRuns, genEnded uint8
	// properties with attributes
	propValue, propGetter, propSetter, propConfigurable field
	propertyTab                                         ptr
	property                                            reflect.Type
	// classes
	classPrivate field
	classTab     ptr
	// structs that pointers of other structs lead into
	regionTypes map[reflect.Type]bool
	closures    closureKinds
	// the type table of *goja.Object in a goja.Value
	objectTab ptr
}

// resolver looks fields up by name, compares their types with what the code
// casts them to, and keeps the first thing that is not as expected.
type resolver struct {
	expect map[string]string // overrides, for tests: "vm.sp" -> type
	err    error
}

func (r *resolver) fail(format string, args ...any) {
	if r.err == nil {
		r.err = fmt.Errorf("vmheap: incompatible goja: "+format, args...)
	}
}

// field returns the field called name of struct type t, which must be of type want.
func (r *resolver) field(t reflect.Type, name, want string) field {
	if r.err != nil {
		return field{}
	}
	if t == nil || t.Kind() != reflect.Struct {
		r.fail("%v is no struct, so it has no field %s", t, name)
		return field{}
	}
	f, ok := t.FieldByName(name)
	if !ok {
		r.fail("%s has no field %s", t, name)
		return field{}
	}
	if w, ok := r.expect[t.Name()+"."+name]; ok {
		want = w
	}
	if f.Type.String() != want {
		r.fail("%s.%s is %s, want %s", t, name, f.Type, want)
		return field{}
	}
	return field{f.Offset, f.Type}
}

// elem returns what f points to, or the element type of the slice f.
func (r *resolver) elem(f field) reflect.Type {
	if r.err != nil {
		return nil
	}
	if k := f.typ.Kind(); k != reflect.Pointer && k != reflect.Slice {
		r.fail("%s is neither pointer nor slice", f.typ)
		return nil
	}
	return f.typ.Elem()
}

// resolve derives the layout from the linked goja. It also returns a runtime whose
// global object has samples of what programs make.
func resolve(r *resolver) (*layout, *goja.Runtime) {
	l := new(layout)
	rt := reflect.TypeFor[goja.Runtime]()
	l.global = r.field(rt, "global", "goja.global")
	l.globalStash = r.field(l.global.typ, "stash", "goja.stash")
	l.globalObject = r.field(rt, "globalObject", "*goja.Object")
	l.rtVM = r.field(rt, "vm", "*goja.vm")
	l.jobQueue = r.field(rt, "jobQueue", "[]func()")
	l.toStringStack = r.field(rt, "toStringStack", "[]*goja.Object")

	vm := r.elem(l.rtVM)
	l.stack = r.field(vm, "stack", "goja.valueStack")
	l.sp = r.field(vm, "sp", "int")
	l.sb = r.field(vm, "sb", "int")
	l.args = r.field(vm, "args", "int")
	l.prg = r.field(vm, "prg", "*goja.Program")
	l.callStack = r.field(vm, "callStack", "[]goja.context")
	l.iterStack = r.field(vm, "iterStack", "[]goja.iterStackItem")
	l.refStack = r.field(vm, "refStack", "[]goja.ref")
	l.tryStack = r.field(vm, "tryStack", "[]goja.tryFrame")
	l.stash = r.field(vm, "stash", "*goja.stash")
	l.newTarget = r.field(vm, "newTarget", "goja.Value")
	l.result = r.field(vm, "result", "goja.Value")
	l.curAsync = r.field(vm, "curAsyncRunner", "*goja.asyncRunner")

	l.context = r.elem(l.callStack)
	l.ctxPrg = r.field(l.context, "prg", "*goja.Program")
	l.ctxSB = r.field(l.context, "sb", "int")
	l.ctxArgs = r.field(l.context, "args", "int")
	l.ctxStash = r.field(l.context, "stash", "*goja.stash")
	l.ctxResult = r.field(l.context, "result", "goja.Value")

	l.runnerGen = r.field(r.elem(l.curAsync), "gen", "goja.generator")
	l.genCtx = r.field(l.runnerGen.typ, "ctx", "goja.execCtx")

	l.stashType = r.elem(l.stash)
	l.stashValues = r.field(l.stashType, "values", "[]goja.Value")
	l.stashNames = r.field(l.stashType, "names", "map[unistring.String]uint32")

	l.resolveObjects(r)
	samples := goja.New()
	if r.err == nil {
		l.resolveInstances(r, samples)
	}
	return l, samples
}

func (l *layout) resolveObjects(r *resolver) {
	object := reflect.TypeFor[goja.Object]()
	self := r.field(object, "self", "goja.objectImpl")
	if self.off != 0 {
		r.fail("goja.Object.self is not the first field")
	}
	promise := reflect.TypeFor[goja.Promise]()
	base := r.field(promise, "baseObject", "goja.baseObject")
	if base.off != 0 {
		r.fail("goja.Promise.baseObject is not the first field")
	}
	l.baseObject = base.typ
	l.baseVal = r.field(base.typ, "val", "*goja.Object")
	l.baseValues = r.field(base.typ, "values", "map[unistring.String]goja.Value")
	l.basePrototype = r.field(base.typ, "prototype", "*goja.Object")
	l.baseSymbols = r.field(base.typ, "symValues", "*goja.orderedMap")
	l.basePrivate = r.field(base.typ, "privateElements", "map[*goja.privateEnvType]*goja.privateElements")

	l.orderedMap = r.elem(l.baseSymbols)
	l.omTable = r.field(l.orderedMap, "hashTable", "map[uint64]*goja.mapEntry")
	l.omFirst = r.field(l.orderedMap, "iterFirst", "*goja.mapEntry")
	l.omLast = r.field(l.orderedMap, "iterLast", "*goja.mapEntry")
	l.omSize = r.field(l.orderedMap, "size", "int")
	l.mapEntry = r.elem(l.omFirst)
	l.entKey = r.field(l.mapEntry, "key", "goja.Value")
	l.entValue = r.field(l.mapEntry, "value", "goja.Value")
	l.entPrev = r.field(l.mapEntry, "iterPrev", "*goja.mapEntry")
	l.entNext = r.field(l.mapEntry, "iterNext", "*goja.mapEntry")
	l.entH = r.field(l.mapEntry, "hNext", "*goja.mapEntry")

	var v goja.Value = (*goja.Object)(nil)
	l.objectTab = (*words)(ptr(&v)).tab
}
