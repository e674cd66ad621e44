// Every character replaced by the whole text.
// isolated: limit memory | died | time
// in process: never
export default () => {
  const s = "a".repeat(1e5);
  return s.replace(/a/g, s).length;
};
