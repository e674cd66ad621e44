// Generators that delegate to themselves are not counted as calls.
// isolated: depth
// in process: depth
export default () => {
  const g = function* () { yield* g(); };
  return [...g()];
};
