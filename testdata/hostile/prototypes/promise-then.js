// A then of promises that never calls.
// isolated: ok
// in process: ok
import { GC } from "sexton";
export default (self) => {
  Promise.prototype.then = function () { return this; };
  return GC.collect();
};
