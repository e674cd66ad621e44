// Well-known packages of npm that need none of Node's modules work as they are: CommonJS and ECMAScript modules. What
// is not needed of them is left out of node_modules here.
import { assert, test } from "sexton/test";
import dayjs from "dayjs";
import semver from "semver";
import { z } from "zod";

test("semver", () => {
  assert.equal(semver.valid(" v1.2.3 "), "1.2.3");
  assert.equal(semver.satisfies("1.4.2", "^1.2.0 || >=3"), true);
  assert.equal(semver.satisfies("2.0.0", "^1.2.0 || >=3"), false);
  assert.deepEqual(["2.0.0", "1.10.0", "1.9.0", "2.0.0-rc.1"].sort(semver.compare), ["1.9.0", "1.10.0", "2.0.0-rc.1", "2.0.0"]);
  assert.equal(semver.inc("1.2.3", "minor"), "1.3.0");
  assert.throws(() => new semver.SemVer("one"), TypeError);
});

test("dayjs", () => {
  const day = dayjs("2026-01-31T12:30:00");
  assert.equal(day.add(1, "month").format("YYYY-MM-DD HH:mm"), "2026-02-28 12:30");
  assert.equal(dayjs("2026-03-01").diff(day.startOf("day"), "day"), 29);
  assert.equal(dayjs("nonsense").isValid(), false);
});

test("zod", () => {
  const Machine = z.object({ name: z.string().min(1), size: z.enum(["small", "large"]).default("small"), tags: z.array(z.string()).optional() });
  assert.deepEqual(Machine.parse({ name: "vm" }), { name: "vm", size: "small" });
  const { success, error } = Machine.safeParse({ name: "", size: "huge" });
  assert.equal(success, false);
  assert.deepEqual(error.issues.map((issue) => issue.path.join(".")), ["name", "size"]);
  assert.equal(error instanceof z.ZodError, true);
});
