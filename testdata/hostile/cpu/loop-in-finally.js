// A loop that cannot be caught, though it tries.
// isolated: time
// in process: time
export default () => {
  for (;;) {
    try {
      for (;;);
    } catch {
    } finally {
      for (;;);
    }
  }
};
