import { assert, test } from "sexton/test";
import { disk } from "./site.js";

// Files in memory: the tests need no permission, and leave nothing behind.
/** @param {import("sexton/test").TestContext} t */
function memory(t) {
  const files = new Map();
  t.mock.method(disk, "mkdir", async () => {});
  t.mock.method(disk, "writeFile", async (path, text) => { files.set(path, text); });
  t.mock.method(disk, "rm", async (path) => { files.delete(`${path}/index.html`); });
  return files;
}

const model = (/** @type {object[]} */ ...applications) => ({ "?": { type: "Environment", id: "test" }, applications });
const site = (/** @type {string} */ index) => ({ "?": { type: "Site", id: "web" }, path: "public", index });

test("a site is made, changed and removed", async (t) => {
  const files = memory(t);

  await t.deploy(model(site("<h1>Hello</h1>")));
  assert.equal(files.get("public/index.html"), "<h1>Hello</h1>");

  await t.deploy(model(site("<h1>Goodbye</h1>")));
  assert.equal(files.get("public/index.html"), "<h1>Goodbye</h1>");

  await t.deploy(model());
  assert.order(t.events, ["destroy web", "destroyed web"]);
  assert.equal(files.size, 0);
});

test("a site that cannot be removed is removed by the next deployment", async (t) => {
  const files = memory(t);
  await t.deploy(model(site("<h1>Hello</h1>")));

  const { mock } = t.mock.method(disk, "rm", async () => { throw new Error("disk on fire"); });
  const { failed } = await t.deploy(model());
  assert.equal(failed[0]?.id, "web");

  mock.restore();
  await t.deploy(model());
  assert.destroyed("web");
  assert.equal(files.size, 0);
});
