// What the collector was built for, requirement by requirement. Run it with
//
//     sexton test scripts
import { assert, test, trace } from "sexton/test";
import { Environment, GC, ObjectDestroyedError, Resource } from "sexton";

export class Root extends Environment {
  static properties = {
    nodes: { type: ["Node"], usage: "inout", default: [] },
    kept: { type: "any", usage: "inout", optional: true },
  };
}

export class Node extends Resource {
  static properties = {
    peer: { type: "Node", usage: "inout", optional: true },
    children: { type: ["Node"], usage: "inout", default: [] },
    fails: { type: "boolean", usage: "inout", default: false },
  };
  onGone(publisher) { trace(`${this.$id} hears of ${publisher.$id}`); }
  onGoneToo(publisher) { trace(`${this.$id} also hears of ${publisher.$id}`); }
  onGoneBadly() { throw new Error("I do not want to know"); }
  rescue(publisher) { this.$find(Root).kept = publisher; }
  hello() { return `hello from ${this.$id}`; }
  destroy() {
    trace(`${this.$id} goes`);
    if (this.fails) throw new Error("cannot go yet");
  }
}

export class Base extends Resource {
  destroy() { trace("base part goes"); }
}

export class Derived extends Base {
  destroy() { trace("derived part goes"); }
}

export class Picky extends Resource {
  constructor(properties, owner, options) {
    super(properties, owner, options);
    throw new Error("not today");
  }
  destroy() { trace("never"); }
}

const root = (...nodes) => ({ "?": { type: "Root", id: "root" }, nodes });
const node = (id, properties = {}) => ({ "?": { type: "Node", id }, ...properties });
const make = (id, properties = {}, owner = null) => new Node(properties, owner, { id });
const told = (t) => t.events.filter((e) => !/^(notify|destroy|destroyed|failed|blocked) /.test(e));

test("an object that nothing refers to is destroyed on demand", async (t) => {
  let a = make("a");
  await GC.collect();
  assert.alive("a");
  a = null;
  const report = await GC.collect();
  assert.equal(report.destroyed, 1);
  assert.deepEqual(told(t), ["a goes"]);
});

test("an object is destroyed once", async (t) => {
  make("a");
  await GC.collect();
  await GC.collect();
  assert.deepEqual(told(t), ["a goes"]);
});

test("cycles are no obstacle", async () => {
  (() => {
    const a = make("a"), b = make("b", { peer: a });
    a.peer = b;
  })();
  assert.equal((await GC.collect()).destroyed, 2);
});

test("an owned object keeps its owner alive, and not the other way round", async (t) => {
  let child = make("child", {}, make("owner"));
  await GC.collect();
  assert.alive("owner");
  const owner = child.$owner;
  child = null;
  await GC.collect();
  assert.alive(owner);
  assert.deepEqual(told(t), ["child goes"]);
  t.allowLeaks();
});

test("what is owned goes before its owner", async (t) => {
  make("c", {}, make("b", {}, make("a")));
  await GC.collect();
  assert.deepEqual(told(t), ["c goes", "b goes", "a goes"]);
});

test("a subscriber goes after its publisher, whoever owns whom", async (t) => {
  (() => {
    const owner = make("owner"), owned = make("owned", {}, owner);
    GC.subscribeDestruction(owner, owned, "onGone");
  })();
  await GC.collect();
  assert.deepEqual(told(t), ["owned hears of owner", "owner goes", "owned goes"]);
});

test("subscribers are told before anything is destroyed, and may use the publisher", async (t) => {
  let listener = make("listener");
  (() => {
    const a = make("a"), b = make("b", {}, a);
    GC.subscribeDestruction(a, listener, "onGone");
    GC.subscribeDestruction(b, listener, "onGone");
  })();
  await GC.collect();
  assert.deepEqual(told(t), ["listener hears of a", "listener hears of b", "b goes", "a goes"]);
  listener = null;
  await GC.collect();
});

test("a subscription keeps neither side alive", async () => {
  (() => GC.subscribeDestruction(make("a"), make("b"), "onGone"))();
  assert.equal((await GC.collect()).destroyed, 2);
});

