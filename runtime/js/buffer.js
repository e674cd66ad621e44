// Buffer, as Node has it: a Uint8Array that reads and writes text and numbers. Without what Node calls deprecated.
const { TypeError, RangeError, Symbol, Uint8Array, DataView, defineProperty, push, isArray, floor, min, toLowerCase, slice,
  arrayBufferByteLength, typedArrayTag, typedArrayBuffer, typedArrayByteOffset, typedArrayLength, typedArraySet, typedArrayFill,
  typedArraySubarray, dataViewMethods, uncurry } = primordials;
const { bytesOf } = host.use("encoding");

function coded(error, code) {
  defineProperty(error, "code", { __proto__: null, value: code, writable: true, enumerable: true, configurable: true });
  return error;
}
const wrongType = (where, expected) => coded(new TypeError(`${where} must be ${expected}`), "ERR_INVALID_ARG_TYPE");
const outOfRange = (where, expected, value) => coded(new RangeError(`${where} must be ${expected}, got ${value}`), "ERR_OUT_OF_RANGE");

const encodings = {
  __proto__: null, utf8: "utf8", "utf-8": "utf8", hex: "hex", base64: "base64", base64url: "base64url", ascii: "ascii",
  latin1: "latin1", binary: "latin1", ucs2: "utf16le", "ucs-2": "utf16le", utf16le: "utf16le", "utf-16le": "utf16le",
};

function encodingOf(name) {
  if (name === undefined || name === null || name === "") return "utf8";
  const known = typeof name === "string" ? encodings[name] ?? encodings[toLowerCase(name)] : undefined;
  if (known === undefined) throw coded(new TypeError(`Unknown encoding: ${typeof name === "string" ? name : typeof name}`), "ERR_UNKNOWN_ENCODING");
  return known;
}

const encode = (text, encoding) => new Buffer(host.toBytes(text, encodingOf(encoding)));

function bytes(where, value) {
  if (typedArrayTag(value) !== "Uint8Array") throw wrongType(where, "a Buffer or a Uint8Array");
  return value;
}

// A position as slice and the like take it: from the end if it is negative, 0 if it is no number.
function position(value, length, absent) {
  if (value === undefined) return absent;
  let at = +value;
  if (!(at === at)) return 0;
  at = at < 0 ? -floor(-at) : floor(at);
  return at < 0 ? (at + length > 0 ? at + length : 0) : min(at, length);
}

// A whole number between two others.
function whole(where, value, least, most) {
  if (typeof value !== "number") throw wrongType(where, "a number");
  if (floor(value) !== value) throw outOfRange(where, "a whole number", value);
  if (value < least || value > most) throw outOfRange(where, `from ${least} to ${most}`, value);
  return value;
}

const MOST = 2 ** 53 - 1;

class Buffer extends Uint8Array {
  constructor(value, offset, length) {
    if (typeof value === "string") super(host.toBytes(value, encodingOf(offset)));
    else super(value, offset, length);
  }

  static alloc(size, value = undefined, encoding = undefined) {
    if (typeof size !== "number") throw wrongType("Buffer.alloc: size", "a number");
    if (!(size >= 0 && size <= MOST)) throw outOfRange("Buffer.alloc: size", `from 0 to ${MOST}`, size);
    const made = new Buffer(floor(size));
    return value === undefined || value === 0 || typedArrayLength(made) === 0 ? made : fill(made, value, undefined, undefined, encoding);
  }
  static allocUnsafe(size) { return Buffer.alloc(size); }
  static allocUnsafeSlow(size) { return Buffer.alloc(size); }

  static from(value, second = undefined, third = undefined) {
    if (typeof value === "string") return encode(value, second);
    if (typeof value === "object" && value !== null) {
      if (host.className(value) === "ArrayBuffer") {
        const size = arrayBufferByteLength(value), from = second === undefined ? 0 : +second || 0;
        if (from < 0 || from > size) throw coded(new RangeError('"offset" is outside of buffer bounds'), "ERR_BUFFER_OUT_OF_BOUNDS");
        const length = third === undefined ? size - from : +third > 0 ? +third : 0;
        if (length > size - from) throw coded(new RangeError('"length" is outside of buffer bounds'), "ERR_BUFFER_OUT_OF_BOUNDS");
        return new Buffer(value, from, length);
      }
      if (typedArrayTag(value) !== undefined || isArray(value)) return copy(value);
      const plain = value.valueOf();
      if (plain !== undefined && plain !== null && plain !== value) return Buffer.from(plain, second, third);
      if (value.type === "Buffer" && isArray(value.data)) return copy(value.data);
      if (value.length !== undefined) return typeof value.length === "number" ? copy(value) : new Buffer(0);
      const convert = value[Symbol.toPrimitive];
      if (typeof convert === "function") {
        const text = value[Symbol.toPrimitive]("string");
        if (typeof text === "string") return encode(text, second);
      }
    }
    throw wrongType("Buffer.from: the first argument", "a string, or an ArrayBuffer, a Buffer, an array or what looks like one");
  }

