// Functions that record their calls, in the manner of node:test. What is mocked through a test's context
// becomes itself again when the test ends.

// Managed objects are kept weakly, where the engine can: a mock must not keep one alive. Everything else that
// calls had to do with is kept as long as the test runs.
const strongly = (value) => ({ deref: () => value });
const weakly = typeof WeakRef === "function" ? (value) => new WeakRef(value) : strongly;
const held = (value) => (idOf(value) === null ? strongly(value) : weakly(value));

function makeCall({ receiver, args, result, error, target }) {
  const [self, given, returned] = [held(receiver), args.map(held), held(result)];
  const call = { error, target, stack: new Error("called here") };
  const fields = { this: () => self.deref(), arguments: () => given.map((each) => each.deref()), result: () => returned.deref() };
  for (const key of keys(fields)) defineProperty(call, key, { get: fields[key], enumerable: true });
  return call;
}

// restore: puts the original back where the mock was put; returns nothing.
function makeMock(original, implementation, { times = Infinity } = {}, restore) {
  let calls = [];
  let count = 0; // resetCalls does not change it
  const once = new Map(); // by the number of the call
  const next = () => {
    const number = count++;
    const special = once.get(number);
    once.delete(number);
    return special ?? (number < times ? implementation : original);
  };
  function mocked(...args) {
    const call = { receiver: this, args, target: new.target };
    const fn = next();
    try {
      if (new.target) call.receiver = construct(fn, args, new.target !== mocked ? new.target : isClass(fn) ? fn : original);
      call.result = new.target ? call.receiver : apply(fn, this, args);
      return call.result;
    } catch (error) {
      call.error = error;
      throw error;
    } finally {
      calls.push(makeCall(call));
    }
  }
  for (const key of ["name", "length"]) defineProperty(mocked, key, { value: original[key], configurable: true });
  mocked.prototype = original.prototype; // of a class: instanceof holds
  setPrototypeOf(mocked, original); // and so do its static members
  const mock = {
    original,
    get calls() { return [...calls]; },
    callCount: () => calls.length,
    resetCalls() { calls = []; },
    mockImplementation(fn) { implementation = callable(fn, "mockImplementation"); },
    mockImplementationOnce(fn, onCall = count) {
      if (!Number.isInteger(onCall) || onCall < count) {
        throw new RangeError(`mock.mockImplementationOnce: onCall must be an integer of at least ${count}, got ${inspect(onCall)}`);
      }
      once.set(onCall, callable(fn, "mockImplementationOnce"));
    },
    restore() {
      implementation = original;
      once.clear();
      restore();
    },
  };
  defineProperty(mocked, "mock", { value: mock });
  return mocked;
}

function callable(fn, name) {
  if (typeof fn === "function") return fn;
  throw new TypeError(`mock.${name}: expected a function, got ${inspect(fn)}`);
}

// Understands (implementation?, options?).
function mockArguments(implementation, options, what) {
  if (isObject(implementation)) [implementation, options] = [undefined, implementation];
  if (implementation !== undefined) callable(implementation, what);
  const { times } = options ?? {};
  if (times !== undefined && (!Number.isInteger(times) || times < 1)) {
    throw new TypeError(`mock.${what}: times must be an integer of at least 1, got ${inspect(times)}`);
  }
  return { implementation, options: options ?? {} };
}

// The property itself or the inherited one; undefined if there is none.
function findProperty(object, name) {
  for (let o = object; o; o = getPrototypeOf(o)) {
    const property = getOwnPropertyDescriptor(o, name);
    if (property) return property;
  }
  return undefined;
}

// What a test sees as t.mock.
function makeMockTracker() {
  let mocks = [];
  const track = (mock) => {
    mocks.push(mock);
    return mock;
  };
  const replace = (object, name, implementation, options, kind) => {
    const what = kind === "value" ? "method" : `${kind}ter`;
    if (!isObject(object) && typeof object !== "function") throw new TypeError(`mock.${what}: expected an object, got ${inspect(object)}`);
    const found = findProperty(object, name);
    const original = found?.[kind];
    if (typeof original !== "function") {
      throw new TypeError(`mock.${what}: ${String(name)} is no ${what} of ${inspect(object, { depth: 1 })}`);
    }
    const fn = implementation ?? original;
    if (kind === "value" && name === "destroy") {
      const mock = mockDestructor(object, fn, options);
      if (mock) return track(mock);
    }
    const own = getOwnPropertyDescriptor(object, name);
    const target = held(object);
    const mock = makeMock(original, fn, options, () => {
      const object = target.deref(); // one that is destroyed takes no property, and needs none
      if (object && own) reflectDefine(object, name, own);
      else if (object) deleteProperty(object, name);
    });
    defineProperty(object, name, { ...found, [kind]: mock, configurable: true });
    return track(mock);
  };
  const accessor = (kind) => (object, name, implementation, options) => {
    const given = mockArguments(implementation, options, `${kind}ter`);
    return replace(object, name, given.implementation, given.options, kind);
  };
  const restoreAll = () => mocks.slice().reverse().forEach((mock) => mock.mock.restore()); // the last one first
  return {
    fn(original, implementation, options) {
      if (isObject(original)) [original, options] = [undefined, original];
      const given = mockArguments(implementation, options, "fn");
      original = callable(original ?? (() => {}), "fn");
      return track(makeMock(original, given.implementation ?? original, given.options, () => {}));
    },
    method(object, name, implementation, options) {
      const given = mockArguments(implementation, options, "method");
      const { getter, setter } = given.options;
      if (getter && setter) throw new TypeError("mock.method: it cannot be both, getter and setter");
      return replace(object, name, given.implementation, given.options, getter ? "get" : setter ? "set" : "value");
    },
    getter: accessor("get"),
    setter: accessor("set"),
    restoreAll,
    reset() {
      restoreAll();
      mocks = [];
    },
  };
}

// destroy() of a managed class cannot be replaced by assignment: the collector alone calls it.
function mockDestructor(prototype, implementation, options) {
  if (idOf(prototype) !== null) {
    throw new TypeError(`mock.method: destroy() is a method of the class; mock that of ${constructorName(prototype)}.prototype`);
  }
  const original = host.destructor(prototype, undefined);
  if (original === undefined) return null;
  if (implementation === prototype.destroy) implementation = original;
  const mock = makeMock(original, implementation, options, () => { host.destructor(prototype, original); });
  host.destructor(prototype, mock);
  return mock;
}
