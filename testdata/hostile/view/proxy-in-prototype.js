// An object whose prototype is a proxy with traps that run for ever.
// isolated: ok
// in process: ok
import { GC } from "sexton";
export default async (self) => {
  const forever = () => { for (;;); };
  self.held = Object.create(new Proxy({}, { get: forever, getPrototypeOf: forever, ownKeys: forever, has: forever }));
  await GC.collect();
};
