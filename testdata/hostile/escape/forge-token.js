// A token is the object's own, whoever asks in whatever way.
// isolated: ok
// in process: ok
import { GC } from "sexton";
export default (self) => {
  const token = GC.token(self), other = new self.constructor({}, self);
  self.items.push(other);
  if (GC.token(other) === token || GC.token.call(other, self) !== token || GC.token(self, other.$id) !== token) throw new Error("forged");
};
