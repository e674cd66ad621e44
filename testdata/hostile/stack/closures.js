// Thirty thousand closures deep is what the collector has to walk.
// isolated: ok
// in process: ok
import { GC } from "sexton";
export default async (self) => {
  let f = () => self;
  for (let i = 0; i < 3e4; i++) { const g = f; f = () => g; }
  self.held = f;
  await GC.collect();
};
