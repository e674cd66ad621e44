// Arrays that are put together, over and over.
// isolated: limit memory | died | time
// in process: never
export default () => {
  let a = new Array(1000).fill(0);
  for (;;) a = a.concat(a);
};
