// A recursion through valueOf.
// isolated: depth
// in process: depth
export default () => {
  const o = { valueOf() { return +o; } };
  return +o;
};
