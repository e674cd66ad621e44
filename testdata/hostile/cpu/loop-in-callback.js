// An endless loop in a callback of a built-in, caught and repeated.
// isolated: time
// in process: time
export default () => {
  for (;;) {
    try {
      [1].forEach(() => { for (;;); });
    } catch {}
  }
};
