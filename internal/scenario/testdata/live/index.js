import { GC, Resource } from "sexton";

export class Network extends Resource {
  static properties = { cidr: { type: "string", default: "10.0.0.0/24" } };
  address() { return this.cidr.split("/")[0]; }
  destroy() { return provider.remove(this.$id); }
}

export class Machine extends Resource {
  static properties = {
    network: "Network",
    started: { type: "integer", usage: "out", default: 0 },
  };
  constructor(properties, owner, options) {
    super(properties, owner, options);
    GC.subscribeDestruction(this, this.network);
  }
  deploy() { this.started++; }
  async destroy() { await provider.remove(this.$id); }
}

// What a class of a real package would reach through the network.
export const provider = {
  removed: [],
  async remove(id) { this.removed.push(id); },
};
