test("of a file without only", () => {});
