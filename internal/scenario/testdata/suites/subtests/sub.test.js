test("one after another", async (t) => {
  await t.test("first", async (t) => {
    await sleep(5);
    trace("in first");
    await t.test("deeper", () => trace("in deeper"));
    assert.deepEqual(t.events, ["in first", "in deeper"]);
  });
  const { events } = t;
  t.test("second", (t) => { trace("in second"); assert.deepEqual(t.events, ["in second"]); }); // not awaited
  test("third, by the global function", () => trace("in third"));
  t.after(() => log(events.join(", ")));
});
test("one fails", async (t) => {
  await t.test("fails", () => { throw new Error("inside"); });
  await t.test("passes", () => {});
  await t.test.skip("skipped", () => {});
  await t.test("to do", { todo: true }, () => { throw new Error("later"); });
  log("the test goes on");
});
test("fails while subtests wait", async (t) => {
  t.test("hangs", async (t) => {
    t.test("inside of it", () => new Promise(() => {}));
    await new Promise(() => {});
  });
  t.test("never begins", () => log("no"));
  await sleep(3);
  throw new Error("the test itself");
});
test("declares one too late", async (t) => {
  setTimeout(() => { try { t.test("late", () => log("no")); } catch (error) { log(error.message); } }, 30);
  t.test("keeps it waiting", () => sleep(40));
});
test("declares a suite", () => { describe("no", () => {}); });
test("declares before", () => { before(() => {}); });
