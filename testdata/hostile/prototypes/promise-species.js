// The species of promises is another class.
// isolated: ok
// in process: ok
import { GC } from "sexton";
export default async (self) => {
  Object.defineProperty(Promise, Symbol.species, { value: function (run) { run(() => {}, () => {}); } });
  await GC.collect();
};
