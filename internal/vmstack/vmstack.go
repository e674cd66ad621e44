// Package vmstack repairs and reads the state of goja's interpreter between calls.
//
// goja forgets to unwind when an uncatchable error (an interrupt, a stack overflow) or a Go panic leaves
// an async function or a generator: frames stay on its call stack and its try stack, and the script
// around the failed call then runs with the wrong frame. An interrupt that reaches the outermost frame
// also drops every queued promise job. Mark and Reset put the interpreter back to where a call began;
// NextJob lets the host run promise jobs one by one, so that one that fails costs no other.
//
// It is no interpreter and no debugger: it reads lengths and registers, and shortens stacks.
package vmstack

import (
	"fmt"
	"reflect"
	"unsafe"

	"github.com/dop251/goja"
)

// VM is the interpreter of one goja.Runtime. Like the runtime it is not safe for concurrent use.
type VM struct {
	vm   unsafe.Pointer // *goja.vm
	jobs *[]func()
}

// Mark is a state of the interpreter to which Reset can return. It holds no value of a script, so it
// keeps nothing alive. It is made in a native function, which is why the registers that only scripts
// use (the result of a program, new.target) are not part of it.
type Mark struct {
	callStack, tryStack, iterStack, refStack int

	sp, pc, sb, args               int
	prg, stash, privEnv, curRunner unsafe.Pointer
}

// Of gives access to the interpreter of r. It fails if the goja that is linked has another layout than
// the one this package was written for.
func Of(r *goja.Runtime) (*VM, error) {
	if layoutError != nil {
		return nil, layoutError
	}
	base := unsafe.Pointer(r)
	return &VM{
		vm:   *(*unsafe.Pointer)(unsafe.Add(base, layout.vm)),
		jobs: (*[]func())(unsafe.Add(base, layout.jobQueue)),
	}, nil
}

// Depth is the number of frames on the call stack. At 0 no script runs, and goja drains promise jobs
// when the next call returns.
func (v *VM) Depth() int { return v.length(&layout.callStack) }

// Mark returns the present state.
func (v *VM) Mark() Mark {
	return Mark{
		callStack: v.length(&layout.callStack),
		tryStack:  v.length(&layout.tryStack),
		iterStack: v.length(&layout.iterStack),
		refStack:  v.length(&layout.refStack),
		sp:        *v.int(layout.sp),
		pc:        *v.int(layout.pc),
		sb:        *v.int(layout.sb),
		args:      *v.int(layout.args),
		prg:       *v.pointer(layout.prg),
		stash:     *v.pointer(layout.stash),
		privEnv:   *v.pointer(layout.privEnv),
		curRunner: *v.pointer(layout.curRunner),
	}
}

// Reset returns to m, which must be the state at the beginning of a call that has now ended abruptly:
// what lay below m on the stacks must be untouched. What lies above is dropped and cleared.
func (v *VM) Reset(m Mark) {
	v.truncate(&layout.callStack, m.callStack)
	v.truncate(&layout.tryStack, m.tryStack)
	v.truncate(&layout.iterStack, m.iterStack)
	v.truncate(&layout.refStack, m.refStack)
	*v.int(layout.sp) = m.sp
	*v.int(layout.pc) = m.pc
	*v.int(layout.sb) = m.sb
	*v.int(layout.args) = m.args
	*v.pointer(layout.prg) = m.prg
	*v.pointer(layout.stash) = m.stash
	*v.pointer(layout.privEnv) = m.privEnv
	*v.pointer(layout.curRunner) = m.curRunner
}

// NextJob takes the first promise job off the queue, nil if there is none. The caller runs it, with at
// least one frame on the call stack.
func (v *VM) NextJob() func() {
	q := *v.jobs
	if len(q) == 0 {
		return nil
	}
	job := q[0]
	q[0] = nil // a job that has run keeps nothing alive
	if len(q) == 1 {
		*v.jobs = nil
	} else {
		*v.jobs = q[1:]
	}
	return job
}

// TakeJobs empties the queue of promise jobs and returns what was in it.
func (v *VM) TakeJobs() []func() {
	q := *v.jobs
	*v.jobs = nil
	return q
}

