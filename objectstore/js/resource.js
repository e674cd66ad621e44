// The base classes of managed objects. Evaluated once per runtime, before any user code, as
// (function (host) { … }); what it needs of the standard library it captures here.
(function (host) {
  "use strict";
  const { construct, getPrototypeOf: protoOf, setPrototypeOf, ownKeys, get: reflectGet } = Reflect;
  const { create, defineProperty, freeze, getOwnPropertyDescriptor, prototype: objectPrototype } = Object;
  const hasOwn = Object.prototype.hasOwnProperty;
  const apply = Reflect.apply;
  const { isArray } = Array;
  const ProxyCopy = Proxy, MapCopy = Map, SetCopy = Set, DateCopy = Date, BytesCopy = Uint8Array;
  const mapForEach = Map.prototype.forEach, mapSet = Map.prototype.set, mapClear = Map.prototype.clear;
  const setForEach = Set.prototype.forEach, setAdd = Set.prototype.add, setClear = Set.prototype.clear;

  // The owner of a managed object stands in a private field: Go's collector sees the edge, scripts
  // can neither forget nor forge it. A constructor that returns its argument stamps it on any object.
  const Identity = function (o) { return o; };
  class Owned extends Identity {
    #owner;
    constructor(o, owner) { super(o); this.#owner = owner; }
    static set(o, owner) { o.#owner = owner; }
  }

  class ObjectDestroyedError extends Error {}
  defineProperty(ObjectDestroyedError.prototype, "name", { value: "ObjectDestroyedError", writable: true, configurable: true });

  class Resource {
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
      for (let i = 0; i < this.applications.length; i++) {
        const application = this.applications[i];
        if (typeof application.deploy === "function") await application.deploy();
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
  const readable = { __proto__: null, constructor: true, $id: true, $type: true, $name: true, $owner: true, $find: true };
  const tombstoneHandler = freeze({
    __proto__: null,
    get(target, key, receiver) {
      if (readable[key] !== true || typeof key === "symbol") {
        for (let o = protoOf(target); o !== null && o !== objectPrototype; o = protoOf(o)) {
          if (apply(hasOwn, o, [key])) throw new ObjectDestroyedError(host.destroyedMessage(receiver, key));
        }
      }
      return reflectGet(target, key, receiver);
    },
  });

  return {
    Resource, Environment, ObjectDestroyedError,
    stamp(o, owner) { new Owned(o, owner); },
    setOwner(o, owner) { Owned.set(o, owner); },
    shell(prototype) { return create(prototype); },
    define(o, name, value) {
      defineProperty(o, name, { value, writable: true, enumerable: true, configurable: false });
    },
    construct(Class, properties, owner, options) { return construct(Class, [properties, owner, options]); },
    make(Class, properties, owner, options) { return new Class(properties, owner, options); },
    guard(prototype, index) {
      const { value } = getOwnPropertyDescriptor(prototype, "destroy");
      defineProperty(prototype, "destroy", {
        value: { destroy() { return host.destroy(this, index); } }.destroy,
        writable: false, enumerable: false, configurable: false,
      });
      return value;
    },
    tombstonePrototype(prototype) { return new ProxyCopy(create(prototype), tombstoneHandler); },
    bury(o, prototype) {
      const keys = ownKeys(o);
      for (let i = 0; i < keys.length; i++) {
        const own = getOwnPropertyDescriptor(o, keys[i]);
        if (own.configurable || own.writable) {
          const key = keys[i];
          const refuse = () => { throw new ObjectDestroyedError(host.destroyedMessage(o, key)); };
          if (typeof own.value === "function") defineProperty(o, key, { value: refuse });
          else if ((own.get || own.set) && own.configurable) defineProperty(o, key, { get: refuse, set: refuse });
        }
      }
      setPrototypeOf(o, prototype);
      freeze(o);
    },
    record() { return {}; },
    map() { return new MapCopy(); },
    mapClear(m) { apply(mapClear, m, []); },
    mapSet(m, k, v) { apply(mapSet, m, [k, v]); },
    mapEntries(m) { const out = []; apply(mapForEach, m, [(v, k) => { out[out.length] = k; out[out.length] = v; }]); return out; },
    set() { return new SetCopy(); },
    setClear(s) { apply(setClear, s, []); },
    setAdd(s, v) { apply(setAdd, s, [v]); },
    setItems(s) { const out = []; apply(setForEach, s, [(v) => { out[out.length] = v; }]); return out; },
    date(ms) { return new DateCopy(ms); },
    bytes(buffer) { return new BytesCopy(buffer); },
    isArray,
    destroyedError(message) { return new ObjectDestroyedError(message); },
  };
})
