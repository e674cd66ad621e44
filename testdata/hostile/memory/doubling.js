// A string that doubles until there is no memory.
// isolated: limit memory | died | time
// in process: limit memory | time
export default () => {
  let s = "x";
  for (;;) s += s;
};
