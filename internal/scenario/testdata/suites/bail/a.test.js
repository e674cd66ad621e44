after(() => log("file after"));
describe("suite", () => {
  after(() => log("suite after"));
  test("passes", () => {});
  test("fails but is to do", { todo: true }, () => { throw new Error("expected"); });
  test("fails", () => { throw new Error("first"); });
  test("not run 1", () => log("no"));
});
describe("next", () => {
  before(() => log("no"));
  test("not run 2", () => log("no"));
  test("not run 3", () => log("no"));
});
