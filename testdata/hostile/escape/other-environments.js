// No object of another environment, no name of one, and nothing left of an earlier deployment.
// isolated: ok
// in process: ok
import { GC } from "sexton";
export default (self) => {
  if (globalThis.canary !== undefined || Symbol.for("canary").canary || Object.prototype.canary) throw new Error("a canary is seen");
  for (const id of ["canary", "c", "other/root"]) {
    let seen;
    try { seen = GC.why(id); } catch {}
    if (seen) throw new Error("another environment is seen");
  }
  if (self.$owner.applications.length !== 1) throw new Error("there is somebody");
};
