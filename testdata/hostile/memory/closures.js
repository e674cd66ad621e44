// A chain of closures, each of which holds the one before.
// isolated: limit memory | died | time
// in process: limit memory | time
export default () => {
  let f = () => 0;
  for (;;) {
    const g = f;
    f = () => g;
  }
};
