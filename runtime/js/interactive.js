// What somebody types: printing values, and completing names.
const { defineProperty, getOwnPropertyDescriptor, getPrototypeOf, ownKeys, push, split, slice, stringify } = primordials;
const world = globalThis;

function define(name, value) {
  const d = getOwnPropertyDescriptor(world, name);
  if (d !== undefined && !d.configurable) {
    if (d.value !== value) world[name] = value;
  } else {
    defineProperty(world, name, { __proto__: null, value, writable: true, enumerable: true, configurable: true });
  }
}

// A value that can be looked at without running code of a script; else undefined.
function look(object, key) {
  for (let o = object; o !== null && o !== undefined; o = getPrototypeOf(o)) {
    if (host.isProxy(o)) return undefined;
    const d = getOwnPropertyDescriptor(o, key);
    if (d !== undefined) return d.value;
  }
  return undefined;
}

const isObject = (value) => (typeof value === "object" && value !== null) || typeof value === "function";
const prototypes = { __proto__: null, string: "".__proto__, number: (0).__proto__, boolean: true.__proto__, bigint: 0n.__proto__ };

return {
  define,
  last(value) { define("_", value); },
  print(result, keep) {
    if (result === undefined) return; // of what is no expression
    const { value } = result;
    if (keep) define("_", value);
    if (value !== undefined) host.print("log", typeof value === "string" ? stringify(value) : host.inspect(value));
  },
  complete(path) {
    const parts = split(path, "."), names = [], prefix = parts[parts.length - 1];
    let object = world;
    for (let i = 0; i < parts.length - 1; i++) {
      object = look(object, parts[i]);
      if (!isObject(object)) object = prototypes[typeof object];
      if (object === undefined) return names;
    }
    for (let o = object; o !== null && !host.isProxy(o); o = getPrototypeOf(o)) {
      const keys = ownKeys(o);
      for (let i = 0; i < keys.length; i++) {
        const key = keys[i];
        if (typeof key === "string" && key.length >= prefix.length && slice(key, 0, prefix.length) === prefix) push(names, key);
      }
    }
    return names;
  },
};
