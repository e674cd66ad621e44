// 26.1.1, 26.1.2: the WeakRef constructor.
property(globalThis, "WeakRef", WeakRef, "wc");
builtIn(WeakRef, "WeakRef", 1);
property(WeakRef, "prototype", WeakRef.prototype, "");
same(Reflect.ownKeys(WeakRef).join(), "length,name,prototype", "keys");

throws(TypeError, () => WeakRef(), "without new");
throws(TypeError, () => WeakRef({}), "without new");
throws(TypeError, () => WeakRef.call(Object.create(WeakRef.prototype), {}), "as a method");
throws(TypeError, () => new WeakRef(), "without a target");
for (const target of notWeakly) throws(TypeError, () => new WeakRef(target), `new WeakRef(${String(target)})`);
for (const target of weakly) {
  const ref = new WeakRef(target);
  same(ref.deref(), target, "target");
  same(Object.getPrototypeOf(ref), WeakRef.prototype, "prototype");
  same(ref instanceof WeakRef, true, "instanceof");
  same(Object.isExtensible(ref), true, "extensible");
  same(Reflect.ownKeys(ref).length, 0, "own keys");
  same(new WeakRef(target) !== ref, true, "each is new");
}
same(new WeakRef(new WeakRef(weakly)).deref().deref(), weakly, "of a WeakRef");

// The target is checked before the prototype is got, which is got once.
let got = 0;
const getting = new Proxy(function () {}, { get(target, key) { got++; same(key, "prototype", "key"); return Array.prototype; } });
throws(TypeError, () => Reflect.construct(WeakRef, [1], getting), "target first");
same(got, 0, "gets");
same(Object.getPrototypeOf(Reflect.construct(WeakRef, [{}], getting)), Array.prototype, "prototype of newTarget");
same(got, 1, "gets");
const abrupt = Object.defineProperty(function () {}.bind(), "prototype", { get() { throw new RangeError(); } });
throws(RangeError, () => Reflect.construct(WeakRef, [{}], abrupt), "abrupt");
for (const prototype of [undefined, null, true, "", 1, Symbol()]) {
  const newTarget = function () {};
  newTarget.prototype = prototype;
  const ref = Reflect.construct(WeakRef, [newTarget], newTarget);
  same(Object.getPrototypeOf(ref), WeakRef.prototype, `prototype ${String(prototype)}`);
  same(ref.deref(), newTarget, "target");
}

class Derived extends WeakRef {
  #secret = 1;
  constructor(target) { super(target); this.own = this.#secret; }
  deref() { return [super.deref()]; }
}
const derived = new Derived(weakly);
same(derived.deref()[0], weakly, "derived");
same(derived.own, 1, "derived");
same(derived instanceof Derived && derived instanceof WeakRef, true, "derived");
same(Object.prototype.toString.call(derived), "[object WeakRef]", "derived");
finish();
