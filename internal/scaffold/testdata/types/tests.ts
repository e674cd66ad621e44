// What tests can do, as sexton.d.ts has it.
import { assert, describe, test } from "sexton/test";
import { Resource } from "sexton";

class Network extends Resource {
  get size(): number { return 1; }
  set size(size: number) { void size; }
  address(host: number): string { return `10.0.0.${host}`; }
  destroy() {}
}

test("mocks", async (t) => {
  const address = t.mock.method(Network.prototype, "address", function (host: number) { return address.mock.original.call(this, host + 1); }, { times: 2 });
  const hosts: number[] = address.mock.calls.map((call) => call.arguments[0]);
  address.mock.mockImplementationOnce((host) => `${host}`, 3);
  // @ts-expect-error there is no such method
  t.mock.method(Network.prototype, "adress");
  // @ts-expect-error an implementation for a number of calls
  t.mock.method(Network.prototype, "address", { time: 1 });
  t.mock.method(Network.prototype, "destroy", { times: 1 });
  t.mock.getter(Network.prototype, "size", () => 2);
  const set = t.mock.setter(Network.prototype, "size");
  const sizes: number = set.mock.calls[0]!.arguments[0];
  const add = t.mock.fn((a: number, b: number) => a + b);
  const sum: number = add(1, 2);
  t.mock.reset();
  assert.deepEqual([hosts, sizes, sum], []);
});

test("environments", async (t) => {
  const root = await t.load({ "?": { type: "Environment", id: "root" } });
  await t.load();
  assert.snapshot(await t.graph(), "graph");
  const { destroyed } = await t.destroy({ onDestroyError: "continue" });
  assert.equal(destroyed[0]?.id, root.$id);
  // @ts-expect-error it is a promise
  t.graph().net;
});

describe(class Networks {
  #made = 0;
  async setUp() { this.#made++; }
  tearDown() { this.#made--; }
  testMade() { assert.equal(this.#made, 1); }
}, { timeout: 100 });
describe.only("by name", () => {});
// @ts-expect-error a class of tests is made without arguments
describe(class { constructor(readonly n: number) {} });
