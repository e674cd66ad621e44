// Runs the tree: suites in declared (or shuffled) order, tests one after another,
// hooks as Node runs them, and tells the host what happens.

let settings = null;
let stopped = false; // bail: a test has failed
let notRun = 0; // tests left out because of that
let orphans = []; // errors that came when no test was running

// run resolves when every selected test has been reported. Options: pattern (a
// substring of the full name, or "/regexp/flags"), lines (of the file: what begins there), bail, seed (a number:
// shuffle), timeout (ms per test and hook, 0: none).
async function run({ pattern = "", lines = [], bail = false, seed = null, timeout = 0 } = {}) {
  settings = { bail, timeout, random: seed === null ? null : mulberry32(seed) };
  const matches = matcher(pattern);
  begun = true;
  const files = settings.random ? shuffled(roots) : roots;
  for (const root of files) {
    const all = countTests(root, () => true);
    const places = lines.map((line) => nodeAt(root, line));
    const there = (node) => places.length === 0 || places.some((place) => isIn(node, place));
    select(root, true, (node) => matches(fullName(node)) && there(node));
    const selected = countTests(root, (node) => node.selected);
    report({ type: "plan", name: root.name, file: root.name, path: [], nesting: 0, count: selected, total: all });
    if (root.leadsToOnly) note(root, `only: ${selected} of ${plural(all, "test")}`);
    if (root.selected || root.problem) await runSuite(root, null);
    for (const error of orphans.splice(0)) reportNode("fail", root, { error });
    if (stopped && notRun > 0) note(root, `bail: ${plural(notRun, "test")} not run`);
    notRun = 0;
  }
}

const note = (root, message) => report({ type: "diagnostic", name: root.name, file: root.name, path: [], nesting: 0, message });

// A small generator with good statistics and a state of 32 bits, so that a seed in
// a report reproduces an order.
function mulberry32(seed) {
  let state = seed | 0;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let z = imul(state ^ (state >>> 15), 1 | state);
    z = (z + imul(z ^ (z >>> 7), 61 | z)) ^ z;
    return ((z ^ (z >>> 14)) >>> 0) / 2 ** 32;
  };
}

function shuffled(list) {
  const out = [...list];
  for (let k = out.length - 1; k > 0; k--) {
    const j = floor(settings.random() * (k + 1));
    [out[k], out[j]] = [out[j], out[k]];
  }
  return out;
}

function matcher(pattern) {
  const regexp = /^\/([\s\S]*)\/([a-z]*)$/.exec(pattern);
  if (!regexp) return (name) => name.includes(pattern);
  const compiled = new RegExp(regexp[1], regexp[2].replace(/[gy]/g, "")); // with them, test() has a memory
  return (name) => compiled.test(name);
}

// The test or suite of a file that begins at a line, or else the last one before it; null if there is none.
function nodeAt(root, line) {
  let best = null;
  const look = (node) => {
    const at = node.at.file === root.name ? node.at.line : undefined;
    if (at <= line && (best === null || at >= best.at.line)) best = node;
    node.children.forEach(look);
  };
  root.children.forEach(look);
  return best;
}

function isIn(node, outer) {
  for (let n = node; n; n = n.parent) if (n === outer) return true;
  return false;
}

// Marks what runs. Where anything inside of a suite is marked only, the rest of
// the suite does not run.
function select(node, included, named) {
  if (node.kind === "test") {
    node.selected = included && named(node);
    return;
  }
  const only = node.children.some((child) => child.leadsToOnly);
  for (const child of node.children) select(child, only ? Boolean(child.leadsToOnly) : included, named);
  node.selected = node.children.some((child) => child.selected);
  if (node.problem && !node.selected) node.selected = included && (node.parent === null || named(node));
}

function countTests(node, wanted) {
  if (node.kind === "test") return wanted(node) ? 1 : 0;
  return node.children.reduce((sum, child) => sum + countTests(child, wanted), 0);
}

const isRunnable = (node) => node.selected && !node.skip &&
  (node.kind === "test" ? node.fn !== undefined : node.children.some(isRunnable));

