// Resource inherits from something else than it did, and Item from a proxy.
// isolated: ok
// in process: ok
import { Resource } from "sexton";
export default (self) => {
  Object.setPrototypeOf(Resource.prototype, new Proxy({}, { get() { for (;;); }, has() { for (;;); } }));
  Object.setPrototypeOf(self, null);
};
