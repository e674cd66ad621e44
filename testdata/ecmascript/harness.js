function same(actual, expected, what) {
  if (!Object.is(actual, expected)) throw new Error(`${what}: got ${String(actual)}, want ${String(expected)}`);
}

function throws(Class, f, what) {
  let error;
  try { f(); } catch (e) { error = e; }
  if (error === undefined) throw new Error(`${what}: nothing was thrown`);
  same(error.constructor, Class, what);
}

// Own data properties, with those attributes whose letters are given.
function property(object, key, value, attributes) {
  const d = Object.getOwnPropertyDescriptor(object, key), name = String(key);
  if (d === undefined) throw new Error(`there is no own property ${name}`);
  same(d.value, value, name);
  same(d.writable, attributes.includes("w"), `${name} is writable`);
  same(d.enumerable, attributes.includes("e"), `${name} is enumerable`);
  same(d.configurable, attributes.includes("c"), `${name} is configurable`);
}

function method(object, key, length) {
  property(object, key, object[key], "wc");
  builtIn(object[key], key, length);
  throws(TypeError, () => { new object[key](); }, `new ${key}`);
  throws(TypeError, () => { Reflect.construct(Object, [], object[key]); }, `${key} as newTarget`);
  same(Object.hasOwn(object[key], "prototype"), false, `${key} has a prototype`);
}

function builtIn(f, name, length) {
  same(typeof f, "function", name);
  property(f, "name", name, "c");
  property(f, "length", length, "c");
  same(Object.getPrototypeOf(f), Function.prototype, `prototype of ${name}`);
  same(Object.isExtensible(f), true, `${name} is extensible`);
}

// What no value can stand for that is to be held weakly.
const notWeakly = [undefined, null, true, false, 1, NaN, 1n, "text", Symbol.for("registered")];
const weakly = [{}, [], () => {}, new Proxy({}, {}), Object.create(null), Symbol("symbol"), Symbol(), Symbol.iterator, new Date(), /x/, globalThis];

const finish = () => console.log("finished");
