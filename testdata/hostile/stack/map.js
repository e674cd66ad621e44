// A recursion through Array.prototype.map.
// isolated: depth
// in process: depth
export default () => {
  const f = () => [1].map(f);
  return f();
};
