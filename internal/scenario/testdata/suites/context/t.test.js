test("deploy", async (t) => {
  const report = await t.deploy({ "?": { type: "Environment" }, a: [1] }, { concurrency: 2 });
  assert.deepEqual(report, { destroyed: 1 });
  assert.deepEqual(await t.collect(), { rounds: 2 });
  assert.deepEqual(await t.snapshot(), { sexton: 1 });
  assert.equal(t.env, root);
  trace("then", { $id: "vm1" }, 5);
  assert.deepEqual(t.events, ["notify sub pub", "destroy pub", "destroyed pub", "then vm1 5"]);
  assert.order(t.events, ["notify sub pub", "destroyed pub"]);
});
test("the text of a model", (t) => t.deploy("Objects: null"));
test("no model", (t) => t.deploy(5));
test("a broken model", (t) => t.deploy({ broken: true }));
test("names", (t) => { assert.equal(t.name, "names"); assert.equal(t.fullName, "names"); });
describe("in a suite", () => test("full name", (t) => assert.equal(t.fullName, "in a suite > full name")));
test("destructured", async ({ deploy, events }) => { await deploy({}); assert.equal(events.length, 3); });
test("clock", async (t) => {
  const begin = t.clock.now();
  await t.clock.advance(3600000);
  assert.equal(t.clock.now() - begin, 3600000);
});
let kept;
test("keeps its context", (t) => { kept = t; });
test("and uses it later", async (t) => {
  await assert.rejects(kept.deploy({}), { message: 't.deploy: the test "keeps its context" has ended' });
  assert.throws(() => kept.after(() => {}), /has ended/);
});
const machine = { stopped: 0, stop(n) { this.stopped += n; return this.stopped; } };
class Base { greet() { return "base"; } }
class Derived extends Base {}
test("mock.method", (t) => {
  const stop = t.mock.method(machine, "stop", function (n) { return stop.mock.original.call(this, n * 10); });
  assert.equal(machine.stop(1), 10);
  assert.equal(machine.stop, stop);
  assert.equal(stop.mock.callCount(), 1);
  assert.equal(stop.mock.calls[0].this, machine);
  assert.deepEqual(stop.mock.calls[0].arguments, [1]);
  assert.equal(stop.mock.calls[0].result, 10);
  assert.equal(stop.name, "stop");
  assert.equal(stop.length, 1);
  stop.mock.mockImplementation(() => { throw new Error("refused"); });
  assert.throws(() => machine.stop(2), /refused/);
  assert.equal(stop.mock.calls[1].error.message, "refused");
  stop.mock.resetCalls();
  assert.equal(stop.mock.callCount(), 0);
  t.mock.method(Derived.prototype, "greet", () => "mocked");
  assert.equal(new Derived().greet(), "mocked");
  assert.equal(new Base().greet(), "base");
  const spy = t.mock.fn();
  spy(1);
  assert.equal(spy.mock.callCount(), 1);
  assert.throws(() => t.mock.method(machine, "nothing"), { name: "TypeError", message: /^mock.method: nothing is no method of/ });
});
test("mocks are gone", () => {
  assert.equal(machine.stop(1), 11);
  assert(!machine.stop.mock);
  assert.equal(new Derived().greet(), "base");
  assert(!Object.hasOwn(Derived.prototype, "greet"));
});
test("built-ins may be replaced", (t) => {
  t.mock.method(JSON, "stringify", () => "no");
  t.mock.method(Object, "keys", () => { throw new Error("no"); });
  assert.deepEqual({ a: 1 }, { a: 1 });
  t.diagnostic("still reported");
});
trace("outside of tests");
