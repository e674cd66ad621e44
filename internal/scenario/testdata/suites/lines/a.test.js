test("first", () => log("first"));
describe("suite", () => {
  test("one", () => log("one"));

  test("two",
    () => log("two"));
  describe("inner", () => {
    test("three", () => log("three")); test("four", () => log("four"));
  });
});
test("last", () => log("last"));
