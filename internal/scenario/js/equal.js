// Deep strict equality as Node's assert.deepStrictEqual defines it: same types
// and prototypes, Object.is on primitives, own enumerable properties, elements
// of Map and Set in any order. Two graphs are equal when no path tells them
// apart, so cycles end. The work list keeps script stacks short; only elements
// of a Set or keys of a Map that are objects themselves need a trial each.

const TRIALS = 40; // Sets in keys of Sets in keys of …

// deepEqual reports whether two values are equal.
function deepEqual(a, b) {
  return search(a, b, new Pairs(null), 0);
}

// Pairs that are taken for equal until a difference turns up. A trial that fails
// forgets what it assumed.
class Pairs {
  constructor(outer) {
    this.outer = outer;
    this.known = new Map();
  }

  has(a, b) {
    for (let pairs = this; pairs; pairs = pairs.outer) if (pairs.known.get(a)?.has(b)) return true;
    return false;
  }

  add(a, b) {
    if (!this.known.has(a)) this.known.set(a, new Set());
    this.known.get(a).add(b);
  }

  merge(inner) {
    for (const [a, others] of inner.known) for (const b of others) this.add(a, b);
  }
}

function search(a, b, pairs, depth) {
  const work = [[a, b]];
  while (work.length > 0) {
    const [x, y] = work.pop();
    if (is(x, y)) continue;
    if (!isObject(x) || !isObject(y)) return false; // functions are equal only to themselves
    if (pairs.has(x, y)) continue;
    pairs.add(x, y);
    if (!sameShape(x, y, work, pairs, depth)) return false;
  }
  return true;
}

// Compares two objects; what they hold goes to the work list.
function sameShape(x, y, work, pairs, depth) {
  if (getPrototypeOf(x) !== getPrototypeOf(y)) return false;
  const brand = brandOf(x);
  if (brand !== brandOf(y) || tagOf(x) !== tagOf(y)) return false;
  const compare = COMPARE[brand];
  if (compare && !compare(x, y, work, pairs, depth)) return false;
  if (OPAQUE.some((type) => x instanceof type)) return false; // nothing of them can be seen
  return sameProperties(x, y, brand, work);
}

const OPAQUE = [WeakMap, WeakSet, Promise];

function sameProperties(x, y, brand, work) {
  if (brand === "TypedArray") return true;
  const [own, other] = [propertiesOf(x, false), propertiesOf(y, false)];
  if (own.length !== other.length) return false;
  for (const key of own) {
    if (!hasOwn(y, key) || !isEnumerable(y, key)) return false;
    work.push([x[key], y[key]]);
  }
  return true;
}

const sameValue = (prototype) => (x, y) => is(apply(prototype.valueOf, x, []), apply(prototype.valueOf, y, []));

const COMPARE = {
  Array: (x, y) => x.length === y.length,
  Date: (x, y) => is(apply(getTime, x, []), apply(getTime, y, [])),
  RegExp: (x, y) => String(x) === String(y) && x.lastIndex === y.lastIndex,
  Error(x, y, work) {
    if (x.name !== y.name || x.message !== y.message) return false;
    work.push([x.cause, y.cause], [x.errors, y.errors]);
    return true;
  },
  TypedArray: (x, y) => {
    if (x.length !== y.length) return false;
    for (let k = 0; k < x.length; k++) if (!is(x[k], y[k])) return false;
    return true;
  },
  ArrayBuffer: (x, y) => COMPARE.TypedArray(new Uint8Array(x), new Uint8Array(y)),
  DataView: (x, y) => COMPARE.TypedArray(
    new Uint8Array(x.buffer, x.byteOffset, x.byteLength), new Uint8Array(y.buffer, y.byteOffset, y.byteLength)),
  Number: sameValue(Number.prototype),
  String: sameValue(String.prototype),
  Boolean: sameValue(Boolean.prototype),
  BigInt: sameValue(BigInt.prototype),
  Symbol: sameValue(Symbol.prototype),
  Set(x, y, work, pairs, depth) {
    if (x.size !== y.size) return false;
    const [some, others] = [[], []];
    for (const element of x) {
      if (y.has(element)) continue;
      if (!isObject(element)) return false;
      some.push([element]);
    }
    for (const element of y) if (!x.has(element)) others.push([element]);
    return matchUp(some, others, pairs, depth);
  },
  Map(x, y, work, pairs, depth) {
    if (x.size !== y.size) return false;
    const [some, others] = [[], []];
    for (const [key, value] of x) {
      if (y.has(key)) work.push([value, y.get(key)]);
      else if (isObject(key)) some.push([key, value]);
      else return false;
    }
    for (const [key, value] of y) if (!x.has(key)) others.push([key, value]);
    return matchUp(some, others, pairs, depth);
  },
};

// Whether each of some has an equal among others.
function matchUp(some, others, pairs, depth) {
  if (some.length !== others.length) return false;
  if (some.length > 0 && depth >= TRIALS) throw new RangeError("Sets and Maps are nested too deeply to compare");
  for (const element of some) {
    const found = others.findIndex((other) => {
      const inner = new Pairs(pairs);
      if (!search(element, other, inner, depth + 1)) return false;
      pairs.merge(inner);
      return true;
    });
    if (found < 0) return false;
    others.splice(found, 1);
  }
  return true;
}
