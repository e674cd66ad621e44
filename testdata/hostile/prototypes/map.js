// Methods of Map and Set that run for ever.
// isolated: ok
// in process: ok
import { GC } from "sexton";
export default (self) => {
  for (const C of [Map, Set, WeakMap, WeakSet]) for (const name of ["get", "set", "add", "has", "delete", "forEach", "entries", Symbol.iterator]) {
    if (C.prototype[name]) C.prototype[name] = () => { for (;;); };
  }
  self.x = new Map([]);
  return GC.collect();
};
