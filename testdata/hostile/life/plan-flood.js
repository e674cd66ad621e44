// Plans and reasons without end.
// isolated: time
// in process: time
import { GC } from "sexton";
export default (self) => {
  for (;;) { GC.plan(); GC.why(self); }
};
