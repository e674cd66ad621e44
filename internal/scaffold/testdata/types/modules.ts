// Programs that use each of the modules.
import { GC, ObjectDestroyedError, PermissionDenied, Resource, type RecoveredEffect } from "sexton";
import { alive, env, exec, kill, spawn, PermissionDenied as Denied, type ExecError, type ProcessId } from "sexton/process";
import { appendFile, mkdir, readdir, readFile, rename, rm, stat, writeFile } from "sexton/fs";
import test, { after, afterEach, assert, before, beforeEach, describe, it, suite, trace } from "sexton/test";

export class Server extends Resource.with({
  port: "integer",
  process: { type: { shape: { pid: "integer", startTime: "string" } }, usage: "out", optional: true },
}) {
  async deploy() {
    if (this.process && await alive(this.process)) return;
    this.process = await spawn("server", [`--port=${this.port}`], { detached: true, stderr: "server.log", of: this });
  }
  async destroy() {
    if (this.process) await kill(this.process, { signal: "SIGINT", timeout: 1000 });
    this.process = undefined;
  }
  async loaded() { trace("loaded", this); }
  async recover(effects: RecoveredEffect[]) {
    for (const { op, outcome } of effects) {
      if (op === "process.spawn" && outcome && "result" in outcome) this.process = outcome.result as ProcessId;
    }
  }
}

export class Disk extends Resource.with({ bytes: "integer" }) {
  static override migrate({ sizeMB }: { sizeMB: number }, fromVersion: string) {
    return fromVersion.startsWith("1.") ? { bytes: sizeMB * 2 ** 20 } : {};
  }
}
export class Old extends Resource {
  static properties = { bytes: "integer" };
  static migrate(properties: Record<string, unknown>) { return properties; }
}

async function processes() {
  const { stdout, exitCode } = await exec("ls", ["-l"], { cwd: ".", env: { LANG: "C" }, input: "x", timeout: 1000 });
  const bytes = (await exec("ls", [], { encoding: "buffer" })).stdout;
  console.log(stdout.trim(), exitCode, bytes.length, (await env("HOME"))?.length);
  try {
    await exec("false");
  } catch (error) {
    if (error instanceof PermissionDenied || error instanceof Denied) console.error(error.code, error.message);
    else console.error((error as ExecError).stderr);
  }
}

async function files() {
  await mkdir("a/b", { recursive: true });
  await writeFile("a/b/c", "text", { flag: "wx" });
  await appendFile("a/b/c", new Uint8Array([1]));
  const text: string = await readFile("a/b/c", "utf8");
  const bytes: Uint8Array = await readFile("a/b/c");
  const names: string[] = await readdir("a");
  for (const entry of await readdir("a", { withFileTypes: true })) if (entry.isDirectory()) names.push(entry.name);
  const { size, mtime } = await stat("a/b/c");
  await rename("a/b/c", "a/b/d");
  await rm("a", { recursive: true, force: true });
  return [text, bytes, names, size, mtime.getTime()];
}

async function collecting(server: Server) {
  const { destroyed, failed, blocked } = await GC.collect();
  console.log(destroyed, failed[0]?.error, blocked[0]?.by, GC.plan()[0]?.after, GC.why(server), GC.why("id"), GC.token(server));
  if (!GC.isDestroyed(server) && GC.isDoomed(server)) GC.unsubscribeDestruction(server, server);
  try { await server.deploy(); } catch (error) { if (error instanceof ObjectDestroyedError) console.warn(error.message); }
}

const timer = setTimeout((name: string) => console.log(name), 10, "x");
clearTimeout(timer);
clearInterval(setInterval(() => {}, 10));
clearImmediate(setImmediate(() => {}));
queueMicrotask(() => console.table([{ a: 1 }]));
const copy: { a: Date } = structuredClone({ a: new Date() });
console.log(copy, scriptArgs.length, processes, files, collecting);

before(() => {});
after(async () => {}, { timeout: 10 });
beforeEach((t) => t.diagnostic(t.fullName));
afterEach((t) => t.deploy({ "?": { type: "Environment", id: "e" } }));
describe("a suite", { timeout: 10 }, () => {
  it("a test", { todo: "later" }, async (t) => {
    const report = await t.deploy({ "?": { type: "Environment", id: "e" } }, { concurrency: 1, destroyTimeout: "1s" });
    assert.deepEqual(report.created.map(({ id }) => id), ["e"]);
    await t.clock.advance(1000);
    const log = t.mock.method(console, "log", () => {});
    assert.equal(log.mock.callCount(), 0);
    assert.equal(log.mock.calls[0]?.arguments[0], 1);
    const add = t.mock.fn((a: number, b: number) => a + b);
    assert.equal(add(1, 2), 3);
    await assert.rejects(Promise.reject(new Error("x")), /x/);
    await assert.rejects(async () => { throw new Error("x"); }, { message: "x" });
    assert.throws(() => { throw new TypeError("x"); }, TypeError);
    assert.alive("e", t.env);
    assert.snapshot(await t.snapshot(), "saved");
    await t.test("a subtest", (t) => t.skip("not yet"));
    t.allowLeaks();
  });
  it.skip("another");
  it.only("one more", () => {});
});
suite.todo("later");
test("plain", () => trace("x", 1));

async function standard() {
  const url = new URL("?a=b", "https://example.org");
  for (const [name, value] of url.searchParams) console.log(name, value);
  const response = await fetch(url, { method: "POST", body: JSON.stringify({}), headers: { a: "b" }, signal: AbortSignal.timeout(5) });
  if (!response.ok) throw new DOMException(await response.text(), "AbortError");
  const data = (await response.json()) as { id: string };
  const digest: ArrayBuffer = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(data.id));
  const bytes: Uint8Array = Buffer.from("aGk=", "base64");
  const controller = new AbortController();
  controller.signal.addEventListener("abort", () => console.log(controller.signal.reason), { once: true });
  const weak = new WeakRef(response);
  console.log(new TextDecoder().decode(digest), bytes, crypto.randomUUID(), performance.now(), weak.deref()?.status, process.argv, atob(btoa("x")));
  const request = new Request(url, { redirect: "manual" });
  return [request.clone().headers.get("a"), Buffer.concat([Buffer.alloc(3)]).readUInt16BE(0), Response.json({}).status];
}
console.log(standard);
