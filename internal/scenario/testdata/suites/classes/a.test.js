class Base {
  made = 0;
  async setUp(t) { await sleep(1); this.made++; log(`set up ${t.name}`); }
  tearDown(t) { log(`tear down ${t.name}`); }
  testInherited() { assert.equal(this.made, 1); log("inherited"); }
  helper() { log("not a test"); }
}
class NetworkTest extends Base {
  testFails() { this.made++; throw new Error("boom"); }
  async testOwnInstance(t) { await t.test("sub", () => assert.equal(this.made, 1)); }
  testInherited() { super.testInherited(); log("and more"); }
}
class SetUpFails extends Base {
  setUp() { throw new Error("cannot"); }
  testNever() { log("never"); }
}
describe(NetworkTest);
describe(SetUpFails, { timeout: 50 });
describe.skip(Base);
