// A recursion through toString, where native frames lie between the calls.
// isolated: depth
// in process: depth
export default () => {
  const o = { toString() { return "" + o; } };
  return "" + o;
};
