// 26.2.3: FinalizationRegistry.prototype, register and unregister; cleanupSome as far as nothing is collected.
const { prototype } = FinalizationRegistry;
same(Object.getPrototypeOf(prototype), Object.prototype, "prototype");
property(prototype, "constructor", FinalizationRegistry, "wc");
property(prototype, Symbol.toStringTag, "FinalizationRegistry", "c");
method(prototype, "register", 2);
method(prototype, "unregister", 1);
method(prototype, "cleanupSome", 0);

const registry = new FinalizationRegistry(() => { throw new Error("it is not called"); });
const target = {}, token = {};
for (const self of [...notWeakly, Symbol(), {}, prototype, FinalizationRegistry, new WeakRef({}), new WeakMap(),
  Object.create(prototype), new Proxy(registry, {})]) {
  throws(TypeError, () => prototype.register.call(self, target, 1), "register on something else");
  throws(TypeError, () => prototype.unregister.call(self, target), "unregister on something else");
  throws(TypeError, () => prototype.cleanupSome.call(self, () => {}), "cleanupSome on something else");
}

// register
for (const value of notWeakly) {
  throws(TypeError, () => registry.register(value, 1), `target ${String(value)}`);
  if (value !== undefined) throws(TypeError, () => registry.register(target, 1, value), `token ${String(value)}`);
  throws(TypeError, () => registry.unregister(value), `unregister ${String(value)}`);
}
throws(TypeError, () => registry.register(), "nothing");
for (const value of weakly) {
  throws(TypeError, () => registry.register(value, value), "held value that is the target");
  same(registry.register(value), undefined, "register without held value");
  same(registry.register(value, {}), undefined, "register");
  same(registry.register(value, 1, undefined), undefined, "register without token");
  same(registry.register(value, 1, value), undefined, "the target as token");
  same(registry.register(target, 1, value), undefined, "register with token");
  same(registry.register(target, value, value), undefined, "the held value as token");
}
same(registry.register(registry, 1), undefined, "the registry itself");
for (const value of notWeakly) same(registry.register(target, value), undefined, "any held value");

// unregister
for (const value of weakly) {
  same(registry.unregister(value), true, "unregister");
  same(registry.unregister(value), false, "once");
}
same(registry.unregister(token), false, "what is no token");
for (let i = 0; i < 3; i++) registry.register({}, i, token);
const other = new FinalizationRegistry(() => {});
same(other.unregister(token), false, "a token of another registry");
same(registry.unregister(token), true, "all with this token");
same(registry.unregister(token), false, "all with this token");

// cleanupSome
for (const value of [null, true, false, 1, 1n, "text", Symbol(), {}, prototype]) {
  throws(TypeError, () => registry.cleanupSome(value), "a callback that is none");
}
let called = 0;
same(registry.cleanupSome(() => { called++; }), undefined, "cleanupSome");
same(registry.cleanupSome(undefined), undefined, "cleanupSome");
same(registry.cleanupSome(), undefined, "cleanupSome");
same(called, 0, "calls");
finish();
