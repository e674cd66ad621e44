// JSON of an object with 2^40 ways through it.
// isolated: limit memory | died | time
// in process: never
export default () => {
  let o = {};
  for (let i = 0; i < 40; i++) o = { a: o, b: o };
  return JSON.stringify(o).length;
};
