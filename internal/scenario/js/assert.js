// The assertions of Node's "assert/strict".

// Every assertion ends here: a message that is an Error is thrown as it is.
function failed(message, details) {
  if (message instanceof Error) throw message;
  throw new AssertionError({ ...details, message });
}

// Throws with a generated message that the caller has composed, unless the user gave one.
function failedAs(generated, message, details) {
  if (message !== undefined) failed(message, details);
  const error = new AssertionError({ ...details, message: generated });
  error.generatedMessage = true;
  throw error;
}

function assert(...args) {
  ok(...args);
}

function ok(...args) {
  const [value, message] = args;
  if (value) return;
  const generated = args.length === 0 ? "No value argument passed to `assert.ok()`" :
    `The expression evaluated to a falsy value: ${inspect(value)}`;
  failedAs(generated, message, { actual: value, expected: true, operator: "==" });
}

function fail(message = "Failed") {
  failed(message, { operator: "fail" });
}

function strictEqual(actual, expected, message) {
  needsTwo(arguments.length, "strictEqual");
  if (!is(actual, expected)) failed(message, { actual, expected, operator: "strictEqual" });
}

function notStrictEqual(actual, expected, message) {
  needsTwo(arguments.length, "notStrictEqual");
  if (is(actual, expected)) failed(message, { actual, expected, operator: "notStrictEqual" });
}

function deepStrictEqual(actual, expected, message) {
  needsTwo(arguments.length, "deepStrictEqual");
  if (!deepEqual(actual, expected)) failed(message, { actual, expected, operator: "deepStrictEqual" });
}

function notDeepStrictEqual(actual, expected, message) {
  needsTwo(arguments.length, "notDeepStrictEqual");
  if (deepEqual(actual, expected)) failed(message, { actual, expected, operator: "notDeepStrictEqual" });
}

// An assertion that was given less than it compares is a mistake in the test.
function needsTwo(given, name) {
  if (given < 2) throw new TypeError(`assert.${name}: the "actual" and "expected" arguments must be given`);
}

function match(string, regexp, message) {
  checkMatch(string, regexp, message, "match", true);
}

function doesNotMatch(string, regexp, message) {
  checkMatch(string, regexp, message, "doesNotMatch", false);
}

function checkMatch(string, regexp, message, operator, wanted) {
  if (!(regexp instanceof RegExp)) {
    throw new TypeError(`assert.${operator}: the "regexp" argument must be a RegExp, got ${inspect(regexp)}`);
  }
  const details = { actual: string, expected: regexp, operator };
  if (typeof string !== "string") {
    failedAs(`The "string" argument must be of type string, got ${inspect(string)}`, message, details);
  }
  if (apply(RegExp.prototype.exec, regexp, [string]) !== null === wanted) return;
  failedAs(`The input ${wanted ? "did not match" : "was expected to not match"} the regular expression ` +
    `${inspect(regexp)}. Input:\n\n${inspect(string, { compact: false })}\n`, message, details);
}

function ifError(value) {
  if (value === null || value === undefined) return;
  const what = value instanceof Error ? value.message || value.name : inspect(value);
  const error = new AssertionError({
    message: `ifError got unwanted exception: ${what}`, actual: value, expected: null, operator: "ifError",
  });
  error.generatedMessage = true;
  if (value instanceof Error) error.cause = value;
  throw error;
}
