package vmheap

import (
	"fmt"
	"reflect"
	"sync"

	"github.com/dop251/goja"
	"github.com/dop251/goja/unistring"
)

// A plan says where the references are in a value of one Go type. Plans are made
// from reflect.Type once per process and shared by all heaps; they never change.
type plan struct {
	t    reflect.Type
	size uintptr
	ops  []op
}

// op is one place of a plan.
type op struct {
	off  uintptr
	kind kind
	n    int          // length of an array
	sub  *plan        // what is there, or what it points to
	t    reflect.Type // type of the place
	name string       // "baseObject.values": for explanations
}

type kind uint8

const (
	kObject  kind = iota // *goja.Object
	kValue               // goja.Value
	kValues              // []goja.Value
	kSlice               // []T
	kArray               // [n]T
	kProps               // map[unistring.String]goja.Value
	kPtrMap              // map[*K]*T, T a struct of goja
	kOMap                // *orderedMap
	kEntry               // *mapEntry: an iterator's place in an orderedMap
	kStash               // *stash
	kPtr                 // pointer to another struct of goja
	kImpl                // pointer to the implementation of an object
	kInner               // pointer into another struct: *goja.Value, *[]goja.Value, *uint8Array…
	kDynamic             // an interface other than goja.Value: what it holds decides
	kFunc                // a func value
)

const gojaPath = "github.com/dop251/goja"

var (
	typeObject = reflect.TypeFor[*goja.Object]()
	typeValue  = reflect.TypeFor[goja.Value]()
	typeValues = reflect.TypeFor[[]goja.Value]()
	typeProps  = reflect.TypeFor[map[unistring.String]goja.Value]()
)

// shared are structs that originals and clones have in common: they are
// immutable, or no part of the object graph.
var shared = map[string]bool{
	"Program": true, "Runtime": true, "vm": true, "Symbol": true, "privateEnvType": true, "privateEnv": true,
	"privateId": true, "resolvedPrivateName": true, "objectTemplate": true, "regexpPattern": true,
	"reflectFieldsInfo": true, "reflectMethodsInfo": true, "profTracker": true, "importedString": true,
	"valueBigInt": true, "yieldMarker": true,
}

// opaque are implementations of objects that are neither followed nor cloned.
// goja changes weak maps on a goroutine of its own, under a mutex that cannot be
// taken from here (the prelude replaces them); host objects belong to the host.
var opaque = map[string]bool{
	"weakMapObject": true, "weakSetObject": true, "dynamicObject": true, "dynamicArray": true,
	"objectGoReflect": true, "objectGoArrayReflect": true, "objectGoSliceReflect": true,
	"objectGoMapReflect": true, "objectGoMapSimple": true, "objectGoSlice": true,
}

// planner makes plans. The one of the process is guarded by its mutex; heaps keep
// what they use in caches of their own, so that the hot path takes no lock.
type planner struct {
	mu     sync.Mutex
	l      *layout
	plans  map[reflect.Type]*plan
	making map[reflect.Type]bool
	err    error
}

func newPlanner(l *layout) *planner {
	return &planner{l: l, plans: map[reflect.Type]*plan{}, making: map[reflect.Type]bool{}}
}

func (pl *planner) plan(t reflect.Type) *plan {
	pl.mu.Lock()
	defer pl.mu.Unlock()
	return pl.make(t)
}

func (pl *planner) make(t reflect.Type) *plan {
	if p, ok := pl.plans[t]; ok {
		return p
	}
	p := &plan{t: t, size: t.Size()}
	pl.plans[t], pl.making[t] = p, true
	pl.add(p, t, 0, t.Name())
	delete(pl.making, t)
	return p
}

// inline returns the plan of a type that lies inside another, and whether it has
// any reference. That can be told only when the plan is complete.
func (pl *planner) inline(t reflect.Type) (*plan, bool) {
	if pl.making[t] && pl.err == nil {
		pl.err = fmt.Errorf("vmheap: incompatible goja: %s contains itself", t)
	}
	p := pl.make(t)
	return p, len(p.ops) > 0
}

func inGoja(t reflect.Type) bool { return t.PkgPath() == gojaPath }

// follows says whether a pointer to t leads on.
func follows(t reflect.Type) bool {
	return inGoja(t) && t.Kind() == reflect.Struct && !shared[t.Name()]
}