// Returns whether the suite and everything in it passed.
async function runSuite(suite) {
  const isFile = suite.parent === null;
  const began = host.time();
  if (!isFile) reportNode("start", suite, {});
  let error = suite.problem;
  const hooks = !error && isRunnable(suite);
  if (hooks) error = await runHooks(suite.hooks.before, { name: suite.name }, null);
  let failures = 0;
  for (const child of settings.random ? shuffled(suite.children) : suite.children) {
    if (!child.selected) continue;
    if (stopped) notRun += countTests(child, (node) => node.selected);
    else if (error) failures += cancel(child, suite, error);
    else if (!(await (child.kind === "suite" ? runSuite(child) : runTest(child, null)))) failures++;
  }
  if (hooks) error = first(error, await runHooks(suite.hooks.after, { name: suite.name }, null));
  if (error && settings.bail) stopped = true;
  const passed = !error && failures === 0;
  if (!isFile || error) reportNode(passed ? "pass" : "fail", suite, { error, durationMs: host.time() - began });
  return passed;
}

// Reports the tests of a suite that could not be prepared; returns how many.
function cancel(node, suite, error) {
  if (!node.selected) return 0;
  if (node.kind === "suite") return node.children.reduce((sum, child) => sum + cancel(child, suite, error), 0);
  if (node.skip) {
    reportNode("skip", node, { reason: reasonOf(node.skip) });
    return 0;
  }
  const of = suite.parent === null ? suite.name : `suite "${fullName(suite)}"`;
  reportNode("fail", node, { durationMs: 0, error: { name: "Error", message: `not run: ${of} could not be prepared: ${error.message}`, stack: [] } });
  return 1;
}

const first = (error, later) => error ?? later;
const reasonOf = (flag) => (typeof flag === "string" ? flag : undefined);

// Runs a test of a suite, or with an outer scope a subtest, and reports it.
// Returns false if it failed and must not.
async function runTest(node, outer) {
  if (node.skip || !node.fn) {
    reportNode(node.skip ? "skip" : "todo", node, { reason: reasonOf(node.skip || node.todo) });
    return true;
  }
  reportNode("start", node, {});
  const began = host.time();
  const scope = makeScope(node, outer);
  const before = current;
  current = scope;
  if (outer) outer.inner = scope;
  let error = await (outer ? runBody(scope) : inEnvironment(scope));
  error = first(error, scope.fault);
  if (outer) outer.inner = null;
  current = before;
  const extra = { error, durationMs: host.time() - began };
  const todo = scope.todo ?? node.todo;
  if (error && error.operator !== "order") extra.events = lastEvents(scope); // that message has them
  if (todo) reportNode("todo", node, { ...extra, reason: reasonOf(todo) });
  else if (scope.skip && !error) reportNode("skip", node, { ...extra, reason: reasonOf(scope.skip) });
  else reportNode(error ? "fail" : "pass", node, extra);
  if (!error || todo) return true;
  if (settings.bail) stopped = true;
  return false;
}

const EVENTS_REPORTED = 50;

function lastEvents({ events }) {
  const all = events.filter((event) => typeof event === "string"); // a test may have changed the list
  const last = all.slice(-EVENTS_REPORTED).map((event) => cut(event));
  return all.length > last.length ? [`(${plural(all.length - last.length, "earlier event")})`, ...last] : last;
}

async function runSubtest(node, outer) {
  if (outer.cancelled) {
    outer.failedSubtests++;
    reportNode("fail", node, { durationMs: 0, error: cancelled() });
  } else if (stopped) {
    notRun++;
  } else if (!(await runTest(node, outer))) {
    outer.failedSubtests++;
  }
}

const cancelled = () => ({ name: "Error", message: "cancelled: the test around it has failed", stack: [] });

// The test between the opening of its environment and the check of what it left.
// When the check is made nothing here refers to objects of the test any more.
async function inEnvironment(scope) {
  let error = await attempt(() => host.begin(fullName(scope.node)), 0, null);
  if (error) return error;
  error = await runBody(scope);
  try {
    const check = !error && !scope.leaksAllowed;
    const left = readAnswer(await host.end(check)) ?? {};
    return check ? complaint(left) : error;
  } catch (thrown) {
    return first(error, describeError(thrown));
  }
}

