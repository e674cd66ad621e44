before(() => log("file before"));
after(() => log("file after"));
beforeEach((t) => log(`file beforeEach 1 of ${t.name}`));
beforeEach(async () => { await sleep(1); log("file beforeEach 2"); });
afterEach(() => log("file afterEach 1"));
afterEach(() => log("file afterEach 2"));
describe("suite", () => {
  before((suite) => log(`before ${suite.name}`));
  after(() => log("after 1"));
  after(() => log("after 2"));
  beforeEach(() => log("beforeEach"));
  afterEach(() => log("afterEach"));
  test("first", async (t) => {
    t.after(() => log("t.after"));
    t.beforeEach(() => log("t.beforeEach"));
    t.afterEach(() => log("t.afterEach"));
    log("first runs");
    await t.test("sub", () => log("sub runs"));
  });
  describe("inner", () => {
    beforeEach(() => log("inner beforeEach"));
    afterEach(() => log("inner afterEach"));
    test("second", () => log("second runs"));
  });
});
describe("all skipped", () => {
  before(() => log("no"));
  test.skip("skipped", () => {});
});
describe("before fails", () => {
  before(() => { throw new Error("in before"); });
  after(() => log("after of: before fails"));
  test("not run", () => log("no"));
  describe("inner", () => { test("not run either", () => log("no")); });
});
describe("beforeEach fails", () => {
  beforeEach(() => { throw new Error("in beforeEach"); });
  afterEach(() => log("afterEach of: beforeEach fails"));
  test("body not run", () => log("no"));
});
describe("afterEach fails", () => {
  afterEach(() => { throw new Error("in afterEach"); });
  test("fails for its hook", () => {});
  test("fails by itself", () => { throw new Error("in the body"); });
});
describe("after fails", () => {
  after(() => { throw new Error("in after"); });
  test("passes", () => {});
});
describe("hook in time", () => {
  before(() => sleep(100), { timeout: 10 });
  test("not run", () => log("no"));
});
