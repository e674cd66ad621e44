// A revoked proxy, held and saved.
// isolated: script TypeError
// in process: script TypeError
import { GC } from "sexton";
export default async (self) => {
  const { proxy, revoke } = Proxy.revocable({}, {});
  revoke();
  self.held = proxy;
  await GC.collect();
  self.x = proxy;
};