test("subscribing twice tells once, and needs two unsubscriptions", async (t) => {
  let listener = make("listener");
  (() => {
    const a = make("a"), b = make("b");
    for (const publisher of [a, a, b]) GC.subscribeDestruction(publisher, listener, "onGone");
    GC.unsubscribeDestruction(a, listener, "onGone");
    GC.unsubscribeDestruction(b, listener, "onGone");
    GC.unsubscribeDestruction(b, listener, "onGone"); // one too many is harmless
  })();
  await GC.collect();
  assert.deepEqual(told(t), ["listener hears of a", "a goes", "b goes"]);
  listener = null;
  await GC.collect();
});

test("each handler of a pair is a subscription of its own", async (t) => {
  let listener = make("listener");
  (() => {
    const a = make("a");
    GC.subscribeDestruction(a, listener, "onGoneToo");
    GC.subscribeDestruction(a, listener, "onGone");
  })();
  await GC.collect();
  assert.deepEqual(told(t), ["listener also hears of a", "listener hears of a", "a goes"]);
  listener = null;
  await GC.collect();
});

test("isDoomed answers from the plan on, isDestroyed at the end", async (t) => {
  const seen = [];
  class Curious extends Node {
    destroy() { seen.push(GC.isDoomed(this), GC.isDestroyed(this), GC.isDoomed(this.$owner), GC.isDestroyed(this.peer)); }
  }
  await t.deploy(root(node("kept")));
  (() => {
    const owner = make("owner");
    new Curious({ peer: make("first", {}, owner) }, owner);
  })();
  assert.equal(GC.isDoomed(t.env.nodes[0]), false);
  await GC.collect();
  assert.deepEqual(seen, [true, false, true, true]);
  assert.equal(GC.isDoomed(t.env.nodes[0]), false);
});

test("each class of the hierarchy has its say, the own one first", async (t) => {
  new Derived({});
  await GC.collect();
  assert.deepEqual(told(t), ["derived part goes", "base part goes"]);
});

test("a generator is no destructor, and nothing is lost for it", async (t) => {
  t.allowLeaks();
  class Sync extends Resource { *destroy() { trace("never"); } }
  class Async extends Resource { async *destroy() { trace("never"); } }
  assert.throws(() => new Sync({}), { message: /destroy is no method/ });
  new Async({}, null, { id: "async" });
  const { failed } = await GC.collect();
  assert.deepEqual(failed.map((f) => f.id), ["async"]);
  assert.match(failed[0].error, /is a generator/);
});

test("only the collector runs destroy()", (t) => {
  t.allowLeaks();
  const a = make("a");
  assert.throws(() => a.destroy(), { name: "TypeError", message: /only the collector/ });
  assert.throws(() => { a.destroy = () => {}; }, TypeError);
  assert.deepEqual(told(t), []);
});

test("a constructor that throws leaves nothing to destroy", async (t) => {
  assert.throws(() => new Picky({}), { message: "not today" });
  assert.equal((await GC.collect()).destroyed, 0);
  assert.deepEqual(told(t), []);
});

test("a model that drops an object destroys it before the deployment", async (t) => {
  await t.deploy(root(node("a"), node("b")));
  await t.deploy(root(node("b")));
  assert.deepEqual(told(t), ["a goes"]);
  assert.destroyed("a");
  assert.alive("b");
});

test("an empty model destroys everything", async (t) => {
  await t.deploy(root(node("a", { children: [node("b")] })));
  await t.deploy({ Objects: null });
  assert.deepEqual(told(t), ["b goes", "a goes"]);
  assert.deepEqual((await t.snapshot()).objects, []);
});

test("what only runtime properties reach goes after the deployment", async (t) => {
  await t.deploy(root(node("a")));
  t.env.anything = make("b", {}, t.env);
  await t.collect();
  assert.alive("b");
  await t.deploy(root(node("a")));
  assert.deepEqual(told(t), ["b goes"]);
});

test("dependencies are saved, and hold in the next deployment", async (t) => {
  await t.deploy(root(node("net"), node("vm")));
  const [net, vm] = t.env.nodes;
  GC.subscribeDestruction(vm, net, "onGone");
  GC.subscribeDestruction(vm, net, "onGone");
  await t.deploy(root(node("net"), node("vm")));
  const saved = (await t.snapshot()).objects.find((o) => o["?"].id === "vm");
  assert.deepEqual(saved["?"].dependencies.onDestruction, [{ subscriber: "net", handler: "onGone", count: 2 }]);
  await t.deploy(root());
  assert.deepEqual(told(t), ["net hears of vm", "vm goes", "net goes"]);
});

