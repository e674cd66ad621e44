// An id that another object has, one that is empty, or one that is no text.
// isolated: script Error
// in process: script Error
export default (self) => {
  const taken = [];
  for (const id of ["root", self.$id, "", "__proto__", "constructor", "a b", "../x", "\0", "x".repeat(1e6), {}, 1, { toString() { for (;;); } }]) {
    try { new self.constructor({}, self, { id }); taken.push(typeof id === "string" ? id.slice(0, 20) : typeof id); } catch {}
  }
  if (taken.includes("root") || taken.includes(self.$id)) throw new RangeError("an id was taken twice");
  throw new Error("as expected: " + taken);
};
