// A thenable that collects while it is awaited.
// isolated: ok
// in process: ok
import { GC } from "sexton";
export default () => ({ then(resolve) { GC.collect(); resolve(GC.collect()); } });
