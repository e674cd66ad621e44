// Everything the host could want to write is frozen.
// isolated: ok
// in process: ok
export default (self) => {
  for (const o of [self, self.$owner, self.items, self.constructor, self.constructor.prototype, globalThis, console, Object.prototype, Array.prototype, Promise.prototype]) {
    try { Object.freeze(o); } catch {}
  }
};
