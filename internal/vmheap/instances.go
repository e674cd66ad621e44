package vmheap

import (
	"reflect"

	"github.com/dop251/goja"
	"github.com/dop251/goja/unistring"
)

// instanceSource makes one object of each kind whose implementation type can only
// be learned from an instance.
const instanceSource = `(function () {
  const generator = (function* () { probe(generator); yield 1 })();
  let resolve, reject;
  const pending = new Promise((a, b) => { resolve = a; reject = b });
  pending.then(() => 1);
  const func = function () {}, callable = new Proxy(func, {});
  const async = (async function () { await 0 })();
  return {
    generator, mapIterator: new Map([[1, 2]]).entries(), setIterator: new Set([1]).values(), map: new Map(), set: new Set(),
    array: [1], sparse: (() => { const a = []; a[1e6] = 1; return a })(), arrayIterator: [1].values(),
    resolve, reject, pending, func, callable, callableTwice: new Proxy(callable, {}), arrow: () => 1, method: { m() {} }.m, generatorFunc: function* () {}, generatorMethod: { *m() {} }.m,
    asyncFunc: async function () {}, asyncArrow: async () => 1, asyncMethod: { async m() {} }.m,
    klass: class { #a = 1; #m() {} static s = 1 }, instance: new (class { #a = 1; #m() { return this.#a } })(),
    native: probe, template: Math, args: (function () { return arguments })(1), sloppy: Function('a', 'return arguments')(1),
    proxy: new Proxy({}, {}), date: new Date(0), regexp: /x/g, matches: 'x'.matchAll(/x/g), error: new Error('x'),
    string: new String('x'), stringIterator: 'x'[Symbol.iterator](), number: new Number(1), symbol: Object(Symbol('x')),
    promise: async, buffer: new ArrayBuffer(8), view: new DataView(new ArrayBuffer(8)), typed: new Uint8Array(4),
    tagged: (s => s)` + "`x`" + `, accessor: { get x() { return 1 } },
  };
})()`

// resolveInstances learns what reflect cannot reach from exported types, by
// making instances in vm.
func (l *layout) resolveInstances(r *resolver, vm *goja.Runtime) {
	var states []uint8
	readState := func(o *goja.Object) {
		impl := implOf(o)
		f := r.field(impl, "state", "goja.generatorState")
		if r.err == nil {
			l.genState = f
			l.genGen = r.field(impl, "gen", "goja.generator")
			states = append(states, *at[uint8]((*words)(ptr(o)).data, f))
		}
	}
	_ = vm.Set("probe", func(c goja.FunctionCall) goja.Value {
		if o, ok := c.Argument(0).(*goja.Object); ok {
			readState(o)
		}
		return goja.Undefined()
	})
	v, err := vm.RunString(instanceSource)
	if err != nil {
		r.fail("sample objects: %v", err)
		return
	}
	samples := v.ToObject(vm)
	_ = vm.Set("samples", samples)
	generator := samples.Get("generator").ToObject(vm)
	readState(generator)
	next, ok := goja.AssertFunction(generator.Get("next"))
	if !ok {
		r.fail("a generator has no next")
		return
	}
	if _, err := next(generator); err != nil {
		r.fail("sample generator: %v", err)
	}
	readState(generator)
	if _, err := next(generator); err != nil {
		r.fail("sample generator: %v", err)
	}
	readState(generator)
	if r.err != nil {
		return
	}
	// before it ran, while it ran, suspended, and ended
	if len(states) != 4 || states[0] == states[1] || states[1] == states[2] || states[3] == states[0] || states[3] == states[1] || states[3] == states[2] {
		r.fail("goja.generatorObject.state does not tell what the generator does: %v", states)
		return
	}
	l.generatorTab, l.genRuns, l.genEnded = (*words)(ptr(generator)).tab, states[1], states[3]

	iter := implOf(samples.Get("mapIterator").ToObject(vm))
	l.orderedMapIter = r.elem(r.field(iter, "iter", "*goja.orderedMapIter"))
	l.oiMap = r.field(l.orderedMapIter, "m", "*goja.orderedMap")
	l.oiCur = r.field(l.orderedMapIter, "cur", "*goja.mapEntry")
	l.resolveProperty(r, samples.Get("klass").ToObject(vm))

	buffer := implOf(samples.Get("buffer").ToObject(vm))
	r.field(buffer, "data", "[]uint8")
	l.regionTypes = map[reflect.Type]bool{buffer: true}
}

// resolveProperty learns from a class, whose prototype has attributes, what a
// property with attributes is.
func (l *layout) resolveProperty(r *resolver, class *goja.Object) {
	if r.err != nil {
		return
	}
	v := (*at[map[unistring.String]goja.Value]((*words)(ptr(class)).data, l.baseValues))["prototype"]
	t := reflect.TypeOf(v)
	if t == nil || t.Kind() != reflect.Pointer {
		r.fail("the prototype of a class is %v", t)
		return
	}
	l.propertyTab = (*words)(ptr(&v)).tab
	l.propConfigurable = r.field(t.Elem(), "configurable", "bool")
	l.propValue = r.field(t.Elem(), "value", "goja.Value")
	l.propGetter = r.field(t.Elem(), "getterFunc", "*goja.Object")
	l.propSetter = r.field(t.Elem(), "setterFunc", "*goja.Object")
	l.property = t.Elem()

	l.classTab = (*words)(ptr(class)).tab
	l.classPrivate = r.field(implOf(class), "privateEnvType", "*goja.privateEnvType")
}

// implOf returns the struct type that implements o, or nil for an object without
// implementation.
func implOf(o *goja.Object) reflect.Type {
	v := reflect.ValueOf(o).Elem().Field(0)
	if v.Kind() != reflect.Interface || v.IsNil() {
		return nil
	}
	t := v.Elem().Type()
	if t.Kind() != reflect.Pointer || t.Elem().Kind() != reflect.Struct {
		return nil
	}
	return t.Elem()
}
