// Strings that double, each of them kept flat.
// isolated: limit memory | died | time
// in process: limit memory | time
export default () => {
  const kept = [];
  for (let s = "x".repeat(1000); ; ) {
    s = (s + s).slice(0, 1 << 20);
    kept.push(s + kept.length);
  }
};
