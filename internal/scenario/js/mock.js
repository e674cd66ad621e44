// Functions that record their calls. A method that is mocked through a test's
// context becomes itself again when the test ends.

// A call's `this` is kept weakly: a mock must not keep a managed object alive.
// Arguments and results are kept as long as the test runs.
const weakly = typeof WeakRef === "function" ? (value) => new WeakRef(value) : (value) => ({ deref: () => value });

function makeMock(original, implementation, restore) {
  let calls = [];
  const record = (receiver, args, outcome) => {
    const weak = isObject(receiver) || typeof receiver === "function" ? weakly(receiver) : { deref: () => receiver };
    const call = { arguments: args, result: undefined, error: undefined, ...outcome };
    defineProperty(call, "this", { get: () => weak.deref(), enumerable: true });
    calls.push(call);
  };
  function mocked(...args) {
    let outcome;
    try {
      outcome = { result: apply(implementation, this, args) };
      return outcome.result;
    } catch (error) {
      outcome = { error };
      throw error;
    } finally {
      record(this, args, outcome);
    }
  }
  defineProperty(mocked, "name", { value: original.name, configurable: true });
  defineProperty(mocked, "length", { value: original.length, configurable: true });
  mocked.mock = {
    original,
    get calls() { return [...calls]; },
    callCount: () => calls.length,
    resetCalls() { calls = []; },
    mockImplementation(fn) { implementation = callable(fn, "mockImplementation"); },
    restore() {
      implementation = original;
      restore();
    },
  };
  return mocked;
}

function callable(fn, name) {
  if (typeof fn === "function") return fn;
  throw new TypeError(`mock.${name}: expected a function, got ${inspect(fn)}`);
}

// What a test sees as t.mock.
function makeMockTracker() {
  const mocks = [];
  const track = (mock) => {
    mocks.push(mock);
    return mock;
  };
  return {
    fn(original = () => {}, implementation = original) {
      return track(makeMock(callable(original, "fn"), callable(implementation, "fn"), () => {}));
    },
    method(object, name, implementation) {
      if (!isObject(object) && typeof object !== "function") throw new TypeError(`mock.method: expected an object, got ${inspect(object)}`);
      let original;
      for (let o = object; o && !original; o = getPrototypeOf(o)) original = getOwnPropertyDescriptor(o, name);
      if (typeof original?.value !== "function") throw new TypeError(`mock.method: ${String(name)} is no method of ${inspect(object, { depth: 1 })}`);
      const own = getOwnPropertyDescriptor(object, name);
      const mock = makeMock(original.value, callable(implementation ?? original.value, "method"), () => {
        if (own) defineProperty(object, name, own);
        else delete object[name];
      });
      defineProperty(object, name, { value: mock, writable: true, configurable: true, enumerable: original.enumerable });
      return track(mock);
    },
    restoreAll() {
      while (mocks.length > 0) mocks.pop().mock.restore();
    },
  };
}
