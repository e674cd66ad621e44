test("of its own", { timeout: 10 }, () => sleep(11));
test("just in time", { timeout: 10 }, () => sleep(9));
test("of the run", () => sleep(2000));
test("none", { timeout: 0 }, () => sleep(5000));
describe("suite", { timeout: 50 }, () => {
  test("of the suite", () => sleep(60));
  test("its own again", { timeout: 100 }, () => sleep(60));
});
test("of subtests", { timeout: 10 }, async (t) => {
  await t.test("hangs", { timeout: 5 }, () => new Promise(() => {}));
  await t.test("hangs longer", { timeout: 1000 }, () => new Promise(() => {}));
});
test("signal", async (t) => {
  assert.equal(t.signal, undefined); // where the language has none
  globalThis.AbortController = class { signal = {}; abort() { this.signal.aborted = true; log("aborted"); } };
  assert.equal(t.signal, t.signal);
  t.after(() => assert(!t.signal.aborted));
});