  static concat(list, total = undefined) {
    if (!isArray(list)) throw wrongType("Buffer.concat: list", "an array of Buffers or Uint8Arrays");
    let size = 0;
    for (let i = 0; i < list.length; i++) size += typedArrayLength(bytes(`Buffer.concat: list[${i}]`, list[i]));
    if (total !== undefined) size = whole("Buffer.concat: length", total, 0, MOST);
    const made = new Buffer(size);
    for (let i = 0, at = 0; i < list.length && at < size; i++) {
      const length = typedArrayLength(list[i]);
      typedArraySet(made, at + length > size ? typedArraySubarray(list[i], 0, size - at) : list[i], at);
      at += length;
    }
    return made;
  }

  static byteLength(value, encoding = undefined) {
    if (typeof value === "string") return host.byteLength(value, encoding in encodings ? encodingOf(encoding) : "utf8");
    if (typeof value === "object" && value !== null && host.className(value) === "ArrayBuffer") return arrayBufferByteLength(value);
    const view = bytesOf(value);
    if (view === undefined) throw wrongType("Buffer.byteLength: the argument", "a string, a Buffer or an ArrayBuffer");
    return typedArrayLength(view);
  }
  static compare(a, b) { return host.compare(bytes("Buffer.compare: buf1", a), bytes("Buffer.compare: buf2", b)); }
  static isBuffer(value) { return value instanceof Buffer; }
  static isEncoding(name) { return typeof name === "string" && name !== "" && encodings[toLowerCase(name)] !== undefined; }

  get parent() { return typedArrayBuffer(this); }
  get offset() { return typedArrayByteOffset(this); }

  toString(encoding = undefined, start = undefined, end = undefined) {
    const length = typedArrayLength(this);
    const from = position(start > 0 ? start : 0, length, 0), to = position(end === undefined || end > 0 ? end : 0, length, length);
    return to <= from ? "" : host.toText(typedArraySubarray(this, from, to), encodingOf(encoding));
  }
  toLocaleString(encoding, start, end) { return this.toString(encoding, start, end); }
  toJSON() {
    const data = [];
    for (let i = 0, n = typedArrayLength(this); i < n; i++) push(data, this[i]);
    return { type: "Buffer", data };
  }
  equals(other) { return host.compare(bytes("Buffer.equals: the buffer", this), bytes("Buffer.equals: the other buffer", other)) === 0; }
  compare(target, targetStart = 0, targetEnd = undefined, start = 0, end = undefined) {
    const of = (buffer, from, to, name) => {
      const length = typedArrayLength(bytes(`Buffer.compare: ${name}`, buffer));
      const last = to === undefined ? length : whole(`Buffer.compare: end of ${name}`, to, 0, length);
      return typedArraySubarray(buffer, whole(`Buffer.compare: start of ${name}`, from, 0, MOST) > last ? last : from, last);
    };
    const theirs = of(target, targetStart, targetEnd, "target"); // arguments are checked in this order
    return host.compare(of(this, start, end, "source"), theirs);
  }
  copy(target, targetStart = 0, start = 0, end = undefined) {
    const room = typedArrayLength(bytes("Buffer.copy: target", target)), length = typedArrayLength(this);
    const at = +targetStart || 0, from = +start || 0;
    if (at < 0) throw outOfRange("Buffer.copy: targetStart", "at least 0", at);
    if (from < 0 || from > length) throw outOfRange("Buffer.copy: sourceStart", `from 0 to ${length}`, from);
    let to = end === undefined ? length : +end || 0;
    if (to < 0) throw outOfRange("Buffer.copy: sourceEnd", "at least 0", to);
    to = min(to, length);
    if (at >= room || from >= to) return 0;
    const count = min(to - from, room - at);
    typedArraySet(target, typedArraySubarray(this, from, from + count), at);
    return count;
  }
  fill(value, offset = undefined, end = undefined, encoding = undefined) { return fill(this, value, offset, end, encoding); }
  write(text, offset = undefined, length = undefined, encoding = undefined) {
    if (typeof text !== "string") throw wrongType("Buffer.write: the argument", "a string");
    if (typeof offset === "string") return this.write(text, 0, undefined, offset);
    if (typeof length === "string") return this.write(text, offset, undefined, length);
    const size = typedArrayLength(this), at = offset === undefined ? 0 : whole("Buffer.write: offset", offset, 0, size);
    const room = length === undefined ? size - at : min(whole("Buffer.write: length", length, 0, size), size - at);
    const name = encodingOf(encoding), data = new Uint8Array(host.toBytes(text, name));
    let count = min(typedArrayLength(data), room);
    if (name === "utf8" && count < typedArrayLength(data)) while (count > 0 && (data[count] & 0xc0) === 0x80) count--; // whole characters
    if (name === "utf16le") count -= count % 2;
    typedArraySet(this, typedArraySubarray(data, 0, count), at);
    return count;
  }

