// What the host needs to know about values: errors as text, and values as Node prints them. Reading runs
// no getters of user code, except where an error has an accessor for its name or message.
const p = primordials;
const MAX_TEXT = 64 * 1024;
const MAX_ITEMS = 100;
const MAX_DEPTH = 2;
const MOST_DEPTH = 20;   // what console.dir can ask for

const errorClasses = {
  __proto__: null, Error: p.Error, TypeError: p.TypeError, RangeError: p.RangeError, SyntaxError: p.SyntaxError,
  ReferenceError: p.ReferenceError, EvalError: p.EvalError, URIError: p.URIError,
};

// Stamp puts a private field onto an object that exists already.
const Stamp = class extends (class { constructor(object) { return object; } }) {
  #value;
  constructor(object, value) { super(object); this.#value = value; }
  static read(object) { return (#value in object) ? object.#value : undefined; }
};

// lookup finds a property along the prototypes without running getters: its descriptor, or undefined.
function lookup(object, key) {
  for (let o = object, n = 0; o !== null && n < 1000; o = p.getPrototypeOf(o), n++) {
    if (host.isProxy(o)) return undefined;
    const d = p.getOwnPropertyDescriptor(o, key);
    if (d !== undefined) return d;
  }
  return undefined;
}

function stringOf(object, key) {
  const d = lookup(object, key);
  if (d === undefined) return undefined;
  const v = "value" in d ? d.value : d.get === undefined ? undefined : p.apply(d.get, object, []);
  return typeof v === "string" ? v : undefined;
}

function describe(value) {
  if (typeof value !== "object" || value === null) {
    return ["", typeof value === "string" ? value : inspect(value)];
  }
  if (host.isProxy(value)) return ["", inspect(value)];
  const stamp = Stamp.read(value);
  const message = stringOf(value, "message");
  if (host.className(value) !== "Error" && message === undefined) return ["", inspect(value), undefined, stamp];
  let name = stringOf(value, "name");
  if (name === undefined) name = host.className(value) === "Error" ? "Error" : "";
  const cause = p.getOwnPropertyDescriptor(value, "cause");
  return [name, message === undefined ? "" : message, cause === undefined ? undefined : cause.value, stamp];
}

// describeThrown is describe with what the console shows in other ways.
function describeThrown(value) {
  const parts = describe(value);
  let more;
  if (host.className(value) === "Error" && !host.isProxy(value)) {
    const errors = p.getOwnPropertyDescriptor(value, "errors"), list = errors === undefined ? undefined : errors.value;
    const known = p.isArray(list) && !host.isProxy(list);
    more = {
      __proto__: null, details: detailsOf(value), derived: !builtIn(p.getPrototypeOf(value)),
      errors: known ? errorsIn(list) : [], errorCount: known ? list.length : 0,
    };
  }
  return [parts[0], parts[1], parts[2], parts[3], more];
}

// stampOf is the stamp of an error, which gets this one if it has none.
function stampOf(error, stamp) {
  if (typeof error !== "object" || error === null || host.isProxy(error) || host.className(error) !== "Error") return undefined;
  if (Stamp.read(error) === undefined) new Stamp(error, stamp);
  return Stamp.read(error);
}

// builtIn reports whether a prototype is that of an error class of the language.
function builtIn(prototype) {
  for (const name in errorClasses) if (errorClasses[name].prototype === prototype) return true;
  return false;
}

const MAX_ERRORS = 10;   // of an AggregateError

function errorsIn(list) {
  const errors = [];
  for (let i = 0; i < list.length && i < MAX_ERRORS; i++) {
    const d = p.getOwnPropertyDescriptor(list, p.String(i));
    if (d !== undefined && "value" in d) p.push(errors, d.value);
  }
  return errors;
}

// detailsOf shows what else an error has: { code: 'ENOENT' }.
function detailsOf(error) {
  const items = [], keys = p.ownKeys(error);
  const state = { depth: 1, chain: new p.Set(), budget: { left: MAX_TEXT / 16 }, circular: new p.Map() };
  p.SetAdd(state.chain, error);
  for (let i = 0; i < keys.length && items.length < MAX_ITEMS && state.budget.left > 0; i++) {
    const key = keys[i];
    if (key === "stack" || key === "message" || key === "name" || key === "cause" || key === "errors") continue;
    const d = p.getOwnPropertyDescriptor(error, key);
    if (d === undefined || !d.enumerable || d.value === undefined) continue;
    p.push(items, keyText(key) + ": " + format(d.value, state, 1, true));
  }
  return items.length === 0 ? "" : layout(items, "{", "}", 0, false);
}

function makeError(name, message, stamp) {
  const known = errorClasses[name];
  const error = new (known === undefined ? p.Error : known)(message);
  if (known === undefined) {
    p.defineProperty(error, "name", { __proto__: null, value: name, writable: true, configurable: true, enumerable: false });
  }
  new Stamp(error, stamp);
  return error;
}

function stampError(error, stamp) {
  new Stamp(error, stamp);
}

function quote(s) {
  let q = "'";
  if (p.indexOf(s, "'") >= 0) q = p.indexOf(s, '"') < 0 ? '"' : p.indexOf(s, "`") < 0 ? "`" : "'";
  const json = p.stringify(s);
  let body = p.replaceAll(p.slice(json, 1, json.length - 1), '\\"', '"');
  if (q === "'") body = p.replaceAll(body, "'", "\\'");
  return q + body + q;
}

const identifier = /^[A-Za-z_$][A-Za-z0-9_$]*$/;

function keyText(key) {
  if (typeof key === "symbol") return "[" + p.symbolToString(key) + "]";
  return p.test(identifier, key) ? key : quote(key);
}

function className(object) {
  for (let o = object, n = 0; o !== null && n < 1000; o = p.getPrototypeOf(o), n++) {
    if (host.isProxy(o)) return "";
    const d = p.getOwnPropertyDescriptor(o, "constructor");
    if (d !== undefined && typeof d.value === "function" && !host.isProxy(d.value)) {
      const name = p.getOwnPropertyDescriptor(d.value, "name");
      if (name !== undefined && typeof name.value === "string" && name.value !== "") return name.value;
    }
  }
  return null;
}

function primitive(value, nested) {
  switch (typeof value) {
    case "string": return nested ? quote(p.slice(value, 0, MAX_TEXT)) : value;
    case "number": return p.is(value, -0) ? "-0" : p.String(value);
    case "bigint": return p.String(value) + "n";
    case "symbol": return p.symbolToString(value);
    default: return p.String(value);
  }
}

function functionText(f) {
  const source = p.functionToString(f);
  const d = p.getOwnPropertyDescriptor(f, "name");
  const name = d !== undefined && typeof d.value === "string" ? d.value : "";
  if (p.slice(source, 0, 5) === "class") {
    const base = p.getPrototypeOf(f);
    let text = "[class " + (name || "(anonymous)");
    if (typeof base === "function" && !host.isProxy(base)) {
      const b = p.getOwnPropertyDescriptor(base, "name");
      if (b !== undefined && typeof b.value === "string" && b.value !== "") text += " extends " + b.value;
    }
    return text + "]";
  }
  const kind = host.functionKind(source);
  return name === "" ? `[${kind} (anonymous)]` : `[${kind}: ${name}]`;
}

function errorText(error) {
  const d = p.getOwnPropertyDescriptor(error, "stack");
  const parts = describe(error), name = parts[0], message = parts[1];
  const head = name === "" ? message : message === "" ? name : name + ": " + message;
  const frames = host.stack(error);
  return frames === "" ? (d === undefined ? `[${head}]` : head) : head + frames;
}

// state: the chain of objects around (for cycles), the budget of characters.
function inspect(value, depth = MAX_DEPTH) {
  return format(value, { depth: p.min(depth, MOST_DEPTH), chain: new p.Set(), budget: { left: MAX_TEXT }, circular: new p.Map() }, 0, false);
}

function format(value, state, level, nested) {
  if (typeof value !== "object" && typeof value !== "function" || value === null) {
    const text = primitive(value, nested);
    state.budget.left -= text.length;
    return text;
  }
  if (state.budget.left <= 0) return "…";
  if (host.isProxy(value)) return "[Proxy]";
  if (p.SetHas(state.chain, value)) {
    if (!p.MapHas(state.circular, value)) p.MapSet(state.circular, value, p.MapSize(state.circular) + 1);
    return `[Circular *${p.MapGet(state.circular, value)}]`;
  }
  p.SetAdd(state.chain, value);
  let text = object(value, state, level);
  p.SetDelete(state.chain, value);
  const mark = p.MapGet(state.circular, value);
  if (mark !== undefined) {
    text = `<ref *${mark}> ` + text;
    p.MapDelete(state.circular, value);
  }
  return text;
}

function object(value, state, level) {
  const kind = host.className(value);
  const name = className(value);
  const isArray = p.isArray(value);
  let head = "", open = "{", close = "}";
  const items = [];
  let skip = null;          // the keys that are shown in another way
  let deep = level > state.depth;
  let fields = false;       // the items are properties, though no own ones

  if (typeof value === "function") {
    head = functionText(value);
    skip = (key) => key === "length" || key === "name" || key === "prototype";
  } else if (isArray) {
    open = "["; close = "]";
    if (name !== "Array") head = `${name === null ? "[Array(" + value.length + "): null prototype]" : name + "(" + value.length + ")"}`;
    if (deep) return `[${name === null ? "Array" : name}]`;
    arrayItems(value, p.getOwnPropertyDescriptor(value, "length").value, items, state, level);
    skip = (key) => key === "length";
  } else if (kind === "Map") {
    head = `${name || "Map"}(${p.MapSize(value)})`;
    if (deep) return `[${name || "Map"}]`;
    const it = p.MapEntries(value);
    for (let r = p.MapNext(it), n = 0; !r.done; r = p.MapNext(it), n++) {
      if (full(items, n, p.MapSize(value), state)) break;
      p.push(items, format(r.value[0], state, level + 1, true) + " => " + format(r.value[1], state, level + 1, true));
    }
  } else if (kind === "Set") {
    head = `${name || "Set"}(${p.SetSize(value)})`;
    if (deep) return `[${name || "Set"}]`;
    const it = p.SetValues(value);
    for (let r = p.SetNext(it), n = 0; !r.done; r = p.SetNext(it), n++) {
      if (full(items, n, p.SetSize(value), state)) break;
      p.push(items, format(r.value, state, level + 1, true));
    }
  } else if (kind === "Error") {
    head = errorText(value);
    if (level > 0) head = p.replaceAll(head, "\n", "\n" + p.repeat("  ", level));
    skip = (key) => key === "stack" || key === "message" || key === "name";
  } else if (kind === "Date") {
    const time = p.dateGetTime(value);
    head = p.isNaN(time) ? "Invalid Date" : p.dateToISOString(value);
  } else if (kind === "RegExp") {
    head = "/" + p.regExpSource(value) + "/" + p.regExpFlags(value);
    skip = (key) => key === "lastIndex";
  } else if (kind === "Promise") {
    head = (name || "Promise");
    p.push(items, "<" + host.promiseState(value) + ">");
  } else if (kind === "Number" || kind === "String" || kind === "Boolean") {
    const unwrapped = kind === "Number" ? p.numberValueOf(value) : kind === "String" ? p.stringValueOf(value) : p.booleanValueOf(value);
    head = `[${kind}: ${primitive(unwrapped, true)}]`;
    skip = kind === "String" ? (key) => key === "length" || isIndex(key) : null;
  } else {
    const tag = typedArrayTag(value);
    if (tag !== undefined) {
      const length = p.typedArrayLength(value);
      if (name === "Buffer" && tag === "Uint8Array") return bufferText(value, length);
      open = "["; close = "]";
      head = `${name || tag}(${length})`;
      if (deep) return `[${name || tag}]`;
      for (let i = 0; i < length; i++) {
        if (full(items, i, length, state)) break;
        p.push(items, primitive(value[i], true));
      }
    } else if (kind === "ArrayBuffer") {
      head = "ArrayBuffer";
      p.push(items, `byteLength: ${p.arrayBufferByteLength(value)}`);
    } else if (name === null) {
      head = "[Object: null prototype]";
    } else if (name !== "Object") {
      head = name;
      const told = standard[name] === undefined ? undefined : host.tell(standard[name], value);
      if (told !== undefined) {
        if (deep) return `[${name}]`;
        standardItems(told, items, state, level);
        fields = true;
      }
    }
  }

  const shown = items.length;
  const whole = head !== "" && open === "{" && (typeof value === "function" || kind === "Error" || kind === "Date" || kind === "RegExp" ||
    kind === "Number" || kind === "String" || kind === "Boolean");
  const keys = p.ownKeys(value);
  let count = 0, from = 0;
  if (open === "[") { // indices come first, and there may be many
    from = keys.length;
    while (from > 0 && !(typeof keys[from - 1] === "string" && isIndex(keys[from - 1]))) from--;
  }
  for (let i = from; i < keys.length; i++) {
    const key = keys[i];
    if (skip !== null && typeof key === "string" && skip(key)) continue;
    const d = p.getOwnPropertyDescriptor(value, key);
    if (d === undefined || (!d.enumerable && !(kind === "Error" && (key === "cause" || key === "errors")))) continue;
    if (deep) return whole ? head : `[${name === null ? "Object: null prototype" : name || "Object"}]`;
    if (full(items, count++, keys.length, state)) break;
    state.budget.left -= typeof key === "string" ? key.length : 20;
    const shownKey = d.enumerable ? keyText(key) : `[${p.String(key)}]`;
    let text;
    if ("value" in d) text = format(d.value, state, level + 1, true);
    else if (d.get !== undefined) text = d.set !== undefined ? "[Getter/Setter]" : "[Getter]";
    else text = "[Setter]";
    p.push(items, shownKey + ": " + text);
  }
  state.budget.left -= head.length + items.length * (2 * level + 2); // what they contain is counted
  if (items.length === 0) {
    if (whole) return head;
    return head === "" ? open + close : head + " " + open + close;
  }
  return (head === "" ? "" : head + " ") + layout(items, open, close, level, isArray || shown > 6 && !fields);
}

const MAX_BYTES = 50;

function bufferText(bytes, length) {
  const shown = [];
  for (let i = 0; i < length && i < MAX_BYTES; i++) p.push(shown, (bytes[i] < 16 ? "0" : "") + p.numberToString(bytes[i], 16));
  const more = length - MAX_BYTES;
  return `<Buffer ${p.join(shown, " ")}` + (more > 0 ? ` ... ${more} more byte${more === 1 ? "" : "s"}>` : ">");
}

// Objects of the standard globals, which have no properties of their own, are shown by what their classes tell of
// them: how keys and values stand together, and these in turns.
const standard = { __proto__: null, URL: "url", URLSearchParams: "url", Headers: "fetch", Request: "fetch", Response: "fetch",
  Event: "events", CustomEvent: "events", AbortSignal: "events", AbortController: "events" };

function standardItems(list, items, state, level) {
  for (let i = 1; i < list.length; i += 2) {
    if (full(items, i >> 1, list.length >> 1, state)) return;
    const key = list[0] === ": " ? keyText(list[i]) : quote(list[i]);
    p.push(items, key + list[0] + format(list[i + 1], state, level + 1, true));
  }
}

function full(items, n, total, state) {
  if (n < MAX_ITEMS && state.budget.left > 0) return false;
  const more = total - n;
  p.push(items, `... ${more} more item${more === 1 ? "" : "s"}`);
  return true;
}

function isIndex(key) { return p.test(/^(0|[1-9][0-9]*)$/, key); }

function arrayItems(array, length, items, state, level) {
  let holes = 0;
  const flush = () => {
    if (holes > 0) p.push(items, `<${holes} empty item${holes === 1 ? "" : "s"}>`);
    holes = 0;
  };
  for (let i = 0; i < length; i++) {
    if (items.length >= MAX_ITEMS || state.budget.left <= 0) {
      flush();
      p.push(items, `... ${length - i} more item${length - i === 1 ? "" : "s"}`);
      return;
    }
    const d = p.getOwnPropertyDescriptor(array, p.String(i));
    if (d === undefined) {
      if (++holes > 1e5) { // a sparse array may claim to be very long
        holes += length - i - 1;
        break;
      }
      continue;
    }
    flush();
    p.push(items, "value" in d ? format(d.value, state, level + 1, true) : "[Getter]");
  }
  flush();
}

function typedArrayTag(value) {
  return p.typedArrayTag(value);
}

function layout(items, open, close, level, list) {
  let length = 0, multi = false;
  for (let i = 0; i < items.length; i++) {
    length += items[i].length + 2;
    if (p.indexOf(items[i], "\n") >= 0) multi = true;
  }
  if (!multi && length + level * 2 <= 72) return `${open} ${p.join(items, ", ")} ${close}`;
  const pad = p.repeat("  ", level + 1);
  if (list && !multi && items.length > 6) { // several short items a line
    const lines = [];
    let line = "";
    for (let i = 0; i < items.length; i++) {
      const item = items[i] + (i < items.length - 1 ? "," : "");
      if (line !== "" && line.length + item.length + 1 > 72) { p.push(lines, line); line = ""; }
      line += (line === "" ? "" : " ") + item;
    }
    p.push(lines, line);
    return `${open}\n${pad}${p.join(lines, "\n" + pad)}\n${p.repeat("  ", level)}${close}`;
  }
  return `${open}\n${pad}${p.join(items, ",\n" + pad)}\n${p.repeat("  ", level)}${close}`;
}

return {
  describe: describeThrown, stampOf, makeError, stampError, inspect,
  await: async (value, ok, fail) => {
    let result;
    try {
      result = await value;
    } catch (error) {
      fail(error);
      return;
    }
    ok(result);
  },
};
