// Text as bytes, and bytes as text: TextEncoder, TextDecoder, atob and btoa.
const { Symbol, TypeError, RangeError, Uint8Array, defineProperty, create, slice, charCodeAt, typedArrayTag, typedArrayBuffer,
  typedArrayByteOffset, typedArrayByteLength, typedArrayLength, typedArraySet, dataViewBuffer, dataViewByteOffset,
  dataViewByteLength } = primordials;

const tag = (Class, value) => defineProperty(Class.prototype, Symbol.toStringTag, { __proto__: null, value, configurable: true });

// The bytes of an ArrayBuffer or a view of one, without copying; undefined for other values.
function bytesOf(value) {
  if (typeof value !== "object" || value === null) return undefined;
  if (typedArrayTag(value) !== undefined) {
    return new Uint8Array(typedArrayBuffer(value), typedArrayByteOffset(value), typedArrayByteLength(value));
  }
  if (host.className(value) === "ArrayBuffer") return new Uint8Array(value);
  try {
    return new Uint8Array(dataViewBuffer(value), dataViewByteOffset(value), dataViewByteLength(value));
  } catch {
    return undefined; // no DataView
  }
}

const encodeUTF8 = (text) => new Uint8Array(host.encode(text));
const decodeUTF8 = (bytes) => {
  const text = host.decode("utf-8", bytes, true, false)[0];
  return charCodeAt(text, 0) === 0xfeff ? slice(text, 1) : text;
};

// The text that bytes are of, undefined if they are of none.
const textOf = (bytes) => {
  const decoded = host.decode("utf-8", bytes, true, true);
  return decoded === undefined ? undefined : decoded[0];
};

class TextEncoder {
  #brand;
  get encoding() {
    this.#brand;
    return "utf-8";
  }
  encode(text = "") {
    this.#brand;
    return encodeUTF8(`${text}`);
  }
  encodeInto(text, into) {
    this.#brand;
    if (typedArrayTag(into) !== "Uint8Array") throw new TypeError("encodeInto: the second argument must be a Uint8Array");
    const source = `${text}`, room = typedArrayLength(into);
    let read = source.length < room ? source.length : room;
    for (;;) {
      const last = charCodeAt(source, read - 1), next = charCodeAt(source, read);
      if (last >= 0xd800 && last <= 0xdbff && next >= 0xdc00 && next <= 0xdfff) read--; // it would cut a pair in two
      const bytes = encodeUTF8(slice(source, 0, read)), written = typedArrayLength(bytes);
      if (written <= room) {
        typedArraySet(into, bytes);
        return { read, written };
      }
      read -= (written - room + 2) / 3 | 0; // a unit makes three bytes at most
    }
  }
}
tag(TextEncoder, "TextEncoder");

class TextDecoder {
  #encoding;
  #fatal;
  #ignoreBOM;
  #rest = null;    // bytes of a character that has not come to its end
  #begun = false;  // there was text, a mark of the byte order perhaps

  constructor(label = "utf-8", options = undefined) {
    const o = options === undefined || options === null ? create(null) : options;
    this.#encoding = host.encoding(`${label}`);
    if (this.#encoding === undefined) {
      throw new RangeError(`The "${label}" encoding is not supported`);
    }
    this.#fatal = !!o.fatal;
    this.#ignoreBOM = !!o.ignoreBOM;
  }
  get encoding() { return this.#encoding; }
  get fatal() { return this.#fatal; }
  get ignoreBOM() { return this.#ignoreBOM; }

  decode(input = undefined, options = undefined) {
    let bytes = input === undefined ? new Uint8Array(0) : bytesOf(input);
    if (bytes === undefined) {
      throw new TypeError("TextDecoder.decode: the input must be an ArrayBuffer or a view of one");
    }
    const stream = options !== undefined && options !== null ? !!options.stream : false;
    if (this.#rest !== null) {
      const joined = new Uint8Array(typedArrayLength(this.#rest) + typedArrayLength(bytes));
      typedArraySet(joined, this.#rest);
      typedArraySet(joined, bytes, typedArrayLength(this.#rest));
      bytes = joined;
    }
    this.#rest = null;
    const decoded = host.decode(this.#encoding, bytes, !stream, this.#fatal);
    if (decoded === undefined) {
      this.#begun = false;
      throw new TypeError(`The encoded data was not valid for encoding ${this.#encoding}`);
    }
    let text = decoded[0];
    const taken = decoded[1];
    if (taken < typedArrayLength(bytes)) {
      this.#rest = new Uint8Array(typedArrayLength(bytes) - taken);
      typedArraySet(this.#rest, new Uint8Array(typedArrayBuffer(bytes), typedArrayByteOffset(bytes) + taken));
    }
    if (!this.#begun && text !== "") {
      this.#begun = true;
      if (!this.#ignoreBOM && charCodeAt(text, 0) === 0xfeff) text = slice(text, 1);
    }
    if (!stream) this.#begun = false;
    return text;
  }
}
tag(TextDecoder, "TextDecoder");

function invalid(message) {
  const { DOMException } = host.use("events");
  return new DOMException(message, "InvalidCharacterError");
}

// Declared as methods, so that they are no constructors.
const { atob, btoa } = {
  atob(data) {
    if (arguments.length === 0) throw new TypeError("atob: an argument is required");
    const text = host.atob(`${data}`);
    if (text === undefined) throw invalid("The string to be decoded is not correctly encoded.");
    return text;
  },
  btoa(data) {
    if (arguments.length === 0) throw new TypeError("btoa: an argument is required");
    const text = host.btoa(`${data}`);
    if (text === undefined) throw invalid("Invalid character");
    return text;
  },
};

return { TextEncoder, TextDecoder, atob, btoa, bytesOf, encodeUTF8, decodeUTF8, textOf };
