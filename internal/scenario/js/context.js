// What a running test sees: its context t. A scope is the runner's side of it.

function makeScope(node, outer) {
  const scope = {
    node, outer, // outer: the scope of the test around a subtest
    events: [],
    snapshots: 0,
    mocks: makeMockTracker(),
    skip: null, todo: null, // set by t.skip(), t.todo(): true or the reason
    leaksAllowed: false,
    inner: null, // the scope of the subtest that runs
    last: Promise.resolve(), // the end of the last subtest
    failedSubtests: 0,
    cancelled: false, // what has not run yet must not
    closed: false, // the body has ended: no further subtests
    ended: false,
    abort: null, // fails what runs now
    fault: null, // the first unhandled error that came between hooks and body
    controller: null,
  };
  scope.environment = outer ? outer.environment : scope; // subtests share the environment of their test
  scope.subtest = (given) => {
    if (scope.closed) throw new Error(`test "${given.name}" is declared after "${node.name}" has ended`);
    const child = makeNode("test", node, given);
    scope.last = scope.last.then(() => runSubtest(child, scope));
    return scope.last;
  };
  // Lets go of everything that the test may have left here.
  scope.release = () => {
    const { controller } = scope;
    scope.ended = true;
    scope.controller = null;
    node.hooks = noHooks();
    scope.mocks.reset();
    controller?.abort();
  };
  return scope;
}

// Everything in it works without `this`, so that tests may destructure it.
function makeContext(scope) {
  const { node } = scope;
  const running = (what) => {
    if (scope.ended) throw new Error(`t.${what}: the test "${node.name}" has ended`);
  };
  const hook = (kind) => (fn, options) => {
    running(kind);
    node.hooks[kind].push(makeHook(fn, options, kind));
  };
  const context = {
    name: node.name,
    fullName: fullName(node),
    events: scope.events,
    mock: scope.mocks,
    async deploy(model, settings = {}) {
      running("deploy");
      return readAnswer(await host.deploy(modelText(model, "deploy"), stringify(settings)));
    },
    async collect() {
      running("collect");
      return readAnswer(await host.collect());
    },
    async snapshot() {
      running("snapshot");
      return parse(await host.snapshot());
    },
    async graph() {
      running("graph");
      return graphOf(parse(await host.snapshot()));
    },
    async load(model) {
      running("load");
      await host.load(model === undefined ? await host.snapshot() : modelText(model, "load"));
      return host.env();
    },
    destroy: (settings) => context.deploy({ Objects: null }, settings),
    allowLeaks() { scope.environment.leaksAllowed = true; },
    clock: { now: () => host.clock.now(), advance: (ms) => host.clock.advance(ms) },
    test: withFlags((flags, args) => {
      const given = readArguments(args, "t.test");
      given.options = { ...given.options, ...flags };
      return scope.subtest(given);
    }),
    after: hook("after"), beforeEach: hook("beforeEach"), afterEach: hook("afterEach"),
    skip(reason = true) { scope.skip = reasonOf(reason) ?? true; },
    todo(reason = true) { scope.todo = reasonOf(reason) ?? true; },
    diagnostic(message) { reportNode("diagnostic", node, { message: String(message) }); },
  };
  defineProperty(context, "env", { enumerable: true, get: () => host.env() });
  defineProperty(context, "signal", {
    enumerable: true,
    get() {
      if (!scope.controller && typeof AbortController === "function") scope.controller = new AbortController();
      return scope.controller?.signal;
    },
  });
  return context;
}

const readAnswer = (text) => (typeof text === "string" ? parse(text) : undefined);

function modelText(model, what) {
  if (typeof model === "string") return model;
  if (isObject(model)) return stringify(model, null, 2);
  throw new TypeError(`t.${what}: the model must be an object, or the text of a model file, got ${inspect(model)}`);
}

// trace adds an event to the running test; outside of tests it does nothing.
function trace(...values) {
  addEvent(values.map((value) => (typeof value === "string" ? value : idOf(value) ?? inspect(value))).join(" "));
}

function addEvent(text) {
  for (let scope = current; scope; scope = scope.outer) scope.events.push(text);
}
