// A deploy() of Environment that runs for ever, put in from outside.
// isolated: script TypeError
// in process: script TypeError
import { Environment } from "sexton";
export default (self) => {
  Environment.prototype.deploy = () => { for (;;); };
  self.$owner.constructor.prototype.destroy = () => { for (;;); };
};
