// 9.10.3, 9.12: what a WeakRef was made of, or has answered, is there until the job ends.
const made = () => new WeakRef({});
const early = made(), symbol = new WeakRef(Symbol("s"));
gc();
same(typeof early.deref(), "object", "in the job that made it");
same(typeof symbol.deref(), "symbol", "in the job that made it");
let answered;
Promise.resolve().then(() => {
  gc();
  same(early.deref(), undefined, "in a later job");
  same(symbol.deref(), undefined, "in a later job");
}).then(() => {
  answered = made();
}).then(() => {
  (() => { answered.deref(); })();
  gc();
  same(typeof answered.deref(), "object", "in a job that has asked for it");
}).then(() => {
  gc();
  same(answered.deref(), undefined, "in a job that has not");
  const kept = {}, ref = new WeakRef(kept);
  return Promise.resolve().then(() => {
    gc();
    same(ref.deref(), kept, "what something refers to");
  });
}).then(() => {
  const island = () => { const a = {}, b = { a }; a.b = b; a.f = () => b; return new WeakRef(a); };
  const cycle = island();
  const self = (() => { const o = {}; o.ref = new WeakRef(o); return new WeakRef(o); })();
  return Promise.resolve().then(() => {
    gc();
    same(cycle.deref(), undefined, "a cycle");
    same(self.deref(), undefined, "what has a WeakRef to itself");
  });
}).then(finish);
