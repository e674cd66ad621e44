// What the collector calls is reached by nobody else.
// isolated: ok
// in process: ok
import * as sexton from "sexton";
export default (self) => {
  const names = Reflect.ownKeys(sexton).filter((k) => typeof k === "string").sort().join();
  if (!/^(Environment,GC,ObjectDestroyedError,PermissionDenied,Resource)(,default)?$/.test(names)) throw new Error(names);
  for (const key of Reflect.ownKeys(globalThis)) if (typeof key === "string" && /^(__|\$|_?sexton)/i.test(key)) throw new Error("a global " + key);
  for (const o of [self, self.constructor, sexton.Resource, sexton.Resource.prototype]) for (const key of Reflect.ownKeys(o)) {
    if (typeof key === "symbol" && key.description && !key.description.startsWith("Symbol.")) throw new Error("a symbol " + key.description);
  }
};
