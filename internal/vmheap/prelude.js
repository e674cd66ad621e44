// Replaces built-ins of goja whose references no collector can follow: bind keeps
// its target in a Go closure, WeakMap and WeakSet are changed by a goroutine of goja
// and forget a key that is revived. What is needed of the standard library is
// captured here, before any user code runs, and never looked up again.
(function (loosen) {
  'use strict';
  const { apply, construct, defineProperty, deleteProperty, get, getOwnPropertyDescriptor, getPrototypeOf, setPrototypeOf } = Reflect;
  const { create, freeze } = Object;
  const { max, trunc } = Math;
  const { toStringTag, hasInstance, iterator } = Symbol;
  const TypeErrorOf = TypeError, ProxyOf = Proxy, infinity = Infinity;
  const functionPrototype = Function.prototype;

  const fixed = (object, name, value) => {
    if (!defineProperty(object, name, { __proto__: null, value, writable: false, enumerable: false, configurable: false })) {
      throw new TypeErrorOf(name + ' cannot be replaced');
    }
  };
  const label = (object, name, value) =>
    defineProperty(object, name, { __proto__: null, value, writable: false, enumerable: false, configurable: true });
  const isObject = (value) => (typeof value === 'object' && value !== null) || typeof value === 'function';

  // Lists are objects without prototype, so that setters on Array.prototype see nothing.
  const joined = (first, second) => {
    const list = create(null), n = first.length;
    for (let i = 0; i < n; i++) list[i] = first[i];
    for (let i = 0; i < second.length; i++) list[n + i] = second[i];
    list.length = n + second.length;
    return list;
  };

  // ---- Function.prototype.bind

  const trap = { __proto__: null, construct: () => ({}) };
  const isConstructor = (target) => {
    try {
      construct(new ProxyOf(target, trap), []);
      return true;
    } catch {
      return false;
    }
  };
  // A class without a prototype property: something to construct that is not callable
  // by itself. Made here, so that its scope refers to nothing that was bound.
  const blank = () => {
    const target = class {};
    loosen(target);
    deleteProperty(target, 'prototype');
    return target;
  };
  const boundConstructor = (target, self, bound) => {
    const is = (value) => value instanceof target;
    const f = new ProxyOf(blank(), {
      __proto__: null,
      apply: (_, __, args) => apply(target, self, joined(bound, args)),
      construct: (_, args, newTarget) => construct(target, joined(bound, args), newTarget === f ? target : newTarget),
      get: (t, key, receiver) => (key === hasInstance && receiver === f ? is : get(t, key, receiver)),
    });
    return f;
  };
  const boundFunction = (target, self, bound) => (...args) => apply(target, self, joined(bound, args));

  fixed(functionPrototype, 'bind', {
    bind(self, ...bound) {
      const target = this;
      if (typeof target !== 'function') throw new TypeErrorOf('Bind must be called on a function');
      const f = (isConstructor(target) ? boundConstructor : boundFunction)(target, self, bound);
      const proto = getPrototypeOf(target);
      if (proto !== functionPrototype) setPrototypeOf(f, proto);
      let length = 0;
      if (getOwnPropertyDescriptor(target, 'length') !== undefined) {
        const n = target.length;
        if (typeof n === 'number') {
          length = n === infinity ? n : n === -infinity || n !== n ? 0 : max(0, trunc(n) - bound.length);
        }
      }
      label(f, 'length', length);
      const name = target.name;
      label(f, 'name', 'bound ' + (typeof name === 'string' ? name : ''));
      return f;
    },
  }.bind);
  label(functionPrototype.bind, 'length', 1);

  // ---- WeakMap and WeakSet: the value is in a private field of the key

  const none = freeze({ __proto__: null });
  const Stamp = function (object) { return object };
  const newSlots = () => class extends Stamp {
    #value;
    constructor(key, value) { super(key); this.#value = value }
    static has(key) { return (#value in key) && key.#value !== none }
    static get(key) { return (#value in key) && key.#value !== none ? key.#value : undefined }
    static set(key, value) { if (#value in key) key.#value = value; else new this(key, value) }
    static delete(key) {
      if (!(#value in key) || key.#value === none) return false;
      key.#value = none;
      return true;
    }
  };

  // each calls step with every value of an iterable, closing the iterator on error.
  const each = (iterable, step) => {
    const method = iterable[iterator];
    if (typeof method !== 'function') throw new TypeErrorOf('object is not iterable');
    const it = apply(method, iterable, []);
    if (!isObject(it)) throw new TypeErrorOf('iterator is not an object');
    const next = it.next;
    for (;;) {
      const result = apply(next, it, []);
      if (!isObject(result)) throw new TypeErrorOf('iterator result is not an object');
      if (result.done) return;
      const value = result.value;
      try {
        step(value);
      } catch (error) {
        try {
          const close = it.return;
          if (close !== undefined && close !== null) apply(close, it, []);
        } catch { /* the first error counts */ }
        throw error;
      }
    }
  };

  const fill = (object, iterable, name, step) => {
    if (iterable === undefined || iterable === null) return;
    const adder = object[name];
    if (typeof adder !== 'function') throw new TypeErrorOf("'" + name + "' of the new object is not a function");
    each(iterable, (value) => step(adder, value));
  };

  class WeakMap {
    #slots = newSlots();
    constructor(iterable = undefined) {
      fill(this, iterable, 'set', (adder, entry) => {
        if (!isObject(entry)) throw new TypeErrorOf('Iterator value ' + typeof entry + ' is not an entry object');
        const key = entry[0], value = entry[1];
        apply(adder, this, [key, value]);
      });
    }
    static #of(self, name) {
      if (!isObject(self) || !(#slots in self)) throw new TypeErrorOf('Method WeakMap.prototype.' + name + ' called on incompatible receiver');
      return self.#slots;
    }
    delete(key) { const slots = WeakMap.#of(this, 'delete'); return isObject(key) && slots.delete(key) }
    get(key) { const slots = WeakMap.#of(this, 'get'); return isObject(key) ? slots.get(key) : undefined }
    has(key) { const slots = WeakMap.#of(this, 'has'); return isObject(key) && slots.has(key) }
    set(key, value) {
      const slots = WeakMap.#of(this, 'set');
      if (!isObject(key)) throw new TypeErrorOf('Invalid value used as weak map key');
      slots.set(key, value);
      return this;
    }
  }

  class WeakSet {
    #slots = newSlots();
    constructor(iterable = undefined) {
      fill(this, iterable, 'add', (adder, value) => { apply(adder, this, [value]) });
    }
    static #of(self, name) {
      if (!isObject(self) || !(#slots in self)) throw new TypeErrorOf('Method WeakSet.prototype.' + name + ' called on incompatible receiver');
      return self.#slots;
    }
    add(value) {
      const slots = WeakSet.#of(this, 'add');
      if (!isObject(value)) throw new TypeErrorOf('Invalid value used in weak set');
      slots.set(value, true);
      return this;
    }
    delete(value) { const slots = WeakSet.#of(this, 'delete'); return isObject(value) && slots.delete(value) }
    has(value) { const slots = WeakSet.#of(this, 'has'); return isObject(value) && slots.has(value) }
  }

  const classes = [WeakMap, WeakSet];
  for (let i = 0; i < classes.length; i++) {
    const C = classes[i];
    label(C.prototype, toStringTag, C.name);
    label(C, 'length', 0);
    fixed(globalThis, C.name, C);
  }
})
