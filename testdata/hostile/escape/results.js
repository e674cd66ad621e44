// What the host returns is of this script's own kind.
// isolated: ok
// in process: ok
import { GC } from "sexton";
export default async (self) => {
  const result = await GC.collect();
  for (const o of [result, result.failed, result.blocked, GC.plan(), GC.why(self)]) {
    if (!(o instanceof Object) || ![Object.prototype, Array.prototype].includes(Object.getPrototypeOf(o))) throw new Error("not of this realm");
    o.toString();
  }
  result.failed.length = 2 ** 20;
  result.__proto__ = null;
  GC.plan().push(1);
};