// isImpl says whether t implements an object: its first field, at any depth of
// embedding, is a baseObject.
func (pl *planner) isImpl(t reflect.Type) bool {
	for t.Kind() == reflect.Struct && t.NumField() > 0 {
		if t == pl.l.baseObject {
			return true
		}
		t = t.Field(0).Type
	}
	return false
}

func (pl *planner) add(p *plan, t reflect.Type, off uintptr, name string) {
	put := func(k kind, sub *plan) {
		p.ops = append(p.ops, op{off: off, kind: k, sub: sub, t: t, name: name})
	}
	switch t.Kind() {
	case reflect.Pointer:
		switch e := t.Elem(); {
		case t == typeObject:
			put(kObject, nil)
		case e == pl.l.stashType:
			put(kStash, pl.make(e))
		case e == pl.l.orderedMap:
			put(kOMap, nil)
		case e == pl.l.mapEntry:
			put(kEntry, nil)
		case e == typeValue || e == typeValues:
			put(kInner, nil)
		case follows(e) && pl.isImpl(e):
			put(kImpl, pl.make(e))
		case follows(e):
			put(kPtr, pl.make(e))
		}
	case reflect.Interface:
		if t == typeValue {
			put(kValue, nil)
		} else if inGoja(t) || t.NumMethod() == 0 {
			put(kDynamic, nil)
		}
	case reflect.Func:
		put(kFunc, nil)
	case reflect.Slice:
		if t.Elem() == typeValue {
			put(kValues, nil)
		} else if sub, ok := pl.inline(t.Elem()); ok {
			put(kSlice, sub)
		}
	case reflect.Array:
		if sub, ok := pl.inline(t.Elem()); ok && t.Len() > 0 {
			p.ops = append(p.ops, op{off: off, kind: kArray, sub: sub, t: t, n: t.Len(), name: name})
		}
	case reflect.Map:
		pl.addMap(p, t, off, name)
	case reflect.Struct:
		if !inGoja(t) {
			return // weak.Pointer, sync.Mutex, reflect.Value: no objects of ours
		}
		for i := range t.NumField() {
			f := t.Field(i)
			pl.add(p, f.Type, off+f.Offset, t.Name()+"."+f.Name)
		}
	}
}

func (pl *planner) addMap(p *plan, t reflect.Type, off uintptr, name string) {
	k, e := t.Key(), t.Elem()
	switch {
	case t == typeProps:
		p.ops = append(p.ops, op{off: off, kind: kProps, t: t, name: name})
	case k.Kind() == reflect.Pointer && e.Kind() == reflect.Pointer && follows(e.Elem()) && e.Elem() != pl.l.mapEntry:
		if follows(k.Elem()) && pl.err == nil {
			pl.err = fmt.Errorf("vmheap: incompatible goja: %s: keys of %s would have to be followed", name, t)
		}
		p.ops = append(p.ops, op{off: off, kind: kPtrMap, sub: pl.make(e.Elem()), t: t, name: name})
	default:
		_, key := pl.inline(k)
		_, elem := pl.inline(e)
		if (key || elem) && pl.err == nil && !opaque[p.t.Name()] {
			pl.err = fmt.Errorf("vmheap: incompatible goja: %s is %s, a map of an unknown kind", name, t)
		}
	}
}

// dynamic is what a type table of an interface stands for.
type dynamic struct {
	object bool  // *goja.Object
	inner  bool  // a pointer into another struct
	plan   *plan // a struct of goja to follow; nil: nothing
	impl   bool  // plan is the implementation of an object
}

// classify finds out about the dynamic type t of an interface.
func (pl *planner) classify(t reflect.Type) dynamic {
	switch {
	case t == typeObject:
		return dynamic{object: true}
	case t.Kind() != reflect.Pointer:
		return dynamic{}
	case t.Elem().Kind() == reflect.Slice && inGoja(t.Elem()):
		return dynamic{inner: true} // a typed array is a pointer into its buffer
	case !follows(t.Elem()) || opaque[t.Elem().Name()]:
		return dynamic{}
	}
	p := pl.plan(t.Elem())
	if len(p.ops) == 0 {
		return dynamic{}
	}
	return dynamic{plan: p, impl: pl.isImpl(t.Elem())}
}
