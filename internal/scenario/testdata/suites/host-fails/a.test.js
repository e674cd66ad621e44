test("environment cannot be closed", () => { failHost("end", "cannot close"); failHost("begin", "cannot open"); });
test("environment cannot be opened", () => log("no"));
