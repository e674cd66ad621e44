// The proposal's cleanupSome: what is gone is told at once.
const log = [];
const registry = new FinalizationRegistry((held) => log.push(`own ${held}`));
const token = {};
const register = (...helds) => { for (const held of helds) registry.register({}, held, token); };
const told = (...want) => { same(log.join(), want.join(), "calls"); log.length = 0; };

Promise.resolve().then(() => {
  register(1, 2);
  gc();
  registry.cleanupSome((held) => log.push(held));
  told(1, 2);
  registry.cleanupSome((held) => log.push(held));
  told();
  same(registry.unregister(token), false, "told of means unregistered");
}).then(() => {
  register(1, 2);
  gc();
  registry.cleanupSome();
  told("own 1", "own 2");
}).then(() => { // it may be called while it runs
  register(1, 2, 3);
  gc();
  registry.cleanupSome((held) => {
    log.push(held);
    if (held === 1) registry.cleanupSome((held) => log.push(`inner ${held}`));
  });
  told(1, "inner 2", "inner 3");
}).then(() => { // what is unregistered meanwhile is not told
  register(1, 2);
  gc();
  registry.cleanupSome((held) => log.push(held, registry.unregister(token)));
  told(1, true);
}).then(() => { // what a callback throws is thrown, and costs the others nothing
  register(1, 2);
  gc();
  throws(RangeError, () => registry.cleanupSome((held) => { log.push(held); throw new RangeError(); }), "what a callback throws");
  told(1);
  return new Promise((resolve) => setTimeout(resolve));
}).then(() => {
  told("own 2");
}).then(finish);
