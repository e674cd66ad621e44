test("left out", () => log("no"));
test.only("one", () => {});
describe("suite", () => {
  test("left out", () => log("no"));
  test("two", { only: true }, () => {});
});
describe.only("whole suite", () => {
  test("three", () => {});
  describe("inner", () => { test("four", () => {}); });
});
describe.only("part of a suite", () => {
  test("left out", () => log("no"));
  test.only("five", () => {});
});
