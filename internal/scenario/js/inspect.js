// Values as text, in the manner of Node's util.inspect: for messages (compact)
// and for line diffs (one property per line, sorted). No getter runs.

const LONGEST = 200; // elements shown of one array, Map or Set
const BUDGET = 5000; // elements and properties shown in all
const WIDTH = 72; // up to here an object stands on one line
const DEEPEST = 30; // script stacks are short: each level takes three frames

const mapSize = getOwnPropertyDescriptor(Map.prototype, "size").get;
const setSize = getOwnPropertyDescriptor(Set.prototype, "size").get;
const regexpSource = getOwnPropertyDescriptor(RegExp.prototype, "source").get;
const bufferSize = getOwnPropertyDescriptor(ArrayBuffer.prototype, "byteLength").get;
const { forEach: eachEntry } = Map.prototype;
const { forEach: eachElement } = Set.prototype;
const { getTime, toISOString } = Date.prototype;

const BRANDS = [
  ["Map", Map, (value) => apply(mapSize, value, [])],
  ["Set", Set, (value) => apply(setSize, value, [])],
  ["Date", Date, (value) => apply(getTime, value, [])],
  ["RegExp", RegExp, (value) => apply(regexpSource, value, [])],
  ["ArrayBuffer", ArrayBuffer, (value) => apply(bufferSize, value, [])],
  ["Number", Number, (value) => apply(Number.prototype.valueOf, value, [])],
  ["String", String, (value) => apply(String.prototype.valueOf, value, [])],
  ["Boolean", Boolean, (value) => apply(Boolean.prototype.valueOf, value, [])],
  ["BigInt", BigInt, (value) => apply(BigInt.prototype.valueOf, value, [])],
  ["Symbol", Symbol, (value) => apply(Symbol.prototype.valueOf, value, [])],
];

// Which built-in kind of object a value really is, whatever its prototype says.
function brandOf(value) {
  if (isArray(value)) return "Array";
  if (isView(value)) return value instanceof DataView ? "DataView" : "TypedArray";
  if (value instanceof Error) return "Error";
  for (const [name, type, check] of BRANDS) {
    if (!(value instanceof type)) continue;
    try {
      check(value);
      return name;
    } catch {
      return "Object"; // made with Object.create(Map.prototype), or the like
    }
  }
  return "Object";
}

// inspect never throws. Options: depth (levels of objects that are opened),
// compact (false: one property per line), sorted (properties by name).
function inspect(value, options) {
  const context = { depth: 4, compact: true, sorted: false, ...options, left: BUDGET, open: [], circular: new Map() };
  context.depth = min(context.depth, DEEPEST);
  try {
    return render(value, context);
  } catch (error) {
    return `[cannot be shown: ${shortMessage(error)}]`;
  }
}

function shortMessage(error) {
  try {
    return String(error?.message ?? error);
  } catch {
    return "its message throws";
  }
}

function render(value, context) {
  switch (typeof value) {
    case "string": return renderString(value, context);
    case "bigint": return `${value}n`;
    case "number": return is(value, -0) ? "-0" : String(value);
    case "function": return renderFunction(value, context);
    case "object": return value === null ? "null" : renderObject(value, context);
    default: return String(value); // undefined, boolean, symbol
  }
}

const ESCAPES = { "\n": "\\n", "\r": "\\r", "\t": "\\t", "\b": "\\b", "\f": "\\f", "\v": "\\v", "\\": "\\\\" };

