// What is inferred of declarations. `is` fails to compile where a type is another one.
import { Environment, GC, Resource, type Given, type ObjectOptions, type Values } from "sexton";

type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends (<T>() => T extends B ? 1 : 2) ? true : false;
const is = <A, B>(_same: Same<A, B>) => {};

class Subnet extends Resource.with({ range: "string" }) {}

class Network extends Resource.with({
  cidr: "string",
  size: "integer",
  weight: "number",
  open: "boolean",
  token: "secret",
  since: "date",
  key: "bytes",
  notes: "any",
  free: {},
  subnets: { type: [Subnet], default: [] },
  main: Subnet,
  gateway: { type: () => Gateway, optional: true },
  peer: { type: "Network", optional: true },
  region: { type: "string", usage: "const", default: "eu" },
  zone: { type: "string", usage: "const", optional: true },
  state: { type: "string", usage: "inout", default: "new" },
  netId: { type: "string", usage: "out" },
  seen: { type: "date", usage: "out", optional: true },
  retries: { type: "integer", usage: "out", default: 0 },
  endpoint: { type: "string", usage: "config" },
  client: { usage: "runtime" },
  count: { type: "number", usage: "runtime" },
  kind: { type: { enum: ["small", "large", 3, true] } },
  labels: { type: { map: "string" }, default: {} },
  hosts: { type: { map: [Subnet] }, default: {} },
  mount: { type: { shape: { path: "string", mode: { type: "string", default: "rw" }, at: { type: "date", optional: true } } }, optional: true },
  process: { type: { shape: { pid: "integer", startTime: "string" } }, usage: "out", optional: true },
  limit: { type: "number", optional: true, default: null, description: "per second" },
}) {
  declare peer: Network | null | undefined; // a class cannot stand in its own declarations

  constructor(properties: Given<typeof Network>, owner?: Resource | null, options?: ObjectOptions) {
    super(properties, owner, options);
    for (const subnet of this.subnets) GC.subscribeDestruction(subnet, this, "onSubnetGone");
    if (this.gateway) GC.subscribeDestruction(this, this.gateway);
  }
  onSubnetGone(subnet: Subnet) { console.log(subnet.$id); }
  async deploy() {
    this.netId ??= "made";
    this.labels.made = "yes";
    this.retries += 1;
    this.subnets.push(new Subnet({ range: "10.0.0.0/25" }, this));
    await this.main.deploy?.();
  }
  async destroy() {}
}

class Gateway extends Resource.with({ address: "string" }) {}

declare const net: Network;
is<typeof net.cidr, string>(true);
is<typeof net.size, number>(true);
is<typeof net.weight, number>(true);
is<typeof net.open, boolean>(true);
is<typeof net.token, string>(true);
is<typeof net.since, Date>(true);
is<typeof net.key, Uint8Array>(true);
is<typeof net.notes, any>(true);
is<typeof net.free, any>(true);
is<typeof net.subnets, Subnet[]>(true);
is<typeof net.main, Subnet>(true);
is<typeof net.gateway, Gateway | null | undefined>(true);
is<typeof net.peer, Network | null | undefined>(true);
is<typeof net.region, string>(true);
is<typeof net.zone, string | null | undefined>(true);
is<typeof net.state, string>(true);
is<typeof net.netId, string | undefined>(true);
is<typeof net.seen, Date | null | undefined>(true);
is<typeof net.retries, number>(true);
is<typeof net.endpoint, string>(true);
is<typeof net.client, any>(true);
is<typeof net.count, number | undefined>(true);
is<typeof net.kind, "small" | "large" | 3 | true>(true);
is<typeof net.labels, { [key: string]: string }>(true);
is<typeof net.hosts, { [key: string]: Subnet[] }>(true);
is<NonNullable<typeof net.mount>, { path: string; mode: string; at: Date | null | undefined }>(true);
is<typeof net.process, { pid: number; startTime: string } | null | undefined>(true);
is<typeof net.limit, number | null | undefined>(true);
is<typeof net.$id, string>(true);
is<typeof net.$owner, Resource | null>(true);
is<ReturnType<typeof net.$find<Gateway>>, Gateway | null>(true);

// What is inherited, and what a subclass adds.
class Special extends Network {
  override async deploy() { await super.deploy(); }
}
class Routed extends Subnet.with({ route: "string", subnets: { type: [Subnet], default: [] } }) {
  static made = 0;
  override async destroy() { Routed.made += this.range.length + this.route.length; }
}
is<Routed["range"], string>(true);
class Shop extends Environment.with({ things: { type: ["Subnet"], usage: "out", default: [] } }) {
  declare things: Subnet[];
  override async deploy() {
    await super.deploy();
    this.things.push(new Subnet({ range: "x" }, this, { id: "made", name: "made" }));
    console.log(this.name?.length, this.applications.length);
  }
}

// How objects are made.
const rest = {
  size: 1, weight: 1.5, open: true, token: "t", since: new Date(), key: new Uint8Array(), notes: { any: [1] }, free: 1,
  main: new Subnet({ range: "a" }), kind: "small",
} as const;
new Network({ ...rest, cidr: "x" });
new Special({ ...rest, cidr: "x", zone: null, gateway: { "?": { id: "g" }, address: "a" }, mount: { path: "/" } }, null, { id: "net" });
new Network({ ...rest, cidr: "x", subnets: [{ range: "y" }, { "?": { type: "Subnet", id: "b", name: "B" }, range: "z" }, new Routed({ range: "r", route: "q" })] });
new Routed({ range: "x", route: "y" }, net);
new Shop({ name: "shop", applications: [net] });
const asNetwork: Network = new Special({ ...rest, cidr: "x" });
const asResource: Resource = asNetwork;
console.log(asResource, Network.properties.cidr, Shop.properties.applications.type);

// A base class that is kept, and a mixin of one's own.
const Named = Resource.with({ title: "string" });
abstract class Titled extends Named.with({ subtitle: { type: "string", optional: true } }) {
  abstract show(): string;
}
class Page extends Titled { show() { return this.title + (this.subtitle ?? ""); } }
new Page({ title: "x" });

// Classes that write `static properties`.
const diskProperties = { size: "integer", kind: { type: { enum: ["ssd", "hdd"] }, default: "ssd" } } as const;
class Disk extends Resource {
  static properties = diskProperties;
  declare size: number;
  declare kind: Values<typeof diskProperties>["kind"];
  constructor(properties: Given<typeof Disk>, owner?: Resource) { super(properties, owner); }
}
is<Disk["kind"], "ssd" | "hdd">(true);
new Disk({ size: 1 });
class Plain extends Resource {
  static properties = { anything: "any" };
  destroy() {}
}
new Plain({ anything: [] });
new Plain();
