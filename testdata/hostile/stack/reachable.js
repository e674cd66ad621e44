// Two hundred thousand levels between an object and what it holds: the collector walks them.
// isolated: ok
// in process: ok
import { GC } from "sexton";
export default async (self) => {
  let o = {};
  for (let i = 0; i < 2e5; i++) o = { o };
  self.held = o;
  await GC.collect();
};
