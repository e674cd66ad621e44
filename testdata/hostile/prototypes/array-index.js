// A setter for the first element of all arrays.
// isolated: ok
// in process: ok
export default (self) => {
  Object.defineProperty(Array.prototype, 0, { configurable: true, set() { throw new Error("polluted"); }, get() { return "polluted"; } });
  self.x = [, 1];
};
