// An array that grows for ever.
// isolated: limit memory | died | time
// in process: limit memory | time
export default () => {
  const a = [];
  for (;;) a.push({ a: [a.length] });
};
