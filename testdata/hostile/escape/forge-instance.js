// What looks like a managed object is none.
// isolated: ok
// in process: ok
import { GC, Resource } from "sexton";
export default (self) => {
  const forged = [Object.create(self), Object.create(self.constructor.prototype), Object.assign(Object.create(Object.getPrototypeOf(self)), self), { ...self }, structuredClone({}), new Proxy(self, {}), self.$id,
    Object.setPrototypeOf({ $id: self.$id }, self.constructor.prototype)];
  for (const o of forged) for (const f of [GC.token, GC.isDestroyed, GC.isDoomed, (o) => GC.subscribeDestruction(o, self), (o) => GC.subscribeDestruction(self, o)]) {
    let done = true;
    try { f(o); } catch { done = false; }
    if (done) throw new Error("it was taken: " + f + " of " + Object.prototype.toString.call(o));
  }
  try { Reflect.construct(Resource, [{}, null], Object); } catch {}
  try { Reflect.construct(Resource, [{}, null], class {}); } catch {}
};