  indexOf(value, from = undefined, encoding = undefined) { return find(this, value, from, encoding, false); }
  lastIndexOf(value, from = undefined, encoding = undefined) { return find(this, value, from, encoding, true); }
  includes(value, from = undefined, encoding = undefined) { return find(this, value, from, encoding, false) !== -1; }

  // Both share memory with this, other than the slices of a Uint8Array.
  slice(start = undefined, end = undefined) { return this.subarray(start, end); }
  subarray(start = undefined, end = undefined) {
    const length = typedArrayLength(this), from = position(start, length, 0), to = position(end, length, length);
    return new Buffer(typedArrayBuffer(this), typedArrayByteOffset(this) + from, to > from ? to - from : 0);
  }

  swap16() { return swap(this, 2); }
  swap32() { return swap(this, 4); }
  swap64() { return swap(this, 8); }
}

const copy = (value) => new Buffer(new Uint8Array(value));

function fill(buffer, value, offset, end, encoding) {
  const length = typedArrayLength(buffer);
  if (typeof offset === "string") return fill(buffer, value, undefined, undefined, offset);
  if (typeof end === "string") return fill(buffer, value, offset, undefined, end);
  const from = offset === undefined ? 0 : whole("Buffer.fill: offset", offset, 0, MOST);
  const to = end === undefined ? length : whole("Buffer.fill: end", end, 0, length);
  if (from >= to) return buffer;
  if (typeof value !== "string" && typedArrayTag(value) !== "Uint8Array") {
    typedArrayFill(buffer, typeof value === "boolean" ? +value : value & 255, from, to);
    return buffer;
  }
  const pattern = typeof value === "string" ? encode(value, encoding) : value, size = typedArrayLength(pattern);
  if (size === 0) {
    if (typeof value !== "string" || value !== "") throw coded(new TypeError("Buffer.fill: the value has no bytes"), "ERR_INVALID_ARG_VALUE");
    typedArrayFill(buffer, 0, from, to);
    return buffer;
  }
  typedArraySet(buffer, typedArraySubarray(pattern, 0, min(size, to - from)), from);
  for (let done = min(size, to - from); from + done < to; done *= 2) { // what is there already, twice as much each time
    typedArraySet(buffer, typedArraySubarray(buffer, from, from + min(done, to - from - done)), from + done);
  }
  return buffer;
}

function find(buffer, value, from, encoding, last) {
  if (typeof from === "string") return find(buffer, value, undefined, from, last);
  const length = typedArrayLength(bytes("Buffer.indexOf: the buffer", buffer));
  let at = from === undefined ? NaN : +from;
  if (!(at === at)) at = last ? length : 0;
  at = at < 0 ? -floor(-at) + length : floor(at);
  let needle = value;
  if (typeof value === "number") needle = copy([value & 255]);
  else if (typeof value === "string") needle = encode(value, encoding);
  else if (typedArrayTag(value) !== "Uint8Array") throw wrongType("Buffer.indexOf: value", "a number, a string, a Buffer or a Uint8Array");
  if (last) {
    if (at < 0) return -1;
    if (typedArrayLength(needle) === 0) return min(at, length);
    return host.lastIndexOf(buffer, needle, min(at, length));
  }
  return host.indexOf(buffer, needle, at < 0 ? 0 : min(at, length));
}

function swap(buffer, size) {
  const length = typedArrayLength(bytes("Buffer.swap: the buffer", buffer));
  if (length % size !== 0) throw coded(new RangeError(`Buffer size must be a multiple of ${8 * size}-bits`), "ERR_INVALID_BUFFER_SIZE");
  host.swap(buffer, size);
  return buffer;
}

// ---- Numbers

const view = (buffer) => new DataView(typedArrayBuffer(buffer), typedArrayByteOffset(buffer), typedArrayLength(buffer));

