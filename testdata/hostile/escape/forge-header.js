// Ids, owners and flags cannot be written.
// isolated: ok
// in process: ok
export default (self) => {
  const before = [self.$id, self.$type, self.$owner, self.$name];
  for (const name of ["$id", "$type", "$owner", "$name", "$find", "$destroyed", "$incarnation"]) {
    try { self[name] = "forged"; } catch {}
    try { Reflect.set(self, name, "forged"); } catch {}
    try { Object.defineProperty(self, name, { value: "forged" }); } catch {}
    try { Object.defineProperty(Object.getPrototypeOf(self), name, { value: "forged" }); } catch {}
    try { delete self[name]; } catch {}
  }
  self.x = before[0];
};
