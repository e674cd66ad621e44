// Many small typed arrays.
// isolated: limit memory | died | time
// in process: limit memory | time
export default () => {
  const kept = [];
  for (;;) kept.push(new Uint8Array(1 << 20).fill(1));
};
