import { afterEach, assert, test } from "sexton/test";
import { readdir, readFile, rm } from "sexton/fs";
import { exec } from "sexton/process";
import { providers } from "./providers";

const web = { "?": { type: "Machine", id: "test-web" }, network: "test-net", address: "10.77.99.11/24" };
const database = { "?": { type: "Machine", id: "test-database" }, network: "test-net", address: "10.77.99.12/24" };
const lab = (...applications: object[]) => ({ "?": { type: "Environment", id: "lab" }, applications });
const shop = (provider: string, ...machines: object[]) => lab({
  "?": { type: "Application", id: "test-shop" },
  network: { "?": { id: "test-net" }, provider, address: "10.77.99.1/24" },
  machines,
});
const names = { network: "sx-test-net", web: "sx-test-web", database: "sx-test-1g9b0g5" };

afterEach((t) => t.deploy(lab())); // also after a failure: what a test made is real

// What there really is, asked without the classes: which of the names exist, whether a machine is reached,
// and a machine that vanishes.
const reality = {
  simulated: {
    found: async () => [...await readdir("simulated"), ...await readdir("simulated/sx-test-net").catch(() => [])],
    reached: async (machine: string) => (await readFile(`simulated/sx-test-net/${machine}`, "utf8")).startsWith("connected"),
    lose: (machine: string) => rm(`simulated/sx-test-net/${machine}`),
  },
  linux: {
    found: async () => (await ip("-brief link") + await ip("netns list")).match(/^sx-[\w-]+/gm) ?? [],
    reached: (machine: string) => ip(`netns exec ${machine} ping -c 1 -W 1 10.77.99.1`).then(() => true, () => false),
    lose: async (machine: string) => { await ip(`link delete ${machine}`); await ip(`netns delete ${machine}`); },
  },
};

async function ip(command: string) { return (await exec("ip", command.split(" "))).stdout; }

// Why there can be no bridges, namespaces and pings here; undefined if there can.
async function obstacle(): Promise<string | undefined> {
  try {
    await ip("netns add sx-probe");
    await ip("link add sx-probe type bridge");
    await ip("netns exec sx-probe ping -V");
  } catch (error) {
    return (error as Error).message;
  } finally {
    await ip("link delete sx-probe").catch(() => {});
    await ip("netns delete sx-probe").catch(() => {});
  }
}

for (const provider of ["simulated", "linux"] as const) {
  const { found, reached, lose } = reality[provider];
  const skip = provider === "linux" && await obstacle();
  const present = async () => {
    const all = await found();
    return Object.values(names).filter((name) => all.includes(name));
  };

  test(`${provider}: the network hears of a machine that leaves, stays, and goes last`, { skip }, async (t) => {
    await t.deploy(shop(provider, web, database));
    assert.deepEqual(await present(), [names.network, names.web, names.database]);
    assert(await reached(names.web) && await reached(names.database));

    await t.deploy(shop(provider, web));
    assert.order(t.events, ["notify test-net test-database", "destroy test-database", "destroyed test-database"]);
    assert.deepEqual(t.env.applications[0].network.hosts, { "test-web": "10.77.99.11/24" });
    assert.deepEqual(await present(), [names.network, names.web]);
    assert(await reached(names.web));

    await t.deploy(lab());
    assert.order(t.events, ["notify test-net test-web", "destroyed test-web", "destroy test-net"]);
    assert.deepEqual(await present(), []);
  });

  test(`${provider}: a machine that cannot be destroyed holds the network`, { skip }, async (t) => {
    await t.deploy(shop(provider, web));
    const { mock } = t.mock.method(providers[provider], "removeMachine", async () => { throw new Error("busy"); });
    const { failed, blocked } = await t.deploy(lab());
    assert.deepEqual(failed.map(({ id }) => id), ["test-web"]);
    assert.deepEqual(blocked.map(({ id, by }) => `${id} by ${by}`), ["test-net by test-web", "test-shop by test-web"]);
    assert.equal(await reached(names.web), false, "the network has let go of it, though");

    mock.restore(); // the next deployment tries again
    await t.deploy(lab());
    assert.deepEqual(await present(), []);
  });

  test(`${provider}: deploy() makes what is missing, destroy() accepts it`, { skip }, async (t) => {
    await t.deploy(shop(provider, web, database));
    await lose(names.web);
    await t.deploy(shop(provider, web, database));
    assert(await reached(names.web));

    await lose(names.web);
    await t.deploy(lab());
    assert.deepEqual(await present(), []);
  });
}
