// 9.13, 26.2.3: callbacks are called in jobs of their own, once, with what is held.
const log = [], self = [];
const registry = new FinalizationRegistry(function (held) {
  log.push(held);
  self.push(this, arguments.length);
});
const token = {}, lives = {}, held = {};
const dies = {};
(() => {
  registry.register({}, 1);
  registry.register({}, held);
  registry.register({}, "unregistered", token);
  registry.register(lives, "lives");
  registry.register(Symbol(), "symbol");
  const twice = {};
  registry.register(twice, "first");
  registry.register(twice, "second", twice);
  registry.register(twice, undefined);
})();
registry.unregister(token);
gc();
same(log.length, 0, "not at once");
Promise.resolve().then(() => same(log.length, 0, "not among promise jobs"));
setTimeout(() => {
  const want = [1, held, "symbol", "first", "second", undefined];
  same(log.length, want.length, "number of calls");
  want.forEach((value, i) => same(log[i], value, "held value"));
  const sloppy = (function () { return this; })();
  self.forEach((value, i) => same(value, i % 2 ? 1 : sloppy, "this, and number of arguments"));
  gc();
  setTimeout(() => {
    same(log.length, want.length, "once");
    same(typeof lives, "object", "it lives");
    reachable();
  });
});

// The registry holds neither targets nor tokens; a held value that leads to its target keeps it.
function reachable() {
  const refs = {}, f = new FinalizationRegistry((what) => log.push(what));
  log.length = 0;
  (() => {
    const target = {}, token = {}, keeps = {};
    f.register(target, "target", token);
    f.register(keeps, { keeps });
    refs.target = new WeakRef(target);
    refs.token = new WeakRef(token);
    refs.keeps = new WeakRef(keeps);
  })();
  const registry = (() => {
    const dropped = new FinalizationRegistry(() => log.push("dropped"));
    dropped.register(dropped, "itself");
    return new WeakRef(dropped);
  })();
  setTimeout(() => {
    gc();
    same(refs.target.deref(), undefined, "target");
    same(refs.token.deref(), undefined, "token");
    same(typeof refs.keeps.deref(), "object", "target of what is held");
    same(registry.deref(), undefined, "registry that is its own target");
    setTimeout(() => {
      same(log.join(), "target", "calls");
      same(f.unregister(f), false, "it lives");
      finish();
    });
  });
}
