test("passes", () => {});
test("passes later", async () => { await sleep(20); });
test("throws", () => { throw new TypeError("boom", { cause: new Error("below") }); });
test("rejects with a string", async () => { throw "a string"; });
test("asserts", () => assert.deepEqual({ a: 1, b: [1, 2] }, { a: 1, b: [1, 3] }));
test("several errors", () => { throw new AggregateError([new Error("one"), new Error("two")], "both"); });
test.skip("skipped", () => log("no"));
test("skipped, with a reason", { skip: "needs a network" }, () => log("no"));
test.todo("to do");
test("to do and fails", { todo: "soon" }, () => { throw new Error("not yet"); });
test("without a body");
test(function named() {});
test("skips itself", (t) => { t.skip("not here"); });
test("has a diagnostic", (t) => { t.diagnostic("seen\ntwice"); });
test("wants a callback", (t, done) => {});
describe.skip("a skipped suite", () => { test("in it", () => log("no")); });
describe("suite", () => {
  it("is a test too", () => {});
  describe("in suite", () => { it("deep", () => {}); });
});
describe("broken body", () => {
  test("declared before", () => log("no"));
  throw new Error("cannot be declared");
});
describe("async body", async () => { test("x", () => {}); });
