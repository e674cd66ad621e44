// The built-ins as they are before user code runs. The library's scripts use these, so that what user
// code does to the globals cannot change how the library works.
const apply = Reflect.apply;
const uncurry = (f) => (self, ...args) => apply(f, self, args);
const getter = (object, key) => uncurry(Object.getOwnPropertyDescriptor(object, key).get);
const TypedArray = Object.getPrototypeOf(Uint8Array);
const MapIterator = Object.getPrototypeOf(new Map().entries());
const SetIterator = Object.getPrototypeOf(new Set().values());

// goja has no syntax that would need them, but lowered code has.
for (const name of ["asyncIterator", "dispose", "asyncDispose"]) {
  if (!(name in Symbol)) {
    Object.defineProperty(Symbol, name, { value: Symbol("Symbol." + name) });
  }
}

return Object.freeze({
  apply, uncurry,
  construct: Reflect.construct, ownKeys: Reflect.ownKeys, getPrototypeOf: Reflect.getPrototypeOf,
  getOwnPropertyDescriptor: Reflect.getOwnPropertyDescriptor, defineProperty: Reflect.defineProperty,
  setPrototypeOf: Reflect.setPrototypeOf,
  create: Object.create, freeze: Object.freeze, is: Object.is, isArray: Array.isArray,
  Object, Array, Map, Set, Promise, Date, RegExp, Symbol, Number, String, BigInt, Boolean, Function,
  ArrayBuffer, DataView, Uint8Array,
  Error, TypeError, RangeError, SyntaxError, ReferenceError, EvalError, URIError, AggregateError,
  MapGet: uncurry(Map.prototype.get), MapSet: uncurry(Map.prototype.set), MapHas: uncurry(Map.prototype.has),
  MapDelete: uncurry(Map.prototype.delete), MapClear: uncurry(Map.prototype.clear),
  MapSize: getter(Map.prototype, "size"), MapEntries: uncurry(Map.prototype.entries),
  MapForEach: uncurry(Map.prototype.forEach), MapNext: uncurry(MapIterator.next),
  SetAdd: uncurry(Set.prototype.add), SetHas: uncurry(Set.prototype.has), SetDelete: uncurry(Set.prototype.delete),
  SetSize: getter(Set.prototype, "size"), SetValues: uncurry(Set.prototype.values), SetNext: uncurry(SetIterator.next),
  SetForEach: uncurry(Set.prototype.forEach),
  push: uncurry(Array.prototype.push), pop: uncurry(Array.prototype.pop), join: uncurry(Array.prototype.join),
  slice: uncurry(String.prototype.slice), indexOf: uncurry(String.prototype.indexOf),
  repeat: uncurry(String.prototype.repeat), replaceAll: uncurry(String.prototype.replaceAll),
  split: uncurry(String.prototype.split), padEnd: uncurry(String.prototype.padEnd),
  test: uncurry(RegExp.prototype.test), regExpSource: getter(RegExp.prototype, "source"),
  regExpFlags: getter(RegExp.prototype, "flags"),
  dateGetTime: uncurry(Date.prototype.getTime), dateToISOString: uncurry(Date.prototype.toISOString),
  functionToString: uncurry(Function.prototype.toString), symbolToString: uncurry(Symbol.prototype.toString),
  numberValueOf: uncurry(Number.prototype.valueOf), stringValueOf: uncurry(String.prototype.valueOf),
  booleanValueOf: uncurry(Boolean.prototype.valueOf),
  numberToFixed: uncurry(Number.prototype.toFixed), numberToString: uncurry(Number.prototype.toString),
  typedArrayLength: getter(TypedArray.prototype, "length"), typedArrayBuffer: getter(TypedArray.prototype, "buffer"),
  typedArrayByteOffset: getter(TypedArray.prototype, "byteOffset"),
  typedArrayTag: getter(TypedArray.prototype, Symbol.toStringTag),
  arrayBufferByteLength: getter(ArrayBuffer.prototype, "byteLength"), arrayBufferSlice: uncurry(ArrayBuffer.prototype.slice),
  charCodeAt: uncurry(String.prototype.charCodeAt), toLowerCase: uncurry(String.prototype.toLowerCase),
  toUpperCase: uncurry(String.prototype.toUpperCase), arraySort: uncurry(Array.prototype.sort),
  arraySlice: uncurry(Array.prototype.slice), arraySplice: uncurry(Array.prototype.splice),
  typedArrayByteLength: getter(TypedArray.prototype, "byteLength"), typedArraySet: uncurry(TypedArray.prototype.set),
  typedArrayFill: uncurry(TypedArray.prototype.fill), typedArraySubarray: uncurry(TypedArray.prototype.subarray),
  dataViewBuffer: getter(DataView.prototype, "buffer"), dataViewByteOffset: getter(DataView.prototype, "byteOffset"),
  dataViewByteLength: getter(DataView.prototype, "byteLength"), dataViewMethods: Object.getOwnPropertyDescriptors(DataView.prototype),
  stringify: JSON.stringify, parse: JSON.parse, parseInt, isNaN: Number.isNaN, floor: Math.floor, min: Math.min,
  objectPrototype: Object.prototype, arrayPrototype: Array.prototype, errorPrototype: Error.prototype,
  typedArrays: Object.freeze({
    __proto__: null, Int8Array, Uint8Array, Uint8ClampedArray, Int16Array, Uint16Array, Int32Array, Uint32Array,
    Float32Array, Float64Array, BigInt64Array, BigUint64Array,
  }),
});
