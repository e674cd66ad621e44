// The tree of suites and tests that a test file declares while it is evaluated.

const roots = []; // one per file, in the order of evaluation
let open = null; // the suite whose body runs
let current = null; // the scope of the running test, see context.js
let begun = false;

const noHooks = () => ({ before: [], after: [], beforeEach: [], afterEach: [] });

// startFile makes the tests that follow belong to another file.
function startFile(name) {
  open = { kind: "suite", name, parent: null, children: [], hooks: noHooks(), at: { file: name }, body: null };
  open.root = open;
  roots.push(open);
}

// The names from the file's level down.
function pathOf(node) {
  const path = [];
  for (; node.parent; node = node.parent) path.unshift(node.name);
  return path;
}

const fullName = (node) => pathOf(node).join(" > ");

// Understands (name?, options?, fn?).
function readArguments(args, what) {
  const rest = [...args];
  const name = typeof rest[0] === "string" ? rest.shift() : undefined;
  const options = isObject(rest[0]) ? rest.shift() : {};
  const fn = rest.shift();
  if (fn !== undefined && typeof fn !== "function") throw new TypeError(`${what}: expected a function, got ${inspect(fn)}`);
  return { name: name ?? (fn?.name || "<anonymous>"), options, fn };
}

const OPTIONS = ["only", "skip", "todo", "timeout"];

function makeNode(kind, parent, { name, options, fn }) {
  for (const key of keys(options)) {
    if (!OPTIONS.includes(key)) throw new TypeError(`${kind} "${name}": unknown option "${key}"; known: ${OPTIONS.join(", ")}`);
  }
  checkTimeout(options.timeout, `${kind} "${name}"`);
  const node = {
    kind, name, fn, parent, root: parent.root, at: callSite(), children: [], hooks: noHooks(), problem: null,
    only: Boolean(options.only),
    skip: options.skip || parent.skip, // true or the reason
    todo: options.todo || parent.todo,
    timeout: options.timeout ?? parent.timeout,
  };
  if (node.only) for (let n = node; n; n = n.parent) n.leadsToOnly = true;
  return node;
}

function checkTimeout(timeout, what) {
  if (timeout === undefined || (typeof timeout === "number" && timeout >= 0)) return;
  throw new TypeError(`${what}: timeout must be a number of milliseconds, got ${inspect(timeout)}`);
}

// Inside of a running test, test() is t.test(), as in Node.
function declareTest(flags, args) {
  const given = readArguments(args, "test");
  given.options = { ...given.options, ...flags };
  if (current) return current.subtest(given);
  add("test", given);
  return undefined; // not a promise: awaiting it here would wait for the test
}

function declareSuite(flags, args) {
  if (typeof args[0] === "function" && isClass(args[0])) return declareClass(flags, args[0], args[1]);
  const given = readArguments(args, "describe");
  given.options = { ...given.options, ...flags };
  if (current) throw new Error(`describe "${given.name}": suites cannot be declared inside of a test; use t.test()`);
  const suite = add("suite", given);
  open = suite;
  try {
    if (isThenable(suite.fn?.({ name: suite.name }))) {
      throw new TypeError(`describe "${suite.name}": the body must not be async; prepare in before()`);
    }
  } catch (error) {
    suite.problem = describeError(error);
  } finally {
    open = suite.parent;
  }
  suite.fn = undefined;
}

// A class of tests: each method whose name begins with "test" is one, on an instance of its own, between setUp() and
// tearDown(). Methods are inherited, those of the base first.
function declareClass(flags, Class, options = {}) {
  const names = [];
  for (let p = Class.prototype; p && p !== Object.prototype; p = getPrototypeOf(p)) {
    const own = ownKeys(p).filter((key) => typeof key === "string" && key.startsWith("test") && !names.includes(key));
    names.unshift(...own);
  }
  const run = (name) => async (t) => {
    const tests = new Class();
    t.after(() => tests.tearDown?.(t));
    await tests.setUp?.(t);
    await tests[name](t);
  };
  declareSuite(flags, [Class.name, options, () => names.forEach((name) => declareTest({}, [name, run(name)]))]);
}

function add(kind, given) {
  if (begun || !open) throw new Error(`${kind} "${given.name}" is declared after the file's tests have begun`);
  const node = makeNode(kind, open, given);
  open.children.push(node);
  return node;
}

// A declaring function with its .only, .skip and .todo.
function withFlags(declare) {
  const plain = (...args) => declare({}, args);
  for (const flag of ["only", "skip", "todo"]) plain[flag] = (...args) => declare({ [flag]: true }, args);
  return plain;
}

const test = withFlags(declareTest);
const describe = withFlags(declareSuite);

function makeHook(fn, options, what) {
  if (typeof fn !== "function") throw new TypeError(`${what}: expected a function, got ${inspect(fn)}`);
  checkTimeout(options?.timeout, what);
  return { fn, timeout: options?.timeout, name: what };
}

const declareHook = (kind) => (fn, options) => {
  const hook = makeHook(fn, options, kind);
  if (current && kind === "before") throw new Error("before: a test has no hook of this kind");
  if (current) current.node.hooks[kind].push(hook);
  else if (begun || !open) throw new Error(`${kind} is declared after the file's tests have begun`);
  else open.hooks[kind].push(hook);
};

const before = declareHook("before");
const after = declareHook("after");
const beforeEach = declareHook("beforeEach");
const afterEach = declareHook("afterEach");