// PutJobs puts jobs in front of the queue.
func (v *VM) PutJobs(jobs []func()) {
	if len(jobs) > 0 {
		*v.jobs = append(jobs[:len(jobs):len(jobs)], *v.jobs...)
	}
}

func (v *VM) int(off uintptr) *int                { return (*int)(unsafe.Add(v.vm, off)) }
func (v *VM) pointer(off uintptr) *unsafe.Pointer { return (*unsafe.Pointer)(unsafe.Add(v.vm, off)) }

// length reads the length word of a slice header.
func (v *VM) length(f *sliceField) int {
	return *(*int)(unsafe.Add(v.vm, f.offset+unsafe.Sizeof(uintptr(0))))
}

func (v *VM) slice(f *sliceField) reflect.Value {
	return reflect.NewAt(f.typ, unsafe.Add(v.vm, f.offset)).Elem()
}

func (v *VM) truncate(f *sliceField, n int) {
	l := v.length(f)
	if l <= n {
		return
	}
	s := v.slice(f)
	for i := n; i < l; i++ {
		s.Index(i).SetZero()
	}
	s.SetLen(n)
}

type sliceField struct {
	typ    reflect.Type
	offset uintptr
}

// layout is where goja keeps what this package touches.
var layout struct {
	vm, jobQueue                             uintptr // in goja.Runtime
	callStack, tryStack, iterStack, refStack sliceField
	sp, pc, sb, args                         uintptr // in goja.vm
	prg, stash, privEnv, curRunner           uintptr
}

var layoutError = readLayout()

func readLayout() error {
	var r layoutReader
	runtime := reflect.TypeFor[goja.Runtime]()
	jobs := r.field(runtime, "jobQueue")
	if r.err == nil && jobs.Type != reflect.TypeFor[[]func()]() {
		r.fail(runtime, "jobQueue", jobs.Type)
	}
	vm := r.field(runtime, "vm")
	if r.err == nil && (vm.Type.Kind() != reflect.Pointer || vm.Type.Elem().Kind() != reflect.Struct) {
		r.fail(runtime, "vm", vm.Type)
	}
	if r.err != nil {
		return r.err
	}
	layout.jobQueue, layout.vm = jobs.Offset, vm.Offset
	t := vm.Type.Elem()
	for name, f := range map[string]*sliceField{
		"callStack": &layout.callStack, "tryStack": &layout.tryStack,
		"iterStack": &layout.iterStack, "refStack": &layout.refStack,
	} {
		field := r.kind(t, name, reflect.Slice)
		f.typ, f.offset = field.Type, field.Offset
	}
	for name, off := range map[string]*uintptr{
		"sp": &layout.sp, "pc": &layout.pc, "sb": &layout.sb, "args": &layout.args,
	} {
		*off = r.kind(t, name, reflect.Int).Offset
	}
	for name, off := range map[string]*uintptr{
		"prg": &layout.prg, "stash": &layout.stash, "privEnv": &layout.privEnv, "curAsyncRunner": &layout.curRunner,
	} {
		*off = r.kind(t, name, reflect.Pointer).Offset
	}
	return r.err
}

// layoutReader finds fields and keeps the first error.
type layoutReader struct{ err error }

func (r *layoutReader) field(t reflect.Type, name string) reflect.StructField {
	f, ok := t.FieldByName(name)
	if !ok && r.err == nil {
		r.err = fmt.Errorf("vmstack: this version of goja is not supported: %s has no field %s", t, name)
	}
	return f
}

func (r *layoutReader) kind(t reflect.Type, name string, want reflect.Kind) reflect.StructField {
	f := r.field(t, name)
	if r.err == nil && f.Type.Kind() != want {
		r.fail(t, name, f.Type)
	}
	return f
}

func (r *layoutReader) fail(t reflect.Type, name string, got reflect.Type) {
	if r.err == nil {
		r.err = fmt.Errorf("vmstack: this version of goja is not supported: %s.%s is a %s", t, name, got)
	}
}
