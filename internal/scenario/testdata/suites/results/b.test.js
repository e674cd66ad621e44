test("of another file", () => {});
