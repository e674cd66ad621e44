// A BigInt that is squared again and again.
// isolated: limit memory | died | time
// in process: never
export default () => {
  for (let n = 3n; ; ) n *= n;
};
