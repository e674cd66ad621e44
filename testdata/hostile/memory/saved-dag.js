// A saved value with 2^40 ways through it.
// isolated: limit | died | time | error
// in process: never
export default (self) => {
  let o = {};
  for (let i = 0; i < 40; i++) o = { a: o, b: o };
  self.x = o;
};
