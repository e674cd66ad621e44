// A class whose Symbol.hasInstance lies and runs for ever.
// isolated: ok
// in process: ok
import { Resource } from "sexton";
export default (self) => {
  Object.defineProperty(self.constructor, Symbol.hasInstance, { value() { for (;;); } });
  Object.defineProperty(Resource, Symbol.hasInstance, { value() { for (;;); } });
  self.items.push(new self.constructor({}, self));
};
