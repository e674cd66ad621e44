// A chain of owners, ten thousand long, collected.
// isolated: ok
// in process: ok
// slow
import { GC } from "sexton";
export default async (self) => {
  let o = self;
  for (let i = 0; i < 5000; i++) { const next = new self.constructor({}, o); o.items.push(next); o = next; }
  o = null;
  self.items = [];
  await GC.collect();
};
