// WeakRef and FinalizationRegistry. What they hold weakly is in handles of the host, whose weak pointers follow
// objects that a collection revives; what they hold strongly (callbacks, held values) is here, where the collector
// sees it.
const { TypeError, Object, Function, Symbol, Map, MapGet, MapSet, MapDelete, apply, create, defineProperty,
  setPrototypeOf } = primordials;
const { keyFor, toStringTag } = Symbol;

const isObject = (value) => (typeof value === "object" && value !== null) || typeof value === "function";
const canBeHeldWeakly = (value) => isObject(value) || (typeof value === "symbol" && keyFor(value) === undefined);

function what(value) {
  switch (typeof value) {
    case "symbol": return "a registered symbol";
    case "object": return "null";
    default: return typeof value;
  }
}

function fail(where, expected, value) { throw new TypeError(`${where}: expected ${expected}, got ${what(value)}`); }

// What the standard calls OrdinaryCreateFromConstructor.
function made(newTarget, fallback) {
  const { prototype } = newTarget;
  return create(isObject(prototype) ? prototype : fallback);
}

// The constructors are derived classes, so that they make their objects themselves, after their arguments are checked.
// Private fields get onto these by being those of classes whose constructor returns them.
class Returned { constructor(object) { return object; } }

class Weak extends Returned {
  #handle;
  constructor(object, handle) { super(object); this.#handle = handle; }
  static handle(object) {
    if (!isObject(object) || !(#handle in object)) throw new TypeError("WeakRef.prototype.deref called on what is no WeakRef");
    return object.#handle;
  }
}

class WeakRef extends Returned {
  constructor(target) {
    if (!canBeHeldWeakly(target)) fail("WeakRef: target", "an object or a symbol that is not registered", target);
    const self = made(new.target, prototypeOfWeakRef);
    new Weak(self, host.ref(target));
    return self;
  }
  deref() { return host.deref(Weak.handle(this)); }
}

class Cells extends Returned {
  #handle; #callback; #held = new Map();
  constructor(object, callback) {
    super(object);
    this.#handle = host.registry(object);
    this.#callback = callback;
  }
  static check(object, method) {
    if (!isObject(object) || !(#handle in object)) {
      throw new TypeError(`FinalizationRegistry.prototype.${method} called on what is no FinalizationRegistry`);
    }
  }
  static add(object, target, held, token) { MapSet(object.#held, host.register(object.#handle, target, token), held); }
  static remove(object, token) {
    const numbers = host.unregister(object.#handle, token);
    for (let i = 0; i < numbers.length; i++) MapDelete(object.#held, numbers[i]);
    return numbers.length > 0;
  }
  static look(object) { host.look(object.#handle); }
  static cleanUp(object, callback = object.#callback) {
    for (let n = host.next(object.#handle); n !== undefined; n = host.next(object.#handle)) {
      const held = MapGet(object.#held, n);
      MapDelete(object.#held, n);
      apply(callback, undefined, [held]);
    }
  }
}

class FinalizationRegistry extends Returned {
  constructor(cleanupCallback) {
    if (typeof cleanupCallback !== "function") fail("FinalizationRegistry: callback", "a function", cleanupCallback);
    const self = made(new.target, prototypeOfRegistry);
    new Cells(self, cleanupCallback);
    return self;
  }
  register(target, heldValue, unregisterToken = undefined) {
    Cells.check(this, "register");
    if (!canBeHeldWeakly(target)) fail("register: target", "an object or a symbol that is not registered", target);
    if (target === heldValue) throw new TypeError("register: the held value must not be the target: it would keep it");
    if (unregisterToken !== undefined && !canBeHeldWeakly(unregisterToken)) {
      fail("register: token", "an object, a symbol that is not registered, or nothing", unregisterToken);
    }
    Cells.add(this, target, heldValue, unregisterToken);
  }
  unregister(unregisterToken) {
    Cells.check(this, "unregister");
    if (!canBeHeldWeakly(unregisterToken)) fail("unregister: token", "an object or a symbol that is not registered", unregisterToken);
    return Cells.remove(this, unregisterToken);
  }
  cleanupSome(callback = undefined) {
    Cells.check(this, "cleanupSome");
    if (callback !== undefined && typeof callback !== "function") fail("cleanupSome: callback", "a function", callback);
    Cells.look(this);
    Cells.cleanUp(this, callback);
  }
}

const prototypeOfWeakRef = WeakRef.prototype, prototypeOfRegistry = FinalizationRegistry.prototype;
const classes = [WeakRef, FinalizationRegistry];
for (let i = 0; i < classes.length; i++) {
  setPrototypeOf(classes[i], Function.prototype);
  setPrototypeOf(classes[i].prototype, Object.prototype);
  defineProperty(classes[i].prototype, toStringTag, { __proto__: null, value: classes[i].name, configurable: true });
}

return { globals: { WeakRef, FinalizationRegistry }, cleanUp: (registry) => Cells.cleanUp(registry) };
