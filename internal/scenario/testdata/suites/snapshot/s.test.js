test("nothing stored", () => assert.snapshot({ a: 1 }));
