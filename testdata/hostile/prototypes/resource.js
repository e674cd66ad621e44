// The accessors of Resource are replaced.
// isolated: script TypeError
// in process: script TypeError
import { Resource } from "sexton";
export default (self) => {
  let p = Resource.prototype;
  for (const name of ["$id", "$type", "$owner", "$name", "$find", "destroy"]) Object.defineProperty(p, name, { get() { return "forged"; }, configurable: true });
  Resource.prototype.constructor = Object;
};
