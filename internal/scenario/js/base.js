// What the other files need from the language, taken before any test file is
// evaluated: tests replace functions of JSON, Object or Date, and the runner
// must not notice. Methods of arrays, strings and promises are used as they are.
const { parse, stringify } = JSON;
const { create, defineProperty, getOwnPropertyDescriptor, getPrototypeOf, is, keys, setPrototypeOf } = Object;
const { apply, construct, defineProperty: reflectDefine, deleteProperty, ownKeys } = Reflect;
const { isArray } = Array;
const { isView } = ArrayBuffer;
const { floor, imul, max, min } = Math;
const hasOwn = Function.prototype.call.bind(Object.prototype.hasOwnProperty);
const isEnumerable = Function.prototype.call.bind(Object.prototype.propertyIsEnumerable);
const tagOf = Function.prototype.call.bind(Object.prototype.toString);
const sourceOf = Function.prototype.call.bind(Function.prototype.toString);

const isObject = (value) => typeof value === "object" && value !== null;
const isClass = (fn) => /^class\b/.test(sourceOf(fn));
const isThenable = (value) => (isObject(value) || typeof value === "function") && typeof value.then === "function";
const plural = (n, noun) => `${n} ${noun}${n === 1 ? "" : "s"}`;

// The id of a managed object; null for everything else.
const idOf = (value) => host.identify(value) ?? null;