function quote(text) {
  const mark = !text.includes("'") ? "'" : !text.includes('"') ? '"' : !text.includes("`") ? "`" : "'";
  const escaped = text.replace(/[\x00-\x1f\x7f\\]/g, (c) => ESCAPES[c] ??
    `\\x${c.charCodeAt(0).toString(16).padStart(2, "0")}`);
  return mark + (mark === "'" ? escaped.replace(/'/g, "\\'") : escaped) + mark;
}

function renderString(text, context) {
  if (context.compact || !text.slice(0, -1).includes("\n")) return quote(text);
  const lines = text.split("\n");
  const last = lines.pop();
  const quoted = lines.map((line) => quote(`${line}\n`));
  if (last !== "") quoted.push(quote(last));
  return quoted.join(" +\n  ");
}

function renderFunction(value, context) {
  const name = getOwnPropertyDescriptor(value, "name")?.value;
  let text;
  if (isClass(value)) {
    const base = getPrototypeOf(value);
    text = `[class ${name || "(anonymous)"}${base?.name ? ` extends ${base.name}` : ""}]`;
  } else {
    const kind = tagOf(value).slice(8, -1);
    text = `[${kind}${name ? `: ${name}` : " (anonymous)"}]`;
  }
  const properties = propertiesOf(value, false).filter((key) => key !== "prototype");
  if (properties.length === 0 || context.open.length >= context.depth) return text;
  return within(value, context, (parts) => {
    pushProperties(parts, value, properties, context);
    return [`${text} `, "{", "}"];
  });
}

function renderObject(value, context) {
  if (context.open.includes(value)) {
    if (!context.circular.has(value)) context.circular.set(value, context.circular.size + 1);
    return `[Circular *${context.circular.get(value)}]`;
  }
  const id = idOf(value);
  const name = constructorName(value);
  if (id !== null && context.open.length > 0) return `[${name} ${id}]`; // or one message shows the whole graph
  const brand = brandOf(value);
  if (context.open.length >= context.depth && brand !== "Date" && brand !== "RegExp" && brand !== "Error") {
    return brand === "Array" ? "[Array]" : `[${name ?? "Object: null prototype"}]`;
  }
  return within(value, context, (parts) => {
    const frame = RENDERERS[brand](value, name, parts, context);
    pushProperties(parts, value, propertiesOf(value, brand === "Array" || brand === "TypedArray" || brand === "String"),
      context, brand === "Error" ? ["message", "stack", "name"] : []);
    if (id !== null) frame[0] = `${name} ${id} `;
    return frame;
  });
}

// Renders what stands between the brackets of an object, and the object.
function within(value, context, fill) {
  const parts = [];
  context.open.push(value);
  const [prefix, open, close] = fill(parts);
  context.open.pop();
  const mark = context.circular.has(value) ? `<ref *${context.circular.get(value)}> ` : "";
  if (parts.length === 0) return mark + (open === "" ? prefix.trimEnd() : `${prefix}${open}${close}`);
  const [left, right] = open === "" ? ["{", "}"] : [open, close];
  const length = parts.reduce((sum, part) => sum + part.length + 2, prefix.length + 4);
  if (context.compact && length <= WIDTH && !parts.some((part) => part.includes("\n"))) {
    return `${mark}${prefix}${left} ${parts.join(", ")} ${right}`;
  }
  const lines = parts.map((part) => `  ${part.replace(/\n/g, "\n  ")}`);
  return `${mark}${prefix}${left}\n${lines.join(",\n")}\n${right}`;
}

// For each brand: pushes the elements and returns what stands before them and
// around them. An empty bracket: none unless there are properties.
const RENDERERS = {
  Object(value, name) {
    const tag = dataProperty(value, Symbol.toStringTag);
    const label = name ?? "[Object: null prototype]";
    if (typeof tag === "string" && tag !== "" && tag !== name) return [`${label} [${tag}] `, "{", "}"];
    return [name === "Object" ? "" : `${label} `, "{", "}"];
  },
  Array(value, name, parts, context) {
    let holes = 0;
    const shown = min(value.length, LONGEST);
    for (let k = 0; k <= shown; k++) {
      if (k < shown && !hasOwn(value, k)) {
        holes++;
        continue;
      }
      if (holes > 0) parts.push(`<${plural(holes, "empty item")}>`);
      holes = 0;
      if (k < shown && spend(context)) parts.push(renderProperty(value, k, context));
    }
    more(parts, value.length - shown, "item");
    return [name === "Array" ? "" : `${name ?? "[Array: null prototype]"}(${value.length}) `, "[", "]"];
  },
  TypedArray(value, name, parts, context) {
    const shown = min(value.length, LONGEST);
    for (let k = 0; k < shown && spend(context); k++) parts.push(render(value[k], context));
    more(parts, value.length - shown, "item");
    return [`${name}(${value.length}) `, "[", "]"];
  },
  DataView: (value) => [`DataView(${value.byteLength}) `, "{", "}"],
  ArrayBuffer: (value) => [`ArrayBuffer(${value.byteLength}) `, "{", "}"],
  Map(value, name, parts, context) {
    const size = apply(mapSize, value, []);
    apply(eachEntry, value, [(element, key) => {
      if (parts.length < LONGEST && spend(context)) parts.push(`${render(key, context)} => ${render(element, context)}`);
    }]);
    if (context.sorted) parts.sort();
    more(parts, size - parts.length, "item");
    return [`${name}(${size}) `, "{", "}"];
  },
  Set(value, name, parts, context) {
    const size = apply(setSize, value, []);
    apply(eachElement, value, [(element) => {
      if (parts.length < LONGEST && spend(context)) parts.push(render(element, context));
    }]);
    if (context.sorted) parts.sort();
    more(parts, size - parts.length, "item");
    return [`${name}(${size}) `, "{", "}"];
  },
  Date: (value) => [`${apply(getTime, value, []) !== apply(getTime, value, []) ? "Invalid Date" : apply(toISOString, value, [])} `, "", ""],
  RegExp: (value) => [`${apply(RegExp.prototype.toString, value, [])} `, "", ""],
  Error(value, name, parts, context) {
    const message = dataProperty(value, "message") ?? "";
    const label = dataProperty(value, "name") ?? name ?? "Error";
    const cause = getOwnPropertyDescriptor(value, "cause");
    if (cause && !cause.enumerable && context.open.length <= context.depth) {
      parts.push(`[cause]: ${render(cause.value, context)}`);
    }
    return [`[${label}${message === "" ? "" : `: ${message}`}] `, "", ""];
  },
  Number: (value) => boxed(value, "Number", Number.prototype),
  String: (value) => boxed(value, "String", String.prototype),
  Boolean: (value) => boxed(value, "Boolean", Boolean.prototype),
  BigInt: (value) => boxed(value, "BigInt", BigInt.prototype),
  Symbol: (value) => boxed(value, "Symbol", Symbol.prototype),
};

const boxed = (value, name, prototype) =>
  [`[${name}: ${render(apply(prototype.valueOf, value, []), { compact: true })}] `, "", ""];

function more(parts, n, noun) {
  if (n > 0) parts.push(`... ${n} more ${noun}${n === 1 ? "" : "s"}`);
}

const spend = (context) => context.left-- > 0;

// The names and enumerable symbols of own properties; elements left out on demand.
function propertiesOf(value, indexed) {
  return ownKeys(value).filter((key) => isEnumerable(value, key) &&
    !(indexed && typeof key === "string" && /^(0|[1-9]\d*)$/.test(key)));
}

function pushProperties(parts, value, properties, context, except = []) {
  if (context.sorted) properties.sort((a, b) => (String(a) < String(b) ? -1 : 1));
  let shown = 0;
  for (const key of properties) {
    if (except.includes(key)) continue;
    if (!spend(context) || shown++ >= LONGEST) {
      parts.push("...");
      return;
    }
    const label = typeof key === "symbol" ? `[${String(key)}]` : /^[A-Za-z_$][\w$]*$/.test(key) ? key : quote(key);
    parts.push(`${label}: ${renderProperty(value, key, context)}`);
  }
}

function renderProperty(object, key, context) {
  const property = getOwnPropertyDescriptor(object, key);
  if (!property) return "undefined";
  if (property.get) return property.set ? "[Getter/Setter]" : "[Getter]";
  return property.set ? "[Setter]" : render(property.value, context);
}

// A data property of an object or of its prototypes; accessors count as absent.
function dataProperty(value, key) {
  for (let o = value, n = 0; o !== null && n < 1000; o = getPrototypeOf(o), n++) {
    const property = getOwnPropertyDescriptor(o, key);
    if (property) return property.value;
  }
  return undefined;
}

// The name of the class of an object; null for an object without a prototype.
function constructorName(value) {
  const constructor = dataProperty(value, "constructor");
  if (typeof constructor === "function" && constructor.name) return constructor.name;
  return getPrototypeOf(value) === null ? null : "Object";
}
