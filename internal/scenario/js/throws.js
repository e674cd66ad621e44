// Assertions about functions and promises that must, or must not, fail.

const ERROR_FORMS = "a function, a class, a RegExp, an object or an Error";
const NOTHING = { thrown: false, error: undefined };

function outcomeOf(fn, name) {
  if (typeof fn !== "function") throw new TypeError(`assert.${name}: the "fn" argument must be a function, got ${inspect(fn)}`);
  try {
    fn();
  } catch (error) {
    return { thrown: true, error };
  }
  return NOTHING;
}

async function outcomeOfPromise(promise, name) {
  if (typeof promise === "function") {
    promise = promise(); // what it throws at once is the caller's error, as in Node
    if (!isThenable(promise)) throw new TypeError(`assert.${name}: the function must return a promise, got ${inspect(promise)}`);
  } else if (!isThenable(promise)) {
    throw new TypeError(`assert.${name}: the "promiseFn" argument must be a function or a promise, got ${inspect(promise)}`);
  }
  try {
    await promise;
  } catch (error) {
    return { thrown: true, error };
  }
  return NOTHING;
}

function throws(fn, expected, message) {
  expectFailure("throws", outcomeOf(fn, "throws"), expected, message);
}

async function rejects(promise, expected, message) {
  expectFailure("rejects", await outcomeOfPromise(promise, "rejects"), expected, message);
}

function doesNotThrow(fn, expected, message) {
  expectNoFailure("doesNotThrow", outcomeOf(fn, "doesNotThrow"), expected, message);
}

async function doesNotReject(promise, expected, message) {
  expectNoFailure("doesNotReject", await outcomeOfPromise(promise, "doesNotReject"), expected, message);
}

function expectFailure(operator, { thrown, error }, expected, message) {
  if (typeof expected === "string") {
    if (message !== undefined) throw new TypeError(`assert.${operator}: the "error" argument must be ${ERROR_FORMS}`);
    if (thrown && (error?.message === expected || error === expected)) {
      throw new TypeError(`assert.${operator}: the second argument is a message; "${expected}" is the error's own. To check it, pass { message: … } or a RegExp`);
    }
    [expected, message] = [undefined, expected];
  } else if (expected !== undefined && expected !== null && !isObject(expected) && typeof expected !== "function") {
    throw new TypeError(`assert.${operator}: the "error" argument must be ${ERROR_FORMS}, got ${inspect(expected)}`);
  }
  if (!thrown) {
    const which = expected?.name ? ` (${expected.name})` : "";
    const what = operator === "rejects" ? "rejection" : "exception";
    const detail = message === undefined || message instanceof Error ? "." : `: ${message}`;
    failedAs(`Missing expected ${what}${which}${detail}`, message instanceof Error ? message : undefined, { expected, operator });
  }
  if (expected !== undefined && expected !== null) checkError(operator, error, expected, message);
}

function checkError(operator, error, expected, message) {
  const details = { actual: error, expected, operator };
  if (expected instanceof RegExp) {
    if (apply(RegExp.prototype.exec, expected, [String(error)]) !== null) return;
    failedAs(`The input did not match the regular expression ${inspect(expected)}. Input:\n\n${inspect(String(error))}\n`, message, details);
  }
  if (typeof expected === "function") return checkByFunction(operator, error, expected, message);
  if (!isObject(error) && typeof error !== "function") failedAs(`Expected an object, got ${inspect(error)}`, message, details);
  const names = expected instanceof Error ? ["name", "message", ...keys(expected)] : keys(expected);
  if (names.length === 0) throw new TypeError(`assert.${operator}: the "error" argument must not be an empty object`);
  if (names.every((key) => sameField(error, expected, key))) return;
  const [seen, wanted] = [{}, {}]; // only what is compared shows in the difference
  for (const key of names) {
    wanted[key] = expected[key];
    if (key in error) seen[key] = sameField(error, expected, key) ? expected[key] : error[key];
  }
  if (message !== undefined) failed(message, details);
  const generated = new AssertionError({ actual: seen, expected: wanted, operator: "deepStrictEqual" });
  generated.operator = operator;
  throw generated;
}

function sameField(error, expected, key) {
  if (!(key in error)) return false;
  if (expected[key] instanceof RegExp && typeof error[key] === "string") return expected[key].test(error[key]);
  return deepEqual(error[key], expected[key]);
}

// A class checks with instanceof, any other function by returning true.
function checkByFunction(operator, error, expected, message) {
  const details = { actual: error, expected, operator };
  if (expected.prototype !== undefined && error instanceof expected) return;
  if (expected === Error || apply(Object.prototype.isPrototypeOf, Error, [expected])) {
    const got = isObject(error) ? constructorName(error) : inspect(error);
    failedAs(`The error is expected to be an instance of "${expected.name}". Received "${got}"` +
      (error instanceof Error ? `\n\nError message:\n\n${error.message}` : ""), message, details);
  }
  const verdict = isClass(expected) ? false : apply(expected, {}, [error]);
  if (verdict === true) return;
  const name = expected.name ? `"${expected.name}" ` : "";
  failedAs(`The ${name}validation function is expected to return "true". Received ${inspect(verdict)}\n\n` +
    `Caught error:\n\n${inspect(error)}`, message, details);
}

function expectNoFailure(operator, { thrown, error }, expected, message) {
  if (!thrown) return;
  if (typeof expected === "string") [expected, message] = [undefined, expected];
  if (expected !== undefined && !matches(error, expected)) throw error;
  const what = operator === "doesNotReject" ? "rejection" : "exception";
  failedAs(`Got unwanted ${what}${message === undefined ? "." : `: ${message}`}\nActual message: "${shortMessage(error)}"`,
    message instanceof Error ? message : undefined, { actual: error, expected, operator });
}

function matches(error, expected) {
  if (expected instanceof RegExp) return expected.test(String(error));
  if (typeof expected !== "function") throw new TypeError(`the "expected" argument must be a function, a class or a RegExp, got ${inspect(expected)}`);
  if (expected.prototype !== undefined && error instanceof expected) return true;
  return !isClass(expected) && apply(expected, {}, [error]) === true;
}
