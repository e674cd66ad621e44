// A thenable that resolves with itself, for ever.
// isolated: time
// in process: time
export default () => {
  const o = { then(resolve) { resolve(o); } };
  return o;
};
