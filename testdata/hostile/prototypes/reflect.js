// Reflect and the functions of Object are replaced.
// isolated: ok
// in process: ok
import { GC } from "sexton";
export default (self) => {
  for (const o of [Reflect, Object]) for (const name of Object.getOwnPropertyNames(o)) {
    if (typeof o[name] === "function") try { o[name] = () => { throw new Error("polluted"); }; } catch {}
  }
  self.x = { a: 1 };
  return GC.collect();
};
