// An application that owns a network and machines. The network owns no machine, and yet it may only go when
// its machines are gone: also when everything goes at once, and when a machine cannot be destroyed today.
// One line in the constructor of Machine sees to that.
import { GC, Resource } from "sexton";
import { providers } from "./providers";

export class Application extends Resource {
  static properties = {
    network: "Network",
    machines: { type: ["Machine"], default: [] },
  };
  declare network: Network;
  declare machines: Machine[];

  async deploy() {
    await this.network.deploy();
    for (const machine of this.machines) await machine.deploy();
  }
}

export class Network extends Resource {
  static properties = {
    provider: { type: { enum: ["linux", "simulated"] }, usage: "const" },
    address: { type: "string", usage: "const" }, // its own, with the length of the prefix: 10.77.0.1/24
    hosts: { type: { map: "string" }, usage: "out", default: {} }, // who can be reached at which address
  };
  declare provider: keyof typeof providers;
  declare address: string;
  declare hosts: Record<string, string>;

  get name() { return shortName(this.$id); }

  async deploy() {
    await providers[this.provider].createNetwork(this.name, this.address);
  }

  // Called before a machine is destroyed: nobody should talk to it any more.
  async onMachineLeaves(machine: Machine) {
    console.log(`${this.$id}: ${machine.$id} leaves`);
    delete this.hosts[machine.$id];
    await providers[this.provider].disconnect(machine.name, this.name);
  }

  async destroy() {
    await providers[this.provider].removeNetwork(this.name);
  }
}

export class Machine extends Resource {
  static properties = {
    network: { type: "Network", usage: "const" }, // a reference: says nothing about order
    address: { type: "string", usage: "const" },
  };
  declare network: Network;
  declare address: string;

  constructor(properties: object, owner?: Resource) {
    super(properties, owner);
    // The network hears when this machine leaves, and goes after it.
    GC.subscribeDestruction(this, this.network, "onMachineLeaves");
  }

  get name() { return shortName(this.$id); }

  async deploy() {
    await providers[this.network.provider].createMachine(this.name, this.network.name, this.address);
    this.network.hosts[this.$id] = this.address;
  }

  async destroy() {
    await providers[this.network.provider].removeMachine(this.name, this.network.name);
  }
}

// The name of a resource follows from the id of its object, so that deploy() finds again what it made
// before it was interrupted. Linux allows 15 characters for a network interface; longer ids, and those
// with other characters, are cut and told apart by a hash (FNV-1a).
function shortName(id: string) {
  if (/^[\w-]{1,12}$/.test(id)) return `sx-${id}`;
  let hash = 0x811c9dc5;
  for (const c of id) hash = Math.imul(hash ^ c.codePointAt(0)!, 0x01000193) >>> 0;
  return `sx-${id.replace(/\W/g, "").slice(0, 4)}-${hash.toString(36)}`;
}
