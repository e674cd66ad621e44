// destroy() is the collector's alone, by whatever way it is called.
// isolated: ok
// in process: ok
import { Resource } from "sexton";
export default async (self) => {
  const ways = [() => self.destroy(), () => self.constructor.prototype.destroy.call(self), () => Reflect.apply(self.destroy, self, []), () => self["dest" + "roy"](),
    () => self.destroy.bind(self)(), () => Promise.resolve().then(() => self.destroy()), () => [self].map((o) => o.destroy()), () => new (class extends self.constructor { go() { super.destroy(); } })({}, self).go()];
  for (const way of ways) {
    let done = true;
    try { await way(); } catch { done = false; }
    if (done) throw new Error("it ran: " + way);
  }
  self.x = 1;
};
