// 26.2.1, 26.2.2: the FinalizationRegistry constructor.
property(globalThis, "FinalizationRegistry", FinalizationRegistry, "wc");
builtIn(FinalizationRegistry, "FinalizationRegistry", 1);
property(FinalizationRegistry, "prototype", FinalizationRegistry.prototype, "");
same(Reflect.ownKeys(FinalizationRegistry).join(), "length,name,prototype", "keys");

const callback = () => { throw new Error("it is not called"); };
throws(TypeError, () => FinalizationRegistry(), "without new");
throws(TypeError, () => FinalizationRegistry(callback), "without new");
throws(TypeError, () => new FinalizationRegistry(), "without a callback");
for (const value of [...notWeakly, Symbol(), {}, [], new Proxy({}, {})]) {
  throws(TypeError, () => new FinalizationRegistry(value), "a callback that is none");
}
for (const f of [callback, class {}, new Proxy(callback, {}), callback.bind(), async () => {}, function* () {}, Object]) {
  const registry = new FinalizationRegistry(f);
  same(Object.getPrototypeOf(registry), FinalizationRegistry.prototype, "prototype");
  same(registry instanceof FinalizationRegistry, true, "instanceof");
  same(Object.isExtensible(registry), true, "extensible");
  same(Reflect.ownKeys(registry).length, 0, "own keys");
}

let got = 0;
const getting = new Proxy(function () {}, { get(target, key) { got++; same(key, "prototype", "key"); return Array.prototype; } });
throws(TypeError, () => Reflect.construct(FinalizationRegistry, [{}], getting), "callback first");
same(got, 0, "gets");
same(Object.getPrototypeOf(Reflect.construct(FinalizationRegistry, [callback], getting)), Array.prototype, "prototype of newTarget");
same(got, 1, "gets");
const abrupt = Object.defineProperty(function () {}.bind(), "prototype", { get() { throw new RangeError(); } });
throws(RangeError, () => Reflect.construct(FinalizationRegistry, [callback], abrupt), "abrupt");
for (const prototype of [undefined, null, true, "", 1, Symbol()]) {
  const newTarget = function () {};
  newTarget.prototype = prototype;
  const registry = Reflect.construct(FinalizationRegistry, [callback], newTarget);
  same(Object.getPrototypeOf(registry), FinalizationRegistry.prototype, `prototype ${String(prototype)}`);
}

class Derived extends FinalizationRegistry {
  register(target, held) { super.register(target, held, target); return this; }
}
const token = {};
same(new Derived(callback).register(token, 1).unregister(token), true, "derived");
finish();
