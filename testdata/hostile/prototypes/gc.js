// GC is replaced, frozen and emptied.
// isolated: script TypeError
// in process: script TypeError
import { GC } from "sexton";
export default (self) => {
  globalThis.GC = { collect() { throw new Error("forged"); } };
  for (const name of Object.getOwnPropertyNames(GC)) try { delete GC[name]; } catch {}
  GC.collect = () => { throw new Error("forged"); };
};
