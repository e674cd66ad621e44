// What the type checker refuses: each line that is announced must be an error.
import { Environment, GC, Resource, type Given } from "sexton";
import { exec, spawn } from "sexton/process";
import { readFile, writeFile } from "sexton/fs";
import { assert, test } from "sexton/test";

class Subnet extends Resource.with({ range: "string" }) {}
class Network extends Resource.with({
  cidr: "string",
  region: { type: "string", usage: "const", default: "eu" },
  kind: { type: { enum: ["small", "large"] }, default: "small" },
  subnets: { type: [Subnet], default: [] },
  mount: { type: { shape: { path: "string" } }, optional: true },
  netId: { type: "string", usage: "out" },
}) {
  onGone() {}
}

// Declarations.
// @ts-expect-error there is no such type
class A1 extends Resource.with({ a: "strin" }) {}
// @ts-expect-error there is no such key
class A2 extends Resource.with({ a: { type: "string", usag: "out" } }) {}
// @ts-expect-error there is no such usage
class A3 extends Resource.with({ a: { type: "string", usage: "output" } }) {}
// @ts-expect-error the default is of another type
class A4 extends Resource.with({ a: { type: "string", default: 5 } }) {}
// @ts-expect-error the default is none of the values
class A5 extends Resource.with({ a: { type: { enum: ["a", "b"] }, default: "c" } }) {}
// @ts-expect-error null is for what is optional
class A6 extends Resource.with({ a: { type: "string", default: null } }) {}
// @ts-expect-error a list has one type
class A7 extends Resource.with({ a: ["string", "number"] }) {}
// @ts-expect-error Date is no class of managed objects
class A8 extends Resource.with({ a: Date }) {}
// @ts-expect-error the instance has another type there
class A9 extends Resource.with({ a: "string" }) { declare a: number; }

// Making objects.
// @ts-expect-error cidr is required
new Network({});
// @ts-expect-error a number is no string
new Network({ cidr: 5 });
// @ts-expect-error misspelt
new Network({ cidr: "x", subnet: [] });
// @ts-expect-error misspelt in an object in place
new Network({ cidr: "x", subnets: [{ rang: "x" }] });
// @ts-expect-error an object of another class
new Network({ cidr: "x", subnets: [new Network({ cidr: "y" })] });
// @ts-expect-error null is for what is optional
new Network({ cidr: "x", subnets: null });
// @ts-expect-error none of the values
new Network({ cidr: "x", kind: "medium" });
// @ts-expect-error a plain object is no owner
new Network({ cidr: "x" }, {});
// @ts-expect-error there is no such option
new Network({ cidr: "x" }, null, { ident: "x" });
// @ts-expect-error required by the base class
new (Subnet.with({ more: "string" }))({ more: "x" });

// Using them.
declare const net: Network;
// @ts-expect-error constant
net.region = "us";
// @ts-expect-error none of the values
net.kind = "medium";
// @ts-expect-error there is no such property
net.cdir;
// @ts-expect-error it may be undefined
net.netId.length;
// @ts-expect-error it may be null or undefined
net.mount.path;
// @ts-expect-error not a subnet
net.subnets.push({ range: "x" });
// @ts-expect-error read-only
net.$id = "x";
// @ts-expect-error only the collector destroys; and this class has no destroy()
net.destroy();
// @ts-expect-error $find wants a class
net.$find(Date);
const given: Given<typeof Network> = { cidr: "x" };
// @ts-expect-error a model's values are not changed
given.cidr = "y";
// @ts-expect-error a root has no owner
new Environment({}, net);

// GC.
// @ts-expect-error there is no such method
GC.subscribeDestruction(net, net, "onGon");
// @ts-expect-error not a managed object
GC.isDestroyed({});
// @ts-expect-error a promise
(GC.collect()).destroyed;

// Modules.
// @ts-expect-error not Node's signature
exec("netctl", "create");
// @ts-expect-error there is no shell
exec("netctl", [], { shell: true });
// @ts-expect-error stdout is a file
spawn("netctl", [], { stdout: 1 });
// @ts-expect-error without an encoding it is bytes
(await readFile("x")).trim();
// @ts-expect-error there is no such flag
writeFile("x", "y", { flag: "r" });
// @ts-expect-error Node's modules do not exist
await import("node:fs");

// Tests.
// @ts-expect-error there is no such option
test("x", { timeOut: 5 }, () => {});
test("x", async (t) => {
  // @ts-expect-error there is no such method
  t.mock.method(net, "onGon");
  // @ts-expect-error there is no such setting
  await t.deploy({}, { concurrent: 5 });
  // @ts-expect-error events are a list
  assert.order("destroy net", t.events);
  const value: string | undefined = String(t.name);
  assert(value);
  value.length;
});

// Globals.
// @ts-expect-error a node has no document
document.body;
// @ts-expect-error there are no streams
(await fetch("https://example.org")).body;
// @ts-expect-error not an encoding
Buffer.from("x", "utf9");
// @ts-expect-error made by a controller only
new AbortSignal();
