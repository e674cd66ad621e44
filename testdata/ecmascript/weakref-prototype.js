// 26.1.3: WeakRef.prototype, and its deref.
same(Object.getPrototypeOf(WeakRef.prototype), Object.prototype, "prototype");
property(WeakRef.prototype, "constructor", WeakRef, "wc");
property(WeakRef.prototype, Symbol.toStringTag, "WeakRef", "c");
method(WeakRef.prototype, "deref", 0);
same(Reflect.ownKeys(WeakRef.prototype).map(String).join(), "constructor,deref,Symbol(Symbol.toStringTag)", "keys");

const { deref } = WeakRef.prototype;
for (const self of [...notWeakly, Symbol(), {}, [], () => {}, WeakRef, WeakRef.prototype, new WeakMap(), new WeakSet(),
  new FinalizationRegistry(() => {}), Object.create(WeakRef.prototype), new Proxy(new WeakRef({}), {})]) {
  throws(TypeError, () => deref.call(self), "deref of something else");
}
const target = {}, ref = new WeakRef(target);
same(deref.call(ref), target, "deref");
same(ref.deref(ref), target, "arguments mean nothing");
Object.setPrototypeOf(ref, null);
same(deref.call(Object.freeze(ref)), target, "frozen, without prototype");

// Nothing that scripts change has an influence on it.
const { keyFor } = Symbol, { create } = Object;
Symbol.keyFor = Object.create = Reflect.construct = () => { throw new Error("called"); };
same(new WeakRef(target).deref(), target, "changed built-ins");
Symbol.keyFor = keyFor;
Object.create = create;
finish();
