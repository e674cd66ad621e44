test("not run 4", () => log("no"));