// What the host found at the end of a test, as an error; null if all is well.
function complaint({ leaks = [], failures = [] }) {
  const line = ({ id, type, at, error }) =>
    `  ${type} ${id}${error ? `: ${error}` : ""}${at ? `\n    created at ${at}` : ""}`;
  const parts = [];
  if (failures.length > 0) parts.push(`${plural(failures.length, "destructor")} failed:`, ...failures.map(line));
  if (leaks.length > 0) {
    parts.push(`the test ended with ${plural(leaks.length, "live object")} that no root reaches:`, ...leaks.map(line));
  }
  if (parts.length === 0) return null;
  parts.push("t.allowLeaks() lifts this check");
  const places = [...failures, ...leaks].map(({ at }) => at).filter(Boolean);
  return { name: "LeakError", message: parts.join("\n"), stack: places.slice(0, 1).map((at) => `at ${at}`) };
}

// Hooks, body and subtests of a test. The result is plain data.
async function runBody(scope) {
  const { node } = scope;
  const t = makeContext(scope);
  const limit = node.timeout ?? settings.timeout;
  const around = [];
  for (let n = node.parent; n; n = n.parent) around.push(n);
  let error = await runHooks([...around].reverse().flatMap((n) => n.hooks.beforeEach), t, scope);
  if (!error && scope.cancelled) error = cancelled();
  if (!error) error = await attempt(() => callBody(node, t), limit, scope, `test "${node.name}"`);
  scope.closed = true;
  if (!error) error = await attempt(() => scope.last, limit, scope, `waiting for the subtests of "${node.name}"`);
  if (error) {
    scope.cancelled = true;
    if (scope.inner) scope.inner.cancelled = true;
    scope.inner?.abort?.(new Error(cancelled().message));
    await scope.last;
  } else if (scope.failedSubtests > 0) {
    error = { name: "Error", message: `${plural(scope.failedSubtests, "subtest")} failed`, code: "ERR_SUBTESTS", stack: [] };
  }
  error = first(error, await runHooks(around.flatMap((n) => n.hooks.afterEach), t, scope));
  error = first(error, await runHooks(node.hooks.after, t, scope));
  error = first(error, await attempt(() => scope.release(), 0, null));
  return error;
}

function callBody(node, t) {
  if (node.fn.length < 2) return node.fn(t);
  throw new TypeError(`test "${node.name}" declares ${node.fn.length} parameters: there is no callback, return a promise`);
}

// Runs hooks until one fails, those that clean up in any case. Returns the first error.
async function runHooks(hooks, argument, scope) {
  let error = null;
  for (const hook of hooks) {
    if (error && !hook.name.startsWith("after")) break;
    error = first(error, await attempt(() => hook.fn(argument), hook.timeout ?? settings.timeout, scope, `hook ${hook.name}`));
  }
  return error;
}

// Calls fn and waits for its end, at most ms (0: for ever). Returns what went wrong.
async function attempt(fn, ms, scope, what) {
  let stopTimer = () => {};
  try {
    await new Promise((resolve, reject) => {
      if (scope) scope.abort = reject;
      if (ms > 0) stopTimer = host.timer(ms, () => reject(timeoutError(what, ms)));
      Promise.resolve(fn()).then(() => resolve(), reject);
    });
    return null;
  } catch (error) {
    return describeError(error);
  } finally {
    stopTimer();
    if (scope) scope.abort = null;
  }
}

function timeoutError(what, ms) {
  const error = new Error(`${what} timed out after ${ms} ms`);
  error.name = "TimeoutError";
  error.code = "ERR_TEST_TIMEOUT";
  return error;
}

// fault takes an error that nothing handled: a rejected promise, a timer that
// threw. It fails the running test.
function fault(error) {
  if (current?.abort) current.abort(error);
  else if (current) current.fault ??= describeError(error);
  else orphans.push(describeError(error));
}

function reportNode(type, node, extra) {
  const path = pathOf(node);
  report({ type, kind: node.kind, name: node.name, path, nesting: max(0, path.length - 1), ...node.at, ...extra });
}

function report(event) {
  host.report(stringify(event)); // fields that are undefined are left out
}
