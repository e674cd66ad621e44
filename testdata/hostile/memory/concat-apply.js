// One text, concatenated with itself many times.
// isolated: limit memory | died | time
// in process: never
export default () => {
  const s = "x".repeat(1 << 20);
  return s.concat(...new Array(10000).fill(s)).length;
};
