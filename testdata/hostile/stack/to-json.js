// A recursion through toJSON.
// isolated: depth
// in process: depth
export default () => {
  const o = { toJSON() { return JSON.stringify(o); } };
  return JSON.stringify(o);
};
