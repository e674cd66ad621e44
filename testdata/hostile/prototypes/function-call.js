// call, apply and bind that throw.
// isolated: script TypeError
// in process: script TypeError
import { GC } from "sexton";
export default (self) => {
  for (const name of ["call", "apply", "bind"]) Function.prototype[name] = () => { throw new Error("polluted"); };
  self.x = 1;
  return GC.collect();
};
