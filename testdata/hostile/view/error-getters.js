// An error whose properties loop when they are read.
// isolated: script AggregateError
// in process: script AggregateError
export default () => {
  const loop = () => { for (;;); };
  const error = new AggregateError([], "looping");
  for (const key of ["stack", "cause", "errors", "code", "constructor"]) Object.defineProperty(error, key, { get: loop, enumerable: true });
  Object.setPrototypeOf(error, Object.create(AggregateError.prototype, { constructor: { get: loop } }));
  throw error;
};
