// A Map whose iterator never ends.
// isolated: ok
// in process: ok
export default (self) => {
  const m = new Map([[1, 2]]);
  m.entries = m.forEach = m[Symbol.iterator] = function* () { for (;;) yield [1, 2]; };
  self.x = m;
};
