// A proxy around a managed object is not the object.
// isolated: script TypeError
// in process: script TypeError
import { GC } from "sexton";
export default (self) => {
  GC.token(new Proxy(self, {}));
};
