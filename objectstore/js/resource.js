// The base classes of managed objects. Evaluated once per runtime, before any user code, as
// (function (host) { … }); what it needs of the standard library it captures here.
(function (host) {
  "use strict";
  const { construct, getPrototypeOf: protoOf, setPrototypeOf, ownKeys, get: reflectGet } = Reflect;
  const { create, defineProperty, freeze, getOwnPropertyDescriptor: descriptorOf, prototype: objectPrototype } = Object;
  const hasOwn = Object.prototype.hasOwnProperty, sourceOf = Function.prototype.toString;
  // Descriptors inherit from Object.prototype, which user code may fill with what it likes.
  const getOwnPropertyDescriptor = (o, key) => {
    const own = descriptorOf(o, key);
    if (own !== undefined) setPrototypeOf(own, null);
    return own;
  };
  const apply = Reflect.apply;
  const ProxyCopy = Proxy, MapCopy = Map, SetCopy = Set, DateCopy = Date, BytesCopy = Uint8Array, TypeErrorCopy = TypeError;
  const mapForEach = Map.prototype.forEach, mapSet = Map.prototype.set, mapClear = Map.prototype.clear;
  const setForEach = Set.prototype.forEach, setAdd = Set.prototype.add, setClear = Set.prototype.clear;
  const setTime = Date.prototype.setTime, setBytes = Uint8Array.prototype.set;

  // The owner of a managed object stands in a private field: Go's collector sees the edge, scripts
  // can neither forget nor forge it. A constructor that returns its argument stamps it on any object.
  const Identity = function (o) { return o; };
  class Owned extends Identity {
    #owner;
    constructor(o, owner) { super(o); this.#owner = owner; }
  }

  // What an object that could not be loaded refers to is held in the same way.
  class Holding extends Identity {
    #held;
    constructor(o, held) { super(o); this.#held = held; }
  }

  class ObjectDestroyedError extends Error {}
  defineProperty(ObjectDestroyedError.prototype, "name", { __proto__: null, value: "ObjectDestroyedError", writable: true, configurable: true });

  class Resource {
    // A class to extend, in which these properties are declared: Resource.with({ … }) instead of
    // static properties = { … }. Type checkers infer from it what instances have.
    static with(properties) {
      if (typeof this !== "function") throw new TypeErrorCopy("with: call it as a method of a class: Resource.with({ … })");
      if (typeof properties !== "object" || properties === null) {
        throw new TypeErrorCopy(`${this.name}.with: the properties (first argument) must be an object, got ${properties === null ? "null" : typeof properties}`);
      }
      return class extends this { static properties = properties; };
    }
    constructor(properties, owner, options) {
      return host.construct(this, new.target, properties, owner, options);
    }
    get $id() { return host.id(this); }
    get $type() { return host.type(this); }
    get $name() { return host.name(this); }
    get $owner() { return host.owner(this); }
    $find(Class) { return host.find(this, Class); }
    destroy() { return host.destroy(this, 0); }
  }

  class Environment extends Resource {
    static properties = {
      name: { type: "string", optional: true },
      applications: { type: ["Resource"], default: [] },
    };
    async deploy() {
      for (let i = 0; i < this.applications.length && !host.stopping(); i++) {
        const application = this.applications[i];
        if (typeof application.deploy !== "function") continue;
        try {
          await application.deploy();
        } catch (error) {
          host.blame(application, error);
          throw error;
        }
      }
    }
  }
  for (const name of ["$id", "$type", "$name", "$owner", "$find", "destroy"]) {
    const own = getOwnPropertyDescriptor(Resource.prototype, name);
    own.configurable = false;
    if ("value" in own) own.writable = false;
    defineProperty(Resource.prototype, name, own);
  }

  // What a destroyed object inherits from: every method and accessor of its classes throws, while
  // instanceof, constructor and the $ names still answer (gc 5.2).
  const generatorFunction = protoOf(function* () {});
  const readable = { __proto__: null, constructor: true, $id: true, $type: true, $name: true, $owner: true, $find: true };
  const tombstoneHandler = freeze({
    __proto__: null,
    get(target, key, receiver) {
      if (typeof key === "symbol" || readable[key] !== true) {
        for (let o = protoOf(target); o !== null && o !== objectPrototype; o = protoOf(o)) {
          if (apply(hasOwn, o, [key])) throw new ObjectDestroyedError(host.destroyedMessage(receiver, key));
        }
      }
      return reflectGet(target, key, receiver);
    },
    // Own properties are frozen and never get here: this is a setter, or a new property.
    set(target, key, value, receiver) { throw new ObjectDestroyedError(host.destroyedMessage(receiver, key)); },
  });

  return {
    Resource, Environment, ObjectDestroyedError,
    stamp(o, owner) { new Owned(o, owner); },
    hold(o, held) { new Holding(o, held); },
    shell(prototype) { return create(prototype); },
    construct(Class, properties, owner, options) { return construct(Class, [properties, owner, options]); },
    make(Class, properties, owner, options) { return new Class(properties, owner, options); },
    guard(prototype, index) {
      const { value } = getOwnPropertyDescriptor(prototype, "destroy");
      if (typeof value !== "function" || protoOf(value) === generatorFunction) return undefined;
      defineProperty(prototype, "destroy", {
        __proto__: null, value: { destroy() { return host.destroy(this, index); } }.destroy,
        writable: false, enumerable: false, configurable: false,
      });
      return value;
    },
    // deploy() is called by scripts, of one object for another: whoever calls it, what it does is done for
    // the object that it belongs to.
    within(prototype) {
      const own = getOwnPropertyDescriptor(prototype, "deploy");
      const { value: method } = own;
      if (typeof method !== "function") return;
      own.value = { deploy(...args) { return host.within(this, method, args); } }.deploy;
      own.__proto__ = null;
      defineProperty(prototype, "deploy", own);
    },
    apply(method, object, args) { return apply(method, object, args); },
    tombstonePrototype(prototype) { return new ProxyCopy(create(prototype), tombstoneHandler); },
    bury(o, prototype) {
      const keys = ownKeys(o);
      for (let i = 0; i < keys.length; i++) {
        const own = getOwnPropertyDescriptor(o, keys[i]);
        if (own.configurable || own.writable) {
          const key = keys[i];
          const refuse = () => { throw new ObjectDestroyedError(host.destroyedMessage(o, key)); };
          if (typeof own.value === "function") defineProperty(o, key, { __proto__: null, value: refuse });
          else if ((own.get || own.set) && own.configurable) defineProperty(o, key, { __proto__: null, get: refuse, set: refuse });
        }
      }
      if (!setPrototypeOf(o, prototype)) throw new TypeErrorCopy("its methods stay usable: a constructor or method has frozen it");
      freeze(o);
    },
    map() { return new MapCopy(); },
    mapFill(m, items) {
      apply(mapClear, m, []);
      for (let i = 0; i < items.length; i += 2) apply(mapSet, m, [items[i], items[i + 1]]);
    },
    mapEntries(m) { const out = []; apply(mapForEach, m, [(v, k) => { out[out.length] = k; out[out.length] = v; }]); return out; },
    set() { return new SetCopy(); },
    setFill(s, items) {
      apply(setClear, s, []);
      for (let i = 0; i < items.length; i++) apply(setAdd, s, [items[i]]);
    },
    setItems(s) { const out = []; apply(setForEach, s, [(v) => { out[out.length] = v; }]); return out; },
    date(ms) { return new DateCopy(ms); },
    setTime(d, ms) { apply(setTime, d, [ms]); },
    bytes(buffer) { return new BytesCopy(buffer); },
    setBytes(b, from) { apply(setBytes, b, [from]); },
    // The name of the class that o is an instance of, found without running code of a script.
    className(o) {
      const own = protoOf(o) && getOwnPropertyDescriptor(protoOf(o), "constructor");
      const name = own && typeof own.value === "function" && getOwnPropertyDescriptor(own.value, "name");
      return name && typeof name.value === "string" && name.value !== "" ? name.value : undefined;
    },
    source(f) { return apply(sourceOf, f, []); },
    prototypes: {
      Array: Array.prototype, Object: objectPrototype, Map: Map.prototype, Set: Set.prototype, Date: Date.prototype, Uint8Array: BytesCopy.prototype,
    },
    destroyedError(message) { return new ObjectDestroyedError(message); },
  };
})
