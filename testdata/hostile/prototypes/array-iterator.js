// An iterator of arrays that never ends.
// isolated: ok
// in process: ok
export default (self) => {
  Array.prototype[Symbol.iterator] = function* () { for (;;) yield 1; };
  self.x = [1, 2, 3];
};
