import { assert, test, trace } from "sexton/test";
import { Environment, Resource } from "sexton";
import { Machine, Network } from "./index.js";

export class Server extends Resource {
  static properties = { boots: { type: "integer", usage: "out", default: 0 } };
  loaded() { this.boots++; trace("loaded", this); }
  deploy() { trace("deploy", this); }
  destroy() {}
}

const model = (...applications) => ({ "?": { type: "Environment", id: "root" }, applications });
const server = { "?": { type: "Server", id: "s" } };
const net = { "?": { type: "Network", id: "net" } };

test("load: an environment without deploying it", async (t) => {
  const root = await t.load(model(server));
  assert.equal(root, t.env);
  assert(root instanceof Environment);
  assert.deepEqual(t.events, ["loaded s"]);
  assert.alive("s");
  await root.applications[0].deploy();
  assert.deepEqual(t.events, ["loaded s", "deploy s"]);
});

test("load: the process starts again", async (t) => {
  await t.deploy(model(server));
  const before = t.env.applications[0];
  await t.load();
  const [now] = t.env.applications;
  assert.notEqual(now, before);
  assert.equal(now.boots, 2);
  assert.order(t.events, ["loaded s", "deploy s", "loaded s"]);
});

test("load: what the model drops goes with the next collection", async (t) => {
  await t.deploy(model(server, net));
  await t.load(model(net));
  assert.alive("s");
  assert.equal((await t.collect()).destroyed, 1);
  assert.destroyed("s");
});

test("load: a wrong model", async (t) => {
  await assert.rejects(t.load(model({ "?": { type: "Nothing", id: "x" } })), /Nothing/);
  await assert.rejects(t.load(5), { name: "TypeError", message: "t.load: the model must be an object, or the text of a model file, got 5" });
});

test("destroy", async (t) => {
  await t.deploy(model(server, net));
  const report = await t.destroy();
  assert.deepEqual(report.destroyed.map((o) => o.id).sort(), ["net", "root", "s"]);
  assert.equal(t.env, undefined);
});

test("graph: what two runs agree on", async (t) => {
  await t.deploy(model(net));
  const network = new Network({ cidr: "10.1.0.0/16" }, t.env);
  const machines = [1, 2].map(() => new Machine({ network }, t.env));
  t.env.applications.push(network, ...machines);
  const graph = await t.graph();
  assert.deepEqual(Object.keys(graph), ["root", "net", "Network#1", "Machine#1", "Machine#2"]);
  const { "?": { owner, dependencies }, ...properties } = graph["Machine#2"];
  assert.equal(owner, "root");
  assert.deepEqual(dependencies, { onDestruction: [{ subscriber: "Network#1" }] });
  assert.deepEqual(properties, { network: { $ref: "Network#1" }, started: 0 });
  assert.snapshot(graph);
  assert.snapshot(graph.net, "one object");
});