test("an object that is saved from destruction stays as a destroyed one", async (t) => {
  await t.deploy(root(node("a"), node("b")));
  GC.subscribeDestruction(t.env.nodes[0], t.env.nodes[1], "rescue");
  t.env.nodes.shift();
  await t.collect();
  const { kept } = t.env;
  assert.equal(GC.isDestroyed(kept), true);
  assert.equal(kept.$id, "a");
  assert.equal(kept instanceof Node, true);
  assert.throws(() => kept.hello(), ObjectDestroyedError);
  assert.throws(() => { kept.fails = true; }, TypeError);
  assert.equal((await t.snapshot()).objects.find((o) => o["?"].id === "a")["?"].destroyed, true);
});

test("with resurrection spare, what handlers save lives on", async (t) => {
  await t.deploy(root(node("a"), node("b")), { resurrection: "spare" });
  GC.subscribeDestruction(t.env.nodes[0], t.env.nodes[1], "rescue");
  t.env.nodes.shift();
  await t.collect();
  assert.equal(t.env.kept.hello(), "hello from a");
  assert.deepEqual(told(t), []);
});

test("a destructor that fails holds its object and what comes after it, and is tried again", async (t) => {
  await t.deploy(root(node("owner", { children: [node("owned", { fails: true })] }), node("other")));
  const report = await t.deploy(root());
  assert.deepEqual(report.failed.map((f) => f.id), ["owned"]);
  assert.deepEqual(report.blocked, [{ id: "owner", type: "requirements/Node", by: "owned" }]);
  assert.equal((await t.snapshot()).objects.find((o) => o["?"].id === "owned")["?"].doomed, true);
  assert.deepEqual(told(t), ["owned goes", "other goes", "owned goes"]);
  await t.deploy(root(), { onDestroyError: "continue" });
  assert.deepEqual(told(t).slice(3), ["owned goes", "owner goes"]);
});

test("a handler that fails stops nothing", async (t) => {
  await t.deploy(root(node("a"), node("b"), node("c")));
  const [a, b, c] = t.env.nodes;
  GC.subscribeDestruction(a, b, "onGoneBadly");
  GC.subscribeDestruction(a, c, "onGone");
  await t.deploy(root(node("b"), node("c")));
  assert.deepEqual(told(t), ["c hears of a", "a goes"]);
});

test("the collection repeats until nothing is left to find", async (t) => {
  class Nest extends Resource {
    static properties = { left: "integer" };
    destroy() {
      trace(`${this.left}`);
      if (this.left > 0) new Nest({ left: this.left - 1 });
    }
  }
  new Nest({ left: 3 });
  const { rounds } = await GC.collect();
  assert.equal(rounds, 4);
  assert.deepEqual(told(t), ["3", "2", "1", "0"]);
});

test("collect() inside of a collection does not wait for itself", async () => {
  const answers = [];
  class Busy extends Resource {
    async destroy() { answers.push(await GC.collect()); }
  }
  new Busy({});
  await GC.collect();
  assert.deepEqual(answers, [{ deferred: true }]);
});

test("independent destructors run at the same time, dependent ones do not", async (t) => {
  class Slow extends Resource {
    static properties = { name: "string" };
    async destroy() {
      trace(`${this.name} begins`);
      await new Promise((resolve) => { setTimeout(resolve, 1000); });
      trace(`${this.name} ends`);
    }
  }
  new Slow({ name: "inner" }, new Slow({ name: "outer" }));
  new Slow({ name: "other" });
  const done = GC.collect();
  await t.clock.advance(5000);
  await done;
  assert.deepEqual(told(t), ["inner begins", "other begins", "inner ends", "outer begins", "other ends", "outer ends"]);
});

test("the model of Murano is read", async (t) => {
  await t.deploy({
    Objects: { "?": { type: "Root", id: "root" }, nodes: [
      { "?": { type: "Node", id: "a", dependencies: { onDestruction: [{ subscriber: "b", handler: "onGone" }] } } },
      { "?": { type: "Node", id: "b" } },
    ] },
    ObjectsCopy: null, Attributes: [],
  });
  await t.deploy({ Objects: null });
  assert.deepEqual(told(t), ["b hears of a", "a goes", "b goes"]);
});

test("GC.token is the same for every attempt and different for every object", (t) => {
  t.allowLeaks();
  const a = make("a"), b = make("b");
  assert.equal(GC.token(a), GC.token(a));
  assert.notEqual(GC.token(a), GC.token(b));
});
