// A recursion through eval.
// isolated: depth
// in process: depth
export default () => {
  globalThis.again = () => (0, eval)("again()");
  return globalThis.again();
};
