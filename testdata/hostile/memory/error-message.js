// An error whose message is very long: what is told of it is bounded.
// isolated: script TypeError
// in process: script TypeError
export default () => {
  throw new TypeError("x".repeat(1 << 24));
};
