// Thenables that resolve with new thenables, for ever.
// isolated: time
// in process: time
export default () => {
  const make = () => ({ then(resolve) { resolve(make()); } });
  return make();
};
