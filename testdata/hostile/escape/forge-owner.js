// An owner that is none, or one in its own house.
// isolated: script Error
// in process: script Error
export default (self) => {
  for (const owner of [{}, "root", Object.create(self), new Proxy(self, {}), 1, Symbol()]) {
    let done = true;
    try { new self.constructor({}, owner); } catch { done = false; }
    if (done) throw new RangeError("an owner that is none was taken");
  }
  throw new Error("as expected");
};
