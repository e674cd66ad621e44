// An array with an iterator that never ends.
// isolated: ok
// in process: ok
export default (self) => {
  const a = [1, 2];
  a[Symbol.iterator] = function* () { for (;;) yield 1; };
  self.x = a;
};
