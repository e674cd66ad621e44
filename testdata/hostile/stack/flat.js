// An array in itself, flattened.
// isolated: limit nesting
// in process: limit nesting
export default () => {
  const a = [];
  a[0] = a;
  return a.flat(Infinity);
};
