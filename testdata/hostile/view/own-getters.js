// Undeclared getters that run for ever, on an object that the collector walks.
// isolated: ok
// in process: ok
import { GC } from "sexton";
export default async (self) => {
  Object.defineProperty(self, "trap", { enumerable: true, get() { for (;;); } });
  self.proxy = new Proxy({}, { get() { for (;;); }, ownKeys() { for (;;); } });
  await GC.collect();
};
