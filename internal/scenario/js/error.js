// Errors: the one that assertions throw, and every error as plain data for reports.

class AssertionError extends Error {
  constructor(options) {
    if (!isObject(options)) throw new TypeError("AssertionError: options must be an object");
    const { message, actual, expected, operator = "fail" } = options;
    super(message === undefined ? describeDifference(actual, expected, operator) : String(message));
    defineProperty(this, "name", { value: "AssertionError", writable: true, configurable: true });
    this.generatedMessage = message === undefined;
    this.code = "ERR_ASSERTION";
    this.actual = actual;
    this.expected = expected;
    this.operator = operator;
  }

  toString() {
    return `${this.name} [${this.code}]: ${this.message}`;
  }
}

const HEADINGS = {
  strictEqual: "Expected values to be strictly equal:",
  deepStrictEqual: "Expected values to be strictly deep-equal:",
  notStrictEqual: 'Expected "actual" to be strictly unequal to:',
  notDeepStrictEqual: 'Expected "actual" not to be strictly deep-equal to:',
  snapshot: "Expected the value to be as stored:",
};
const SHOWN = { compact: false, sorted: true, depth: DEEPEST };

function describeDifference(actual, expected, operator) {
  const heading = HEADINGS[operator];
  if (!heading) return "Failed";
  if (operator.startsWith("not")) return `${heading}\n\n${inspect(expected, SHOWN)}\n`;
  const [a, b] = operator === "snapshot" ? [actual, expected] : [inspect(actual, SHOWN), inspect(expected, SHOWN)];
  if (a === b) {
    if (operator === "strictEqual") return `Values have same structure but are not reference-equal:\n\n${a}\n`;
    return `${heading} they look the same and differ in what is not shown (classes, depth)\n\n${a}\n`;
  }
  const oneLine = !a.includes("\n") && !b.includes("\n");
  if (oneLine && a.length + b.length <= WIDTH && operator !== "snapshot") return `${heading}\n\n${a} !== ${b}\n`;
  return `${heading}\n+ actual - expected\n\n${lineDiff(a, b)}\n`;
}

const FRAME = /^\s*at (?:.*?\()?(.*?):(\d+):(\d+)(?:\(\d+\))?\)?$/;

// The frames of a stack as text lines, those of the library's own scripts and of the engine left out.
function framesOf(stack) {
  return String(stack).split("\n").filter((line) => {
    const frame = FRAME.exec(line);
    return frame && !frame[1].startsWith("sexton:");
  }).map((line) => line.trim().replace(/\(\d+\)(\)?)$/, "$1"));
}

// Where a test, a suite or a hook was declared: the nearest frame of a test file.
function callSite() {
  const [, file, line, column] = FRAME.exec(framesOf(new Error().stack)[0] ?? "") ?? [];
  return file === undefined ? {} : { file, line: Number(line), column: Number(column) };
}

const CAUSES = 5;
const LONGEST_TEXT = 20000;

const cut = (text) => (text.length <= LONGEST_TEXT ? text : `${text.slice(0, LONGEST_TEXT)}\n... ${text.length - LONGEST_TEXT} more characters`);

// Whatever was thrown, as plain data that keeps no object of the test alive.
function describeError(error, depth = 0) {
  if (!(error instanceof Error)) {
    return { name: "", message: cut(typeof error === "string" ? error : inspect(error)) };
  }
  const field = (key) => {
    try {
      return error[key];
    } catch (thrown) {
      return `[${key} throws: ${shortMessage(thrown)}]`;
    }
  };
  const plain = (key) => {
    const value = field(key);
    return value === undefined || value === null ? "" : cut(typeof value === "string" ? value : inspect(value));
  };
  const out = { name: plain("name") || "Error", message: plain("message"), stack: framesOf(plain("stack")) };
  if (plain("code") !== "") out.code = plain("code");
  if (hasOwn(error, "operator") && hasOwn(error, "expected")) {
    out.operator = plain("operator");
    out.actual = cut(inspect(field("actual"), SHOWN));
    out.expected = cut(inspect(field("expected"), SHOWN));
  }
  if (hasOwn(error, "cause") && depth < CAUSES) out.cause = describeError(field("cause"), depth + 1);
  const errors = field("errors");
  if (error instanceof AggregateError && isArray(errors) && depth < CAUSES) {
    out.errors = errors.slice(0, CAUSES).map((each) => describeError(each, depth + 1));
  }
  return out;
}