function room(where, buffer, offset, size) {
  const most = typedArrayLength(buffer) - size;
  if (most < 0) {
    whole(`${where}: offset`, offset, -MOST, MOST);
    throw coded(new RangeError("Attempt to access memory outside buffer bounds"), "ERR_BUFFER_OUT_OF_BOUNDS");
  }
  return whole(`${where}: offset`, offset, 0, most);
}

function method(f, name, alias = undefined) {
  const d = { __proto__: null, value: f, writable: true, enumerable: false, configurable: true };
  defineProperty(f, "name", { __proto__: null, value: name, configurable: true });
  defineProperty(Buffer.prototype, name, d);
  if (alias !== undefined) defineProperty(Buffer.prototype, alias, d);
}

// Numbers of a fixed size: how Buffer calls them, how DataView does, bytes, and the least and the most that fits.
const kinds = [
  ["Int8", "Int8", 1, -0x80, 0x7f], ["UInt8", "Uint8", 1, 0, 0xff], ["Int16", "Int16", 2, -0x8000, 0x7fff],
  ["UInt16", "Uint16", 2, 0, 0xffff], ["Int32", "Int32", 4, -0x80000000, 0x7fffffff], ["UInt32", "Uint32", 4, 0, 0xffffffff],
  ["BigInt64", "BigInt64", 8, -(2n ** 63n), 2n ** 63n - 1n], ["BigUInt64", "BigUint64", 8, 0n, 2n ** 64n - 1n],
  ["Float", "Float32", 4, undefined, undefined], ["Double", "Float64", 8, undefined, undefined],
];
for (let i = 0; i < kinds.length; i++) {
  const kind = kinds[i], name = kind[0], size = kind[2], least = kind[3], most = kind[4];
  const get = uncurry(dataViewMethods["get" + kind[1]].value), set = uncurry(dataViewMethods["set" + kind[1]].value);
  const alias = slice(name, 0, 4) === "UInt" ? "Uint" + slice(name, 4) : slice(name, 0, 7) === "BigUInt" ? "BigUint" + slice(name, 7) : undefined;
  for (let order = 0; order < (size === 1 ? 1 : 2); order++) {
    const little = order === 1, suffix = size === 1 ? "" : little ? "LE" : "BE";
    const both = (verb) => [verb + name + suffix, alias === undefined ? undefined : verb + alias + suffix];
    const reader = both("read"), writer = both("write");
    method({ read(offset = 0) { return get(view(this), room(reader[0], this, offset, size), little); } }.read, reader[0], reader[1]);
    method({
      write(value, offset = 0) {
        let v = value;
        if (typeof least === "bigint") {
          if (typeof v !== "bigint") throw wrongType(`${writer[0]}: value`, "a BigInt");
        } else {
          v = +v;
        }
        if (least !== undefined && (v < least || v > most)) throw outOfRange(`${writer[0]}: value`, `from ${least} to ${most}`, v);
        const at = room(writer[0], this, offset, size);
        set(view(this), at, v, little);
        return at + size;
      },
    }.write, writer[0], writer[1]);
  }
}

// Integers of one to six bytes.
for (let order = 0; order < 2; order++) {
  for (let sign = 0; sign < 2; sign++) {
    const little = order === 1, signed = sign === 1, suffix = (signed ? "Int" : "UInt") + (little ? "LE" : "BE");
    const alias = signed ? undefined : "Uint" + (little ? "LE" : "BE");
    method({
      read(offset, byteLength) {
        const size = whole(`read${suffix}: byteLength`, byteLength, 1, 6), at = room(`read${suffix}`, this, offset, size);
        let value = 0;
        for (let i = 0; i < size; i++) value = value * 256 + this[little ? at + size - 1 - i : at + i];
        return signed && value >= 2 ** (8 * size - 1) ? value - 2 ** (8 * size) : value;
      },
    }.read, "read" + suffix, alias === undefined ? undefined : "read" + alias);
    method({
      write(value, offset, byteLength) {
        const size = whole(`write${suffix}: byteLength`, byteLength, 1, 6), number = +value;
        const least = signed ? -(2 ** (8 * size - 1)) : 0, most = 2 ** (signed ? 8 * size - 1 : 8 * size) - 1;
        if (number < least || number > most) throw outOfRange(`write${suffix}: value`, `from ${least} to ${most}`, number);
        const at = room(`write${suffix}`, this, offset, size);
        let rest = number === number ? floor(number) : 0;
        if (rest < 0) rest += 2 ** (8 * size);
        for (let i = 0; i < size; i++) {
          this[little ? at + i : at + size - 1 - i] = rest % 256;
          rest = floor(rest / 256);
        }
        return at + size;
      },
    }.write, "write" + suffix, alias === undefined ? undefined : "write" + alias);
  }
}

return { Buffer };
