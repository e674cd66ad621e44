// The next of all iterators of arrays never ends.
// isolated: script TypeError
// in process: script TypeError
import { GC } from "sexton";
export default async (self) => {
  Object.getPrototypeOf([][Symbol.iterator]()).next = () => ({ done: false, value: 1 });
  self.x = new Map([]);
  await GC.collect();
};
