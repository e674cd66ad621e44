// What networks and machines are made of. Every operation may be repeated: creating accepts what is there,
// removing accepts what is gone.
import { mkdir, readdir, rm, writeFile } from "sexton/fs";
import { exec } from "sexton/process";

interface Provider {
  createNetwork(name: string, address: string): Promise<void>;
  removeNetwork(name: string): Promise<void>;
  createMachine(name: string, network: string, address: string): Promise<void>;
  disconnect(machine: string, network: string): Promise<void>;
  removeMachine(name: string, network: string): Promise<void>;
}

// A network is a bridge. A machine is a network namespace, with a cable (a veth pair) from its eth0 to the
// bridge. Needs Linux, root and iproute2.
const linux: Provider = {
  async createNetwork(name, address) {
    // Without an address of its own a bridge takes that of a machine, and changes it when that machine leaves.
    await ip(`link add ${name} address 02:00:00:00:00:01 type bridge`, /File exists/);
    await ip(`address replace ${address} dev ${name}`);
    await ip(`link set ${name} up`);
  },
  async removeNetwork(name) {
    await ip(`link delete ${name}`, /Cannot find device/);
  },
  async createMachine(name, network, address) {
    await ip(`netns add ${name}`, /File exists/);
    await ip(`link add ${name} type veth peer name eth0 netns ${name}`, /File exists/);
    await ip(`link set ${name} master ${network} up`);
    await ip(`-n ${name} address replace ${address} dev eth0`);
    await ip(`-n ${name} link set eth0 up`);
  },
  async disconnect(machine) {
    await ip(`link set ${machine} nomaster`, /Cannot find device/);
  },
  async removeMachine(name) {
    await ip(`link delete ${name}`, /Cannot find device/); // else it outlives the namespace for a moment
    await ip(`netns delete ${name}`, /No such file/);
  },
};

async function ip(command: string, accepted?: RegExp) {
  await exec("ip", command.split(" ")).catch(unless((error) => accepted?.test(error.stderr)));
}

// A network is a directory, a machine is a file in it. As with most providers, a network that still has
// machines cannot be removed; Linux would take the bridge away from under them.
const simulated: Provider = {
  async createNetwork(name) {
    await mkdir(`simulated/${name}`, { recursive: true });
  },
  async removeNetwork(name) {
    const machines = await readdir(`simulated/${name}`).catch(unless(isGone));
    if (machines?.length) throw new Error(`network ${name} is in use by ${machines.join(", ")}`);
    await rm(`simulated/${name}`, { recursive: true, force: true });
  },
  async createMachine(name, network, address) {
    await writeFile(`simulated/${network}/${name}`, `connected as ${address}\n`);
  },
  async disconnect(machine, network) {
    await writeFile(`simulated/${network}/${machine}`, "disconnected\n").catch(unless(isGone));
  },
  async removeMachine(name, network) {
    await rm(`simulated/${network}/${name}`, { force: true });
  },
};

const isGone = (error: { code?: string }) => error.code === "ENOENT";

// A handler for catch: what is expected is no error.
function unless(expected: (error: any) => boolean | undefined) {
  return (error: unknown) => { if (!expected(error)) throw error; };
}

export const providers = { linux, simulated };
