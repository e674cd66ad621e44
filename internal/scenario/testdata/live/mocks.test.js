import { assert, test, trace } from "sexton/test";
import { Machine, Network, provider } from "./index.js";

const model = (...applications) => ({ "?": { type: "Environment", id: "root" }, applications });
const net = { "?": { type: "Network", id: "net" } };
const vm = { "?": { type: "Machine", id: "vm" }, network: "net" };

test("the destructor of a class, with the original", async (t) => {
  const remove = t.mock.method(provider, "remove", () => {});
  const destroy = t.mock.method(Network.prototype, "destroy", function () {
    trace("instead", this);
    return destroy.mock.original.call(this);
  });
  await t.deploy(model(net, vm));
  await t.deploy(model());
  assert.order(t.events, ["destroyed vm", "destroy net", "instead net", "destroyed net"]);
  assert.equal(destroy.mock.callCount(), 1);
  assert.deepEqual(remove.mock.calls.map((call) => call.arguments[0]), ["vm", "net"]);
});

test("a destructor that fails", async (t) => {
  t.mock.method(Machine.prototype, "destroy", () => { throw new Error("busy"); }, { times: 2 }); // a deployment tries twice
  await t.deploy(model(net, vm));
  const report = await t.deploy(model());
  assert.match(report.failed[0]?.error, /busy/);
  assert.deepEqual(report.blocked, [{ id: "net", type: "cloud/Network", by: "vm" }]);
  const again = await t.deploy(model());
  assert.deepEqual(again.destroyed.map((o) => o.id), ["vm", "net"]);
});

test("it is the class's own again", async (t) => {
  provider.removed.length = 0;
  await t.deploy(model(net));
  await t.deploy(model());
  assert.deepEqual(provider.removed, ["net"]);
  t.mock.method(Network.prototype, "destroy"); // calls the original
  await t.deploy(model(net));
  await t.deploy(model());
  assert.deepEqual(provider.removed, ["net", "net"]);
});

test("methods of a managed object", async (t) => {
  await t.deploy(model(net));
  const [network] = t.env.applications;
  assert.throws(() => t.mock.method(network, "destroy"), /mock that of Network.prototype/);
  const address = t.mock.method(network, "address", () => "mocked");
  assert.equal(network.address(), "mocked");
  assert.equal(address.mock.original.call(network), "10.0.0.0");
});

test("a mock keeps no managed object alive", { skip: typeof WeakRef !== "function" && "there is no WeakRef" }, async (t) => {
  await t.deploy(model(net));
  const address = t.mock.method(Network.prototype, "address");
  const use = t.mock.fn((network) => network);
  use(t.env.applications[0]).address();
  assert.equal(use.mock.calls[0].result, t.env.applications[0]);
  t.env.applications = [];
  await t.collect();
  assert.destroyed("net");
  assert.equal(address.mock.calls[0].this, undefined);
  assert.deepEqual(use.mock.calls[0].arguments, [undefined]);
});
