// What the modules with effects share: asking the host, errors, and checks of arguments.
const { Error, TypeError, RangeError, Uint8Array, create, defineProperty, setPrototypeOf, ownKeys, getOwnPropertyDescriptor,
  isArray, push, join, typedArrayTag, slice } = primordials;
const { parse, stringify } = JSON;

class PermissionDenied extends Error {}
defineProperty(PermissionDenied.prototype, "name", { value: "PermissionDenied", writable: true, configurable: true });

const prototypes = {
  __proto__: null,
  PermissionDenied: PermissionDenied.prototype, TypeError: TypeError.prototype, RangeError: RangeError.prototype,
};

// Asks the host for an operation, and ends it when the signal is aborted. An error that comes of it was made before,
// where the script called: later, its stack would lead nowhere.
async function perform(op, args, of, encoded, signal) {
  const error = new Error();
  let outcome;
  if (signal === undefined) {
    outcome = await host.perform(op, args, of, encoded);
  } else {
    const { isAborted, onAbort, notOnAbort } = host.use("events"), request = { __proto__: null };
    const cancel = () => request.cancel();
    const promise = host.perform(op, args, of, encoded, request);
    if (isAborted(signal)) cancel();
    onAbort(signal, cancel);
    outcome = await promise;
    notOnAbort(signal, cancel);
  }
  if (outcome.message === undefined) return parse(outcome.json);
  const { name, code, message, json } = outcome;
  const set = (key, value, enumerable) => defineProperty(error, key, { value, enumerable, writable: true, configurable: true });
  if (prototypes[name]) setPrototypeOf(error, prototypes[name]);
  else if (name !== "Error") set("name", name, false);
  set("message", message, false);
  if (code) set("code", code, true);
  if (outcome.limit !== undefined) set("message", host.limit(error, outcome.limit, outcome.value, outcome.what), false);
  if (code === "ABORT_ERR" && signal !== undefined) set("cause", signal.reason, false);
  if (json) {
    const detail = parse(json);
    const keys = ownKeys(detail);
    for (let i = 0; i < keys.length; i++) set(keys[i], detail[keys[i]], true);
  }
  throw error;
}

// What a value is, for messages.
function what(value) {
  switch (typeof value) {
    case "string": return `string "${value.length > 40 ? slice(value, 0, 40) + "…" : value}"`;
    case "number": case "boolean": case "bigint": return `${typeof value} ${value}`;
    case "object": return value === null ? "null" : isArray(value) ? "an array" : "an object";
    case "function": return "a function";
    default: return typeof value;
  }
}

const check = {
  __proto__: null,
  what,
  fail(where, expected, value) { throw new TypeError(`${where} must be ${expected}, got ${what(value)}`); },
  string(where, value) {
    if (typeof value !== "string") check.fail(where, "a string", value);
    return value;
  },
  boolean(where, value) {
    if (value !== undefined && typeof value !== "boolean") check.fail(where, "true or false", value);
    return value;
  },
  milliseconds(where, value) {
    if (value !== undefined && !(typeof value === "number" && value >= 0)) check.fail(where, "a number of milliseconds", value);
    return value === 1 / 0 ? undefined : value;
  },
  isBytes(value) { return typeof value === "object" && value !== null && typedArrayTag(value) === "Uint8Array"; },
  // The object that an effect is for.
  of(where, value) {
    if (value !== undefined && (typeof value !== "object" || value === null)) check.fail(where, "a managed object", value);
    return value;
  },
  signal(where, value) {
    if (value !== undefined && !host.use("events").isSignal(value)) check.fail(where, "an AbortSignal", value);
    return value;
  },
  strings(where, value) {
    if (!isArray(value)) check.fail(where, "an array of strings", value);
    const copy = [];
    for (let i = 0; i < value.length; i++) push(copy, check.string(`${where}[${i}]`, value[i]));
    return copy;
  },
  record(where, value) {
    if (value === undefined) return undefined;
    if (typeof value !== "object" || value === null || isArray(value)) check.fail(where, "an object of strings", value);
    const copy = create(null), keys = ownKeys(value);
    for (let i = 0; i < keys.length; i++) {
      const key = keys[i];
      if (typeof key !== "string" || !getOwnPropertyDescriptor(value, key).enumerable) continue;
      const v = value[key];
      if (v !== undefined) copy[key] = check.string(`${where}.${key}`, v);
    }
    return copy;
  },
  // Options of a function: an object with no other keys than these.
  options(where, value, known) {
    if (value === undefined) return create(null);
    if (typeof value !== "object" || value === null || isArray(value)) check.fail(`${where}: options`, "an object", value);
    const copy = create(null), keys = ownKeys(value);
    for (let i = 0; i < keys.length; i++) {
      const key = keys[i];
      let found = false;
      for (let j = 0; j < known.length; j++) found ||= known[j] === key;
      if (!found) throw new TypeError(`${where}: unknown option ${typeof key === "symbol" ? "symbol" : key}: there are ${join(known, ", ")}`);
      copy[key] = value[key];
    }
    return copy;
  },
};

// A function of a host module that changes the outside: plain data goes in, plain data comes out.
function effect(name, op) {
  const f = async (argument, options) => {
    const o = check.options(name, options, ["of"]);
    const json = stringify(argument === undefined ? null : argument);
    if (json === undefined) check.fail(`${name}: argument`, "plain data", argument);
    return perform(op, json, check.of(`${name}: of`, o.of), true);
  };
  defineProperty(f, "name", { value: name, configurable: true });
  return f;
}

return {
  PermissionDenied, perform, check, effect,
  buffer: (base64) => new Uint8Array(host.buffer(base64)),
};
