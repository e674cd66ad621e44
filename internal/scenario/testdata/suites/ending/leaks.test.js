test("leaks", () => { leave("leak", "Vm", "vm1", "vm.js:3:5"); leave("leak", "Net", "n1", ""); });
test("has a failed destructor", () => leave("failure", "Vm", "vm2", "vm.js:9:1", "Error: refused"));
test("may leak", (t) => { t.allowLeaks(); leave("leak", "Vm", "vm3", "vm.js:3:5"); });
test("may leak, says a subtest", async (t) => { leave("leak", "Vm", "vm4", ""); await t.test("sub", (t) => t.allowLeaks()); });
test("fails anyway", () => { leave("leak", "Vm", "vm5", ""); throw new Error("the first error"); });
