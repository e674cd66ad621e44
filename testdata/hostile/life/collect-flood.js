// Collections without end, none of them awaited.
// isolated: time
// in process: time
import { GC } from "sexton";
export default () => {
  for (;;) GC.collect();
};
