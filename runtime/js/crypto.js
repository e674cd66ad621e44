// crypto: random values and digests. There are no keys.
const { defineProperty, Symbol, TypeError, Uint8Array, typedArrayTag, typedArrayBuffer, typedArrayByteOffset,
  typedArrayByteLength, toUpperCase } = primordials;

const MOST_RANDOM = 65536;

function fail(message, name) {
  const { DOMException } = host.use("events");
  return new DOMException(message, name);
}

const key = {};
function construct(given) {
  if (given !== key) throw new TypeError("Illegal constructor");
}

class SubtleCrypto {
  #brand;
  constructor(given) { construct(given); }

  async digest(algorithm, data) {
    this.#brand;
    const named = typeof algorithm === "object" && algorithm !== null ? algorithm.name : algorithm;
    const name = toUpperCase(`${named}`);
    const bytes = host.use("encoding").bytesOf(data);
    if (bytes === undefined) throw new TypeError("subtle.digest: data must be an ArrayBuffer or a view of one");
    const result = host.digest(name, bytes);
    if (result === undefined) throw fail("Unrecognized algorithm name", "NotSupportedError");
    return result;
  }
}

class Crypto {
  #subtle;
  constructor(given) {
    construct(given);
    this.#subtle = new SubtleCrypto(key);
  }
  get subtle() { return this.#subtle; }

  getRandomValues(array) {
    this.#subtle;
    const tag = typedArrayTag(array);
    if (tag === undefined || tag === "Float32Array" || tag === "Float64Array") {
      throw fail("The data argument must be an integer-type TypedArray", "TypeMismatchError");
    }
    const length = typedArrayByteLength(array);
    if (length > MOST_RANDOM) {
      throw fail(`The requested length exceeds ${MOST_RANDOM} bytes`, "QuotaExceededError");
    }
    host.random(new Uint8Array(typedArrayBuffer(array), typedArrayByteOffset(array), length));
    return array;
  }

  randomUUID() {
    this.#subtle;
    return host.uuid();
  }
}

const tag = (Class, value) => defineProperty(Class.prototype, Symbol.toStringTag, { __proto__: null, value, configurable: true });
tag(Crypto, "Crypto");
tag(SubtleCrypto, "SubtleCrypto");

return { Crypto, SubtleCrypto, crypto: new Crypto(key) };
