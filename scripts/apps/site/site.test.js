import { afterEach, assert, test } from "sexton/test";
import { readFile, stat } from "sexton/fs";
import { alive } from "sexton/process";

const index = { "?": { id: "index" }, name: "index.html", content: "hello" };
const about = { "?": { id: "about" }, name: "about.html", content: "world" };
const directory = (...files) => ({ "?": { type: "Directory", id: "public" }, path: "test", files });
const server = { "?": { type: "Server", id: "web" }, directory: "public", port: 8089 };
const site = (...applications) => ({ "?": { type: "Environment", id: "site" }, applications });

afterEach((t) => t.deploy(site())); // also after a failure: the server runs on otherwise

test("a file that leaves the model is removed, and what stays is kept up to date", async (t) => {
  await t.deploy(site(directory(index, about)));
  assert.equal(await readFile("test/index.html", "utf8"), "hello");

  await t.deploy(site(directory({ ...index, content: "hello again" })));
  assert.equal(await readFile("test/index.html", "utf8"), "hello again");
  await assert.rejects(stat("test/about.html"), { code: "ENOENT" });
  assert.destroyed("about");

  await t.deploy(site());
  assert.order(t.events, ["destroy about", "destroy index", "destroyed index", "destroy public"]);
});

test("the server stops before its directory goes", async (t) => {
  await t.deploy(site(directory(index), server));
  const { pid, startTime } = t.env.applications[1].process;

  await t.deploy(site(directory(index), server));
  assert.equal(t.env.applications[1].process.pid, pid, "it runs on");

  await t.deploy(site());
  assert.order(t.events, ["destroyed web", "destroy public"]);
  assert.equal(await alive({ pid, startTime }), false);
  await assert.rejects(stat("test"), { code: "ENOENT" });
});
