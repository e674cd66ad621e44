// A recursion through Symbol.hasInstance.
// isolated: depth
// in process: depth
export default () => {
  const o = { [Symbol.hasInstance]: () => 1 instanceof o };
  return 1 instanceof o;
};
