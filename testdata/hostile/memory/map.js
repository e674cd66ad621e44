// A Map that grows for ever.
// isolated: limit memory | died | time
// in process: limit memory | time
export default () => {
  const m = new Map();
  for (let i = 0; ; i++) m.set(i, [i]);
};
