// structuredClone for what the language itself has; without options (nothing can be transferred).
const p = primordials;
const errorNames = { __proto__: null, EvalError: p.EvalError, RangeError: p.RangeError, ReferenceError: p.ReferenceError,
  SyntaxError: p.SyntaxError, TypeError: p.TypeError, URIError: p.URIError };

function fail(what) {
  const { DOMException } = host.use("events");
  throw new DOMException(`${what} could not be cloned.`, "DataCloneError");
}

function define(object, key, value) {
  p.defineProperty(object, key, { __proto__: null, value, writable: true, enumerable: true, configurable: true });
}

// The copies are made first and filled from a list, so that depth costs no stack.
function structuredClone(value) {
  const copies = new p.Map();
  const pending = [];
  const clone = (value) => {
    if (typeof value === "symbol") fail(p.symbolToString(value));
    if (typeof value === "function") fail(p.slice(p.functionToString(value), 0, 100));
    if (typeof value !== "object" || value === null) return value;
    const known = p.MapGet(copies, value);
    if (known !== undefined) return known;
    if (host.isProxy(value)) fail("#<Object>");
    const copy = shell(value, clone);
    p.MapSet(copies, value, copy);
    p.push(pending, value);
    return copy;
  };
  const result = clone(value);
  for (let i = 0; i < pending.length; i++) fill(pending[i], p.MapGet(copies, pending[i]), clone);
  return result;
}

function shell(value, clone) {
  switch (host.className(value)) {
    case "Array": return new p.Array(value.length);
    case "Map": return new p.Map();
    case "Set": return new p.Set();
    case "Date": return new p.Date(p.dateGetTime(value));
    case "RegExp": return new p.RegExp(p.regExpSource(value), p.regExpFlags(value));
    case "Number": return p.Object(p.numberValueOf(value));
    case "String": return p.Object(p.stringValueOf(value));
    case "Boolean": return p.Object(p.booleanValueOf(value));
    case "ArrayBuffer": return p.arrayBufferSlice(value, 0);
    case "Promise": return fail("#<Promise>");
    case "Error": {
      const name = value.name, message = p.getOwnPropertyDescriptor(value, "message");
      const Class = errorNames[name] === undefined ? p.Error : errorNames[name];
      return message === undefined ? new Class() : new Class(p.String(message.value));
    }
  }
  const tag = p.typedArrayTag(value);
  if (tag !== undefined) {
    return new p.typedArrays[tag](clone(p.typedArrayBuffer(value)), p.typedArrayByteOffset(value), p.typedArrayLength(value));
  }
  return {};
}

function fill(value, copy, clone) {
  switch (host.className(value)) {
    case "Map": {
      const it = p.MapEntries(value);
      for (let r = p.MapNext(it); !r.done; r = p.MapNext(it)) p.MapSet(copy, clone(r.value[0]), clone(r.value[1]));
      return;
    }
    case "Set": {
      const it = p.SetValues(value);
      for (let r = p.SetNext(it); !r.done; r = p.SetNext(it)) p.SetAdd(copy, clone(r.value));
      return;
    }
    case "Error": {
      const keys = ["stack", "cause"];
      for (let i = 0; i < keys.length; i++) {
        const key = keys[i];
        const d = p.getOwnPropertyDescriptor(value, key);
        if (d !== undefined && "value" in d) {
          p.defineProperty(copy, key, { __proto__: null, value: clone(d.value), writable: true, configurable: true });
        }
      }
      return;
    }
    case "Array": case "Object": break;
    default: return;
  }
  if (p.typedArrayTag(value) !== undefined) return;
  const keys = p.ownKeys(value);
  for (let i = 0; i < keys.length; i++) {
    if (typeof keys[i] !== "string") continue;
    const d = p.getOwnPropertyDescriptor(value, keys[i]);
    if (d !== undefined && d.enumerable) define(copy, keys[i], clone(value[keys[i]]));
  }
}

return { globals: { structuredClone } };
