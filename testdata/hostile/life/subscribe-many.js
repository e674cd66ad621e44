// Subscriptions without end.
// isolated: limit edges | time
// in process: limit edges | time
import { GC } from "sexton";
export default (self) => {
  const a = new self.constructor({}, self), b = new self.constructor({}, self);
  for (;;) GC.subscribeDestruction(a, b);
};
